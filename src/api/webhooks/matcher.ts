import type { Contracts } from "../../../abis/contracts.ts";
import { toApiError } from "../errors/errors.ts";
import { writePosition } from "../feed/position.ts";
import { FINAL_MARKER, readChanges, readFeedState, readMadeFinal } from "../feed/read.ts";
import type { ChangeRow, FeedState } from "../feed/rows.ts";
import type { Queries } from "../postgres/client.ts";
import type { Db } from "../postgres/db.ts";
import type { Store } from "../serviceDb/store.ts";
import { MAX_MATCHES, PAGE } from "./bounds.ts";
import { sayGaps } from "./gaps.ts";
import { changeMessage } from "./message.ts";
import { addDeliveries, addEvents, readRoom } from "./queue.ts";
import { indexSubscriptions, type Subscription, type Subscriptions } from "./subscriptions.ts";
import { readSubscriptions } from "./table.ts";

export type MatcherPlan = {
  /** The index, with its feed. */
  db: Db;
  store: Pick<Store, "query" | "transaction">;
  contracts: Contracts;
  /** Whether deliveries cost credits. */
  isPaid: boolean;
};

/** Where sorting out stands. `finalAfter`: within the changes that the next marker makes final. */
type Position = { epoch: string | null; number: number; finalAfter: number | null };

type Match = { row: ChangeRow; wanting: readonly Subscription[] };

/** What one step found, and where it leads. */
type Step = { matches: Match[]; next: Position };

/**
 * Reads the feed once for all webhooks, and appends what each wants to its deliveries. The position moves in the same transaction:
 * a process that dies loses nothing, and appends nothing twice.
 */
export function createMatcher(plan: MatcherPlan): {
  /** One step. @returns whether more is there already */
  step: () => Promise<boolean>;
} {
  let idleAt = 0;
  let known = { version: -1, list: indexSubscriptions([]), at: 0 };
  return {
    step: async () => {
      const feed = await readFeedState(plan.db).catch(noneYet);
      if (feed === null) return false;
      const { position, version } = await readPosition(plan.store);
      if (version !== known.version || Date.now() - known.at > KNOWN_MS) {
        const { version: read, list } = await readSubscriptions(plan.store);
        known = { version: read, list: indexSubscriptions(list), at: Date.now() };
        if (read !== version) return true; // Changed just now.
      }
      if (!isIn(position, feed)) return begin(plan, { feed, version, position });
      if (position.number === feed.newest && Date.now() - idleAt < IDLE_MS) return false;
      idleAt = Date.now();
      const step = await nextStep(plan, { feed, position, wanted: known.list });
      if ((await readFeedState(plan.db).catch(noneYet))?.epoch !== feed.epoch) return true;
      return advance(plan, { feed, version, step });
    },
  };
}

/** The list is read again after this time, too: keys are revoked without a word to it. */
const KNOWN_MS = 10_000;

/** While the feed stands still, messages about what was left out are looked for this often. */
const IDLE_MS = 1_000;

/** There is no feed yet, or none for some seconds. */
function noneYet(thrown: unknown): null {
  if (toApiError(thrown).code === "INDEX_NOT_READY") return null;
  throw thrown;
}

async function readPosition({ query }: Queries): Promise<{ position: Position; version: number }> {
  const [row] = await query<Position & { version: number }>(
    `select version::float8 as version, epoch, number::float8 as number, final_after::float8 as "finalAfter"
     from webhook_feed`,
  );
  const { version = 0, ...position } = row ?? { epoch: null, number: 0, finalAfter: null };
  return { position, version };
}

const isIn = ({ epoch, number }: Position, feed: FeedState): boolean =>
  epoch === feed.epoch && number >= feed.oldest && number <= feed.newest;

/**
 * Begins at the newest position of a feed in which the position before cannot be found: an epoch began, or too much time passed.
 * Each webhook gets a message that says so, because some changes may be missing.
 */
async function begin(
  { store }: MatcherPlan,
  { feed, version, position }: { feed: FeedState; version: number; position: Position },
): Promise<boolean> {
  const reason = position.epoch === feed.epoch ? "too_old" : "epoch_ended";
  await store.transaction(async (queries) => {
    if (!(await holdVersion(queries, version))) return;
    // The first position of a service: only webhooks of a restored backup had changes before.
    await queries.query(
      `update webhooks set gap_reason = $1, gap_after = coalesce(gap_after, last_position)
       where state = 'active' and ($2 or last_position is not null)`,
      [reason, position.epoch !== null],
    );
    await movePosition(queries, { epoch: feed.epoch, number: feed.newest, finalAfter: null });
  });
  return true;
}

/** Waits for those who change webhooks now. @returns false if they did: the list has to be read again */
async function holdVersion({ query }: Queries, version: number): Promise<boolean> {
  await query("insert into webhook_feed default values on conflict do nothing");
  const [row] = await query<{ version: number }>(
    "select version::float8 as version from webhook_feed for update",
  );
  return row?.version === version;
}

const movePosition = ({ query }: Queries, { epoch, number, finalAfter }: Position) =>
  query("update webhook_feed set epoch = $1, number = $2, final_after = $3", [epoch, number, finalAfter]);

type At = { feed: FeedState; position: Position; wanted: Subscriptions };

