import { ensv2Purchase, event, feedAnswer } from "ponder:schema";
import type { AnyColumn, SQL, SQLWrapper } from "drizzle-orm";
import { eq, inArray, isNotNull, like, sql } from "ponder";
import type { Address } from "viem";
import { answerAt } from "./dollars.ts";

/**
 * Merges the logs of a purchase into one entry. Registrar and controller both log a registration or renewal: all logs of one
 * kind, for one name, in one transaction are one purchase. Histories, the feed and sales group rows of `events` by these columns,
 * and take the values they show from here:
 *
 * - Controllers know the price and the buyer, registrars the expiry (they may log the wrapper as owner).
 * - The price is the sum of base and premium over all controller logs. Without controller logs, it is what registrars logged.
 * - The controller of 2023 logs the value sent for a renewal, before it refunds the surplus. If the exact price is unknown, this
 *   is an upper bound. The transaction's value is not: a contract account pays from its own balance.
 * - The auction registrar logs a deposit, which was refunded: this is not a price.
 * - What ENSv2 charged in a token has no price in wei. When its renewer renews a name that is still in ENSv1, the old controller
 *   logs that, too, without a price.
 *   Source: ensdomains/contracts-v2, src/registrar/ETHRenewerV1.sol.
 */

export const isController = eq(event.contract, "CONTROLLER");
const hasController = sql`bool_or(${isController})`;
const isRegistrar = like(event.contract, "REGISTRAR%");
const isRegistry = eq(event.contract, "ENSV2_REGISTRY");
const hasToken = isNotNull(event.tokenAmount);

/** The price in one log, and whether the actual price may be lower. */
const isBound = sql`${event.costIsUpperBound} is true and ${event.exactCostWei} is null and ${event.costWei} is not null`;
const price = sql`case when ${eq(event.contract, "REGISTRAR_AUCTION")} then null
  else coalesce(${event.exactCostWei}, ${event.costWei}) end`;

type Price = { cost: SQL; isUpperBound: SQL };

/** The price over some logs of a purchase. */
const priceIn = (logs: SQL): Price => ({
  cost: sql`sum(${price}) filter (where ${logs})`,
  isUpperBound: sql`coalesce(bool_or(${isBound}) filter (where ${logs}), false)`,
});

const ofControllers = priceIn(isController);
/** The registrar of 2019 logs no price. A price in its rows was paid with a claim to a short name. */
const ofClaims = priceIn(eq(event.contract, "REGISTRAR_OLD"));
const ofAll = priceIn(sql`true`);

/** The amounts charged by controllers, and the amounts paid for claimed short names. */
export const takenByControllers = {
  cost: sql`coalesce(case when ${hasController} then ${ofControllers.cost} else ${ofClaims.cost} end, 0)`,
  isUpperBound: ofControllers.isUpperBound,
  premium: sql`coalesce(sum(${event.premiumWei}) filter (where ${isController}), 0)`,
};

/** The log that dates the purchase: the ether price just before it applies. */
export const placeOfPrice = sql`coalesce(min(${event.logIndex}) filter (where ${isController}), min(${event.logIndex}))`;

/** A referrer of 32 zero bytes means none. */
export const isReferrer = (column: SQLWrapper): SQL => sql`${column} <> ${sql.raw(`'0x${"0".repeat(64)}'`)}`;

/** The value of a column in the last of some logs of a purchase. */
const lastOf = (logs: SQL, column: SQLWrapper): SQL =>
  sql`(array_agg(${column} order by ${event.logIndex} desc, ${event.ordinal} desc) filter (where ${logs}))[1]`;

/** The referrer. When a contract renews for referrers, the controller's own log names none. */
export const namedReferrer = lastOf(isReferrer(event.referrer), event.referrer);

/** The log that represents a purchase: the last one of the preferred kind, or the first one of any other kind. */
const rank = sql`case when ${hasToken} then 3 when ${isController} then 2 when ${isRegistrar} then 1 else 0 end`;
const direction = sql`case when ${rank} = 0 then 1 else -1 end`;
const inTelling = (column: SQLWrapper): SQL =>
  sql`(array_agg(${column} order by ${rank} desc, ${direction} * ${event.logIndex}, ${direction} * ${event.ordinal}))[1]`;

/** Decodes a value as its column does. Null stays null. */
const as = <Column extends AnyColumn>(column: Column, value: SQL) =>
  value.mapWith(column) as SQL<Column["_"]["data"] | null>;

/** The same for columns that are never null. */
const sure = <Column extends AnyColumn>(column: Column, value: SQL) =>
  value.mapWith(column) as SQL<Column["_"]["data"]>;

const bothPaid = sql`${event.paymentToken} is not null and ${hasToken}`;
const isPaidInToken = sql`bool_or(${hasToken})`;

