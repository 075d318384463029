import type { Address, Hex } from "viem";
import { storageIdOfNumber } from "../../../../ens/ensv2.ts";
import type { Ctx } from "../../../server/http/context.ts";
import {
  type ApprovalsOf,
  type DelegateRow,
  delegatesOfAddress,
  listEntryNames,
  listWithCode,
  type OperatorRow,
  operatorsOfAddress,
  type RoleRow,
  rolesOfAddress,
  type TokenApprovalRow,
  tokensOfAddress,
} from "../../query/approvals.ts";
import { type DomainRow, listDomainsOnChains } from "../../query/domains.ts";
import type { LogPlace } from "../../query/ownerEvents.ts";
import type { Page, Part } from "../../query/page.ts";
import { type ListPart, mapPart, mapRows, readParts } from "../../query/parts.ts";
import { scopeOf } from "../../query/scope.ts";
import { type Layer, ownerAtResolver, powersOf } from "../../rules/powers.ts";
import type { grantKinds } from "../../schemas/answers.ts";
import type { Permission } from "./permission.ts";

export type GrantKind = (typeof grantKinds)[number];

/** A permission that an address holds or gave. */
export type Grant = Pick<Permission, "layer" | "address" | "contract" | "inForce" | "reason" | "roles"> & {
  kind: GrantKind;
  chainId: number;
  /** The account that gave it; null for roles, which a contract holds. */
  owner: Address | null;
  /** The name it applies to; null if it applies to everything of the owner or the contract. */
  name: { fullName: string | null; node: Hex | null } | null;
  event: LogPlace;
};

/** The rank of each part in the list of an address. Cursors contain these numbers, so they must not change. */
const ranks = { operator: 10, token_approval: 20, record_delegate: 30, role: 40 } as const;

type Asked = ApprovalsOf & { kinds: readonly GrantKind[]; part: Part };

/** Reads a page of the permissions that an address holds from others, or gave to others. */
export function readGrants(ctx: Ctx, { kinds, part, ...of }: Asked): Promise<Page<Grant>> {
  const { db, contracts } = ctx;
  const { chainId } = contracts;
  const hasRoles = of.side === "held" && contracts.ensv2 !== undefined && of.chainIds.includes(chainId);
  const roles = rolesOfAddress(db, ranks.role, { address: of.address, chainId });
  const parts: Record<GrantKind, ListPart<Grant> | null> = {
    operator: mapRows(operatorsOfAddress(db, ranks.operator, of), (row) => ofOperator(ctx, row)),
    token_approval: mapPart(tokensOfAddress(db, ranks.token_approval, of), (rows) => ofTokens(ctx, rows)),
    record_delegate: mapPart(delegatesOfAddress(db, ranks.record_delegate, of), (rows) =>
      ofDelegates(ctx, rows),
    ),
    role: hasRoles ? mapPart(roles, (rows) => ofRoles(ctx, rows)) : null,
  };
  const asked = kinds.flatMap((kind) => parts[kind] ?? []);
  return readParts(asked, part);
}

/** The layer of a contract. A contract outside the deployment is an ENSv2 registry. */
function layerOf({ contracts }: Ctx, { chainId, contract }: { chainId: number; contract: Address }): Layer {
  const { registry, registrar, wrapper } = contracts.nameContracts(chainId);
  if (contract === registry) return "registry";
  if (contract === registrar) return "registrar";
  if (contract === wrapper) return "wrapper";
  return contracts.resolversOf(chainId).listed.includes(contract) ? "resolver" : "token";
}

/** Applies to everything that the owner has there, which may be nothing now. */
const ofOperator = (ctx: Ctx, row: OperatorRow): Grant => ({
  kind: "operator",
  layer: layerOf(ctx, row),
  chainId: row.chainId,
  contract: row.contract,
  owner: row.owner,
  address: row.operator,
  name: null,
  inForce: true,
  event: row,
});

const keyOf = ({ chainId, node }: { chainId: number; node: Hex }) => `${chainId} ${node}`;

/** The names of some rows, by chain and node. */
async function readNames(
  { db, contracts }: Ctx,
  rows: readonly { chainId: number; node: Hex }[],
): Promise<ReadonlyMap<string, DomainRow>> {
  if (rows.length === 0) return new Map();
  const ids = [...new Set(rows.map(({ chainId }) => chainId))];
  const nodes = [...new Set(rows.map(({ node }) => node))];
  const found = await listDomainsOnChains(db, { chains: scopeOf(ids, contracts), nodes });
  return new Map(found.map((row) => [keyOf(row), row]));
}

