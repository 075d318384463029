import type { Address } from "viem";
import type { z } from "zod";
import type * as schemas from "../../names/schemas/answers.ts";
import type { SerializeContext } from "../../names/serializers/domain.ts";
import { toAddress } from "../../names/serializers/hex.ts";
import { writePosition } from "./position.ts";
import type { ChangeRow, FeedBlock } from "./rows.ts";

export type ChangeRecord = z.infer<typeof schemas.change>;

/** A change, as answers and streams have it; fields that it does not have are absent. */
export function toChangeRecord(
  row: ChangeRow,
  { contracts, epoch }: SerializeContext & { epoch: string },
): ChangeRecord {
  const { node, name, resolver, transactionHash, logIndex, takenBack } = row;
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
    ...row.details,
    ...(row.source !== null && { old_value: row.oldValue, new_value: row.newValue }),
    ...(takenBack !== null && { removed_position: writePosition({ epoch, number: takenBack }) }),
  } as ChangeRecord;
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
