import { loadEnvironmentFiles } from "../settings/environment.ts";
import { readDatabaseSettings, SettingsError } from "../settings/settings.ts";
import { readOrder, releaseUsage } from "./release/commands.ts";
import { withConnection } from "./release/connection.ts";
import { NotYetError, ReleaseError } from "./release/errors.ts";

// `npm run release`: which index readers are sent to. Exit code 75: not yet, ask again later.

const NOT_YET = 75;
const line = process.argv.slice(2);

try {
  if (line.length === 0 || line.includes("--help") || line[0] === "help") console.log(releaseUsage);
  else console.log(await run());
} catch (error) {
  const isKnown = error instanceof ReleaseError || error instanceof SettingsError;
  console.error(isKnown ? error.message : `Nothing was changed: ${(error as Error).message}`);
  process.exitCode = error instanceof NotYetError ? NOT_YET : 1;
}

async function run(): Promise<string> {
  const order = readOrder(line);
  loadEnvironmentFiles();
  const { viewsSchema, ...settings } = readDatabaseSettings(process.env);
  const say = (text: string) => console.error(text);
  return withConnection(settings, (connection) => order({ connection, viewsSchema, say }));
}
