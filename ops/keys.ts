import { loadEnvironmentFiles } from "../settings/environment.ts";
import { readDatabaseSettings, SettingsError } from "../settings/settings.ts";
import { keysIn } from "../src/api/serviceDb/keys.ts";
import { openStore } from "../src/api/serviceDb/store.ts";
import { KeyCommandError, keyUsage, runKeyCommand } from "./keyCommands.ts";

// `npm run keys`: makes, lists, fills and revokes keys in the service's own schema.

const line = process.argv.slice(2);

try {
  if (line.length === 0 || line.includes("--help") || line[0] === "help") console.log(keyUsage);
  else console.log(await run());
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

async function run(): Promise<string> {
  loadEnvironmentFiles();
  const { databaseUrl, serviceSchema } = readDatabaseSettings(process.env);
  const store = openStore({ databaseUrl, schema: serviceSchema });
  try {
    return await runKeyCommand(line, keysIn(store));
  } finally {
    await store.close();
  }
}

/** What the operator can do something about is told in a sentence; the rest whole. */
function explain(error: unknown): string {
  if (error instanceof KeyCommandError) return error.message;
  if (error instanceof SettingsError) {
    return `${error.message}\nBeside npm run dev, give it the database that its screen shows.`;
  }
  if (isUnreachable(error)) {
    return `DATABASE_URL: the database cannot be reached (${error.code}); is it running?`;
  }
  return `The command failed: ${error instanceof Error ? error.stack : String(error)}`;
}

function isUnreachable(error: unknown): error is { code: string } {
  const codes = ["ECONNREFUSED", "ENOTFOUND", "ETIMEDOUT", "EHOSTUNREACH", "3D000", "28P01", "28000"];
  return codes.includes((error as { code?: string } | null)?.code ?? "");
}
