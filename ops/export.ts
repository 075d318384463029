import { readSettings } from "../settings/settings.ts";
import { asksForHelp } from "./commandLine/command.ts";
import { takeLowPriority } from "./commandLine/lowPriority.ts";
import { runProgram } from "./commandLine/runProgram.ts";
import { readOptions, usage } from "./export/options.ts";
import { runExport } from "./export/run.ts";

// `npm run export`: views as files for analysts' tools. Its result goes to standard output, and progress to standard error.

const line = process.argv.slice(2);

await runProgram(
  {
    env: process.env,
    help: asksForHelp(line) ? usage : null,
    failure: "The export failed.",
    hideIn: [process.stdout, process.stderr],
  },
  async (env) => {
    const options = readOptions(line);
    if (options.priority === "low") takeLowPriority();
    return runExport(options, { settings: readSettings(env), screen: process.stderr });
  },
);
