import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import "./test/support/compileCache.ts";
import { Failures } from "./test/support/failures.ts";
import { alsoIn } from "./test/support/forms.ts";
import { LongestFirst } from "./test/support/longestFirst.ts";
import { SlowestFiles } from "./test/support/slowestFiles.ts";

/**
 * Files with a process of their own: they replace a module or a setting, or use a module that registers a hook when it is loaded. All
 * other fast files run one after the other in a few processes, so that each module is loaded once.
 */
const apartTests = "test/**/*.apart.test.ts";

/**
 * What needs many starts, kills or releases: `.ci/run` and `npm run test:full` run it after `npm test`. Files of another form that
 * begin with `// Also runs as: slow` run here, too. They share a few processes, as the fast ones do.
 */
const slowTests = "test/**/*.slow.test.ts";

/** Proofs of large sizes: `npm run test:full` runs them after all others. */
const longProofs = "test/**/*.full.test.ts";

/**
 * The longest files of the folders that `npm run test:quick` names: without them it takes a little more than two minutes on two cores. Vitest's own
 * `--exclude` does not reach projects.
 */
const leftOut = [
  "test/query/{cursors,ensv2Names,historyPages,pages,plans,relations,search,series,withoutEnsv2}.test.ts",
];
const leftOutIn = (mode: string): string[] => (mode === "quick" ? leftOut : []);

/** What all projects have. They do not extend the root: each would then start a PostgreSQL of its own. */
const common = {
  resolve: {
    alias: {
      "ponder:schema": fileURLToPath(new URL("./test/support/ponderSchema.ts", import.meta.url)),
      // Its source: only the tests of the package build it.
      "namedex-client": fileURLToPath(new URL("./client/src/index.ts", import.meta.url)),
    },
  },
};

const limits = {
  setupFiles: ["./test/support/seed.ts", "./test/support/patience.ts"],
  expect: { poll: { timeout: 60_000 } },
  pool: "forks" as const,
  execArgv: [`--import=${new URL("./test/support/packagePaths.ts", import.meta.url)}`],
  // A test ends by its own waits. This ends one that hangs, also on a machine that is ten times as slow.
  testTimeout: 600_000,
  hookTimeout: 600_000,
  teardownTimeout: 30_000,
};

export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: ["./test/support/globalSetup.ts"],
    maxWorkers: 4, // Each integration test has a chain, a database and Ponder beside it, and often waits for them.
    sequence: { sequencer: LongestFirst },
    reporters: ["default", "json", new SlowestFiles(), new Failures()],
    outputFile: { json: ".namedex/test-report.json" },
    projects: [
      {
        ...common,
        test: {
          ...limits,
          name: "apart",
          include: [apartTests],
        },
      },
      {
        ...common,
        test: {
          ...limits,
          name: "sharing",
          isolate: false,
          restoreMocks: true,
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...leftOutIn(mode), apartTests, slowTests, longProofs],
        },
      },
      {
        ...common,
        test: {
          ...limits,
          name: "slow",
          isolate: false,
          restoreMocks: true,
          include: [slowTests, ...alsoIn("slow")],
          globalSetup: ["./test/support/slowTests.ts"],
        },
      },
      {
        ...common,
        test: {
          ...limits,
          name: "long",
          include: [longProofs, ...alsoIn("long")],
          globalSetup: ["./test/support/longProofs.ts"],
        },
      },
    ],
  },
}));
