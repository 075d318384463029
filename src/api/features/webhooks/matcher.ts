import type { Contracts } from "../../../../abis/contracts.ts";
import { toApiError } from "../../server/errors/errors.ts";
import type { Queries } from "../../server/postgres/client.ts";
import type { Db } from "../../server/postgres/db.ts";
import type { Store } from "../../server/serviceDb/store.ts";
import { storedFilters } from "../feed/filters.ts";
import { isOfValues } from "../feed/isOfValues.ts";
import { writePosition } from "../feed/position.ts";
import { FINAL_MARKER, readChanges, readFeedState, readMadeFinal } from "../feed/read.ts";
import type { ChangeRow, FeedState } from "../feed/rows.ts";
import { MAX_MATCHES, PAGE } from "./bounds.ts";
import { sayGaps } from "./gaps.ts";
import { changeMessage } from "./message.ts";
import { addDeliveries, readRoom } from "./queue.ts";
import { indexSubscriptions, type Subscription, type Subscriptions } from "./subscriptions.ts";
import { disable, readSubscriptions } from "./table.ts";

export type MatcherPlan = {
  /** The index, with its feed. */
  db: Db;
  store: Pick<Store, "query" | "transaction">;
  contracts: Contracts;
  /** Whether deliveries cost credits. */
  isPaid: boolean;
  /** Called for a change that cannot become a message. */
  onError: (error: Error) => void;
};

/** Where sorting out stands. `finalAfter`: within the changes that the next marker makes final. */
type Position = { epoch: string | null; number: number; finalAfter: number | null };

type Match = { row: ChangeRow; wanting: readonly Subscription[] };

/** What one step found, and where it leads. `after`: where it leads if it ends with the match of this number. */
type Step = { matches: Match[]; next: Position; after: (number: number) => Position };

/**
 * Reads the feed once for all webhooks, and appends what each wants to its deliveries. The position moves in the same transaction:
 * a process that dies loses nothing, and appends nothing twice.
 */
