import type { Address } from "viem";
import type { NameContracts } from "../../../../../abis/contracts.ts";
import type { Ctx } from "../../../server/http/context.ts";
import { delegatesAt, isOperator, listTokenApprovals, type TokenApprovalRow } from "../../query/approvals.ts";
import type { DomainRow } from "../../query/domains.ts";
import { listOwnerEvents, type OwnerIn } from "../../query/ownerEvents.ts";
import { type ListPart, mapRows } from "../../query/parts.ts";
import { type Layer, ownerAtResolver, type Power, powersOf, powersOfParent } from "../../rules/powers.ts";
import {
  listOperators,
  type OperatedOwner,
  type Permission,
  type PermissionKind,
  type Permissions,
} from "./permission.ts";
import { ranks } from "./ranks.ts";

/** An ENSv1 name and its parent, each with its owners' powers over the name. */
export type OfEnsv1 = {
  row: DomainRow;
  parent: DomainRow | null;
  powers: readonly Power[];
  parentPowers: readonly Power[];
};

/**
 * Reads the other facts that determine the powers over a name: whether the NameWrapper may act in the registry for it, and for
 * its parent.
 */
export async function readPowers(
  ctx: Ctx,
  { row, parent }: Pick<OfEnsv1, "row" | "parent">,
): Promise<OfEnsv1> {
  const { now } = ctx;
  const [forName, forParent] = await Promise.all([wrapperActsFor(ctx, row), wrapperActsFor(ctx, parent)]);
  const parentPowers = parent === null ? [] : powersOfParent(row, parent, { now, wrapperActs: forParent });
  return { row, parent, powers: powersOf(row, { now, wrapperActs: forName }), parentPowers };
}

/**
 * True if an owner is the NameWrapper or the registrar. These own names on behalf of others, by rules of their own, and never
 * replace a name. Their operators, such as the contract to which the NameWrapper is upgraded, can.
 */
export const isKeeper = ({ wrapper, registrar }: NameContracts, owner: Address): boolean =>
  owner === wrapper || owner === registrar;

/** Only a leftover token requires a look-up of whether its holder can act for an owner in the registry. */
async function wrapperActsFor({ db, contracts }: Ctx, row: DomainRow | null): Promise<boolean> {
  if (row === null || row.wrapperOwner === null) return false;
  const { chainId, registryOwner: owner, isMigrated } = row;
  const { wrapper, registry: contract } = contracts.nameContracts(chainId);
  if (wrapper === undefined || contract === undefined || owner === null || !isMigrated) return false;
  return owner === wrapper || isOperator(db, { chainId, contract, owner, operator: wrapper });
}

/** Owners of the name itself, or of its parent, with their powers over the name. */
type Side = {
  row: DomainRow;
  powers: readonly Power[];
  kinds: Record<"owner" | "approval" | "operator", PermissionKind>;
};

const own = { owner: "owner", approval: "token_approval", operator: "operator" } as const;
const above = { owner: "parent_owner", approval: "parent_approval", operator: "parent_operator" } as const;

/** The accounts that may change an ENSv1 name. */
export async function permissionsInEnsv1(ctx: Ctx, of: OfEnsv1): Promise<Permissions> {
  const { row, parent, powers, parentPowers } = of;
  const contracts = ctx.contracts.nameContracts(row.chainId);
  const ofParent: Side[] = parent === null ? [] : [{ row: parent, powers: parentPowers, kinds: above }];
  const sides: Side[] = [{ row, powers, kinds: own }, ...ofParent];
  const writer = writerOf(ctx, row, contracts);
  return {
    fixed: [...(await fixedOf(ctx, row, { sides, contracts })), ...ofWriter(writer)],
    parts: [
      ...operatorsOf(ctx, row, { sides, writer, contracts }),
      ...(writer ? [delegatesOf(ctx, row, writer)] : []),
    ],
  };
}

const contractOf = (contracts: NameContracts, layer: Layer): Address | undefined =>
  ({
    registry: contracts.registry,
    registry_old: contracts.registryOld,
    registrar: contracts.registrar,
    wrapper: contracts.wrapper,
    token: undefined,
    resolver: undefined,
  })[layer];

const ownerColumns: Partial<Record<Layer, OwnerIn["column"]>> = {
  registry: "registryOwner",
  registry_old: "registryOwner",
  registrar: "registrarOwner",
  wrapper: "wrapperOwner",
};

/** Owners of the name and its parent, and the accounts approved for their tokens. */
async function fixedOf(
  { db }: Ctx,
  name: DomainRow,
  { sides, contracts }: { sides: readonly Side[]; contracts: NameContracts },
): Promise<Permission[]> {
  const { chainId } = name;
  const tokens = [contracts.registrar, contracts.wrapper].filter((one) => one !== undefined);
  const owners = sides.flatMap(({ row: { node }, powers, kinds }) =>
    powers.flatMap((power) => {
      const [contract, column] = [contractOf(contracts, power.layer), ownerColumns[power.layer]];
      if (contract === undefined || column === undefined) return [];
      if (kinds.owner === "parent_owner" && isKeeper(contracts, power.owner)) return [];
      return [{ node, column, owner: power.owner, power, contract, kind: kinds.owner }];
    }),
  );
  const [events, approvals] = await Promise.all([
    listOwnerEvents(db, { chainId, owners }),
    listTokenApprovals(db, { chainId, nodes: sides.map(({ row }) => row.node), contracts: tokens }),
  ]);
  const ofOwners = owners.map(({ power, contract, kind, owner: address }, i) =>
    permissionOf(power, { kind, address, contract, event: events[i] ?? null }),
  );
  const ofTokens = sides.flatMap((side) =>
    approvals
      .filter(({ node }) => node === side.row.node)
      .flatMap((approval) => ofApproval(approval, name, { ...side, contracts })),
  );
  return [...ofOwners, ...ofTokens];
}

