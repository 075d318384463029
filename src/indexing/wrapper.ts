import { type Context, ponder } from "ponder:registry";
import { event as eventTable } from "ponder:schema";
import type { Hex } from "viem";
import { decodeDnsName, hashOfTokenId, isPrintable, nodeOfLabels, unknownLabel } from "../ens/name.ts";
import { fusesAt, mintedToken } from "../ens/wrapper.ts";
import { type Domain, type DomainKey, type DomainPatch, patchDomain } from "./write/domains.ts";
import { appendEvent, appendEventOnly } from "./write/events.ts";
import { type LogRef, logRefOf, nullIfZero } from "./write/logRef.ts";
import { isLabelOf, learnLabel } from "./write/names.ts";

const NAME_WRAPPER = "NAME_WRAPPER";

/**
 * A name was wrapped; its token was minted by the TransferSingle before. Fuses and expiry of the event are what was
 * asked for, and what is stored depends on an earlier wrapping. Writes: events, labels, domains, ownership_changes.
 */
ponder.on("NameWrapper:NameWrapped", async ({ event, context }) => {
  const { node, name, owner, fuses, expiry } = event.args;
  const cause = logRefOf(context, event, NAME_WRAPPER, "NameWrapped");
  const spelled = await readName(context, node, name);
  await appendEventOnly(context, cause, {
    node,
    ownerAddress: owner,
    fuses,
    expiryTimestamp: expiry,
    ...(spelled
      ? { name: spelled.name }
      : { details: { name }, anomaly: "the DNS name is not that of the node" }),
  });
  const now = BigInt(cause.blockTimestamp);
  await patchDomain(
    context,
    cause,
    spelled?.place ?? { node },
    ({ wrapperFuses, wrapperExpiryTimestamp }) => {
      const old =
        wrapperExpiryTimestamp === null ? null : { fuses: wrapperFuses ?? 0, expiry: wrapperExpiryTimestamp };
      const token = mintedToken(old, { fuses, expiry }, now);
      return {
        wrapperOwner: nullIfZero(owner),
        wrapperFuses: token.fuses,
        wrapperExpiryTimestamp: token.expiry,
      };
    },
  );
});

/**
 * A name was unwrapped; an owner of zero is a stale token making room for a new one. Fuses and expiry stay stored.
 * Writes: events, domains, ownership_changes.
 */
ponder.on("NameWrapper:NameUnwrapped", async ({ event, context }) => {
  const { node, owner } = event.args;
  const cause = logRefOf(context, event, NAME_WRAPPER, "NameUnwrapped");
  const { after } = await patchDomain(context, cause, { node }, () => ({ wrapperOwner: null }));
  await appendEvent(context, cause, { node, newOwnerAddress: owner }, after);
});

/** Fuses as stored from now on. Writes: events, domains. */
ponder.on("NameWrapper:FusesSet", async ({ event, context }) => {
  const { node, fuses } = event.args;
  const cause = logRefOf(context, event, NAME_WRAPPER, "FusesSet");
  await appendEvent(context, cause, { node, fuses });
  await patchDomain(context, cause, { node }, () => ({ wrapperFuses: fuses }));
});

/**
 * Expiry as stored from now on; the node need not be wrapped. Extending a token that had expired stores what `getData`
 * said of its fuses, none, unless this log only completes a FusesSet. Writes: events, domains.
 * Source: ens-contracts, contracts/wrapper/NameWrapper.sol, `extendExpiry` and `_setFuses`.
 */
