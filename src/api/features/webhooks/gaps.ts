import type { Contracts } from "../../../../abis/contracts.ts";
import type { Queries } from "../../server/postgres/client.ts";
import type { Db } from "../../server/postgres/db.ts";
import type { ChangeFilters } from "../feed/filters.ts";
import { writePosition } from "../feed/position.ts";
import { readStateOf } from "../feed/resync.ts";
import type { FeedState } from "../feed/rows.ts";
import { MAX_MATCHES, MAX_WAITING, NAMES_AT_ONCE } from "./bounds.ts";
import { changeMessage, GAP_TYPE, type Message, ownMessage } from "./message.ts";
import { addDeliveries, type Queued, readRoom } from "./queue.ts";

/** Webhooks that get such a message in one step. */
const GAPS_AT_ONCE = 500;

type Plan = { db: Db; contracts: Contracts; isPaid: boolean };

type Gap = {
  id: number;
  keyId: number;
  reason: string;
  after: string | null;
  dropped: number;
  timing: "instant" | "final";
  filters: ChangeFilters;
};

/**
 * Says which changes were left out, to those for which little waits: from here on they get all again. A webhook of one name also
 * gets all values of the name, as a reader of the feed does whose position is gone, if there is room for them.
 *
 * @param feed how far deliveries are: its newest position
 */
export async function sayGaps(queries: Queries, plan: Plan, feed: FeedState): Promise<void> {
  const gaps = await listGaps(queries, plan);
  if (gaps.length === 0) return;
  const room = await readRoom(
    queries,
    gaps.map(({ keyId }) => keyId),
    plan,
  );
  const said: number[] = [];
  const queued: Queued[] = [];
  let names = 0;
  for (const gap of gaps) {
    const free = room.get(gap.keyId) ?? 0;
    if (free < 1) continue;
    const isOfName = gap.filters.node !== undefined && gap.timing === "instant";
    if (queued.length > MAX_MATCHES || (isOfName && ++names > NAMES_AT_ONCE)) continue; // In the next step.
    const values = isOfName
      ? await valuesFor(plan, { gap, feed, most: free - 1 }).catch(() => null) // The gap itself is said all the same.
      : null;
    const messages = messagesOf(gap, { values, feed });
    room.set(gap.keyId, free - messages.length);
    queued.push(...messages.map((message) => ({ webhookId: gap.id, message })));
    said.push(gap.id);
  }
  await addDeliveries(queries, queued);
  await queries.query(
    "update webhooks set gap_reason = null, gap_after = null, dropped = 0 where id = any($1::int[])",
    [said],
  );
}

const listGaps = ({ query }: Queries, { isPaid }: Plan): Promise<Gap[]> =>
  query<Gap>(
    // By chance: those whose keys have no room must not be before the others each time.
    `select w.id, key_id as "keyId", gap_reason as reason, gap_after as after, dropped::float8 as dropped, timing, filters
     from webhooks w join api_keys k on k.id = key_id
     where gap_reason is not null and state = 'active' and waiting <= $1 and k.revoked_at is null
       and (k.credits > 0 or not $2)
     order by random() limit ${GAPS_AT_ONCE}`,
    [MAX_WAITING / 2, isPaid],
  );

/** A message for each value that a webhook's name has now; null if there is no room for them. */
async function valuesFor(
  { db, contracts }: Plan,
  { gap, feed, most }: { gap: Gap; feed: FeedState; most: number },
): Promise<Message[] | null> {
  const { filters } = gap;
  const rows = await readStateOf(db, { node: filters.node ?? "", feed, filters });
  if (rows === null || rows.length > most) return null;
  return rows.map((row) => changeMessage(row, { contracts, epoch: feed.epoch }));
}

/** The message about what was left out, and one per value, in this order. */
function messagesOf(
  { id, reason, after, dropped }: Gap,
  { values, feed }: { values: Message[] | null; feed: FeedState },
): Message[] {
  const { epoch, newest } = feed;
  const gap = ownMessage(GAP_TYPE, {
    webhook_id: id,
    reason,
    left_out: dropped,
    after_position: after,
    next_position: writePosition({ epoch, number: newest }),
    values: values?.length ?? null,
  });
  // The position of all values is the same one, and a later gap can bring them again: each needs an id of its own.
  const ofValues = (values ?? []).map((message, i) => ({ ...message, id: `${gap.id}-${i + 1}` }));
  return [gap, ...ofValues];
}
