import { ensv2Purchase, event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { alias, and, eq, gte, inArray, lt, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { DAY } from "../rules/seconds.ts";
import { countIf } from "./countIf.ts";
import { answerAt, usdOf } from "./dollars.ts";
import { keepsExpiry } from "./migrations.ts";
import {
  isController,
  isNonOwner,
  isReferrer,
  isSoldByEnsv2,
  namedReferrer,
  placeOfPrice,
  takenByControllers,
} from "./purchaseMerge.ts";
import { purchaseEvents } from "./registrations.ts";
import { type Scope, sqlOf } from "./scope.ts";
import type { AsOf } from "./statistics.ts";

/** Purchases on some chains, in the half-open time range [from, until). */
export type PurchaseRange = { chains: Scope; from: number; until: number };

/**
 * Registrations and renewals, merged as in registration histories ({@link takenByControllers}). Names migrated to another
 * registrar are left out. If a controller sold the name, its past need not be checked.
 */
function purchasesOfEnsv1({ chains, from, until }: PurchaseRange): SQL {
  const { registrations, renewals } = purchaseEvents(chains);
  return sql`
  select chain_id, block_timestamp, is_registration, seller, seller_address, premium_wei, is_upper_bound, cost_wei, referrer,
    ${answerAt({
      chainId: sql`merged.chain_id`,
      blockNumber: sql`merged.block_number`,
      logIndex: sql`merged.log_index`,
      blockTimestamp: sql`merged.block_timestamp`,
    })} as answer
  from (
    select ${event.blockTimestamp} as block_timestamp, ${inArray(event.eventType, [...registrations])} as is_registration,
      ${event.node} as node, ${event.chainId} as chain_id, min(${event.blockNumber}) as block_number,
      bool_or(${inArray(event.contract, ["CONTROLLER", "REGISTRAR_AUCTION"])}) as is_sold,
      bool_or(${eq(event.eventType, "NameMigrated")}) as is_moved,
      max(${event.expiryTimestamp}) as expiry_timestamp,
      coalesce(max(${event.contract}) filter (where ${isController}), max(${event.contract})) as seller,
      coalesce(max(${event.contractAddress}) filter (where ${isController}), max(${event.contractAddress})) as seller_address,
      ${takenByControllers.cost} as cost_wei, ${takenByControllers.premium} as premium_wei,
      ${takenByControllers.isUpperBound} as is_upper_bound, ${placeOfPrice} as log_index, ${namedReferrer} as referrer,
      ${event.transactionHash} as transaction_hash,
      bool_or(${isNonOwner(event.ownerAddress, [...chains.ensv2.nonOwners])}) as is_of_non_owner
    from ${event}
    where ${and(
      sqlOf(chains).holds(event.chainId),
      inArray(event.eventType, [...registrations, ...renewals]),
      gte(event.blockTimestamp, from),
      lt(event.blockTimestamp, until),
    )} and ${event.contract} not like 'ENSV2%'
    group by ${event.blockTimestamp}, 2, ${event.node}, ${event.transactionHash}, ${event.chainId}
  ) as merged
  where case when not is_registration or is_sold then true
    else not (is_moved or ${keepsExpiry({
      chainId: sql`merged.chain_id`,
      node: sql`merged.node`,
      blockNumber: sql`merged.block_number`,
      expiryTimestamp: sql`merged.expiry_timestamp`,
    })}) end
    and not is_of_non_owner and not ${isSoldByEnsv2({
      chainId: sql`merged.chain_id`,
      node: sql`merged.node`,
      transactionHash: sql`merged.transaction_hash`,
    })}
`;
}

const logged = alias(event, "logged");

/** Sales of the ENSv2 registrars and their renewer, which log each sale once. */
const purchasesOfEnsv2 = ({ chains, from, until }: PurchaseRange): SQL => sql`
  select ${ensv2Purchase.chainId}, ${ensv2Purchase.blockTimestamp}, ${ensv2Purchase.eventType} = 'NameRegistered',
    coalesce((select ${logged.contract} from ${event} as logged where ${eq(logged.chainId, ensv2Purchase.chainId)}
      and ${eq(logged.blockNumber, ensv2Purchase.blockNumber)} and ${eq(logged.logIndex, ensv2Purchase.logIndex)}
      limit 1), 'ENSV2_REGISTRAR'),
    ${ensv2Purchase.contractAddress}, 0, false, 0,
    case when ${isReferrer(ensv2Purchase.referrer)} then ${ensv2Purchase.referrer} end, null::numeric,
    ${ensv2Purchase.paymentToken}, ${ensv2Purchase.amount}, coalesce(${ensv2Purchase.premium}, 0)
  from ${ensv2Purchase}
  where ${and(
    sqlOf(chains).holds(ensv2Purchase.chainId),
    gte(ensv2Purchase.blockTimestamp, from),
    lt(ensv2Purchase.blockTimestamp, until),
  )}`;

/** All purchases, as the relation `purchase`. */
export const purchases = (range: PurchaseRange): SQL => sql`(
  select ensv1.*, '' as payment_token, 0::numeric as token_amount, 0::numeric as token_premium
  from (${purchasesOfEnsv1(range)}) as ensv1
  union all ${purchasesOfEnsv2(range)}
) as purchase`;

/** Registrations in the last day and the last seven days, and renewals in the last seven days. */
export type RecentPurchases = { registrations24h: number; registrations7d: number; renewals7d: number };

export async function countRecentPurchases(db: Db, { chains, now }: AsOf): Promise<RecentPurchases> {
  const isToday = sql`block_timestamp > ${now - DAY}`;
  const { rows } = await db.execute<RecentPurchases>(sql`
    select ${countIf(sql`is_registration and ${isToday}`)} as "registrations24h",
      ${countIf(sql`is_registration`)} as "registrations7d", ${countIf(sql`not is_registration`)} as "renewals7d"
    from ${purchases({ chains, from: now - 7 * DAY + 1, until: now + 1 })}`);
  return rows[0] ?? { registrations24h: 0, registrations7d: 0, renewals7d: 0 };
}

/** Sales; amounts are decimal strings, in wei. */
export type Sold = {
  isRegistration: boolean;
  names: number;
  /** Includes the premium. */
  cost: string;
  premium: string;
  /** Sums of each cost times the price feed's answer at that sale (`toDollars`); null if one answer is unknown. */
  costUsd: string | null;
  premiumUsd: string | null;
  /** True if the actual cost may be lower. */
  isUpperBound: boolean;
  /** The ERC-20 token paid in ENSv2, with amounts in its units; null for sales in wei. */
  token: TokenSales | null;
};

/** Sales of one seller on one day (UTC). `day` counts from 1 January 1970. */
export type DaySales = Sold & {
  chainId: number;
  day: number;
  /** Family of the selling contract: a controller, or a registrar where no known controller logged the sale. */
  seller: string;
  sellerAddress: Address;
};

/** Total sales through one referrer. */
export type ReferrerSales = Sold & {
  /** 32 bytes, chosen by the buyer. */
  referrer: Hex;
};

/** Amounts are decimal strings, in the token's units. The amount includes the premium. */
export type TokenSales = { address: Address; amount: string; premium: string };

/** Columns of `Sold` as named in the tables of day counts. They apply to purchases, and to rows already summed. */
export const soldColumns = [
  "is_registration",
  "names",
  "cost_wei",
  "premium_wei",
  "cost_usd",
  "premium_usd",
  "is_upper_bound",
  "payment_token",
  "token_amount",
  "token_premium",
] as const;

const sums = sql`is_registration, count(*)::int as names, sum(cost_wei) as cost_wei, sum(premium_wei) as premium_wei,
    ${usdOf(sql`cost_wei`)} as cost_usd, ${usdOf(sql`premium_wei`)} as premium_usd,
    bool_or(is_upper_bound) as is_upper_bound, payment_token, sum(token_amount) as token_amount,
    sum(token_premium) as token_premium`;

/** SQL for sales by chain, day, kind and seller, from the relation `purchase`. */
export const salesByDay = sql`
  select chain_id, (block_timestamp / ${sql.raw(String(DAY))})::int as day, seller, seller_address, ${sums}
  from purchase group by 1, 2, 3, 4, is_registration, payment_token`;

/** SQL for sales by chain, referrer and kind, from the relation `purchase`. */
export const salesByReferrer = sql`
  select chain_id, referrer, ${sums} from purchase
  where referrer is not null group by 1, 2, is_registration, payment_token`;

/** Maps `soldColumns` to the columns of `Sold`. */
const toSold =
  sql.raw(`is_registration as "isRegistration", names, cost_wei::text as cost, premium_wei::text as premium,
   cost_usd::text as "costUsd", premium_usd::text as "premiumUsd", is_upper_bound as "isUpperBound",
   case when payment_token <> '' then json_build_object('address', payment_token, 'amount', token_amount::text,
   'premium', token_premium::text) end as token`);

/** Maps the columns of `salesByDay` to those of `DaySales`. */
export const saleColumns = sql`chain_id as "chainId", day, seller, seller_address as "sellerAddress", ${toSold}`;

/** Sales by day, kind and seller. Days without sales are left out. */
export async function listSalesByDay(db: Db, range: PurchaseRange): Promise<DaySales[]> {
  const { rows } = await db.execute<DaySales>(sql`with purchase as (select * from ${purchases(range)})
    select ${saleColumns} from (${salesByDay}) as sale order by day, seller_address, is_registration`);
  return rows;
}

/** A sum of dollars; null if any part is null. */
const sumOfUsd = (column: SQL): SQL => sql`case when count(${column}) = count(*) then sum(${column}) end`;

/**
 * The referrers with the most purchases, and the sales through each. Buyers choose referrers freely, so there can be as many
 * referrers as purchases; the database counts and limits them.
 *
 * @param counted SQL of rows like those of `salesByReferrer` that are already counted; null for none
 * @param ranges the purchases that are not in `counted`
 */
export async function listReferrers(
  db: Db,
  { counted, ranges, limit }: { counted: SQL | null; ranges: readonly PurchaseRange[]; limit: number },
): Promise<ReferrerSales[]> {
  const fresh = ranges.map(
    (range) => sql`(with purchase as (select * from ${purchases(range)}) ${salesByReferrer})`,
  );
  const parts = counted === null ? fresh : [counted, ...fresh];
  const { rows } = await db.execute<ReferrerSales>(sql`
    with part as (${sql.join(parts, sql` union all `)}), largest as (
      select referrer, sum(names) as purchases, sum(cost_wei) as wei from part
      group by referrer order by purchases desc, wei desc, referrer limit ${limit}
    ), sold as (
      select referrer, is_registration, sum(names)::int as names, sum(cost_wei) as cost_wei, sum(premium_wei) as premium_wei,
        ${sumOfUsd(sql`cost_usd`)} as cost_usd, ${sumOfUsd(sql`premium_usd`)} as premium_usd,
        bool_or(is_upper_bound) as is_upper_bound, payment_token, sum(token_amount) as token_amount,
        sum(token_premium) as token_premium
      from part where referrer in (select referrer from largest) group by referrer, is_registration, payment_token
    )
    select referrer, ${toSold} from sold join largest using (referrer)
    order by purchases desc, wei desc, referrer, is_registration, payment_token`);
  return rows;
}
