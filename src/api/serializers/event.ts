import type { z } from "zod";
import { ETHEREUM_COIN_TYPE } from "../../ens/coinType.ts";
import type { EventRow } from "../query/events.ts";
import type * as schemas from "../schemas/answers.ts";
import type { SerializeContext } from "./domain.ts";
import { toAddress, toAddressRecord } from "./hex.ts";

export type EventRecord = z.infer<typeof schemas.event>;

/** An event of the specification's section 2.4: fields that it does not have are absent. */
export function toEventRecord(row: EventRow, { contracts }: SerializeContext): EventRecord {
  const texts = exactTexts(row);
  return present({
    contract: contracts.contractLabel({
      family: row.contract,
      chainId: row.chainId,
      address: row.contractAddress,
    }),
    event_type: row.eventType,
    block_number: row.blockNumber,
    block_timestamp: row.blockTimestamp,
    transaction_hash: row.transactionHash,
    log_index: row.logIndex,
    chain: contracts.chainName(row.chainId),
    from_address: row.fromAddress && toAddress(row.fromAddress),
    to_address: row.toAddress && toAddress(row.toAddress),
    owner_address: row.ownerAddress && toAddress(row.ownerAddress),
    new_owner_address: row.newOwnerAddress && toAddress(row.newOwnerAddress),
    resolver_address: row.resolverAddress && toAddress(row.resolverAddress),
    cost_wei: row.costWei?.toString(),
    base_cost_wei: row.baseCostWei?.toString(),
    premium_wei: row.premiumWei?.toString(),
    referrer: row.referrer,
    expiry_timestamp: row.expiryTimestamp?.toString(),
    fuses: row.fuses,
    coin_type: row.coinType?.toString(),
    address: row.address && toAddressRecord(row.address, row.coinType ?? ETHEREUM_COIN_TYPE),
    key: texts.key,
    value: texts.value,
    contenthash: row.contenthash,
    name: texts.name,
    agent_id: row.contract === "AGENT_ADAPTER" ? (detailsOf(row).agentId ?? null) : null,
  });
}

type Optional<T> = {
  [K in keyof T as null extends T[K] ? K : undefined extends T[K] ? K : never]?: NonNullable<T[K]>;
};
type Required<T> = { [K in keyof T as null extends T[K] ? never : undefined extends T[K] ? never : K]: T[K] };

/** Leaves out what is null. */
function present<T extends Record<string, unknown>>(fields: T): Required<T> & Optional<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as Required<T> & Optional<T>;
}

/** Arguments that have no column, integers as decimal strings. */
const detailsOf = ({ details }: Pick<EventRow, "details">) =>
  details === null ? {} : (JSON.parse(details) as Partial<Texts & { agentId: string }>);

type Texts = { key: string | null; value: string | null; name: string | null };

/** Texts with NUL, which PostgreSQL cannot store, stand in `details`. */
export function exactTexts(row: Pick<EventRow, keyof Texts | "details">): Texts {
  const { key, value, name } = row;
  const exact = detailsOf(row);
  return {
    key: key ?? exact.key ?? null,
    value: value ?? exact.value ?? null,
    name: name ?? exact.name ?? null,
  };
}
