import { readDatabaseSettings } from "../settings/settings.ts";
import { interruption, type Result, runProgram } from "./commandLine/runProgram.ts";
import { readOptions, usage } from "./labels/options.ts";
import { importTables } from "./labels/run.ts";

// `npm run labels`: imports tables of labels, whose texts the indexer applies to the names that show their hashes.

const line = process.argv.slice(2);

await runProgram(
  {
    env: process.env,
    help: line.length === 0 || line.includes("--help") ? usage : null,
    failure: "The import failed.",
    hideIn: [process.stdout, process.stderr],
  },
  async (env): Promise<Result> =>
    importTables({ options: readOptions(line), settings: readDatabaseSettings(env), signal: interruption() }),
);
