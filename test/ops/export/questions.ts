import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { MadeIndex } from "./made.ts";
import { ask } from "./read.ts";

const guide = readFileSync(new URL("../../../docs/analysts.md", import.meta.url), "utf8");
const blocks = [...guide.matchAll(/([^\n]+):?\n\n```duckdb\n([\s\S]*?)```/g)].map(
  ([, title = "", sql = ""]) => ({
    title,
    sql,
  }),
);

/** The first creates the views, the others are questions. */
const [views, ...questions] = blocks;

/** The same questions to PostgreSQL, in its dialect. */
const inPostgres = [
  `select to_char(date_trunc('month', to_timestamp(block_timestamp) at time zone 'UTC'), 'YYYY-MM-DD'), chain_id, event_type, count(*),
     sum(coalesce(exact_cost_wei, cost_wei))
   from events where contract = 'CONTROLLER' and event_type in ('NameRegistered', 'NameRenewed')
   group by 1, 2, 3 order by 1, 2, 3`,
  `select effective_owner_address, count(*) from domains where effective_owner_address is not null
     and (expiry_timestamp is null or expiry_timestamp > (select max(block_timestamp) from events)
       or (is_wrapped and wrapper_fuses & 65536 = 0))
   group by 1 order by 2 desc, 1 limit 20`,
  `select extract(year from to_timestamp(least(registrar_expiry_timestamp, 253402300799)::bigint) at time zone 'UTC')::int, count(*)
   from domains where parent_node = '0x93cdeb708b7545dc668eb9280176169d1c33cfd8ed6f04690a0bcc88a93fc4ae'
     and registrar_expiry_timestamp is not null group by 1 order by 1`,
  `select full_name, count(*) as changes, count(distinct owner_address)
   from ownership_changes join domains using (chain_id, node)
   group by 1 order by 2 desc, full_name collate "C" limit 20`,
];

/**
 * The documentation's questions, asked about the files in a folder. All rows of the index must be
 * final.
 */
export function answersQuestions(indexOf: () => MadeIndex): void {
  describe("the documentation's questions", () => {
    let folder: string;

    beforeAll(async () => {
      ({ folder } = await indexOf().write({ tables: null }));
    });

    test("include four", () => {
      expect(questions).toHaveLength(4);
      expect(inPostgres).toHaveLength(4);
    });

    test.each(questions.map((question, number) => ({ ...question, number })))(
      "about files have PostgreSQL's answer: $title",
      async ({ sql, number }) => {
        const statements = (views?.sql ?? "").replaceAll("'ens/", `'${folder}/`).split(";");
        const made = statements.filter((statement) => statement.trim() !== "");
        const answer = await ask(sql, "set timezone = 'UTC'", ...made);
        const { rows } = await indexOf().tables.pool.query({
          text: inPostgres[number] ?? "",
          rowMode: "array",
        });
        expect(rows.length).toBeGreaterThan(0);
        const text = (value: unknown) => (value === null ? null : String(value));
        const shortened = answer.map((row) =>
          row.map((value) => value?.replace(/ 00:00:00(\+00)?$/, "") ?? null),
        );
        expect(shortened).toEqual(rows.map((row: unknown[]) => row.map(text)));
      },
    );
  });
}
