import type { Change } from "../change.ts";
import { importOf } from "./importOf.ts";

const cache = "indexing-store/cache.js";
const client = "indexing/client.js";

export const predictedRows: Change = {
  name: "predictedRows",
  group: "correct",
  problem:
    'Ponder predicts which rows the handlers will find (`indexing-store/cache.js`): a column of a key that once had the value of a parameter, compared as text, is taken from that parameter of later logs. So after a text record `"1"` at version 1, the text `"hello"` is asked for as a version. PostgreSQL refuses it, Ponder tries for a minute, and ends. All predicted rows of a table are in one statement, which PostgreSQL refuses from 65,536 parameters on.',
  cost: "A stranger ends the indexer by two transactions, and again after each start.",
  remedy:
    "A predicted key is left out where a column cannot have the value (its type, its range, a text with NUL or longer than a hash). Its handler asks for the row itself. The others are asked for by statements of 2,000 rows. A predicted call that cannot be encoded (`indexing/client.js`) is left out, too.",
  upstream: "Not reported as of 2026-11.",
  exit: "A release that leaves out predicted keys and calls that cannot be, and asks for the others in parts.",
  edits: [
    {
      file: cache,
      from: "export const createIndexingCache = ",
      to: `${importOf("possibleKeys", "predicted/possibleKey.ts")}${importOf("inParts", "predicted/inParts.ts")}const isPossibleKey = possibleKeys((table) => getPrimaryKeyColumns(table).map(({ js }) => ({ js, column: table[js] })));
export const createIndexingCache = `,
    },
    {
      file: cache,
      from: "                                const row = recoverProfilePattern(pattern, event);\n",
      to: `                                const row = recoverProfilePattern(pattern, event);
                                if (isPossibleKey(table, row) === false) continue;
`,
    },
    {
      file: cache,
      from: `                await qb
                    .wrap((db) => db
                    .select()
                    .from(table)
                    .where(or(...conditions)), context)
                    .then((results) => {`,
      to: `                await inParts(conditions, (some) => qb.wrap((db) => db.select().from(table).where(or(...some)), context))
                    .then((results) => {`,
    },
    {
      file: client,
      from: "            for (const { ev, request } of dedupe(prediction, ",
      to: "            for (const { ev, request } of dedupe(encodable(prediction, encodeRequest), ",
    },
    {
      file: client,
      from: "export const createCachedViemClient = ",
      to: `${importOf("encodable", "predicted/inParts.ts")}export const createCachedViemClient = `,
    },
  ],
};
