import { formatEther } from "viem";
import type { z } from "zod";
import type { Contracts } from "../../../../abis/contracts.ts";
import type { PurchaseEntry } from "../query/registrations.ts";
import type { Span } from "../query/spans.ts";
import { toDollars } from "../rules/pricing.ts";
import type * as schemas from "../schemas/answers.ts";
import { toAddress } from "./hex.ts";
import { chainOf, type SerializeContext, titleField } from "./toDomain.ts";
import { toPayment } from "./toPayment.ts";

type OwnershipPeriod = z.infer<typeof schemas.ownershipPeriod>;
type Period = z.infer<typeof schemas.period>;

/** The chain of a history, and the deployment's contracts. */
export type PeriodContext = { chainId: number; contracts: SerializeContext["contracts"] };

/** A period of an address as owner in one layer, or as resolver. */
export const toPeriod = (span: Span, { chainId, contracts }: PeriodContext): Period => ({
  address: toAddress(span.address),
  ...titleField(span.address, chainId, contracts),
  ...chainOf(chainId, contracts),
  from_timestamp: span.fromTimestamp,
  from_block: span.fromBlock,
  from_tx: span.fromTransaction,
  to_timestamp: span.toTimestamp,
  to_block: span.toBlock,
  to_tx: span.toTransaction,
  ...(span.endedBy !== null && { ended_by: span.endedBy }),
});

/** A period of an effective owner, with the layer that decided it. */
export const toOwnershipPeriod = (span: Span, at: PeriodContext): OwnershipPeriod => ({
  ...toPeriod(span, at),
  reason: span.reason as OwnershipPeriod["reason"],
  event_type: span.eventType,
});

type Registration = z.infer<typeof schemas.registration>;

/** The cost of a purchase; null if no log has a price. */
export const toCost = ({
  cost,
  isUpperBound,
  answer,
}: Pick<PurchaseEntry, "cost" | "isUpperBound" | "answer">) => ({
  cost_wei: cost?.toString() ?? null,
  cost_eth: cost === null ? null : formatEther(cost),
  ...(isUpperBound && { cost_is_upper_bound: true as const }),
  ...(cost !== null && answer !== null && { cost_usd: toDollars(cost * answer) }),
});

/** How ENSv2 got the name; empty for logs of other contracts. */
function kindFields(entry: PurchaseEntry, { ensv2 }: Contracts): Pick<Registration, "kind"> {
  const { startType, startContract, startSender } = entry;
  if (!startType || !(startType in kinds) || ensv2 === undefined) return {};
  const isMigrated =
    startSender && (ensv2.migrationControllers.has(startSender) || startSender === startContract);
  return { kind: isMigrated ? "migrated" : kinds[startType as keyof typeof kinds] };
}

const kinds = { LabelRegistered: "registered", LabelReserved: "reserved" } as const;

/** The number of registrations or renewals that an entry merges from one transaction, if more than one. */
export const toMerged = ({ mergedEvents }: Pick<PurchaseEntry, "mergedEvents">) =>
  mergedEvents > 1 ? { merged_events: mergedEvents } : {};

/** A registration or renewal. */
export function toRegistration(entry: PurchaseEntry, { contracts }: SerializeContext): Registration {
  const payment = toPayment(entry, contracts);
  return {
    ...chainOf(entry.chainId, contracts),
    event_type: entry.eventType,
    block_number: entry.blockNumber,
    transaction_hash: entry.transactionHash,
    ...toMerged(entry),
    ...toCost(entry),
    ...(payment && { payment }),
    ...kindFields(entry, contracts),
    expiry_timestamp: entry.expiryTimestamp?.toString() ?? null,
    owner_address: entry.ownerAddress && toAddress(entry.ownerAddress),
  };
}

/** One log of a registration or renewal, with its contract. */
export function toLoggedRegistration(entry: PurchaseEntry, at: SerializeContext): Registration {
  const { contract: family, chainId, contractAddress: address } = entry;
  return {
    contract: at.contracts.contractLabel({ family, chainId, address }),
    ...toRegistration(entry, at),
  };
}
