import { loadEnvironmentFiles } from "../settings/environment.ts";
import { hideSecrets } from "../settings/hideSecrets.ts";
import { readDatabaseSettings, SettingsError } from "../settings/settings.ts";
import { asksForHelp, CommandError, readCommand } from "./commandLine/command.ts";
import { releaseProgram } from "./release/commands.ts";
import { withConnection } from "./release/connection.ts";
import { NotYetError } from "./release/switch.ts";

// `npm run release`: which index readers are sent to. Exit code 75 means: not yet, ask again later.

const NOT_YET = 75;
const line = process.argv.slice(2);

try {
  console.log(asksForHelp(line) ? releaseProgram.usage : await run());
} catch (error) {
  const isKnown = error instanceof CommandError || error instanceof SettingsError;
  console.error(isKnown ? error.message : `Nothing was changed: ${(error as Error).message}`);
  process.exitCode = error instanceof NotYetError ? NOT_YET : 1;
}

async function run(): Promise<string> {
  const command = readCommand(line, releaseProgram);
  loadEnvironmentFiles();
  hideSecrets(process.env, [process.stderr]);
  const { viewsSchema, ...settings } = readDatabaseSettings(process.env);
  const log = (text: string) => console.error(text);
  return withConnection(settings, (connection) => command({ connection, viewsSchema, log }));
}
