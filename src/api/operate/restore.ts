import { createInterface } from "node:readline";
import { withClient } from "../client.ts";
import { loadEnvironmentFiles } from "../environment.ts";
import { readDatabaseSettings } from "../settings.ts";
import { restore } from "../store/restore.ts";

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
