import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: { "ponder:schema": fileURLToPath(new URL("./test/support/ponderSchema.ts", import.meta.url)) },
  },
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["./test/support/globalSetup.ts"],
    pool: "forks",
    maxWorkers: 2, // Each integration test has a chain, a database and Ponder beside it.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    reporters: ["default", "json"],
    outputFile: { json: ".namedex/test-report.json" },
  },
});
