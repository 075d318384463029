import { createInterface } from "node:readline";
import { readDatabaseSettings } from "../settings/settings.ts";
import { withClient } from "../src/api/server/postgres/client.ts";
import { urlOfPrimary } from "../src/api/server/postgres/primaryPool.ts";
import { restore } from "./backup/restore.ts";
import { counted } from "./commandLine/counted.ts";
import { runProgram } from "./commandLine/runProgram.ts";

// `npm run restore < namedex.jsonl`: restores the service's schema from a backup.

await runProgram(
  { env: process.env, failure: "Nothing was restored.", hideIn: [process.stderr] },
  async (env) => {
    const { serviceDatabaseUrls, serviceSchema } = readDatabaseSettings(env);
    const connectionString = await urlOfPrimary(serviceDatabaseUrls);
    const rows = await withClient({ connectionString }, (client) =>
      restore(client, { schema: serviceSchema, lines: inputLines() }),
    );
    return { text: `${counted(rows, "row")} restored into schema "${serviceSchema}".` };
  },
);

/** Opens standard input when the first line is read: an interface without a reader loses lines. */
async function* inputLines(): AsyncGenerator<string> {
  yield* createInterface({ input: process.stdin });
}