async function nextStep({ db }: MatcherPlan, { feed, position, wanted }: At): Promise<Step> {
  const { epoch, newest } = feed;
  const { number } = position;
  const at = (to: number): Position => ({ epoch, number: to, finalAfter: null });
  if (wanted.size === 0 || number === newest) return { matches: [], next: at(newest) };
  const { rows, next } = await readChanges(db, { after: number, newest, limit: PAGE, filters: {} });
  const marker = wanted.hasFinal ? rows.findIndex(({ type }) => type === FINAL_MARKER) : -1;
  const [first] = rows;
  if (marker === 0 && first) return finalStep(db, { marker: first, position, wanted });
  const page = marker < 0 ? rows : rows.slice(0, marker);
  const matches = matchesOf(page, (row) => wanted.wanting(row, "instant"));
  const last = matches.cutAt ?? (marker < 0 ? next : (rows[marker]?.number ?? next + 1) - 1);
  return { matches: matches.found, next: at(last) };
}

/** A part of what a marker makes final; with the last one the marker itself. */
async function finalStep(
  db: Db,
  { marker, position, wanted }: Pick<At, "position" | "wanted"> & { marker: ChangeRow },
): Promise<Step> {
  const rows = await readMadeFinal(db, { marker, after: position.finalAfter ?? 0, limit: PAGE });
  const { found, cutAt } = matchesOf(rows, (row) => wanted.wanting(row, "final"));
  const last = cutAt ?? (rows.length < PAGE ? null : (rows.at(-1)?.number ?? null));
  if (last !== null) return { matches: found, next: { ...position, finalAfter: last } };
  const ofMarker = (["instant", "final"] as const).flatMap((timing) => wanted.wanting(marker, timing));
  return {
    matches: [...found, { row: marker, wanting: ofMarker }],
    next: { ...position, number: marker.number, finalAfter: null },
  };
}

/** Ends where a transaction with the matches would be long; `cutAt` is the number of the last change then. */
function matchesOf(
  rows: readonly ChangeRow[],
  wanting: (row: ChangeRow) => Subscription[],
): { found: Match[]; cutAt: number | null } {
  const found: Match[] = [];
  let sum = 0;
  for (const row of rows) {
    const wanted = wanting(row);
    if (wanted.length > 0) found.push({ row, wanting: wanted });
    sum += wanted.length;
    if (sum > MAX_MATCHES) return { found, cutAt: row.number };
  }
  return { found, cutAt: null };
}

/** @returns whether more is there already */
async function advance(
  plan: MatcherPlan,
  { feed, version, step }: { feed: FeedState; version: number; step: Step },
): Promise<boolean> {
  const { store } = plan;
  const { next, matches } = step;
  await store.transaction(async (queries) => {
    if (!(await holdVersion(queries, version))) return;
    const matched = matches.flatMap(({ wanting }) => wanting);
    const gaps = await gapsOf(queries, matched);
    const room = await readRoom(
      queries,
      matched.map(({ keyId }) => keyId),
      plan,
    );
    const { accepted, left } = divide(matches, { gaps, room });
    await append(queries, plan, { feed, accepted });
    await noteLeftOut(queries, { left, feed });
    await movePosition(queries, next);
    await sayGaps(queries, plan, { ...feed, newest: next.number });
  });
  return next.number < feed.newest;
}

/** What was left out of a webhook's changes: how many, and the number of the first. */
type LeftOut = ReadonlyMap<number, { count: number; first: number }>;

/**
 * Divides matches into those that are appended and those for which there is no room. Once something of a webhook is left out, all
 * that follows is, until a message says so: what a receiver gets has no unsaid holes.
 */
function divide(
  matches: readonly Match[],
  { gaps, room }: { gaps: ReadonlySet<number>; room: Map<number, number> },
): { accepted: Match[]; left: LeftOut } {
  const left = new Map<number, { count: number; first: number }>();
  const accepted = matches.map(({ row, wanting }) => ({
    row,
    wanting: wanting.filter(({ id, keyId }) => {
      const free = room.get(keyId) ?? 0;
      if (!gaps.has(id) && !left.has(id) && free > 0) {
        room.set(keyId, free - 1);
        return true;
      }
      const { count, first } = left.get(id) ?? { count: 0, first: row.number };
      left.set(id, { count: count + 1, first });
      return false;
    }),
  }));
  return { accepted: accepted.filter(({ wanting }) => wanting.length > 0), left };
}

async function gapsOf({ query }: Queries, matched: readonly Subscription[]): Promise<ReadonlySet<number>> {
  const rows = await query<{ id: number }>(
    "select id from webhooks where id = any($1::int[]) and gap_reason is not null",
    [[...new Set(matched.map(({ id }) => id))]],
  );
  return new Set(rows.map(({ id }) => id));
}

async function append(
  queries: Queries,
  { contracts }: MatcherPlan,
  { feed, accepted }: { feed: FeedState; accepted: readonly Match[] },
): Promise<void> {
  if (accepted.length === 0) return;
  const { epoch } = feed;
  const messages = accepted.map(({ row }) => changeMessage(row, { contracts, epoch }));
  const ids = await addEvents(queries, messages);
  const deliveries = accepted.flatMap(({ row, wanting }) => {
    const eventId = ids.get(writePosition({ epoch, number: row.number })) ?? "";
    return wanting.map(({ id: webhookId }) => ({ webhookId, eventId }));
  });
  await addDeliveries(queries, deliveries);
}

async function noteLeftOut(
  { query }: Queries,
  { left, feed: { epoch } }: { left: LeftOut; feed: FeedState },
): Promise<void> {
  if (left.size === 0) return;
  const values = [...left.values()];
  await query(
    `update webhooks set dropped = dropped + count, gap_reason = coalesce(gap_reason, 'too_many_waiting'),
       gap_after = coalesce(gap_after, after)
     from unnest($1::int[], $2::int[], $3::text[]) as given (of, count, after) where id = of`,
    [
      ...[[...left.keys()], values.map(({ count }) => count)],
      values.map(({ first }) => writePosition({ epoch, number: Math.max(0, first - 1) })),
    ],
  );
}
