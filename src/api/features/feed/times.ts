import { PgDialect } from "drizzle-orm/pg-core";
import { endOf } from "../../names/rules/ends.ts";
import type { LifeRules } from "../../names/rules/life.ts";
import { endsOfPhases } from "../../names/rules/lifeEnds.ts";
import { DAY } from "../../names/rules/seconds.ts";
import type { Phase } from "../../names/rules/stages.ts";
import { isUnseenSql, rowD } from "../../names/rules/unseenSql.ts";
import { append, type Batch, type BlockAt, inBlock, type NewChange } from "./batch.ts";
import { insertRemovals, TIME } from "./removals.ts";

/*
 * What time alone brings, by the table of stages. No log says it: it is in the feed from the first block on whose time reaches the
 * second. It is known by name, kind and second, so a reorganisation or a start does not bring it again.
 */

/** Types of changes that only time brings. */
export const timeTypes = [
  "name.expires_in",
  "name.expired",
  "name.grace_ended",
  "name.premium_ended",
  "wrapper.expired",
] as const;

export type TimeType = (typeof timeTypes)[number];

/** How many days before the end of a registration the feed says that it comes. */
const NOTICE_DAYS = [90, 30, 7, 1] as const;

const typeOfEnd: Partial<Record<Phase, TimeType>> = {
  registered: "name.expired",
  grace: "name.grace_ended",
  premium: "name.premium_ended",
};

/** Something that time brings to a name. */
type Timed = { type: TimeType; days: number | null; second: number };

/** What decides it: columns of `domains`, as SQL. */
const COLUMNS = {
  node: "node",
  name: "full_name",
  chainId: "chain_id",
  parentNode: "parent_node",
  expiryTimestamp: "expiry_timestamp::text",
  pathExpiryTimestamp: "path_expiry_timestamp::text",
  effectiveOwnerAddress: "effective_owner_address",
  registryOwner: "registry_owner",
  registry: "registry",
  isWrapped: "is_wrapped",
  wrapperFuses: "wrapper_fuses::float8",
  wrapperExpiryTimestamp: "wrapper_expiry_timestamp::text",
};

type Named = {
  node: string;
  name: string;
  chainId: number;
  parentNode: string | null;
  expiryTimestamp: string | null;
  pathExpiryTimestamp: string | null;
  effectiveOwnerAddress: string | null;
  registryOwner: string | null;
  registry: string | null;
  isWrapped: boolean;
  wrapperFuses: number | null;
  wrapperExpiryTimestamp: string | null;
  isUnseen: boolean;
};

const dialect = new PgDialect({ casing: "snake_case" });

/** SQL for a row `d` of `domains`. */
const selectOf = ({ terms }: LifeRules): string => {
  const unseen = terms && dialect.sqlToQuery(isUnseenSql(terms.ethRegistry, rowD)).sql;
  const columns = Object.entries(COLUMNS).map(([name, text]) => `d.${text} as "${name}"`);
  return [...columns, `${unseen ?? "false"} as "isUnseen"`].join(", ");
};

const big = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

/** Everything that time brings to a name, whenever. */
function timesOf(row: Named, rules: LifeRules): Timed[] {
  const named = {
    ...row,
    expiryTimestamp: big(row.expiryTimestamp),
    pathExpiryTimestamp: big(row.pathExpiryTimestamp),
    wrapperExpiryTimestamp: big(row.wrapperExpiryTimestamp),
  };
  const ends = endsOfPhases(named, rules).flatMap(({ phase, at }): Timed[] => {
    const type = typeOfEnd[phase];
    if (type === undefined) return [];
    const end = { type, days: null, second: Number(at) };
    if (type !== "name.expired") return [end];
    const notices = NOTICE_DAYS.map((days) => ({
      type: "name.expires_in" as const,
      days,
      second: end.second - days * DAY,
    }));
    return [...notices, end];
  });
  const wrapped = row.isWrapped && endOf("wrapper_expiry", named);
  return wrapped ? [...ends, { type: "wrapper.expired", days: null, second: Number(wrapped) }] : ends;
}

