import type { z } from "zod";
import { ETHEREUM_COIN_TYPE } from "../../ens/coinType.ts";
import type { EventRow } from "../query/events.ts";
import type * as schemas from "../schemas/answers.ts";
import { cutBytes, cutText, readEscaped, truncatedOf } from "./cut.ts";
import type { SerializeContext } from "./domain.ts";
import { toAddress, toAddressRecord } from "./hex.ts";
import { toPayment } from "./payment.ts";

export type EventRecord = z.infer<typeof schemas.event>;

/** An event of the specification's section 2.4: fields that it does not have are absent. */
export function toEventRecord(row: EventRow, { contracts }: SerializeContext): EventRecord {
  const key = shownText(row.key, row.hiddenKey);
  const value = shownText(row.value, row.hiddenValue);
  const name = shownText(row.name, row.hiddenName);
  const contenthash = row.contenthash && cutBytes(row.contenthash);
  const address = row.address && cutBytes(row.address);
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
    payment: toPayment(row, contracts),
    referrer: row.referrer,
    expiry_timestamp: row.expiryTimestamp?.toString(),
    fuses: row.fuses,
    coin_type: row.coinType?.toString(),
    address: address && toAddressRecord(address.shown, row.coinType ?? ETHEREUM_COIN_TYPE),
    key: key?.shown,
    value: value?.shown,
    contenthash: contenthash?.shown,
    name: name?.shown,
    agent_id: row.agentId,
    ...truncatedOf({ key, value, contenthash, name, address }),
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

/** A text as a list shows it. One with NUL, which PostgreSQL cannot store, comes as JSON has it. */
export function shownText(
  beginning: string | null,
  escaped: string | null,
): ReturnType<typeof cutText> | null {
  const text = beginning ?? (escaped === null ? null : readEscaped(escaped));
  return text === null ? null : cutText(text);
}
