import type { Context } from "ponder:registry";
import type { Address, Hex } from "viem";
import { hashOfTokenId } from "../ens/name.ts";
import { CANNOT_APPROVE, fusesAt, mintedToken, type WrapperToken } from "../ens/wrapper.ts";
import { on } from "./on.ts";
import { rowsOfLabels, rowsOfName } from "./rowsAhead.ts";
import { onOperator, putTokenApproval } from "./write/approvals.ts";
import { setWrapperController } from "./write/controllers.ts";
import { learnDnsName } from "./write/dnsNames.ts";
import { type Domain, type DomainPatch, patchDomain } from "./write/domains.ts";
import {
  appendArguments,
  appendEvent,
  appendEventAndHolders,
  type EventValues,
  findLogBefore,
} from "./write/events.ts";
import { type LogRef, nullIfZero } from "./write/logRef.ts";

const wrapper = "NameWrapper";

/**
 * A name was wrapped; the TransferSingle before minted its token. The event has the fuses and expiry that were asked
 * for; what the wrapper stores also depends on an earlier wrapping. Writes: events, labels, domains,
 * ownership_changes.
 */
on(
  wrapper,
  "NameWrapped",
  async ({ event, context, log }) => {
    const { node, name, owner, fuses, expiry } = event.args;
    const spelled = await learnDnsName(context, log, { node, packet: name });
    await appendEvent(context, log, {
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
      // What a name of the registrar gets is never earlier than what a renewal may have moved its expiry to.
      unexplainedRenewals: null,
    }));
  },
  ({ args: { node, name } }, chainId) => [...rowsOfName(chainId, node), ...rowsOfLabels(chainId, name)],
);

/**
 * A name was unwrapped. An owner of zero: a stale token is burnt before a new one is minted. Fuses and expiry stay
 * stored. Writes: events, domains, ownership_changes.
 */
on(
  wrapper,
  "NameUnwrapped",
  async ({ event, context, log }) => {
    const { node, owner } = event.args;
    const { after } = await patchDomain(context, log, { node }, () => ({ wrapperOwner: null }));
    await appendEventAndHolders(context, log, { node, newOwnerAddress: owner }, after);
  },
  ({ args: { node, owner } }, chainId) => rowsOfName(chainId, node, owner),
);

/** The fuses stored from here on. Writes: events, domains. */
on(
  wrapper,
  "FusesSet",
  async ({ event, context, log }) => {
    const { node, fuses } = event.args;
    await appendEventAndHolders(context, log, { node, fuses });
    await patchDomain(context, log, { node }, () => ({ wrapperFuses: fuses }));
  },
  ({ args }, chainId) => rowsOfName(chainId, args.node),
);

/**
 * The expiry stored from here on; the node need not be wrapped. Extending an expired token also stores no fuses, which
 * is what `getData` answered, unless this log only completes a FusesSet. Writes: events, domains.
 * Source: ens-contracts, contracts/wrapper/NameWrapper.sol, `extendExpiry` and `_setFuses`.
 */
on(
  wrapper,
  "ExpiryExtended",
  async ({ event, context, log }) => {
    const { node, expiry } = event.args;
    await appendEventAndHolders(context, log, { node, expiryTimestamp: expiry });
    const isOwnCall = !(await followsFusesSet(context, log, node));
    await patchDomain(context, log, { node }, (domain) => ({
      ...(isOwnCall && settledFuses(domain, log)),
      wrapperExpiryTimestamp: expiry,
      unexplainedRenewals: null,
    }));
  },
  ({ args }, chainId) => rowsOfName(chainId, args.node),
);

async function followsFusesSet(context: Context, log: LogRef, node: Hex) {
  const row = await findLogBefore(context, log);
  const isOfNode = row?.node === node && row.transactionHash === log.transactionHash;
  return isOfNode && row.eventType === "FusesSet";
}

/** What the wrapper stores of a node's token; null if the node was never wrapped. */
const storedToken = ({ wrapperFuses, wrapperExpiryTimestamp }: Domain): WrapperToken | null =>
  wrapperExpiryTimestamp === null ? null : { wrapperFuses: wrapperFuses ?? 0, wrapperExpiryTimestamp };

