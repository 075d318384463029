import { createInterface } from "node:readline";
import { loadEnvironmentFiles } from "../settings/environment.ts";
import { hideSecrets } from "../settings/hideSecrets.ts";
import { readDatabaseSettings } from "../settings/settings.ts";
import { withClient } from "../src/api/postgres/client.ts";
import { restore } from "./backup/restore.ts";

// `npm run restore < namedex.jsonl`: restores the service's schema from a backup.

try {
  loadEnvironmentFiles();
  hideSecrets(process.env, [process.stderr]);
  const { databaseUrl, serviceSchema } = readDatabaseSettings(process.env);
  const rows = await withClient({ connectionString: databaseUrl }, (client) =>
    restore(client, { schema: serviceSchema, lines: inputLines() }),
  );
  console.log(`${rows} rows restored into the schema "${serviceSchema}".`);
} catch (error) {
  console.error(`Nothing was restored.\n${(error as Error).message}`);
  process.exitCode = 1;
}

/** Opens standard input when the first line is read: an interface without a reader loses lines. */
async function* inputLines(): AsyncGenerator<string> {
  yield* createInterface({ input: process.stdin });
}
