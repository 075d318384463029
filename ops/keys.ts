import { loadEnvironmentFiles } from "../settings/environment.ts";
import { hideSecrets } from "../settings/hideSecrets.ts";
import { readDatabaseSettings, SettingsError } from "../settings/settings.ts";
import { keysIn } from "../src/api/serviceDb/keys.ts";
import { openStore } from "../src/api/serviceDb/store.ts";
import { asksForHelp, CommandError, readCommand } from "./commandLine/command.ts";
import { keysProgram } from "./keys/commands.ts";

// `npm run keys`: creates, lists and revokes keys in the service's own schema, and grants them credits.

const line = process.argv.slice(2);

try {
  console.log(asksForHelp(line) ? keysProgram.usage : await run());
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
}

async function run(): Promise<string> {
  const command = readCommand(line, keysProgram);
  loadEnvironmentFiles();
  hideSecrets(process.env, [process.stderr]);
  const { databaseUrl, serviceSchema } = readDatabaseSettings(process.env);
  const store = openStore({ databaseUrl, schema: serviceSchema });
  try {
    return await command(keysIn(store));
  } finally {
    await store.close();
  }
}

/** One sentence for what the operator can mend; the whole error otherwise. */
function explain(error: unknown): string {
  if (error instanceof CommandError) return error.message;
  if (error instanceof SettingsError) {
    return `${error.message}\nBeside npm run dev, use the database that npm run dev printed.`;
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
