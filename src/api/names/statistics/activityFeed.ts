import type { Hex } from "viem";
import type { Ctx } from "../../server/http/context.ts";
import {
  listNewestMigrations,
  listNewestPurchases,
  listNewestTokenPurchases,
  listNewestTransfers,
  listNewestUnwraps,
  listNewestWraps,
  listPurchasesOfTransactions,
  type NamedPurchase,
  type Newest,
} from "../query/activity.ts";
import { listNewestClaims } from "../query/claims.ts";
import { nameKey } from "../query/domains.ts";
import { findEventNames } from "../query/eventLists.ts";
import type { EventFacts } from "../query/eventRows.ts";
import { purchaseEvents } from "../query/registrations.ts";
import type { Scope } from "../query/scope.ts";
import {
  type Activity,
  toClaim,
  toMigration,
  toPurchase,
  toTokenPurchase,
  toTransfer,
  toWrapping,
} from "../serializers/toActivity.ts";

/** Length of the feed. */
export const FEED_LENGTH = 50;

/**
 * The newest entries of all kinds, newest first: the newest of each kind are read, and the newest overall are kept. Names are
 * those of the chains; name claims are from all chains unless the caller selected some.
 */
export async function readActivity(
  ctx: Ctx,
  { chains, claims: whose }: { chains: Scope; claims: "all claims" | "claims of the chains" },
): Promise<Activity[]> {
  const { db } = ctx;
  const at: Newest = { chains, limit: FEED_LENGTH };
  const { registrations: registrationEvents, renewals: renewalEvents } = purchaseEvents(chains);
  const [registrations, renewals, transfers, wraps, unwraps, claims] = await Promise.all([
    listPurchases(ctx, registrationEvents, at),
    listPurchases(ctx, renewalEvents, at),
    listNewestTransfers(db, [...registrationEvents, REGISTERED_IN_ENSV2, "NameWrapped", "NameUnwrapped"], at),
    listNewestWraps(db, registrationEvents, at),
    listNewestUnwraps(db, at),
    listNewestClaims(db, {
      limit: FEED_LENGTH,
      ...(whose === "claims of the chains" && { chainIds: chains.ids }),
    }),
  ]);
  const [bought, renewed, migrations] = await Promise.all([
    listNewestTokenPurchases(db, "NameRegistered", at),
    listNewestTokenPurchases(db, "NameRenewed", at),
    listNewestMigrations(db, at),
  ]);
  const withNames = [
    ...registrations,
    ...renewals,
    ...transfers,
    ...wraps,
    ...unwraps,
    ...bought,
    ...renewed,
    ...migrations,
  ];
  const names = await findEventNames(db, withNames);
  const context = { ...ctx, nameOf: (row: NameRow) => names.get(nameKey(row))?.fullName };
  return [
    ...registrations.map((row) => toPurchase("registration", row, context)),
    ...renewals.map((row) => toPurchase("renewal", row, context)),
    ...bought.map((row) => toTokenPurchase("registration", row, context)),
    ...renewed.map((row) => toTokenPurchase("renewal", row, context)),
    ...migrations.map((row) => toMigration(row, context)),
    ...transfers.map((row) => toTransfer(row, context)),
    ...wraps.flatMap((row) => toWrapping("wrap", row, context)),
    ...unwraps.flatMap((row) => toWrapping("unwrap", row, context)),
    ...claims.map((row) => toClaim(row, ctx)),
  ]
    .sort((a, b) => b.block_timestamp - a.block_timestamp || b.block_number - a.block_number)
    .slice(0, FEED_LENGTH);
}

type NameRow = { chainId: number; node: Hex | null };

/** Registrations in an ENSv2 registry are not transfers: sales and migrations have entries of their own. */
const REGISTERED_IN_ENSV2 = "LabelRegistered";

/** The newest registrations or renewals, each merged from all its logs, including those of controllers. */
async function listPurchases(
  { db }: Ctx,
  eventTypes: readonly string[],
  at: Newest,
): Promise<NamedPurchase[]> {
  const newest = await Promise.all(eventTypes.map((eventType) => listNewestPurchases(db, eventType, at)));
  const transactions = [...new Set(newest.flat().map(({ transactionHash }) => transactionHash))];
  const nodes = [...new Set(newest.flat().flatMap(({ node }) => node ?? []))];
  const rows = await listPurchasesOfTransactions(db, { transactions, nodes, eventTypes });
  const purchases = new Map(rows.map((row) => [keyOf(row), row]));
  const keys = new Set(newest.flat().map(keyOf)); // In the order of `newest`.
  return [...keys].flatMap((key) => purchases.get(key) ?? []);
}

/** A registration or renewal is identified by its name and transaction. */
const keyOf = ({
  chainId,
  transactionHash,
  node,
}: Pick<EventFacts, "chainId" | "transactionHash" | "node">): string =>
  `${chainId} ${transactionHash} ${node}`;
