import { once } from "node:events";
import { readDatabaseSettings } from "../settings/settings.ts";
import { withClient } from "../src/api/server/postgres/client.ts";
import { urlOfPrimary } from "../src/api/server/postgres/primaryPool.ts";
import { backUp } from "./backup/write.ts";
import { counted } from "./commandLine/counted.ts";
import { runProgram } from "./commandLine/runProgram.ts";

// `npm run --silent backup > namedex.jsonl`: saves keys, credits and their ledger, which are not on any chain.

await runProgram(
  { env: process.env, failure: "No backup was taken.", hideIn: [process.stderr] },
  async (env) => {
    const { serviceDatabaseUrls, serviceSchema } = readDatabaseSettings(env);
    const connectionString = await urlOfPrimary(serviceDatabaseUrls);
    const rows = await withClient({ connectionString }, (client) =>
      backUp(client, { schema: serviceSchema, write: writeLine }),
    );
    // Standard output is the backup.
    console.error(`${counted(rows, "row")} backed up from schema "${serviceSchema}".`);
    return {};
  },
);

async function writeLine(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, "drain");
}
