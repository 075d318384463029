import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { SlowestFiles } from "./test/support/slowestFiles.ts";

export default defineConfig({
  resolve: {
    alias: { "ponder:schema": fileURLToPath(new URL("./test/support/ponderSchema.ts", import.meta.url)) },
  },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["./test/support/globalSetup.ts"],
    setupFiles: ["./test/support/seed.ts"],
    pool: "forks",
    maxWorkers: 2, // Each integration test has a chain, a database and Ponder beside it.
    testTimeout: 180_000,
    hookTimeout: 600_000,
    teardownTimeout: 30_000,
    reporters: ["default", "json", new SlowestFiles()],
    outputFile: { json: ".namedex/test-report.json" },
  },
});
