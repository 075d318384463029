import { append, type Batch, type BlockAt, inBlock, mark, type NewChange } from "./batch.ts";
import { causesOf } from "./causes.ts";
import { type Difference, differencesOf, shortened, type Values, valuesOf } from "./compare.ts";
import { isOfValues } from "./isOfValues.ts";
import { type Removed, slotKey } from "./removals.ts";
import type { Row, Source } from "./source.ts";
import { keySql, rowSql, sources } from "./sources.ts";

/** Rows that are compared at once: this bounds the memory of a look. */
const PAGE = 2_000;

/** A row that may have changed; `first` is the first note of a write to it, or null if only a removal concerns it. */
type Touched = { source: string; key: readonly string[]; first: string | null };

/** A row before and after, and what changed of it. */
export type Changed = {
  source: Source;
  key: readonly string[];
  row: Row;
  differences: Difference[];
};

/** Between which blocks the changes were: their logs are after `from` and up to `to`. */
export type Window = { from: number; to: BlockAt };

/**
 * Compares each row that was written since the last look with what the feed says of it, and appends what is different. What was
 * written and is as before gives nothing: so a start that takes rows back and brings them again is not in the feed.
 */
export async function appendDifferences(
  batch: Batch,
  removed: readonly Removed[],
  window: Window,
): Promise<void> {
  const again = new Map(removed.map((one) => [slotKey(one), one.value]));
  const touched = await listTouched(batch, removed);
  for (let i = 0; i < touched.length; i += PAGE) {
    await appendPage(batch, touched.slice(i, i + PAGE), { again, window });
  }
  await batch.db.query("delete from feed_touched where chain_id = $1", [batch.chainId]);
}

type PagePlan = { again: ReadonlyMap<string, Removed["value"]>; window: Window };

/**
 * Appends what is different in a page of rows. A page that fails by what is in it is divided, until the one row is found that does:
 * it alone is left out, and a marker says so.
 */
async function appendPage(batch: Batch, page: readonly Touched[], plan: PagePlan): Promise<void> {
  const [first] = page;
  if (first === undefined) return;
  const { db } = batch;
  await db.query("savepoint page");
  try {
    const changed = await comparePage(batch, page, plan.again);
    await append(batch, await describe(batch, changed, plan.window));
    await db.query("release savepoint page");
  } catch (error) {
    if (!isOfValues(error)) throw error;
    await db.query("rollback to savepoint page");
    if (page.length === 1) return leaveOut(batch, first, { at: plan.window.to, error });
    const half = Math.ceil(page.length / 2);
    await appendPage(batch, page.slice(0, half), plan);
    await appendPage(batch, page.slice(half), plan);
  }
}

/** Says to those who follow the row that it has a change which is not said. */
async function leaveOut(
  batch: Batch,
  { source, key }: Touched,
  { at, error }: { at: BlockAt; error: Error },
): Promise<void> {
  batch.onLeftOut([source, ...key].join(" "), error);
  const columns = sources.get(source)?.key.map(([column], i) => [column, key[i] ?? null] as const);
  const { node = null, resolver = null, address = null } = Object.fromEntries(columns ?? []);
  const addresses = address === null ? [] : [address];
  await append(batch, [{ ...mark(LEFT_OUT, at), source, key, node, resolver, addresses }]);
}

/** The type of the marker of a row that the feed cannot hold. */
const LEFT_OUT = "feed.left_out";

const rowKey = ({ source, key }: Pick<Touched, "source" | "key">): string => JSON.stringify([source, ...key]);

/** The rows that may have changed, in the order of their first writes; those of removals last. */
async function listTouched({ db, chainId }: Batch, removed: readonly Removed[]): Promise<Touched[]> {
  const written = await db.query<Touched>(
    "select source, key, min(id) as first from feed_touched where chain_id = $1 group by source, key order by min(id)",
    [chainId],
  );
  const known = new Set(written.map(rowKey));
  const others = new Map(removed.map((one) => [rowKey(one), one]));
  return [
    ...written,
    ...[...others]
      .filter(([key]) => !known.has(key))
      .map(([, { source, key }]) => ({ source, key, first: null })),
  ];
}

