import { zeroAddress } from "viem";
import type { z } from "zod";
import type { Contracts } from "../../../../abis/contracts.ts";
import { childNode, joinName, nameByNode, nodeOfNameByNode, ROOT_NODE } from "../../../ens/name.ts";
import type {
  DeployedProxy,
  Entry,
  LabelRow,
  MountedName,
  Referring,
} from "../query/contracts/registries.ts";
import type { FormerName, LinkRow } from "../query/contracts/resolvers.ts";
import type { HeldRoles, RoleChange } from "../query/contracts/roles.ts";
import type { DomainState } from "../resolution/domainState.ts";
import { startOf } from "../rules/ensv2Protocol.ts";
import type * as schemas from "../schemas/answers.ts";
import { toAddress, toHappened } from "./hex.ts";
import { chainOf, type SerializeContext, toDomainRecord } from "./toDomain.ts";
import { resolverRoleNames, roleNames } from "./toRoles.ts";

/** A role holder of a registry, or of an entry in one. */
export const toRoleHolder = (row: HeldRoles): z.infer<typeof schemas.roleHolder> => ({
  address: toAddress(row.account),
  roles: roleNames(row.roles),
  role_bitmap: row.roles.toString(),
  ...toHappened(row),
});

/** A role holder of a resolver. */
export const toResolverRoleHolder = (row: HeldRoles): z.infer<typeof schemas.roleHolder> => ({
  ...toRoleHolder(row),
  roles: resolverRoleNames(row.roles),
  resource: row.resource.toString(),
});

export const toRoleChange = (row: RoleChange): z.infer<typeof schemas.roleChange> => ({
  address: toAddress(row.account),
  added: roleNames(row.after & ~row.before),
  removed: roleNames(row.before & ~row.after),
  roles: roleNames(row.after),
  ...toHappened(row),
  log_index: row.logIndex,
});

export const toFormerName = (row: FormerName, at: SerializeContext): z.infer<typeof schemas.formerName> => ({
  name: row.name ?? nameByNode(row.node),
  namehash: row.node,
  ...chainOf(row.chainId, at.contracts),
  from_timestamp: row.fromTimestamp,
  from_block: row.fromBlock,
  from_tx: row.fromTransaction,
  to_timestamp: row.toTimestamp,
  to_block: row.toBlock,
  to_tx: row.toTransaction,
  next_resolver: row.next && toAddress(row.next),
});

export const toLink = (row: LinkRow): z.infer<typeof schemas.resolverLink> => ({
  record_number: BigInt(row.record).toString(),
  name: row.name ?? (row.node === ROOT_NODE ? "" : nameByNode(row.node)),
  namehash: row.node,
  ...(row.node === ROOT_NODE && { is_default: true as const }),
  block_number: row.blockNumber,
  transaction_hash: row.transactionHash,
});

type Status = z.infer<typeof schemas.registryLabel>["status"];

/** The status as a registry returns it. Source: ensdomains/contracts-v2, PermissionedRegistry `_constructStatus`. */
const statusOf = ({ expiry, owner }: Entry, now: number): Status =>
  expiry <= BigInt(now) ? "available" : owner === null ? "reserved" : "registered";

/**
 * A label, named by the name at which its registry is mounted, with the current state of that name; undefined if the path does
 * not lead to it.
 */
export function toLabel(
  { entry, subnames, holders }: LabelRow,
  {
    ctx,
    mount,
    state,
  }: { ctx: SerializeContext; mount: MountedName | undefined; state: DomainState | undefined },
): z.infer<typeof schemas.registryLabel> {
  const [registered, reserved] = [startOf(entry, "registered"), startOf(entry, "reserved")];
  return {
    label: entry.label,
    labelhash: entry.labelhash,
    ...(mount && nameBelow(entry, mount)),
    token_id: entry.tokenId.toString(),
    status: statusOf(entry, ctx.now),
    ...(state && lifeFields(state, ctx)),
    owner: entry.owner && toAddress(entry.owner),
    expiry_timestamp: entry.expiry.toString(),
    resolver: entry.resolver && toAddress(entry.resolver),
    subregistry: entry.subregistry && toAddress(entry.subregistry),
    subname_count: subnames,
    role_holder_count: holders,
    ...(registered && {
      registered: { ...toHappened(registered), sender: toAddress(entry.registeredBy ?? zeroAddress) },
    }),
    ...(reserved && { reserved: toHappened(reserved) }),
    created_block_number: entry.createdBlockNumber,
  };
}

function lifeFields(state: DomainState, ctx: SerializeContext) {
  const record = toDomainRecord({ kind: "known", state, source: "indexed" }, ctx);
  const { availability_status, grace_end_timestamp } = record;
  return { availability_status, ...(grace_end_timestamp !== undefined && { grace_end_timestamp }) };
}

/** The name of an entry below a name. A name written by its node has no text to extend. */
function nameBelow({ label, labelhash }: Entry, { node, name }: MountedName) {
  const namehash = childNode(node, labelhash);
  if (node === ROOT_NODE) return { name: label, namehash };
  const isText = name !== null && nodeOfNameByNode(name) === null;
  return { name: isText ? joinName(namehash, label, name) : nameByNode(namehash), namehash };
}

export function toReferring(row: Referring, now: number): z.infer<typeof schemas.referringName> {
  const { entry, parentNode, parentName } = row;
  return {
    registry: toAddress(entry.registry),
    label: entry.label,
    ...(parentNode !== null && nameBelow(entry, { node: parentNode, name: parentName })),
    expiry_timestamp: entry.expiry.toString(),
    ...(entry.expiry <= BigInt(now) && { is_expired: true as const }),
  };
}

/** The implementation and deployment of a proxy. The zero address stands for an unknown implementation. */
export const toProxyFields = (proxy: DeployedProxy | null) => ({
  ...(proxy && proxy.implementation !== zeroAddress && { implementation: toAddress(proxy.implementation) }),
  ...(proxy?.deployedBy && { deployed_by: toAddress(proxy.deployedBy) }),
});

/** The kind of a registry, by its address and implementation. */
export function registryKind(
  { ensv2 }: Contracts,
  registry: string,
  proxy: DeployedProxy | null,
): z.infer<typeof schemas.registryOverview>["kind"] {
  if (registry === ensv2?.rootRegistry) return "root";
  if (registry === ensv2?.ethRegistry) return "eth";
  if (proxy === null || !ensv2?.registryCode.has(proxy.implementation)) return "unknown";
  return ensv2.wrapperCode.has(proxy.implementation) ? "wrapper" : "user";
}