/** Seconds from an expiry to something that time brings, over all kinds of names. */
const offsetsOf = ({ lives }: LifeRules): number[] => {
  const ends = Object.values(lives).flatMap(({ stages }) =>
    stages.flatMap(({ phase, until }) =>
      until !== undefined && typeOfEnd[phase] !== undefined ? [Number(until)] : [],
    ),
  );
  return [...new Set([...ends, ...NOTICE_DAYS.map((days) => -days * DAY)])];
};

/** The newest block of a look, with the time up to which nothing can be new: times after it and up to that of `to` may be. */
type TimeWindow = { after: number; to: BlockAt };

/** Appends what time brought between two blocks. */
export async function appendTimes(batch: Batch, rules: LifeRules, window: TimeWindow): Promise<void> {
  const rows = await listNear(batch, rules, window);
  const found = rows.flatMap((row) =>
    timesOf(row, rules)
      .filter(({ second }) => second > window.after && second <= window.to.timestamp)
      .map((timed) => ({ row, timed })),
  );
  const known = await listKnown(batch, window, found.map(keyOf));
  const fresh = found
    .filter((one) => !known.has(JSON.stringify(keyOf(one))))
    .sort((a, b) => a.timed.second - b.timed.second);
  const blockOf = await blocksByTime(batch, window, fresh);
  await append(
    batch,
    fresh.map(({ row, timed }) => toChange(row, timed, blockOf(timed.second))),
  );
}

type Found = { row: Named; timed: Timed };

const keyOf = ({ row, timed: { type, days, second } }: Found): string[] => [
  String(row.chainId),
  row.node,
  type,
  String(days ?? 0),
  String(second),
];

function toChange(row: Named, timed: Timed, at: BlockAt): NewChange {
  const { type, days, second } = timed;
  const details = { due_timestamp: second, ...(days !== null && { days }) };
  return {
    ...inBlock(at),
    type,
    details,
    source: TIME,
    slot: TIME,
    key: keyOf({ row, timed }),
    node: row.node,
    name: row.name,
    resolver: null,
    transactionHash: null,
    logIndex: null,
    addresses: [row.effectiveOwnerAddress, row.registryOwner].flatMap((address) => address ?? []),
    oldValue: null,
    newValue: { expiry_timestamp: row.expiryTimestamp, due_timestamp: String(second) },
  };
}

/** Names to which time may bring something in the window: each part is a range of an index. */
function listNear({ db, chainId }: Batch, rules: LifeRules, { after, to }: TimeWindow): Promise<Named[]> {
  const within = (column: string, offset: number) =>
    `select node from domains where chain_id = $1 and ${column} > $2::bigint - ${offset} and ${column} <= $3::bigint - ${offset}`;
  const paths = [0, ...NOTICE_DAYS.map((days) => -days * DAY)];
  const parts = [
    ...offsetsOf(rules).map((offset) => within("expiry_timestamp", offset)),
    ...paths.map((offset) => within("path_expiry_timestamp", offset)),
    `${within("wrapper_expiry_timestamp", 1)} and is_wrapped`,
  ];
  return db.query<Named>(
    `select ${selectOf(rules)} from (${parts.join(" union ")}) near join domains d on d.chain_id = $1 and d.node = near.node`,
    [chainId, after, to.timestamp],
  );
}

/**
 * Those of these that the feed has and that were not taken back, as JSON. Each has a block that had reached its second, so one whose
 * time is after that of the window.
 */
