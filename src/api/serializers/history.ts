import { formatEther, type Hex } from "viem";
import type { z } from "zod";
import type { Contracts } from "../../../abis/contracts.ts";
import type { EventFacts } from "../query/events.ts";
import type { PurchaseLog } from "../query/registrations.ts";
import type { Span } from "../query/spans.ts";
import type * as schemas from "../schemas/answers.ts";
import { chainOf, type SerializeContext } from "./domain.ts";
import { toAddress } from "./hex.ts";
import { toPayment } from "./payment.ts";

type OwnershipPeriod = z.infer<typeof schemas.ownershipPeriod>;
type Period = z.infer<typeof schemas.period>;

/** The chain of a history, and the deployment's contracts. */
export type PeriodContext = { chainId: number; contracts: SerializeContext["contracts"] };

/** What one address was for a time: an owner in one layer, or the resolver. */
export const toPeriod = (span: Span, { chainId, contracts }: PeriodContext): Period => ({
  address: toAddress(span.address),
  ...chainOf(chainId, contracts),
  from_timestamp: span.fromTimestamp,
  from_block: span.fromBlock,
  from_tx: span.fromTransaction,
  to_timestamp: span.toTimestamp,
  to_block: span.toBlock,
  to_tx: span.toTransaction,
  ...(span.endedBy !== null && { ended_by: span.endedBy }),
});

/** The effective owner for a time, and the layer that decides it. */
export const toOwnershipPeriod = (span: Span, at: PeriodContext): OwnershipPeriod => ({
  ...toPeriod(span, at),
  reason: span.reason as OwnershipPeriod["reason"],
  event_type: span.eventType,
});

type Registration = z.infer<typeof schemas.registration>;

/** The price in an event; `cost` is null if the event has none. */
type Price = { cost: bigint | null; isUpperBound: boolean };

/**
 * The price of a registration or renewal. The controller of 2023 logs the value sent for a renewal, before it gives the
 * surplus back: without the exact price that is an upper bound, and so is the transaction's value.
 */
function priceOf(row: EventFacts): Price {
  if (row.exactCostWei !== null) return { cost: row.exactCostWei, isUpperBound: false };
  if (row.transactionValueWei === null || row.costWei === null)
    return { cost: row.costWei, isUpperBound: false };
  return { cost: lesser(row.costWei, row.transactionValueWei), isUpperBound: true };
}

const priceFields = ({ cost, isUpperBound }: Price) => ({
  cost_wei: cost?.toString() ?? null,
  cost_eth: cost === null ? null : formatEther(cost),
  ...(isUpperBound && { cost_is_upper_bound: true as const }),
});

/** What was paid in an ERC-20 token; nothing where the log has no such price. */
function paymentFields(rows: readonly PurchaseLog[], contracts: Contracts): Pick<Registration, "payment"> {
  const found = rows.map((row) => toPayment(row, contracts)).findLast((payment) => payment !== undefined);
  return found ? { payment: found } : {};
}

/** How ENSv2 got the name; nothing for logs of other contracts. */
function kindFields(rows: readonly PurchaseLog[], { ensv2 }: Contracts): Pick<Registration, "kind"> {
  const start = rows.findLast(
    ({ contract, eventType }) => contract === "ENSV2_REGISTRY" && eventType in kinds,
  );
  if (start === undefined || ensv2 === undefined) return {};
  const { sender, contractAddress } = start;
  const isMigrated = sender && (ensv2.migrationControllers.has(sender) || sender === contractAddress);
  return { kind: isMigrated ? "migrated" : kinds[start.eventType as keyof typeof kinds] };
}

const kinds = { LabelRegistered: "registered", LabelReserved: "reserved" } as const;

/** One event of a registration or renewal as it was logged, with its contract. */
export function toRegistration(row: PurchaseLog, { contracts }: SerializeContext): Registration {
  const { contract: family, chainId, contractAddress: address } = row;
  return {
    contract: contracts.contractLabel({ family, chainId, address }),
    ...chainOf(chainId, contracts),
    event_type: row.eventType,
    block_number: row.blockNumber,
    transaction_hash: row.transactionHash,
    ...priceFields(priceOf(row)),
    ...paymentFields([row], contracts),
    ...kindFields([row], contracts),
    expiry_timestamp: row.expiryTimestamp?.toString() ?? null,
    owner_address: row.ownerAddress && toAddress(row.ownerAddress),
  };
}

/** The events of one name, of one kind, merged to one entry for each transaction. */
export function toMergedRegistrations(rows: PurchaseLog[], at: SerializeContext): Registration[] {
  const byTransaction = new Map<Hex, PurchaseLog[]>();
  for (const row of rows) {
    byTransaction.set(row.transactionHash, [...(byTransaction.get(row.transactionHash) ?? []), row]);
  }
  return [...byTransaction.values()].map((logs) => toMergedRegistration(logs, at));
}

/** Registrars know the expiry, controllers the price and the buyer (a registrar may name the wrapper as owner). */
function toMergedRegistration(rows: PurchaseLog[], { contracts }: SerializeContext): Registration {
  const [first] = rows as [PurchaseLog];
  const fromControllers = rows.filter(({ contract }) => contract === "CONTROLLER");
  const fromRegistrars = rows.filter(({ contract }) => contract.startsWith("REGISTRAR"));
  // A renewal by ENSv2 of a name that is still ENSv1's has an echo of the old controller, without price.
  const paid = rows.findLast(({ tokenAmount }) => tokenAmount !== null);
  const fromRegistry = rows.findLast(({ contract }) => contract === "ENSV2_REGISTRY");
  const told = paid ?? fromControllers.at(-1) ?? fromRegistrars.at(-1) ?? first;
  const owner = told.ownerAddress ?? fromRegistrars.at(-1)?.ownerAddress ?? null;
  const ofRegistry = fromRegistrars.at(-1) ?? fromRegistry;
  const expiry = ofRegistry?.expiryTimestamp ?? told.expiryTimestamp;
  return {
    ...chainOf(first.chainId, contracts),
    event_type: told.eventType,
    block_number: first.blockNumber,
    transaction_hash: first.transactionHash,
    ...priceFields(paid ? noPrice : totalPrice(fromControllers.length > 0 ? fromControllers : rows)),
    ...paymentFields(rows, contracts),
    ...kindFields(rows, contracts),
    expiry_timestamp: expiry?.toString() ?? null,
    owner_address: owner && toAddress(owner),
  };
}

const noPrice: Price = { cost: null, isUpperBound: false };

/** Sum of what was paid for a name in one transaction; as an upper bound never above the transaction's value. */
function totalPrice(rows: EventFacts[]): Price {
  const prices = rows.map(priceOf).filter(({ cost }) => cost !== null);
  if (prices.length === 0) return { cost: null, isUpperBound: false };
  const sum = prices.reduce((total, { cost }) => total + (cost ?? 0n), 0n);
  const isUpperBound = prices.some((price) => price.isUpperBound);
  const sent = rows.find((row) => row.transactionValueWei !== null)?.transactionValueWei ?? null;
  return { cost: isUpperBound && sent !== null ? lesser(sum, sent) : sum, isUpperBound };
}

const lesser = (a: bigint, b: bigint): bigint => (a > b ? b : a);