/** The number of logs per contract of one kind: each contract logs every registration or renewal once. */
const logsOfEach = (logs: SQL): SQL =>
  sql`(count(*) filter (where ${logs}) / nullif(count(distinct ${event.contractAddress}) filter (where ${logs}), 0))`;

const blockNumber = sure(event.blockNumber, sql`min(${event.blockNumber})`);
const blockTimestamp = sure(event.blockTimestamp, sql`min(${event.blockTimestamp})`);

/** The columns of a purchase that histories and the activity feed show. */
export const mergedPurchase = {
  chainId: event.chainId,
  blockNumber,
  blockTimestamp,
  transactionHash: sure(event.transactionHash, sql`min(${event.transactionHash})`),
  eventType: sure(event.eventType, inTelling(event.eventType)),
  contract: sure(event.contract, inTelling(event.contract)),
  contractAddress: sure(event.contractAddress, inTelling(event.contractAddress)),
  cost: as(
    event.costWei,
    sql`case when ${isPaidInToken} then null when ${hasController} then ${ofControllers.cost} else ${ofAll.cost} end`,
  ),
  isUpperBound: sql<boolean>`case when ${isPaidInToken} then false when ${hasController} then ${ofControllers.isUpperBound}
    else ${ofAll.isUpperBound} end`,
  /** USD for one ether just before the purchase, with 8 decimals; null if unknown. */
  answer: as(
    feedAnswer.answer,
    answerAt({ chainId: event.chainId, blockNumber, logIndex: placeOfPrice, blockTimestamp }),
  ),
  paymentToken: as(event.paymentToken, lastOf(bothPaid, event.paymentToken)),
  tokenAmount: as(event.tokenAmount, lastOf(bothPaid, event.tokenAmount)),
  expiryTimestamp: as(
    event.expiryTimestamp,
    sql`coalesce(case when bool_or(${isRegistrar}) then ${lastOf(isRegistrar, event.expiryTimestamp)}
      else ${lastOf(isRegistry, event.expiryTimestamp)} end, ${inTelling(event.expiryTimestamp)})`,
  ),
  ownerAddress: as(
    event.ownerAddress,
    sql`coalesce(${inTelling(event.ownerAddress)}, ${lastOf(isRegistrar, event.ownerAddress)})`,
  ),
  /** Number of registrations, or renewals, of the name in the transaction, by registrar logs, or else controller logs. */
  mergedEvents: sql<number>`greatest(1, coalesce(${logsOfEach(isRegistrar)}, ${logsOfEach(isController)}, 1))::int`,
  /** Seconds bought, by the registrar's logs. If an old registrar logs no duration, the controller's logs decide. */
  durationSeconds: as(
    event.durationSeconds,
    sql`coalesce(sum(${event.durationSeconds}) filter (where ${isRegistrar}),
      sum(${event.durationSeconds}) filter (where ${isController}))`,
  ),
};

const isStart = sql`${isRegistry} and ${inArray(event.eventType, ["LabelRegistered", "LabelReserved"])}`;
const sender = sql`lower(substring(${event.details} from '"sender":"(0x[0-9a-fA-F]{40})"'))`;

/** How an ENSv2 registry got the name: the event, its contract, and the caller. */
export const startInEnsv2 = {
  startType: as(event.eventType, lastOf(isStart, event.eventType)),
  startContract: as(event.contractAddress, lastOf(isStart, event.contractAddress)),
  startSender: as(event.contractAddress, lastOf(isStart, sender)),
};

/** The value types of selected columns. */
type Values<Columns> = {
  [Name in keyof Columns]: Columns[Name] extends SQL<infer Value>
    ? Value
    : Columns[Name] extends AnyColumn
      ? Columns[Name]["_"]["data"]
      : never;
};

/** A registration or renewal, merged from all its logs. */
export type MergedPurchase = Values<typeof mergedPurchase>;

export type StartInEnsv2 = Values<typeof startInEnsv2>;

/**
 * The condition for an owner that is not one. A graveyard's registrations in ENSv1 have no owner, and are not purchases. Never
 * null.
 */
export const isNonOwner = (owner: SQLWrapper, nonOwners: readonly Address[]): SQL =>
  nonOwners.length === 0
    ? sql`false`
    : sql`coalesce(${owner} in (${sql.raw(nonOwners.map((one) => `'${one}'`).join(", "))}), false)`;

/** True if ENSv2 sold the name in the same transaction: the ENSv1 logs then merely repeat that sale. */
export const isSoldByEnsv2 = (of: Record<"chainId" | "transactionHash" | "node", SQLWrapper>): SQL =>
  sql`exists (select from ${ensv2Purchase} where ${eq(ensv2Purchase.chainId, of.chainId)}
    and ${eq(ensv2Purchase.transactionHash, of.transactionHash)} and ${eq(ensv2Purchase.node, of.node)})`;
