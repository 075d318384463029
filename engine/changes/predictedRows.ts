import type { Change } from "../change.ts";

const cache = "indexing-store/cache.js";
const client = "indexing/client.js";
const possibleKey = JSON.stringify(new URL("../predicted/possibleKey.ts", import.meta.url).href);

/** Rows of one statement. PostgreSQL takes 65,535 parameters, and a key has up to five columns. */
export const ROWS_OF_STATEMENT = 2_000;

export const predictedRows: Change = {
  name: "predictedRows",
  problem:
    'Ponder predicts which rows the handlers will find (`indexing-store/cache.js`): a column of a key that once had the value of a parameter, compared as text, is taken from that parameter of later logs. So after a text record `"1"` at version 1, the text `"hello"` is asked for as a version. PostgreSQL refuses it, Ponder tries for a minute, and ends. All predicted rows of a table are in one statement, which PostgreSQL refuses from 65,536 parameters on.',
  cost: "A stranger ends the indexer by two transactions, and again after each start.",
  remedy:
    "A predicted key is left out where a column cannot have the value (its type, its range, a text with NUL or longer than a hash). Its handler asks for the row itself. The others are asked for by statements of 2,000 rows. A predicted call that cannot be encoded (`indexing/client.js`) is left out, too.",
  upstream: "Not reported as of 2026-11.",
  edits: [
    {
      file: cache,
      from: "export const createIndexingCache = ",
      to: `import { possibleKeys } from ${possibleKey};
const isPossibleKey = possibleKeys((table) => getPrimaryKeyColumns(table).map(({ js }) => ({ js, column: table[js] })));
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
      to: `                const found = [];
                for (let i = 0; i < conditions.length; i += ${ROWS_OF_STATEMENT}) {
                    const some = conditions.slice(i, i + ${ROWS_OF_STATEMENT});
                    found.push(...await qb.wrap((db) => db.select().from(table).where(or(...some)), context));
                }
                await Promise.resolve(found).then((results) => {`,
    },
    {
      file: client,
      from: "            for (const { ev, request } of dedupe(prediction, ",
      to: `            const isEncodable = ({ request }) => {
                try {
                    encodeRequest(request);
                    return true;
                } catch {
                    return false;
                }
            };
            for (const { ev, request } of dedupe(prediction.filter(isEncodable), `,
    },
  ],
};