const nameOf = (node: Hex, domain: DomainRow | undefined) => ({ fullName: domain?.fullName ?? null, node });

/** In force while the contract returns it, and the token can be used. */
async function ofTokens(ctx: Ctx, rows: readonly TokenApprovalRow[]): Promise<Grant[]> {
  const names = await readNames(ctx, rows);
  return rows.map((row): Grant => {
    const domain = names.get(keyOf(row));
    const layer = layerOf(ctx, row);
    return {
      kind: "token_approval",
      layer,
      chainId: row.chainId,
      contract: row.contract,
      owner: row.owner,
      address: row.approved as Address,
      name: nameOf(row.node, domain),
      event: row,
      ...stateOfApproval(ctx, { domain, layer, approved: row.approved }),
    };
  });
}

type StateNow = Pick<Grant, "inForce" | "reason">;

function stateOfApproval(
  { now }: Ctx,
  { domain, layer, approved }: { domain: DomainRow | undefined; layer: Layer; approved: Address | null },
): StateNow {
  const ofLayer = layer === "registrar" ? domain?.registrarApproved : domain?.wrapperApproved;
  if (domain === undefined || ofLayer !== approved) return { inForce: false, reason: "transferred" };
  const power = powersOf(domain, { now, wrapperActs: false }).find((one) => one.layer === layer);
  if (power?.inForce === true && power.approved.length > 0) return { inForce: true };
  return { inForce: power?.inForce === null ? null : false, reason: power?.reason ?? "expired" };
}

/** In force while the account that gave it owns the name, and the name uses the resolver. */
async function ofDelegates(ctx: Ctx, rows: readonly DelegateRow[]): Promise<Grant[]> {
  const names = await readNames(ctx, rows);
  return rows.map((row): Grant => {
    const domain = names.get(keyOf(row));
    return {
      kind: "record_delegate",
      layer: "resolver",
      chainId: row.chainId,
      contract: row.resolver,
      owner: row.owner,
      address: row.delegate,
      name: nameOf(row.node, domain),
      event: row,
      ...stateOfDelegate(ctx, row, domain),
    };
  });
}

function stateOfDelegate(ctx: Ctx, row: DelegateRow, domain: DomainRow | undefined): StateNow {
  if (domain?.resolver !== row.resolver) return { inForce: false, reason: "other_resolver" };
  const { resolvers, wrapper } = ctx.contracts.nameContracts(row.chainId);
  const rule = resolvers.get(row.resolver);
  if (rule === undefined) return { inForce: null };
  const { owner, isKnown } = ownerAtResolver(domain, { ...rule, wrapper, now: ctx.now });
  if (!isKnown) return { inForce: null, reason: "renewal_unknown" };
  return owner === row.owner ? { inForce: true } : { inForce: false, reason: "owner_changed" };
}

/** In force until the entry expires or is registered again. Roles for a whole contract are always in force. */
async function ofRoles(ctx: Ctx, rows: readonly RoleRow[]): Promise<Grant[]> {
  const { chainId } = ctx.contracts;
  const placeOf = ({ contract: registry, resource }: RoleRow) => ({
    registry,
    storageId: storageIdOfNumber(resource),
  });
  const ofEntries = rows.filter(({ resource }) => resource !== 0n);
  const [entries, resolvers] = await Promise.all([
    listEntryNames(ctx.db, { chainId, keys: ofEntries.map(placeOf) }),
    listWithCode(ctx.db, {
      chainId,
      contracts: [...new Set(rows.map(({ contract }) => contract))],
      code: [...(ctx.contracts.ensv2?.resolverCode ?? [])],
    }),
  ]);
  const byKey = new Map(entries.map((one) => [`${one.registry} ${one.storageId}`, one]));
  return rows.map((row): Grant => {
    const { contract, account: address, resource, roles } = row;
    const { registry, storageId } = placeOf(row);
    const entry = resource === 0n ? undefined : byKey.get(`${registry} ${storageId}`);
    const layer = resolvers.has(contract) ? "resolver" : "token";
    return {
      kind: "role",
      layer,
      chainId,
      contract,
      owner: null,
      address,
      name: entry === undefined ? null : entry,
      roles,
      event: row,
      ...stateOfRole(ctx, resource, entry),
    };
  });
}

function stateOfRole(
  { now }: Ctx,
  resource: bigint,
  entry: { resource: bigint | null; expiry: bigint } | undefined,
): StateNow {
  if (resource === 0n || entry === undefined) return { inForce: true };
  if (entry.resource !== resource) return { inForce: false, reason: "other_holder" };
  return entry.expiry > BigInt(now) ? { inForce: true } : { inForce: false, reason: "expired" };
}
