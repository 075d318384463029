import type { Context } from "ponder:registry";
import type { Address, Hex } from "viem";
import { registrarName } from "../../ens/managedNames.ts";
import { isLabelOf, isPrintable } from "../../ens/name.ts";
import { keyOfRegistrar } from "./domains.ts";
import { appendEvent, appendEventAndHolders, type EventValues, findLogBefore } from "./events.ts";
import type { HandlerArgs, LogRef } from "./logRef.ts";
import { learnLabel } from "./names.ts";
import { renewedDirectly, renewedThroughWrapper } from "./wrappedRenewals.ts";

/** A registration or renewal of any generation, with the argument names of the newest. */
export type Purchase = {
  label: string;
  labelhash: Hex;
  owner?: Address;
  /** Base cost plus premium; null if no log has it. */
  costWei: bigint | null;
  baseCostWei?: bigint;
  premiumWei?: bigint;
  referrer?: Hex;
  expires: bigint;
  /** What is odd of the log. */
  anomaly?: string;
};

/** Legacy controllers. On chain the text is `name` and its hash is `label`. */
export const fromOneCost = (args: {
  name: string;
  label: Hex;
  owner?: Address;
  cost: bigint;
  expires: bigint;
}): Purchase => {
  const { name, label: labelhash, owner, cost, expires } = args;
  return { label: name, labelhash, costWei: cost, expires, ...(owner && { owner }) };
};

type Premium = { owner: Address; baseCost: bigint; premium: bigint; expires: bigint };

const withPremium = ({ owner, baseCost, premium, expires }: Premium) => ({
  owner,
  expires,
  costWei: baseCost + premium,
  baseCostWei: baseCost,
  premiumWei: premium,
});

/** On chain the text is `name` and its hash is `label`. */
export const fromPremium = (args: Premium & { name: string; label: Hex }): Purchase => ({
  label: args.name,
  labelhash: args.label,
  ...withPremium(args),
});

type Referred = { label: string; labelhash: Hex; referrer: Hex };

export const fromReferredPurchase = (args: Premium & Referred): Purchase => {
  const { label, labelhash, referrer } = args;
  return { label, labelhash, referrer, ...withPremium(args) };
};

export const fromReferredRenewal = (args: Referred & { cost: bigint; expires: bigint }): Purchase => {
  const { label, labelhash, cost, expires, referrer } = args;
  return { label, labelhash, costWei: cost, expires, referrer };
};

/** Events of renewals; the others are registrations. */
const renewals: ReadonlySet<string> = new Set(["NameRenewed", "NameRenewedPoh"]);

/**
 * Appends a renewal that asked the registrar itself, and learns the label. The wrapper's expiry stays as it is.
 * Writes: events, labels, domains.
 */
export async function appendDirectRenewal(args: HandlerArgs, purchase: Purchase): Promise<void> {
  await renewedDirectly(args.context, args.log, purchase);
  await appendPurchase(args, purchase);
}

/**
 * Appends a registration or renewal, and learns the label. The registrar's own logs tell the expiry and the owner.
 * Writes: events, labels.
 */
export async function appendPurchase(
  { event, context, log }: HandlerArgs,
  { label, labelhash, owner, expires, ...price }: Purchase,
): Promise<void> {
  await appendEvent(context, log, {
    ...(await labelled(context, log, label, labelhash)),
    ...price,
    ...(owner && { ownerAddress: owner }),
    expiryTimestamp: expires,
    durationSeconds: expires === null || renewals.has(log.eventType) ? null : expires - event.block.timestamp,
  });
}

/** A renewal through the wrapper. */
type WrappedRenewal = Pick<Purchase, "label" | "labelhash" | "expires" | "costWei" | "referrer"> & {
  /** The cost is the value sent, of which the surplus is paid back. */
  costIsUpperBound?: boolean;
  /** Reads the price of these seconds from the contract; undefined if it cannot be read. */
  readPrice?: (seconds: bigint) => Promise<bigint | undefined>;
};

/**
 * Appends a renewal that went through the wrapper. Where its cost is the value sent, the surplus is paid back afterwards,
 * so it is only an upper bound of the price. Writes: events, labels, domains.
 * Source: ens-contracts, contracts/ethregistrar/ETHRegistrarController.sol, `renew`; Linea's is a copy.
 */
export async function appendWrappedRenewal(
  { context, log }: HandlerArgs,
  { label, labelhash, expires, readPrice, ...price }: WrappedRenewal,
): Promise<void> {
  await renewedThroughWrapper(context, log, { labelhash, expires });
  const values = await labelled(context, log, label, labelhash);
  const durationSeconds = await findRenewedSeconds(context, log, values.node);
  const exactCostWei = durationSeconds === null ? undefined : await readPrice?.(durationSeconds);
  await appendEventAndHolders(context, log, {
    ...values,
    ...price,
    expiryTimestamp: expires,
    durationSeconds,
    exactCostWei: exactCostWei ?? null,
  });
}

/** Logs that the receiver of a refund can write between, with the 2,300 gas that it has. */
const LOGS_OF_REFUND = 6;

/**
 * Seconds added by the registrar's NameRenewed, the last one of the name before the controller's log; null if there is none. The
 * controller gives the surplus back in between, and an account that is a contract can log that.
 */
async function findRenewedSeconds(context: Context, log: LogRef, node: Hex): Promise<bigint | null> {
  for (let logs = 0; logs <= LOGS_OF_REFUND; logs++) {
    const row = await findLogBefore(context, { ...log, logIndex: log.logIndex - logs });
    const isRenewal = row?.eventType === "NameRenewed" && row.contract !== "CONTROLLER";
    if (isRenewal && row.node === node && row.transactionHash === log.transactionHash)
      return row.durationSeconds;
  }
  return null;
}

/**
 * Learns the label that a controller's log spells out, if its hash is the log's labelhash: bytes that are not UTF-8
 * arrive changed. Otherwise the label stays unknown, and the event keeps the text as given.
 */
export async function labelled(
  context: Context,
  log: LogRef,
  label: string,
  labelhash: Hex,
): Promise<EventValues & { node: Hex }> {
  const { node } = keyOfRegistrar(log.chainId, labelhash);
  if (!isLabelOf(labelhash, label)) {
    return { node, details: { label }, anomaly: "the label does not hash to the labelhash" };
  }
  await learnLabel(context, log, labelhash, label);
  return isPrintable(label)
    ? { node, name: `${label}.${registrarName(log.chainId)}` }
    : { node, details: { label } };
}