async function comparePage(
  { db }: Batch,
  page: readonly Touched[],
  again: ReadonlyMap<string, Removed["value"]>,
): Promise<Changed[]> {
  const ids = page.flatMap(({ first }) => first ?? []);
  const notes = await db.query<{ id: string; before: Row | null }>(
    "select id, before from feed_touched where id = any($1::bigint[])",
    [ids],
  );
  const before = new Map(notes.map((note) => [note.id, note.before]));
  const now = await readRows(db, page);
  return page.flatMap((touched) => {
    const source = sources.get(touched.source);
    if (source === undefined) return [];
    const row = now.get(rowKey(touched)) ?? null;
    const old = touched.first === null ? row : (before.get(touched.first) ?? null);
    const said = withRemovals(touched, valuesOf(source, old), again);
    const differences = differencesOf(source, said, valuesOf(source, row));
    return differences.length === 0 ? [] : [{ source, key: touched.key, row: row ?? old ?? {}, differences }];
  });
}

/** What the feed says of a row, after its removals. */
function withRemovals(
  { source, key }: Touched,
  values: Values,
  again: ReadonlyMap<string, Removed["value"]>,
): Values {
  const said = new Map(values);
  for (const slot of Object.keys(sources.get(source)?.slots ?? {})) {
    const value = again.get(slotKey({ source, key, slot }));
    if (value === undefined) continue;
    if (value === null) said.delete(slot);
    else said.set(slot, value);
  }
  return said;
}

/** The rows as they are now, by {@link rowKey}. */
async function readRows(db: Batch["db"], page: readonly Touched[]): Promise<Map<string, Row>> {
  const found = new Map<string, Row>();
  for (const [name, source] of sources) {
    const keys = page.filter((touched) => touched.source === name).map(({ key }) => JSON.stringify(key));
    if (keys.length === 0) continue;
    const isSame = source.key.map(([column, type], i) => `t.${column} = (k.key ->> ${i})::${type}`);
    const rows = await db.query<{ key: string[]; row: Row }>(
      `select ${keySql(source, "t")} as key, ${rowSql(source, "t")} as row
       from unnest($1::jsonb[]) as k (key) join ${name} t on ${isSame.join(" and ")}`,
      [keys],
    );
    for (const { key, row } of rows) found.set(rowKey({ source: name, key }), row);
  }
  return found;
}

/** The changes as the feed has them, in the order of their logs. */
async function describe(batch: Batch, changed: readonly Changed[], window: Window): Promise<NewChange[]> {
  if (changed.length === 0) return [];
  const abouts = changed.map((one) => ({ ...one, about: one.source.about(one.key, one.row) }));
  const nodes = [...new Set(abouts.flatMap(({ about }) => about.node ?? []))];
  const [names, causeOf] = await Promise.all([
    readNames(batch, nodes),
    causesOf(batch, { window, nodes, changed }),
  ]);
  const changes = abouts.flatMap(({ about, ...one }) =>
    one.differences.map((difference): NewChange => {
      const { at, transactionHash, logIndex } = causeOf(one, difference.slot, about);
      return {
        type: difference.type,
        source: one.source.table,
        slot: difference.slot,
        key: one.key,
        node: about.node ?? null,
        name: names.get(about.node ?? "") ?? null,
        resolver: about.resolver ?? null,
        addresses: [...new Set(about.addresses.flatMap((a) => a ?? []))],
        ...inBlock(at),
        transactionHash,
        logIndex,
        details: shortened(about.details) as NewChange["details"],
        oldValue: difference.before,
        newValue: difference.after,
      };
    }),
  );
  return changes.sort(byLog);
}

const byLog = (a: NewChange, b: NewChange): number =>
  a.blockNumber - b.blockNumber || (a.logIndex ?? LAST) - (b.logIndex ?? LAST);

const LAST = Number.MAX_SAFE_INTEGER;

/** Names of nodes; where several chains have a node, the chain's own. */
async function readNames(
  { db, chainId }: Batch,
  nodes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ node: string; full_name: string }>(
    "select node, full_name from domains where node = any($1) order by chain_id = $2, chain_id desc",
    [nodes, chainId],
  );
  return new Map(rows.map(({ node, full_name }) => [node, full_name]));
}
