import { createInterface } from "node:readline";
import { loadEnvironmentFiles } from "../settings/environment.ts";
import { readDatabaseSettings } from "../settings/settings.ts";
import { withClient } from "../src/api/serviceDb/client.ts";
import { restore } from "./dump/restore.ts";

// `npm run restore < namedex.jsonl`: makes the service's schema from a backup.

try {
  loadEnvironmentFiles();
  const { databaseUrl, serviceSchema } = readDatabaseSettings(process.env);
  const rows = await withClient({ connectionString: databaseUrl }, (client) =>
    restore(client, { schema: serviceSchema, lines: inputLines() }),
  );
  console.log(`${rows} rows restored into the schema "${serviceSchema}".`);
} catch (error) {
  console.error(`Nothing was restored.\n${(error as Error).message}`);
  process.exitCode = 1;
}

/** The interface is made when the first line is asked for: it gives lines to nobody otherwise, and then none. */
async function* inputLines(): AsyncGenerator<string> {
  yield* createInterface({ input: process.stdin });
}
