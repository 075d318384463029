import { type Context, ponder } from "ponder:registry";
import { event as eventTable } from "ponder:schema";
import { type Hex, size } from "viem";
import {
  decodeDnsName,
  hashOfTokenId,
  isLabelOf,
  isPrintable,
  MAX_NAME_BYTES,
  nodeOfLabels,
  unknownLabel,
} from "../ens/name.ts";
import { fusesAt, mintedToken, type WrapperToken } from "../ens/wrapper.ts";
import { type Domain, type DomainKey, type DomainPatch, patchDomain } from "./write/domains.ts";
import { appendEvent, appendEventOnly, appendLog, appendLogOfContract } from "./write/events.ts";
import { type LogRef, logRefOf, nullIfZero } from "./write/logRef.ts";
import { learnLabel } from "./write/names.ts";

const NAME_WRAPPER = "NAME_WRAPPER";

/**
 * A name was wrapped; the TransferSingle before minted its token. The event has the fuses and expiry that were asked
 * for; what the wrapper stores also depends on an earlier wrapping. Writes: events, labels, domains,
 * ownership_changes.
 */
ponder.on("NameWrapper:NameWrapped", async ({ event, context }) => {
  const { node, name, owner, fuses, expiry } = event.args;
  const log = logRefOf(context, event, NAME_WRAPPER, "NameWrapped");
  const spelled = await readName(context, log, { node, packet: name });
  await appendEventOnly(context, log, {
    node,
    ownerAddress: owner,
    fuses,
    expiryTimestamp: expiry,
    ...(spelled
      ? { name: spelled.name }
      : { details: { name }, anomaly: "the DNS name is not that of the node" }),
  });
  const now = BigInt(log.blockTimestamp);
  const asked = { wrapperFuses: fuses, wrapperExpiryTimestamp: expiry };
  await patchDomain(context, log, spelled?.key ?? { node }, (domain) => ({
    wrapperOwner: nullIfZero(owner),
    ...mintedToken(storedToken(domain), asked, now),
  }));
});

/**
 * A name was unwrapped. An owner of zero: a stale token is burnt before a new one is minted. Fuses and expiry stay
 * stored. Writes: events, domains, ownership_changes.
 */
ponder.on("NameWrapper:NameUnwrapped", async ({ event, context }) => {
  const { node, owner } = event.args;
  const log = logRefOf(context, event, NAME_WRAPPER, "NameUnwrapped");
  const { after } = await patchDomain(context, log, { node }, () => ({ wrapperOwner: null }));
  await appendEvent(context, log, { node, newOwnerAddress: owner }, after);
});

/** The fuses stored from here on. Writes: events, domains. */
ponder.on("NameWrapper:FusesSet", async ({ event, context }) => {
  const { node, fuses } = event.args;
  const log = logRefOf(context, event, NAME_WRAPPER, "FusesSet");
  await appendEvent(context, log, { node, fuses });
  await patchDomain(context, log, { node }, () => ({ wrapperFuses: fuses }));
});

/**
 * The expiry stored from here on; the node need not be wrapped. Extending an expired token also stores no fuses, which
 * is what `getData` answered, unless this log only completes a FusesSet. Writes: events, domains.
 * Source: ens-contracts, contracts/wrapper/NameWrapper.sol, `extendExpiry` and `_setFuses`.
 */
ponder.on("NameWrapper:ExpiryExtended", async ({ event, context }) => {
  const { node, expiry } = event.args;
  const log = logRefOf(context, event, NAME_WRAPPER, "ExpiryExtended");
  await appendEvent(context, log, { node, expiryTimestamp: expiry });
  const isOwnCall = !(await followsFusesSet(context, log, node));
  await patchDomain(context, log, { node }, (domain) => ({
    ...(isOwnCall && settledFuses(domain, log)),
    wrapperExpiryTimestamp: expiry,
  }));
});

async function followsFusesSet(
  context: Context,
  { chainId, blockNumber, logIndex, transactionHash }: LogRef,
  node: Hex,
) {
  const row = await context.db.find(eventTable, { chainId, blockNumber, logIndex: logIndex - 1, ordinal: 0 });
  return row?.eventType === "FusesSet" && row.node === node && row.transactionHash === transactionHash;
}

/** What the wrapper stores of a node's token; null if the node was never wrapped. */
const storedToken = ({ wrapperFuses, wrapperExpiryTimestamp }: Domain): WrapperToken | null =>
  wrapperExpiryTimestamp === null ? null : { wrapperFuses: wrapperFuses ?? 0, wrapperExpiryTimestamp };

