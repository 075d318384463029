import type { Address } from "viem";
import type { NameContracts } from "../../../../abis/contracts.ts";
import type { Ctx } from "../../http/context.ts";
import {
  delegatesAt,
  listTokenApprovals,
  mapPart,
  operatorsIn,
  type TokenApprovalRow,
} from "../../query/approvals.ts";
import type { DomainRow } from "../../query/domains.ts";
import { findOwnerEvent, type OwnerColumn } from "../../query/ownerEvents.ts";
import type { ListPart } from "../../query/sections.ts";
import { type Layer, ownerAtResolver, type Power, powersOf, powersOfParent } from "../../rules/powers.ts";
import type { Permission, PermissionKind, Permissions } from "./permission.ts";
import { ranks } from "./ranks.ts";

/** A name of ENSv1 and the one above it, as the index has them. */
export type OfEnsv1 = { row: DomainRow; parent: DomainRow | null };

type Side = {
  row: DomainRow;
  powers: readonly Power[];
  kinds: Record<"owner" | "approval" | "operator", PermissionKind>;
};

/** Who may change a name of ENSv1. */
export async function permissionsInEnsv1(ctx: Ctx, of: OfEnsv1): Promise<Permissions> {
  const { row, parent } = of;
  const { now } = ctx;
  const contracts = ctx.contracts.nameContracts(row.chainId);
  const own: Side = {
    ...{ row, powers: powersOf(row, now) },
    kinds: { owner: "owner", approval: "token_approval", operator: "operator" },
  };
  const above: Side[] =
    parent === null
      ? []
      : [
          {
            ...{ row: parent, powers: powersOfParent(row, parent, now) },
            kinds: { owner: "parent_owner", approval: "parent_approval", operator: "parent_operator" },
          },
        ];
  const sides = [own, ...above];
  const fixed = await Promise.all(sides.map((side) => fixedOf(ctx, side, contracts)));
  return {
    fixed: [...fixed.flat(), ...writers(ctx, row, contracts)],
    parts: [
      ...sides.flatMap((side) => operatorsOf(ctx, side, contracts)),
      ...delegatesOf(ctx, row, contracts),
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

const ownerColumns: Partial<Record<Layer, OwnerColumn>> = {
  registry: "registryOwner",
  registry_old: "registryOwner",
  registrar: "registrarOwner",
  wrapper: "wrapperOwner",
};

/** Owners, and who is approved for their tokens. */
async function fixedOf(
  { db }: Ctx,
  { row, powers, kinds }: Side,
  contracts: NameContracts,
): Promise<Permission[]> {
  const { chainId, node } = row;
  const tokens = [contracts.registrar, contracts.wrapper].filter((one) => one !== undefined);
  const [approvals, owners] = await Promise.all([
    listTokenApprovals(db, { chainId, nodes: [node], contracts: tokens }),
    Promise.all(
      powers.map(async (power): Promise<Permission[]> => {
        const [contract, column] = [contractOf(contracts, power.layer), ownerColumns[power.layer]];
        if (contract === undefined || column === undefined) return [];
        const event = await findOwnerEvent(db, { chainId, node, column, owner: power.owner });
        return [permissionOf(power, { kind: kinds.owner, address: power.owner, contract, event })];
      }),
    ),
  ]);
  return [
    ...owners.flat(),
    ...approvals.flatMap((one) => ofApproval(one, { row, powers, kinds }, contracts)),
  ];
}

const permissionOf = (
  { layer, may, inForce, reason }: Power,
  who: Pick<Permission, "kind" | "address" | "contract" | "event">,
): Permission => ({ ...who, layer, may, inForce, reason });

/** The last approval of a token: in force if the contract still answers it, and the token can be used. */
function ofApproval(
  approval: TokenApprovalRow,
  { row, powers, kinds }: Side,
  { registrar }: NameContracts,
): Permission[] {
  const { approved, contract, owner } = approval;
  if (approved === null) return [];
  const layer: Layer = contract === registrar ? "registrar" : "wrapper";
  const isApproved = (layer === "registrar" ? row.registrarApproved : row.wrapperApproved) === approved;
  const power = powers.find((one) => one.layer === layer);
  const who = { kind: kinds.approval, layer, address: approved, contract, givenBy: owner, event: approval };
  if (!isApproved) return [{ ...who, may: [], inForce: false, reason: "transferred" }];
  // Nothing is in force of a parent's token that gives no power over the name.
  if (power === undefined) return [];
  const isUsable = power.inForce === true && power.approved.length > 0;
  if (isUsable) return [{ ...who, may: power.approved, inForce: true }];
  const inForce = power.inForce === null ? null : false;
  return [{ ...who, may: [], inForce, reason: power.reason ?? "expired" }];
}

/** Whom the resolver takes for the owner. */
function writers(ctx: Ctx, row: DomainRow, contracts: NameContracts): Permission[] {
  const writer = writerOf(ctx, row, contracts);
  if (writer === null) return [];
  const { owner: address, resolver: contract } = writer;
  const which = { kind: "owner", layer: "resolver", address, contract, event: null } as const;
  return [{ ...which, may: ["set_records"], inForce: true }];
}

function writerOf({ now }: Ctx, row: DomainRow, { resolvers, wrapper }: NameContracts) {
  const rule = row.resolver === null ? undefined : resolvers.get(row.resolver);
  if (row.resolver === null || rule === undefined) return null;
  const { owner } = ownerAtResolver(row, { ...rule, wrapper, now });
  return owner === null ? null : { owner, resolver: row.resolver };
}

/** Operators of the owner in each layer; those of a layer in which he can do nothing are in no list. */
function operatorsOf(
  ctx: Ctx,
  { row, powers, kinds }: Side,
  contracts: NameContracts,
): ListPart<Permission>[] {
  const { chainId } = row;
  const ofLayers = powers.flatMap((power): ListPart<Permission>[] => {
    const contract = contractOf(contracts, power.layer);
    // The registry of 2017 has no operators.
    if (contract === undefined || power.layer === "registry_old" || power.inForce === false) return [];
    const rank = ranks[kinds.operator === "operator" ? "operators" : "parentOperators"][power.layer];
    const found = operatorsIn(ctx.db, rank, { chainId, contract, owner: power.owner });
    return [
      mapPart(found, (rows) =>
        rows.map((one) => ({
          ...permissionOf(power, { kind: kinds.operator, address: one.operator, contract, event: one }),
          givenBy: one.owner,
        })),
      ),
    ];
  });
  const writer = kinds.operator === "operator" ? writerOf(ctx, row, contracts) : null;
  if (writer === null) return ofLayers;
  const { owner, resolver: contract } = writer;
  const found = operatorsIn(ctx.db, ranks.operators.resolver, { chainId, contract, owner });
  const toPermission = (one: { operator: Address; owner: Address } & NonNullable<Permission["event"]>) => ({
    ...({
      kind: "operator",
      layer: "resolver",
      address: one.operator,
      contract,
      givenBy: one.owner,
    } as const),
    ...{ may: ["set_records"] as const, inForce: true, event: one },
  });
  return [...ofLayers, mapPart(found, (rows) => rows.map(toPermission))];
}

/** Who may write the records at the name's resolver: given by the owner of now, or by one of before. */
function delegatesOf(ctx: Ctx, row: DomainRow, contracts: NameContracts): ListPart<Permission>[] {
  const { chainId, node, resolver } = row;
  if (resolver === null || !contracts.resolvers.has(resolver)) return [];
  const writer = writerOf(ctx, row, contracts)?.owner ?? null;
  const parts = [
    ...(writer === null
      ? []
      : [delegatesAt(ctx.db, ranks.delegates, { chainId, resolver, node, owner: writer })]),
    delegatesAt(ctx.db, ranks.formerDelegates, { chainId, resolver, node, notOwner: writer }),
  ];
  return parts.map((part) =>
    mapPart(part, (rows) =>
      rows.map((one): Permission => {
        const inForce = one.owner === writer;
        return {
          ...{ kind: "record_delegate", layer: "resolver", address: one.delegate, contract: resolver },
          ...{ givenBy: one.owner, event: one, may: inForce ? ["set_records"] : [], inForce },
          ...(!inForce && { reason: "owner_changed" }),
        };
      }),
    ),
  );
}