/**
 * Each write of a token stores the fuses that `getData` returns: an expired token loses all of them for good. Source:
 * ens-contracts, contracts/wrapper/ERC1155Fuse.sol, `_transfer`, `_burn`, `safeBatchTransferFrom`.
 */
function settledFuses(domain: Domain, log: LogRef): DomainPatch {
  const token = storedToken(domain);
  if (token === null || domain.wrapperFuses === null) return {};
  // Where it is not known whether the token expired, its transfer says that it has not: an expired one has no owner.
  if (domain.unexplainedRenewals !== null) return {};
  return { wrapperFuses: fusesAt(token, BigInt(log.blockTimestamp)) };
}

/**
 * Who is approved for a token after its transfer: no account, unless the fuse CANNOT_APPROVE is burnt. Source:
 * ens-contracts, contracts/wrapper/NameWrapper.sol, `_beforeTransfer`; ERC1155Fuse.sol, `_burn`.
 */
function approvedAfter(domain: Domain, log: LogRef, { from, to }: { from: Address; to: Address }) {
  const token = storedToken(domain);
  if (token === null || nullIfZero(from) === null || nullIfZero(to) === null) return null;
  // See settledFuses.
  const isUnexpired = domain.unexplainedRenewals !== null;
  const fuses = isUnexpired ? token.wrapperFuses : fusesAt(token, BigInt(log.blockTimestamp));
  return (fuses & CANNOT_APPROVE) === 0 ? null : domain.wrapperApproved;
}

type Move = { operator: Address; from: Address; to: Address };

/** The operator, sender and receiver of a token. An owner who is also the operator is listed once. */
const movedBy = ({ operator, from, to }: Move): EventValues => ({
  fromAddress: from,
  toAddress: to,
  ...(operator !== from && { details: { operator } }),
});

/** Writes: events, domains, ownership_changes. */
async function moveToken(context: Context, log: LogRef, id: bigint, move: Move): Promise<void> {
  const node = hashOfTokenId(id);
  const { after } = await patchDomain(context, log, { node }, (domain) => ({
    ...settledFuses(domain, log),
    wrapperOwner: nullIfZero(move.to),
    wrapperApproved: approvedAfter(domain, log, move),
  }));
  await appendEventAndHolders(context, log, { node, ...movedBy(move) }, after);
}

/** A token was minted, burnt (by unwrapping or upgrading too) or given to another owner. */
on(
  wrapper,
  "TransferSingle",
  ({ event, context, log }) => moveToken(context, log, event.args.id, event.args),
  ({ args: { id, to } }, chainId) => rowsOfName(chainId, hashOfTokenId(id), to),
);

/** Several tokens at once, with one row for each. */
on(
  wrapper,
  "TransferBatch",
  async ({ event, context, log }) => {
    const { ids } = event.args;
    if (ids.length === 0) await appendEvent(context, log, movedBy(event.args));
    for (const [ordinal, id] of ids.entries()) await moveToken(context, { ...log, ordinal }, id, event.args);
  },
  ({ args: { ids, to } }, chainId) => ids.flatMap((id) => rowsOfName(chainId, hashOfTokenId(id), to)),
);

/** An account was approved to extend subnames; the zero address revokes. Writes: events, domains, token_approvals. */
on(
  wrapper,
  "Approval",
  async ({ event, context, log }) => {
    const { owner, approved, tokenId } = event.args;
    const node = hashOfTokenId(tokenId);
    await appendEventAndHolders(context, log, { node, details: { owner, approved } });
    await patchDomain(context, log, { node }, () => ({ wrapperApproved: nullIfZero(approved) }));
    await putTokenApproval(context, log, { node, owner, approved });
  },
  ({ args: { tokenId } }, chainId) => rowsOfName(chainId, hashOfTokenId(tokenId)),
);
on(wrapper, "URI", ({ event, context, log }) => {
  const { value, id } = event.args;
  return appendEventAndHolders(context, log, { node: hashOfTokenId(id), value });
});
on(wrapper, "ApprovalForAll", onOperator);
/** A contract may register and renew names through the wrapper from here on, or no longer. Writes: events, controllers. */
on(wrapper, "ControllerChanged", async (args) => {
  const { event, context, log } = args;
  await appendArguments(args);
  await setWrapperController(context, log, event.args.controller, event.args.active);
});
on(wrapper, "OwnershipTransferred", appendArguments);