/**
 * Each write of a token stores the fuses that `getData` answers: an expired token loses all of them for good.
 * Source: ens-contracts, contracts/wrapper/ERC1155Fuse.sol, `_transfer`, `_burn`, `safeBatchTransferFrom`.
 */
function settledFuses(domain: Domain, log: LogRef): DomainPatch {
  const token = storedToken(domain);
  if (token === null || domain.wrapperFuses === null) return {};
  return { wrapperFuses: fusesAt(token, BigInt(log.blockTimestamp)) };
}

/**
 * A token was minted, burnt (by unwrapping or upgrading too) or given to another owner. Writes: events, domains,
 * ownership_changes.
 */
ponder.on("NameWrapper:TransferSingle", async ({ event, context }) => {
  const { from, to, id } = event.args;
  const node = hashOfTokenId(id);
  const log = logRefOf(context, event, NAME_WRAPPER, "TransferSingle");
  const { after } = await patchDomain(context, log, { node }, (domain) => ({
    ...settledFuses(domain, log),
    wrapperOwner: nullIfZero(to),
  }));
  await appendEvent(context, log, { node, fromAddress: from, toAddress: to }, after);
});

/** Several tokens at once, with one row for each. Writes: events, domains, ownership_changes. */
ponder.on("NameWrapper:TransferBatch", async ({ event, context }) => {
  const { from, to, ids } = event.args;
  const first = logRefOf(context, event, NAME_WRAPPER, "TransferBatch");
  if (ids.length === 0) await appendEvent(context, first, { fromAddress: from, toAddress: to });
  for (const [ordinal, id] of ids.entries()) {
    const log = { ...first, ordinal };
    const node = hashOfTokenId(id);
    const { after } = await patchDomain(context, log, { node }, (domain) => ({
      ...settledFuses(domain, log),
      wrapperOwner: nullIfZero(to),
    }));
    await appendEvent(context, log, { node, fromAddress: from, toAddress: to }, after);
  }
});

ponder.on("NameWrapper:Approval", (args) => {
  const { owner, approved, tokenId } = args.event.args;
  return appendLog(args, NAME_WRAPPER, "Approval", {
    node: hashOfTokenId(tokenId),
    details: { owner, approved },
  });
});
ponder.on("NameWrapper:URI", (args) => {
  const { value, id } = args.event.args;
  return appendLog(args, NAME_WRAPPER, "URI", { node: hashOfTokenId(id), value });
});
ponder.on("NameWrapper:ApprovalForAll", (args) => appendLogOfContract(args, NAME_WRAPPER, "ApprovalForAll"));
ponder.on("NameWrapper:ControllerChanged", (args) =>
  appendLogOfContract(args, NAME_WRAPPER, "ControllerChanged"),
);
ponder.on("NameWrapper:OwnershipTransferred", (args) =>
  appendLogOfContract(args, NAME_WRAPPER, "OwnershipTransferred"),
);

/** Longest name of which the labels are learnt, in bytes of DNS wire format, which has two more than the text. */
const MAX_LEARNT_BYTES = MAX_NAME_BYTES + 2;

/**
 * Reads the name that was wrapped and learns its labels, the leftmost last, so that each finds its parent named. Null
 * if the bytes are no name, or the name of another node. Of a name that is too long no label is learnt: one log can so
 * make at most 512 labels known. Writes: labels, domains.
 */
async function readName(
  context: Context,
  log: LogRef,
  { node, packet }: { node: Hex; packet: Hex },
): Promise<{ name: string; key: DomainKey } | null> {
  const labels = decodeDnsName(packet);
  if (labels === null || nodeOfLabels(labels.map(({ labelhash }) => labelhash)) !== node) return null;
  const learnt = size(packet) > MAX_LEARNT_BYTES ? [] : labels.toReversed();
  for (const { labelhash, label } of learnt) {
    if (isLabelOf(labelhash, label)) await learnLabel(context, log, labelhash, label);
  }
  const shown = labels.map(({ labelhash, label }) =>
    isPrintable(label) && isLabelOf(labelhash, label) ? label : unknownLabel(labelhash),
  );
  const [own, ...parents] = labels.map(({ labelhash }) => labelhash);
  const key = own === undefined ? { node } : { node, labelhash: own, parentNode: nodeOfLabels(parents) };
  return { name: shown.join("."), key };
}