ponder.on("NameWrapper:ExpiryExtended", async ({ event, context }) => {
  const { node, expiry } = event.args;
  const cause = logRefOf(context, event, NAME_WRAPPER, "ExpiryExtended");
  await appendEvent(context, cause, { node, expiryTimestamp: expiry });
  const isOwnCall = !(await followsFusesSet(context, cause, node));
  await patchDomain(context, cause, { node }, (domain) => ({
    ...(isOwnCall && settledFuses(domain, cause)),
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

/**
 * Whoever writes a token, writes back what `getData` says of its fuses: of an expired one none are left, for good.
 * Source: ens-contracts, contracts/wrapper/ERC1155Fuse.sol, `_transfer`, `_burn`, `safeBatchTransferFrom`.
 */
function settledFuses({ wrapperFuses, wrapperExpiryTimestamp }: Domain, cause: LogRef): DomainPatch {
  if (wrapperFuses === null || wrapperExpiryTimestamp === null) return {};
  const token = { fuses: wrapperFuses, expiry: wrapperExpiryTimestamp };
  return { wrapperFuses: fusesAt(token, BigInt(cause.blockTimestamp)) };
}

/** A token was minted, burnt (unwrapping and upgrading too) or given away. Writes: events, domains, ownership_changes. */
ponder.on("NameWrapper:TransferSingle", async ({ event, context }) => {
  const { from, to, id } = event.args;
  const node = hashOfTokenId(id);
  const cause = logRefOf(context, event, NAME_WRAPPER, "TransferSingle");
  const { after } = await patchDomain(context, cause, { node }, (domain) => ({
    ...settledFuses(domain, cause),
    wrapperOwner: nullIfZero(to),
  }));
  await appendEvent(context, cause, { node, fromAddress: from, toAddress: to }, after);
});

/** Several tokens at once: one row for each. Writes: events, domains, ownership_changes. */
ponder.on("NameWrapper:TransferBatch", async ({ event, context }) => {
  const { from, to, ids } = event.args;
  const first = logRefOf(context, event, NAME_WRAPPER, "TransferBatch");
  if (ids.length === 0) await appendEvent(context, first, { fromAddress: from, toAddress: to });
  for (const [ordinal, id] of ids.entries()) {
    const cause = { ...first, ordinal };
    const node = hashOfTokenId(id);
    const { after } = await patchDomain(context, cause, { node }, (domain) => ({
      ...settledFuses(domain, cause),
      wrapperOwner: nullIfZero(to),
    }));
    await appendEvent(context, cause, { node, fromAddress: from, toAddress: to }, after);
  }
});

ponder.on("NameWrapper:Approval", async ({ event, context }) => {
  const { owner, approved, tokenId } = event.args;
  const cause = logRefOf(context, event, NAME_WRAPPER, "Approval");
  await appendEvent(context, cause, { node: hashOfTokenId(tokenId), details: { owner, approved } });
});
ponder.on("NameWrapper:URI", async ({ event, context }) => {
  const { value, id } = event.args;
  await appendEvent(context, logRefOf(context, event, NAME_WRAPPER, "URI"), {
    node: hashOfTokenId(id),
    value,
  });
});
ponder.on("NameWrapper:ApprovalForAll", async ({ event, context }) => {
  await appendEvent(context, logRefOf(context, event, NAME_WRAPPER, "ApprovalForAll"), {
    details: event.args,
  });
});
ponder.on("NameWrapper:ControllerChanged", async ({ event, context }) => {
  await appendEvent(context, logRefOf(context, event, NAME_WRAPPER, "ControllerChanged"), {
    details: event.args,
  });
});
ponder.on("NameWrapper:OwnershipTransferred", async ({ event, context }) => {
  await appendEvent(context, logRefOf(context, event, NAME_WRAPPER, "OwnershipTransferred"), {
    details: event.args,
  });
});

/**
 * Reads the name that was wrapped and learns its labels, leftmost last, so that each finds its parent named; null if
 * the bytes are no name or not the node's. Writes: labels, domains.
 */
async function readName(
  context: Context,
  node: Hex,
  packet: Hex,
): Promise<{ name: string; place: DomainKey } | null> {
  const labels = decodeDnsName(packet);
  if (labels === null || nodeOfLabels(labels.map(({ hash }) => hash)) !== node) return null;
  for (const { hash, label } of labels.toReversed())
    if (isLabelOf(hash, label)) await learnLabel(context, hash, label);
  const shown = labels.map(({ hash, label }) =>
    isPrintable(label) && isLabelOf(hash, label) ? label : unknownLabel(hash),
  );
  const [own, ...parents] = labels.map(({ hash }) => hash);
  const place = own === undefined ? { node } : { node, labelhash: own, parentNode: nodeOfLabels(parents) };
  return { name: shown.join("."), place };
}