const permissionOf = (
  { layer, may, inForce, reason }: Power,
  who: Pick<Permission, "kind" | "address" | "contract" | "event">,
): Permission => ({ ...who, layer, may, inForce, reason });

/** The last approval of a token: in force if the contract still returns it, and the token can be used. */
function ofApproval(
  approval: TokenApprovalRow,
  name: DomainRow,
  { row, powers, kinds, contracts }: Side & { contracts: NameContracts },
): Permission[] {
  const { approved, contract, owner } = approval;
  if (approved === null) return [];
  const layer: Layer = contract === contracts.registrar ? "registrar" : "wrapper";
  const isApproved = (layer === "registrar" ? row.registrarApproved : row.wrapperApproved) === approved;
  const power = powers.find((one) => one.layer === layer);
  const who = { kind: kinds.approval, layer, address: approved, contract, givenBy: owner, event: approval };
  if (!isApproved) return [{ ...who, may: [], inForce: false, reason: "transferred" }];
  // An approval of a parent's token that gives no power over the name is not in force.
  if (power === undefined) return [];
  const isUsable = power.inForce === true && power.approved.length > 0;
  if (isUsable) return [{ ...who, may: power.approved, inForce: true }];
  const inForce = power.inForce === null ? null : false;
  // The owner has a power but the approved account has none: the token is not the name's, or it is in its grace.
  const isOfName = layer === "registrar" || (row.isWrapped && name.isWrapped);
  return [{ ...who, may: [], inForce, reason: power.reason ?? (isOfName ? "expired" : "not_wrapped") }];
}

/** The account that the name's resolver treats as the owner; null if none or unknown. */
type Writer = { owner: Address | null; isKnown: boolean; resolver: Address };

/** Null if the name has no resolver, or one whose rule is unknown. */
function writerOf({ now }: Ctx, row: DomainRow, { resolvers, wrapper }: NameContracts): Writer | null {
  const { resolver } = row;
  const rule = resolver === null ? undefined : resolvers.get(resolver);
  if (resolver === null || rule === undefined) return null;
  return { resolver, ...ownerAtResolver(row, { ...rule, wrapper, now }) };
}

const setRecords = { layer: "resolver", may: ["set_records"], inForce: true } as const;

const ofWriter = (writer: Writer | null): Permission[] =>
  writer?.owner
    ? [{ kind: "owner", ...setRecords, address: writer.owner, contract: writer.resolver, event: null }]
    : [];

type Operators = { sides: readonly Side[]; writer: Writer | null; contracts: NameContracts };

/** Operators of each layer's owner, except in layers where the owner can do nothing. */
function operatorsOf(
  ctx: Ctx,
  { chainId }: DomainRow,
  { sides, writer, contracts }: Operators,
): ListPart<Permission>[] {
  const ofLayers = sides.flatMap(({ powers, kinds }) =>
    powers.flatMap((power): OperatedOwner[] => {
      const contract = contractOf(contracts, power.layer);
      // The registry of 2017 has no operators.
      if (contract === undefined || power.layer === "registry_old" || power.inForce === false) return [];
      const { layer, owner, may, inForce, reason } = power;
      const byLayer = kinds.operator === "operator" ? ranks.operators : ranks.parentOperators;
      return [{ rank: byLayer[layer], contract, owner, kind: kinds.operator, layer, may, inForce, reason }];
    }),
  );
  const ofResolver = ofWriter(writer).map(
    ({ address: owner, contract }): OperatedOwner => ({
      rank: ranks.operators.resolver,
      contract,
      owner,
      kind: "operator",
      ...setRecords,
    }),
  );
  return listOperators(ctx, chainId, [...ofLayers, ...ofResolver]);
}

/** Accounts that may write records at the name's resolver, approved by the current owner or an earlier one. */
function delegatesOf(
  { db }: Ctx,
  { chainId, node }: DomainRow,
  { resolver, owner, isKnown }: Writer,
): ListPart<Permission> {
  const found = delegatesAt(db, ranks.delegates, { chainId, resolver, node, owner });
  return mapRows(found, (one): Permission => {
    const who = { address: one.delegate, contract: resolver, givenBy: one.owner, event: one };
    const given = { kind: "record_delegate", layer: "resolver", ...who } as const;
    if (!isKnown) return { ...given, may: [], inForce: null, reason: "renewal_unknown" };
    if (one.owner !== owner) return { ...given, may: [], inForce: false, reason: "owner_changed" };
    return { ...given, may: ["set_records"], inForce: true };
  });
}
