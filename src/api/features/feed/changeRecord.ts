import type { Address, Hex } from "viem";
import type { z } from "zod";
import type * as schemas from "../../names/schemas/answers.ts";
import { toAddress, toAddressRecord } from "../../names/serializers/hex.ts";
import type { SerializeContext } from "../../names/serializers/toDomain.ts";
import { writePosition } from "./position.ts";
import type { ChangeRow, FeedBlock } from "./rows.ts";
import type { Value } from "./source.ts";

export type ChangeRecord = z.infer<typeof schemas.change>;

/** A change, as answers and streams have it; fields that it does not have are absent. */
export function toChangeRecord(
  row: ChangeRow,
  { contracts, epoch }: SerializeContext & { epoch: string },
): ChangeRecord {
  const { node, name, resolver, transactionHash, logIndex, takenBack } = row;
  const toShown = (fields: Value | null) => fields && shown(fields, BigInt(row.details.coin_type ?? 0));
  return {
    position: writePosition({ epoch, number: row.number }),
    state: row.state,
    type: row.type,
    ...(row.slot !== null && { subject: [row.slot, ...(row.key ?? [])].join(":") }),
    chain: contracts.chainName(row.chainId),
    ...(name !== null && { domain: name }),
    ...(node !== null && { namehash: node }),
    ...(resolver !== null && { resolver_address: toAddress(resolver as Address) }),
    block_number: row.blockNumber,
    block_hash: row.blockHash,
    block_timestamp: row.blockTimestamp,
    ...(transactionHash !== null && { transaction_hash: transactionHash }),
    ...(logIndex !== null && { log_index: logIndex }),
    ...toShown(row.details),
    ...(row.source !== null && { old_value: toShown(row.oldValue), new_value: toShown(row.newValue) }),
    ...(takenBack !== null && { removed_position: writePosition({ epoch, number: takenBack }) }),
  } as ChangeRecord;
}

/** Fields in the form of other answers: addresses checksummed, small numbers as numbers. */
function shown(fields: Value, coinType: bigint): Value {
  const write = (name: string, field: Value[string]): Value[string] => {
    if (typeof field !== "string") return field;
    if (name === "address") return toAddressRecord(field as Hex, coinType);
    if (/(_owner|_address|^token_contract|^registered_by)$/.test(name)) return toAddress(field as Address);
    return name === "fuses" || name === "version" ? Number(field) : field;
  };
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, write(name, field)]));
}

export const toFeedBlock = (
  { chainId, number, hash, timestamp, finalNumber }: FeedBlock,
  { contracts }: SerializeContext,
) => ({
  chain: contracts.chainName(chainId),
  block_number: number,
  block_hash: hash,
  block_timestamp: timestamp,
  final_block_number: finalNumber,
});
