import { readSettings } from "../settings/settings.ts";
import { asksForHelp, readCommand } from "./commandLine/command.ts";
import { runProgram } from "./commandLine/runProgram.ts";
import { snapshotProgram } from "./snapshot/commands.ts";

// `npm run snapshot`: an index as files. Its result goes to standard output, and progress to standard error.

const line = process.argv.slice(2);

await runProgram(
  {
    env: process.env,
    help: asksForHelp(line) ? snapshotProgram.usage : null,
    failure: "The snapshot failed.",
    hideIn: [process.stdout, process.stderr],
  },
  async (env) => {
    const command = readCommand(line, snapshotProgram);
    return { text: await command({ readSettings: () => readSettings(env), screen: process.stderr }) };
  },
);
