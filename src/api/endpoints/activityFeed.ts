import type { Ctx } from "../http/context.ts";
import {
  findNames,
  listEventsOfTransactions,
  listNewestPurchases,
  listNewestTransfers,
  listNewestUnwraps,
  listNewestWraps,
  type Newest,
} from "../query/activity.ts";
import { listNewestClaims } from "../query/claims.ts";
import type { EventFacts } from "../query/events.ts";
import { registrationEvents, renewalEvents } from "../query/registrations.ts";
import { type Activity, toClaim, toPurchase, toTransfer, toWrapping } from "../serializers/activity.ts";

/** Length of the feed. */
export const FEED_LENGTH = 50;

/** The newest entries of all kinds, newest first. The newest of each kind are read, and the newest of all are kept. */
export async function readActivity(ctx: Ctx): Promise<Activity[]> {
  const { db, contracts } = ctx;
  const at: Newest = { chainId: contracts.chainId, limit: FEED_LENGTH };
  const [registrations, renewals, transfers, wraps, unwraps, claims] = await Promise.all([
    listPurchases(ctx, registrationEvents, at),
    listPurchases(ctx, renewalEvents, at),
    listNewestTransfers(db, [...registrationEvents, "NameWrapped", "NameUnwrapped"], at),
    listNewestWraps(db, registrationEvents, at),
    listNewestUnwraps(db, at),
    listNewestClaims(db, FEED_LENGTH),
  ]);
  const withNames = [...registrations.flat(), ...renewals.flat(), ...transfers, ...wraps, ...unwraps];
  const nodes = withNames.flatMap(({ node }) => (node === null ? [] : [node]));
  const names = await findNames(db, { chainId: at.chainId, nodes });
  return [
    ...registrations.flatMap((rows) => toPurchase("registration", rows, names)),
    ...renewals.flatMap((rows) => toPurchase("renewal", rows, names)),
    ...transfers.map((row) => toTransfer(row, names)),
    ...wraps.flatMap((row) => toWrapping("wrap", row, names)),
    ...unwraps.flatMap((row) => toWrapping("unwrap", row, names)),
    ...claims.map((row) => toClaim(row, ctx)),
  ]
    .sort((a, b) => b.block_timestamp - a.block_timestamp || b.block_number - a.block_number)
    .slice(0, FEED_LENGTH);
}

/** The newest registrations, or renewals: each with all its logs, also those of controllers. */
async function listPurchases(
  { db }: Ctx,
  eventTypes: readonly string[],
  at: Newest,
): Promise<EventFacts[][]> {
  const newest = await Promise.all(eventTypes.map((eventType) => listNewestPurchases(db, eventType, at)));
  const purchases = new Map(newest.flat().map((row): [string, EventFacts[]] => [keyOf(row), []]));
  const transactions = [...new Set(newest.flat().map(({ transactionHash }) => transactionHash))];
  const nodes = [...new Set(newest.flat().flatMap(({ node }) => node ?? []))];
  const rows = await listEventsOfTransactions(db, { transactions, nodes, eventTypes });
  for (const row of rows) purchases.get(keyOf(row))?.push(row);
  return [...purchases.values()];
}

/** A registration or renewal is identified by its name and transaction. */
const keyOf = ({ transactionHash, node }: EventFacts): string => `${transactionHash} ${node}`;
