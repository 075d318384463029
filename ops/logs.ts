import { readSettings } from "../settings/settings.ts";
import { asksForHelp } from "./commandLine/command.ts";
import { runProgram } from "./commandLine/runProgram.ts";
import { readOptions, usage } from "./logs/options.ts";
import { runLogs } from "./logs/run.ts";

// `npm run logs`: an archive of the raw logs that an index is built from, for LOG_SOURCE.

const line = process.argv.slice(2);

await runProgram(
  {
    env: process.env,
    help: asksForHelp(line) ? usage : null,
    failure: "The command failed.",
    hideIn: [process.stdout, process.stderr],
  },
  (env) => runLogs(readOptions(line), { settings: () => readSettings(env), screen: process.stderr }),
);