async function listKnown(
  { db, chainId }: Batch,
  { after }: TimeWindow,
  keys: readonly string[][],
): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const rows = await db.query<{ key: string[] }>(
    `select key from feed_changes where chain_id = $1 and state = 'new' and not is_taken_back and source = '${TIME}'
       and block_timestamp > $2 and key = any($3::jsonb[])`,
    [chainId, after, keys.map((key) => JSON.stringify(key))],
  );
  return new Set(rows.map(({ key }) => JSON.stringify(key)));
}

/** The first block of the window whose time reaches a second. */
async function blocksByTime(
  { db, chainId }: Batch,
  { to }: Pick<TimeWindow, "to">,
  found: readonly unknown[],
): Promise<(second: number) => BlockAt> {
  const [first] = found;
  if (first === undefined) return () => to;
  const blocks = await db.query<BlockAt>(
    `select number, hash, "timestamp"::float8 as "timestamp" from blocks
     where chain_id = $1 and number <= $2 order by number desc limit ${MOST_BLOCKS}`,
    [chainId, to.number],
  );
  return (second) => blocks.findLast(({ timestamp }) => timestamp >= second) ?? to;
}

/** More than Ponder takes back of a chain. */
const MOST_BLOCKS = 300;

type Open = Named & { number: string; said: string[] };

/**
 * Takes back what time no longer brings where a reorganisation went before it: the time is not reached, or the name ends at
 * another one. What still holds stays, with the block that reaches it now: so it is known which of it is final. Of a block that is
 * absent from the journal it is not known whether it is lost, unless the chain has not reached its time.
 */
export async function removeUntrueTimes(
  batch: Batch,
  rules: LifeRules,
  { finalNumber, to }: { finalNumber: number; to: BlockAt },
): Promise<void> {
  const open = await batch.db.query<Open>(
    `select f.number, f.key as said, ${selectOf(rules)}
     from feed_changes f left join domains d on d.chain_id = f.chain_id and d.node = f.node
       left join blocks b on b.chain_id = f.chain_id and b.number = f.block_number
     where f.chain_id = $1 and f.state = 'new' and not f.is_taken_back and f.source = '${TIME}'
       and (f.block_number > $2 and b.hash is distinct from f.block_hash and b.hash is not null or f.block_timestamp > $3)`,
    [batch.chainId, finalNumber, to.timestamp],
  );
  const isTrue = (row: Open): boolean =>
    row.node !== null &&
    timesOf(row, rules)
      .filter(({ second }) => second <= to.timestamp)
      .some((timed) => JSON.stringify(keyOf({ row, timed })) === JSON.stringify(row.said));
  const [still, untrue] = [open.filter(isTrue), open.filter((row) => !isTrue(row))];
  await moveToBlocks(batch, to, still);
  if (untrue.length === 0) return;
  const rows = await batch.db.query(
    `with untrue as (
       select f.*, row_number() over (order by f.number desc) as place from feed_changes f
       where chain_id = $1 and number = any($2::bigint[])
     ), noted as (update feed_changes f set is_taken_back = true from untrue where f.number = untrue.number)
     ${insertRemovals("untrue")} returning number`,
    [batch.chainId, untrue.map(({ number }) => number), batch.newest],
  );
  batch.newest += rows.length;
}

/** Moves what still holds on another branch to the block that reaches it there. */
async function moveToBlocks(batch: Batch, to: BlockAt, still: readonly Open[]): Promise<void> {
  if (still.length === 0) return;
  const blockOf = await blocksByTime(batch, { to }, still);
  const moved = still.map(({ number, said }) => ({ number, at: blockOf(Number(said.at(-1))) }));
  await batch.db.query(
    `update feed_changes f set block_number = given.block, block_hash = given.hash, block_timestamp = given.time
     from unnest($1::bigint[], $2::int[], $3::text[], $4::bigint[]) as given (of, block, hash, time) where f.number = given.of`,
    [
      moved.map(({ number }) => number),
      moved.map(({ at }) => at.number),
      moved.map(({ at }) => at.hash),
      moved.map(({ at }) => at.timestamp),
    ],
  );
}
