import type { Address } from "viem";
import type { NameContracts } from "../../../../../abis/contracts.ts";
import type { Ctx } from "../../../server/http/context.ts";
import {
  type DelegateRow,
  delegatesAt,
  isOperator,
  listTokenApprovals,
  operatorsIn,
  type TokenApprovalRow,
} from "../../query/approvals.ts";
import type { DomainRow } from "../../query/domains.ts";
import { listOwnerEvents, type OwnerIn } from "../../query/ownerEvents.ts";
import { type ListPart, mapPart } from "../../query/parts.ts";
import { type Layer, ownerAtResolver, type Power, powersOf, powersOfParent } from "../../rules/powers.ts";
import type { Permission, PermissionKind, Permissions } from "./permission.ts";
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

type Side = {
  /** The name whose owners these are: the name itself, or its parent. */
  row: DomainRow;
  /** The name over which they have power. */
  name: DomainRow;
  powers: readonly Power[];
  kinds: Record<"owner" | "approval" | "operator", PermissionKind>;
};

/** The accounts that may change an ENSv1 name. */
export async function permissionsInEnsv1(ctx: Ctx, of: OfEnsv1): Promise<Permissions> {
  const { row, parent, powers, parentPowers } = of;
  const contracts = ctx.contracts.nameContracts(row.chainId);
  const own: Side = {
    row,
    name: row,
    powers,
    kinds: { owner: "owner", approval: "token_approval", operator: "operator" },
  };
  const above: Side[] =
    parent === null
      ? []
      : [
          {
            row: parent,
            name: row,
            powers: parentPowers,
            kinds: { owner: "parent_owner", approval: "parent_approval", operator: "parent_operator" },
          },
        ];
  const sides = [own, ...above];
  const writer = writerOf(ctx, row, contracts);
  return {
    fixed: [...(await fixedOf(ctx, sides, contracts)), ...(writer ? [ofWriter(writer)] : [])],
    parts: [
      ...operatorsOf(ctx, { sides, writer, contracts, chainId: row.chainId }),
      ...delegatesOf(ctx, row, { contracts, owner: writer?.owner ?? null }),
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
async function fixedOf({ db }: Ctx, sides: readonly Side[], contracts: NameContracts): Promise<Permission[]> {
  const chainId = sides[0]?.row.chainId ?? 0;
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
      .flatMap((approval) => ofApproval(approval, side, contracts)),
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
  { row, name, powers, kinds }: Side,
  { registrar }: NameContracts,
): Permission[] {
  const { approved, contract, owner } = approval;
  if (approved === null) return [];
  const layer: Layer = contract === registrar ? "registrar" : "wrapper";
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

/** The account that the name's resolver takes as the owner; null if its rule is unknown, or there is no such account. */
type Writer = { owner: Address; resolver: Address };

function writerOf({ now }: Ctx, row: DomainRow, { resolvers, wrapper }: NameContracts): Writer | null {
  const rule = row.resolver === null ? undefined : resolvers.get(row.resolver);
  if (row.resolver === null || rule === undefined) return null;
  const { owner } = ownerAtResolver(row, { ...rule, wrapper, now });
  return owner === null ? null : { owner, resolver: row.resolver };
}

const setRecords = { layer: "resolver", may: ["set_records"], inForce: true } as const;

const ofWriter = ({ owner: address, resolver: contract }: Writer): Permission => ({
  kind: "owner",
  ...setRecords,
  address,
  contract,
  event: null,
});

type Operators = {
  sides: readonly Side[];
  writer: Writer | null;
  contracts: NameContracts;
  chainId: number;
};

/** Operators of each layer's owner, except in layers where the owner can do nothing. */
function operatorsOf({ db }: Ctx, { sides, writer, contracts, chainId }: Operators): ListPart<Permission>[] {
  const ofLayers = sides.flatMap(({ powers, kinds }) =>
    powers.flatMap((power) => {
      const contract = contractOf(contracts, power.layer);
      // The registry of 2017 has no operators.
      if (contract === undefined || power.layer === "registry_old" || power.inForce === false) return [];
      const { layer, owner, may, inForce, reason } = power;
      const byLayer = kinds.operator === "operator" ? ranks.operators : ranks.parentOperators;
      return [{ rank: byLayer[layer], contract, owner, kind: kinds.operator, layer, may, inForce, reason }];
    }),
  );
  const ofResolver = writer
    ? [
        {
          rank: ranks.operators.resolver,
          contract: writer.resolver,
          owner: writer.owner,
          kind: "operator" as const,
          ...setRecords,
        },
      ]
    : [];
  const asked = [...ofLayers, ...ofResolver];
  return operatorsIn(db, chainId, asked).map((part, i) =>
    mapPart(part, (rows) =>
      rows.map((one): Permission => {
        const { rank: _, owner: givenBy, ...power } = asked[i] as (typeof asked)[number];
        return { ...power, address: one.operator, givenBy, event: one };
      }),
    ),
  );
}

/** Accounts that may write records at the name's resolver, approved by the current owner or an earlier one. */
function delegatesOf(
  { db, now }: Ctx,
  row: DomainRow,
  { contracts, owner }: { contracts: NameContracts; owner: Address | null },
): ListPart<Permission>[] {
  const { chainId, node, resolver } = row;
  const rule = resolver === null ? undefined : contracts.resolvers.get(resolver);
  if (resolver === null || rule === undefined) return [];
  const { isKnown } = ownerAtResolver(row, { ...rule, wrapper: contracts.wrapper, now });
  const found = delegatesAt(db, ranks.delegates, { chainId, resolver, node, owner });
  const toPermission = (one: DelegateRow): Permission => {
    const who = { address: one.delegate, contract: resolver, givenBy: one.owner, event: one };
    const given = { kind: "record_delegate", layer: "resolver", ...who } as const;
    if (!isKnown) return { ...given, may: [], inForce: null, reason: "renewal_unknown" };
    if (one.owner !== owner) return { ...given, may: [], inForce: false, reason: "owner_changed" };
    return { ...given, may: ["set_records"], inForce: true };
  };
  return [mapPart(found, (rows) => rows.map(toPermission))];
}
