import type { Contracts } from "../../../../abis/contracts.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Db } from "../../server/postgres/db.ts";
import type { Store } from "../../server/serviceDb/store.ts";
import type { ChangeFilters } from "../feed/filters.ts";
import { writePosition } from "../feed/position.ts";
import { type After, listTakenBack, numberAfter, readChanges, readFeedState } from "../feed/read.ts";
import type { ChangeRow, FeedState } from "../feed/rows.ts";
import { MAX_REPLAYED, MAX_WAITING } from "./bounds.ts";
import { changeMessage } from "./message.ts";
import { addDeliveries } from "./queue.ts";
import type { Webhook } from "./table.ts";

/** The number of changes sent again, and where another replay continues; null at the end of the feed. */
export type Replayed = { queued: number; next: string | null };

/**
 * Appends the changes after a position to what waits for a webhook, with the ids that they had: a page of them at a time. Those of
 * a webhook for final changes are final.
 *
 * @throws ApiError POSITION_GONE, INDEX_NOT_READY; LIMIT_EXCEEDED if too much waits, or INVALID_PARAMETER if it is not active
 */
export async function replay(
  store: Store,
  webhook: Webhook,
  { after, db, contracts }: { after: After; db: Db; contracts: Contracts },
): Promise<Replayed> {
  const { id, timing, waiting, state } = webhook;
  if (state !== "active") {
    throw new ApiError(
      "INVALID_PARAMETER",
      `The webhook is ${state}: test it first (POST /webhooks/${id}/test).`,
    );
  }
  if (waiting + MAX_REPLAYED > MAX_WAITING) {
    throw new ApiError(
      "LIMIT_EXCEEDED",
      `${waiting} deliveries are already waiting: replay once they have arrived.`,
    );
  }
  const filters = await readFilters(store, id);
  const feed = await readFeedState(db);
  const { epoch, newest } = feed;
  const begin = numberAfter(after, feed);
  const { rows, next } = await readChanges(db, { after: begin, newest, limit: MAX_REPLAYED, filters });
  // Another epoch began meanwhile: the rows may be its.
  if ((await readFeedState(db)).epoch !== epoch) return replay(store, webhook, { after, db, contracts });
  const wanted = rows.filter(({ type }) => type !== "block.ended");
  const sent = timing === "final" ? await finalOf(db, wanted, feed) : wanted;
  const messages = sent.map((row) => changeMessage(row, { contracts, epoch }));
  await store.transaction(async (queries) => {
    await addDeliveries(
      queries,
      messages.map((message) => ({ webhookId: id, message })),
    );
  });
  return { queued: sent.length, next: next < newest ? writePosition({ epoch, number: next }) : null };
}

async function readFilters(store: Store, id: number): Promise<ChangeFilters> {
  const [row] = await store.query<{ filters: ChangeFilters }>("select filters from webhooks where id = $1", [
    id,
  ]);
  return row?.filters ?? {};
}

async function finalOf(db: Db, rows: readonly ChangeRow[], { blocks }: FeedState): Promise<ChangeRow[]> {
  const takenBack = await listTakenBack(
    db,
    rows.map(({ number }) => number),
  );
  const finalOfChain = new Map(blocks.map(({ chainId, finalNumber }) => [chainId, finalNumber]));
  return rows.filter(
    ({ state, number, chainId, blockNumber }) =>
      state === "new" && !takenBack.has(number) && blockNumber <= (finalOfChain.get(chainId) ?? -1),
  );
}