export function createMatcher(plan: MatcherPlan) {
  let idleAt = 0;
  let known = { version: -1, list: indexSubscriptions([]), at: 0 };
  return {
    /** One step. @returns whether more is there already */
    step: async (): Promise<boolean> => {
      const feed = await readFeedState(plan.db).catch(noneYet);
      if (feed === null) return false;
      const { position, version } = await readPosition(plan.store);
      if (version !== known.version || Date.now() - known.at > KNOWN_MS) {
        const { version: read, list } = await readSubscriptions(plan.store);
        const isRead = ({ filters }: Subscription) => storedFilters.safeParse(filters).success;
        for (const { id } of list.filter((one) => !isRead(one)))
          await plan.store.transaction((queries) => disable(queries, id, UNREADABLE));
        known = { version: read, list: indexSubscriptions(list.filter(isRead)), at: Date.now() };
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

/** Why a webhook ends that no change can be held against: it must not stop the sorting for all others. */
const UNREADABLE = "its filters cannot be read: set them again";

/** The list is also reloaded after this time, because keys are revoked without notice. */
const KNOWN_MS = 10_000;

/** While the feed is stuck, messages about what was left out are checked this often. */
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

/** Waits for concurrent changes of webhooks. @returns false if there were any: the list must be reloaded */
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
  if (wanted.size === 0 || number === newest) return { matches: [], next: at(newest), after: at };
  const { rows, next } = await readChanges(db, { after: number, newest, limit: PAGE, filters: {} });
  const marker = wanted.hasFinal ? rows.findIndex(({ type }) => type === FINAL_MARKER) : -1;
  const [first] = rows;
  if (marker === 0 && first) return finalStep(db, { marker: first, position, wanted });
  const page = marker < 0 ? rows : rows.slice(0, marker);
  const matches = matchesOf(page, (row) => wanted.wanting(row, "instant"));
  const last = matches.cutAt ?? (marker < 0 ? next : (rows[marker]?.number ?? next + 1) - 1);
  return { matches: matches.found, next: at(last), after: at };
}

/** A part of what a marker makes final; with the last one the marker itself. */
async function finalStep(
  db: Db,
  { marker, position, wanted }: Pick<At, "position" | "wanted"> & { marker: ChangeRow },
): Promise<Step> {
  const rows = await readMadeFinal(db, { marker, after: position.finalAfter ?? 0, limit: PAGE });
  const { found, cutAt } = matchesOf(rows, (row) => wanted.wanting(row, "final"));
  const last = cutAt ?? (rows.length < PAGE ? null : (rows.at(-1)?.number ?? null));
  const after = (number: number): Position => ({ ...position, finalAfter: number });
  if (last !== null) return { matches: found, next: after(last), after };
  const ofMarker = (["instant", "final"] as const).flatMap((timing) => wanted.wanting(marker, timing));
  return {
    matches: [...found, { row: marker, wanting: ofMarker }],
    next: { ...position, number: marker.number, finalAfter: null },
    after,
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

type Advance = { feed: FeedState; version: number; step: Step };

/**
 * Appends the deliveries of a step. One that fails by what is in it is divided, until the one change is found that does: it alone is
 * left out, as what there is no room for.
 *
 * @returns whether more is there already
 */
async function advance(plan: MatcherPlan, { feed, version, step }: Advance): Promise<boolean> {
  const { matches, after } = step;
  try {
    await take(plan, { feed, version, step });
    return step.next.number < feed.newest;
  } catch (error) {
    if (!isOfValues(error) || matches.length === 0) throw error;
    if (matches.length === 1) {
      plan.onError(error);
      await take(plan, { feed, version, step, isUnsendable: true });
      return step.next.number < feed.newest;
    }
    const half = matches.slice(0, Math.ceil(matches.length / 2));
    const next = after(half.at(-1)?.row.number ?? 0);
    return advance(plan, { feed, version, step: { matches: half, next, after } });
  }
}

async function take(
  plan: MatcherPlan,
  { feed, version, step: { next, matches }, isUnsendable = false }: Advance & { isUnsendable?: boolean },
): Promise<void> {
  await plan.store.transaction(async (queries) => {
    if (!(await holdVersion(queries, version))) return;
    const matched = matches.flatMap(({ wanting }) => wanting);
    const gaps = await gapsOf(queries, matched);
    const keyIds = isUnsendable ? [] : matched.map(({ keyId }) => keyId);
    const { accepted, left } = divide(matches, { gaps, room: await readRoom(queries, keyIds, plan) });
    const queued = accepted.flatMap(({ row, wanting }) => {
      const message = changeMessage(row, { contracts: plan.contracts, epoch: feed.epoch });
      return wanting.map(({ id }) => ({ webhookId: id, message }));
    });
    await addDeliveries(queries, queued);
    await noteLeftOut(queries, { left, feed, reason: isUnsendable ? "unsendable" : "too_many_waiting" });
    await movePosition(queries, next);
    await sayGaps(queries, plan, { ...feed, newest: next.number });
  });
}

/** What was left out of a webhook's changes: their number, and the position of the first. */
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

async function noteLeftOut(
  { query }: Queries,
  { left, feed: { epoch }, reason }: { left: LeftOut; feed: FeedState; reason: string },
): Promise<void> {
  if (left.size === 0) return;
  const values = [...left.values()];
  await query(
    `update webhooks set dropped = dropped + count, gap_reason = coalesce(gap_reason, $4),
       gap_after = coalesce(gap_after, after)
     from unnest($1::int[], $2::int[], $3::text[]) as given (of, count, after) where id = of`,
    [
      [...left.keys()],
      values.map(({ count }) => count),
      values.map(({ first }) => writePosition({ epoch, number: Math.max(0, first - 1) })),
      reason,
    ],
  );
}
