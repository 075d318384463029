import type pg from "pg";
import { latestBlocks } from "../../test/support/ponderState.ts";
import type { Kept } from "./seen.ts";

type Shown = {
  namehash: string;
  label?: string;
  expiry_timestamp?: string | null;
  ownership?: { registry?: string };
  availability_status?: string;
};
type Row = { label: string; registry: string | null; expiry: string | null };

const AT_ONCE = 8;

/** What differs between the answers that were given under load and the rows, or the same answers at rest; in words. */
export async function differences(url: string, pool: pg.Pool, kept: readonly Kept[]): Promise<string[]> {
  const found: string[] = [];
  const left = [...kept];
  const compareNext = async () => {
    for (let one = left.pop(); one !== undefined; one = left.pop()) {
      const given = JSON.parse(one.text) as object;
      if (JSON.stringify(given) !== JSON.stringify(await askAtRest(url, one)))
        found.push(`${one.path} at rest`);
      for (const shown of namesIn(given)) {
        const why = await differenceOf(pool, shown);
        if (why !== null) found.push(`${one.path}: ${shown.namehash} ${why}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, compareNext));
  return found;
}

async function askAtRest(url: string, { path, body }: Kept): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const reply = await fetch(`${url}${path}`, body === undefined ? {} : { method: "POST", headers, body });
  return reply.json();
}

/** All names anywhere in an answer. */
function namesIn(value: unknown): Shown[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "namehash" in value && "availability_status" in value ? [value as Shown] : [];
  return [...own, ...Object.values(value).flatMap(namesIn)];
}

async function differenceOf(pool: pg.Pool, shown: Shown): Promise<string | null> {
  const { rows } = await pool.query<Row>({
    name: "gate_row",
    text: "select label, registry_owner as registry, expiry_timestamp::text as expiry from domains where node = $1",
    values: [shown.namehash],
  });
  const [row] = rows;
  if (row === undefined) return shown.availability_status === "registered" ? "has no row" : null;
  if (shown.label !== row.label) return `has the label ${row.label}`;
  if ((shown.expiry_timestamp ?? null) !== row.expiry) return `expires at ${row.expiry}`;
  const registry = shown.ownership?.registry?.toLowerCase(); // It is shown with its checksum.
  return registry === undefined || registry === row.registry ? null : `belongs to ${row.registry}`;
}

/** The state of what is measured: the program's build, the index's block, and how many of its rows were ever written. */
export async function stateOf(url: string, pool: pg.Pool, schema: string): Promise<string> {
  const { build } = (await (await fetch(`${url}/indexing-status`)).json()) as { build: string };
  const { rows } = await pool.query(
    `select (${latestBlocks}) as blocks,
       sum(n_tup_ins + n_tup_upd + n_tup_del) as written
     from pg_stat_user_tables where schemaname = $1 and relname !~ '^(_|figures)'`,
    [schema],
  );
  return JSON.stringify({ build, ...rows[0] });
}
