import { event } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { inArray, sql } from "ponder";
import type { Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";
import { builtOnce } from "../../server/postgres/prepared.ts";
import { isEventOfRow } from "./eventRows.ts";
import { logsOfContracts } from "./eventsOfNames.ts";
import { type Keyset, orderBy, positionOf } from "./keyset.ts";
import { type FoundSlice, pageColumns, readFound, readSection, type Section } from "./list.ts";
import { isMigration } from "./migrations.ts";
import type { Page, SortDirection } from "./page.ts";
import { type MergedPurchase, mergedPurchase, type StartInEnsv2, startInEnsv2 } from "./purchaseMerge.ts";
import { type Scope, type ScopeSql, sqlOf } from "./scope.ts";

/** Events that register a name, and events that move an expiry. */
type PurchaseEvents = { registrations: readonly string[]; renewals: readonly string[] };

/** Events of .eth names in every generation of contracts, including re-registrations. */
const ethEvents: PurchaseEvents = {
  registrations: ["HashRegistered", "NameRegistered", "NameMigrated"],
  renewals: ["NameRenewed", "RenewalReferred"],
};

/**
 * Adds the events that only layer 2 registrars emit. Source: base/basenames, src/L2/BaseRegistrar.sol; Consensys/linea-ens,
 * ETHRegistrarController.sol; 3dns-xyz/contracts, src/regcontrol/modules/types/Registry.sol.
 */
const eventsOfSeveral: PurchaseEvents = {
  registrations: [
    ...ethEvents.registrations,
    "NameRegisteredWithRecord",
    "PohNameRegistered",
    "OwnerNameRegistered",
    "RegistrationCreated",
  ],
  renewals: [...ethEvents.renewals, "NameRenewedPoh", "RegistrationExtended"],
};

/**
 * The events of purchases on some chains, without those of ENSv2. Layer 2 events are not searched for on the main chain: their
 * index is sorted by type and time, and would be read to the end.
 */
export const purchaseEvents = (chains: Scope): PurchaseEvents =>
  sqlOf(chains).isSeveral ? eventsOfSeveral : ethEvents;

/** Adds the events of ENSv2 registries and registrars. Only the registry logs the renewal of a subname. */
const registrations = [...eventsOfSeveral.registrations, "LabelRegistered", "LabelReserved"];
const renewals = [...eventsOfSeveral.renewals, "ExpiryUpdated"];

/** A registration or renewal, and how an ENSv2 registry got the name. */
export type PurchaseEntry = MergedPurchase & { isRenewal: boolean } & StartInEnsv2;

/**
 * What graveyards do in ENSv1 is not a purchase. The expiry of a reservation also follows ENSv1 without a purchase, so directly
 * under .eth only registrar logs are renewals.
 */
const isPurchaseOfEnsv2 = sql`and not coalesce(${event.ownerAddress} = any(${sql.placeholder("nonOwners")}::text[]), false)
  and (${event.eventType} <> 'ExpiryUpdated' or ${sql.placeholder("isSubname")}::boolean)`;

/**
 * The order of entries, by the columns of a subquery. Block numbers of different chains are not comparable, so several chains are
 * sorted by time.
 */
export function purchaseKeys({ isSeveral }: ScopeSql, direction: SortDirection = "asc"): Keyset {
  const time: Keyset = [
    { column: sql`block_timestamp`, kind: "bigint", direction },
    { column: sql`chain_id`, kind: "integer", direction },
  ];
  return [
    ...(isSeveral ? time : []),
    { column: sql`block_number`, kind: "integer", direction },
    { column: sql`first_log`, kind: "integer", direction },
  ];
}

type PurchasesOf = { node: Hex; chains: Scope; isMerged: boolean; isSubname: boolean };

/**
 * Registrations and renewals of a name, oldest first, without migrations to another registrar. Registrar and controller both log
 * each one. With `isMerged`, all logs of one kind in a transaction are one entry; otherwise each log is an entry.
 */
export function listPurchases(
  db: Db,
  { node, chains, isMerged, isSubname }: PurchasesOf,
  section: Section,
): Promise<Page<PurchaseEntry>> {
  const of = sqlOf(chains);
  const isRenewal = sql<boolean>`page.is_renewal`;
  const values = { node, isMerged, isSubname, nonOwners: [...chains.ensv2.nonOwners] };
  return readSection(section, "asc", (part, direction) =>
    readFound(part, purchaseKeys(of, direction), (slice) =>
      builtOnce(
        db,
        of.title(`purchases ${chains.ids} ${slice.title}`),
        () =>
          db
            .select({ ...mergedPurchase, ...startInEnsv2, isRenewal, ...pageColumns })
            .from(event)
            .innerJoin(pageOfEntries(of, slice), isEventOfRow)
            .groupBy(event.chainId, sql`page.entry`, isRenewal, pageColumns.total, pageColumns.position)
            .orderBy(sql`page.entry`),
        { ...values, ...slice.values },
      ),
    ),
  );
}

/**
 * 1. `log`: the logs of both kinds, each with the first log of its entry.
 * 2. `numbered`: each with the number of its entry, counted from the end at which reading starts.
 */
function pageOfEntries(of: ScopeSql, { keys, where: isListed, limit, offset }: FoundSlice): SQL {
  const columns = sql`${event.chainId} as chain_id, ${event.blockNumber} as block_number,
    ${event.logIndex} as log_index, ${event.ordinal} as ordinal, ${event.transactionHash} as transaction_hash,
    ${inArray(event.eventType, renewals)} as is_renewal, ${event.blockTimestamp} as block_timestamp`;
  const isPurchase = inArray(event.eventType, [...registrations, ...renewals]);
  const logs = logsOfContracts(
    columns,
    sql`${isPurchase} and not ${isMigration} and ${of.holds(event.chainId)} ${isPurchaseOfEnsv2}`,
  );
  return sql`(with log as (
      select *, case when ${sql.placeholder("isMerged")}::boolean
        then min(log_index) over (partition by transaction_hash, is_renewal) else log_index end as first_log
      from (${logs}) as log
    ), numbered as (
      select *, (dense_rank() over (order by ${sql.join(orderBy(keys), sql`, `)}))::int as entry from log
    ), begun as (
      select ${isListed ? sql`coalesce(max(entry) filter (where not ${isListed}), 0)` : sql`${offset}::int`} as before
      from numbered limit 1
    )
    select *, ${positionOf(keys).sql} as position,
      (select max(entry) from numbered) as total from numbered
    where entry > (select before from begun)
      and entry <= (select before from begun) + ${limit}) as page`;
}
