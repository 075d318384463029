import { once } from "node:events";
import { loadEnvironmentFiles } from "../settings/environment.ts";
import { hideSecrets } from "../settings/hideSecrets.ts";
import { readDatabaseSettings } from "../settings/settings.ts";
import { withClient } from "../src/api/postgres/client.ts";
import { backUp } from "./backup/write.ts";

// `npm run --silent backup > namedex.jsonl`: saves keys, credits and their ledger, which are not on any chain.

try {
  loadEnvironmentFiles();
  hideSecrets(process.env, [process.stderr]);
  const { databaseUrl, serviceSchema } = readDatabaseSettings(process.env);
  const rows = await withClient({ connectionString: databaseUrl }, (client) =>
    backUp(client, { schema: serviceSchema, write: writeLine }),
  );
  console.error(`${rows} rows of the schema "${serviceSchema}" backed up.`);
} catch (error) {
  console.error(`No backup was taken.\n${(error as Error).message}`);
  process.exitCode = 1;
}

async function writeLine(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, "drain");
}
