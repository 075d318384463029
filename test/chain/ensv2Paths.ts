import { expect } from "vitest";
import type { Stage } from "./stage.ts";

type Row = {
  node: string;
  parent_node: string | null;
  full_name: string;
  expiry: string;
  path: string | null;
};

/** An entry with this expiry never ends. */
const ENDLESS = 2n ** 64n - 1n;

/** Expects each name of ENSv2 to have the end of the way to it: the earliest end of the entries above it, row by row. */
export async function expectPathEnds(sql: Stage["sql"]): Promise<void> {
  const rows = await sql<Row>(
    `select node, parent_node, full_name, expiry_timestamp::text as expiry, path_expiry_timestamp::text as path
     from domains where registry is not null and registry <> '0x0000000000000000000000000000000000000000'`,
  );
  const byNode = new Map(rows.map((row) => [row.node, row]));
  const endOf = ({ parent_node }: Row): bigint | null => {
    const above = byNode.get(parent_node ?? "");
    if (above === undefined) return null;
    const further = endOf(above);
    const own = BigInt(above.expiry);
    if (own === ENDLESS) return further;
    return further === null || own < further ? own : further;
  };
  const wrong = rows.filter((row) => (endOf(row)?.toString() ?? null) !== row.path);
  expect(wrong.map((row) => ({ ...row, should: endOf(row) })).slice(0, 5)).toEqual([]);
  expect(rows.some(({ path }) => path !== null)).toBe(true);
}
