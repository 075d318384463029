import { loadEnvironmentFiles } from "../settings/environment.ts";
import { hideSecrets } from "../settings/hideSecrets.ts";
import { readSettings, SettingsError } from "../settings/settings.ts";
import { asksForHelp, CommandError, readCommand } from "./commandLine/command.ts";
import { snapshotProgram } from "./snapshot/commands.ts";

// `npm run snapshot`: an index as files. Its result goes to standard output, and progress to standard error.

const line = process.argv.slice(2);

try {
  console.log(asksForHelp(line) ? snapshotProgram.usage : await run());
} catch (error) {
  const isKnown = error instanceof CommandError || error instanceof SettingsError;
  console.error(isKnown ? error.message : `The snapshot failed: ${(error as Error).stack}`);
  process.exitCode = 1;
}

async function run(): Promise<string> {
  const command = readCommand(line, snapshotProgram);
  loadEnvironmentFiles();
  hideSecrets(process.env, [process.stdout, process.stderr]);
  return command({ readSettings: () => readSettings(process.env), screen: process.stderr });
}
