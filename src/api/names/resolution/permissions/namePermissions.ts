import { fusesAt, PARENT_CANNOT_CONTROL } from "../../../../ens/wrapper.ts";
import type { Ctx } from "../../../server/http/context.ts";
import { listWithCode } from "../../query/approvals.ts";
import { type DomainRow, listDomains } from "../../query/domains.ts";
import type { Page, Part } from "../../query/page.ts";
import { partOfRows, readParts } from "../../query/parts.ts";
import type { Surface } from "../../schemas/answers.ts";
import type { ParsedName } from "../../schemas/input.ts";
import type { DomainState } from "../domainState.ts";
import { readEnsv2 } from "../ensv2/readEnsv2.ts";
import { readAnsweringRows } from "../indexedRows.ts";
import { readIndexed } from "../nameFacts.ts";
import { isKeeper, type OfEnsv1, permissionsInEnsv1, readPowers } from "./ensv1.ts";
import { permissionsInEnsv2 } from "./ensv2Permissions.ts";
import type { ParentPower, Permission, PermissionKind, Permissions } from "./permission.ts";
import { kindOfPart, ranks } from "./ranks.ts";

/** The accounts that may change a name, and the gaps in what the index knows of them. */
export type NamePermissions = {
  /** Null if the index has nothing about the name. */
  state: DomainState | null;
  /** The protocol whose contracts decide. */
  protocol: "ensv1" | "ensv2";
  parent: ParentPower | null;
  page: Page<Permission>;
  notCovered: Surface[];
};

type Known = {
  /** The row in ENSv1; null if there is none. */
  row: DomainRow | null;
  /** The powers in ENSv1; null if ENSv2 decides, or there is no row. */
  ensv1: OfEnsv1 | null;
  state: DomainState | null;
  parentState: DomainState | null;
};

/** Reads a page of the permissions over a name. */
export async function readNamePermissions(
  ctx: Ctx,
  name: ParsedName,
  { part, kinds }: { part: Part; kinds: readonly PermissionKind[] },
): Promise<NamePermissions> {
  const known = await readNames(ctx, name);
  const { fixed, parts } = await permissionsOf(ctx, known);
  const isAsked = (kind: PermissionKind | undefined) => kind !== undefined && kinds.includes(kind);
  const asked = [
    partOfRows(
      ranks.fixed,
      fixed.filter(({ kind }) => isAsked(kind)),
    ),
    ...parts.filter(({ rank }) => isAsked(kindOfPart(rank))),
  ];
  const [page, notCovered] = await Promise.all([readParts(asked, part), notCoveredOf(ctx, known)]);
  return {
    state: known.state,
    parent: parentOf(ctx, known),
    page,
    notCovered,
    protocol: isOfEnsv2(known.state) ? "ensv2" : "ensv1",
  };
}

/** The name and its parent. */
async function readNames(ctx: Ctx, name: ParsedName): Promise<Known> {
  const rows = await readAnsweringRows(ctx, [name]);
  const found = await readEnsv2(ctx, [name], rows);
  const row = rows.get(name.node) ?? null;
  const state = found.get(name.node)?.state ?? null;
  const parentNode = name.parentNode ?? row?.parentNode ?? state?.parentNode ?? null;
  if (isOfEnsv2(state)) {
    if (parentNode === null) return { row, state, ensv1: null, parentState: null };
    const above = await readIndexed(ctx, [{ query: parentNode, node: parentNode }]);
    return { row, state, ensv1: null, parentState: above.get(parentNode)?.state ?? null };
  }
  if (row === null) return { row, state, ensv1: null, parentState: null };
  const nodes = parentNode === null ? [] : [parentNode];
  const [parent = null] = await listDomains(ctx.db, { chainId: row.chainId, nodes });
  return { row, state, ensv1: await readPowers(ctx, { row, parent }), parentState: null };
}

const isOfEnsv2 = (state: DomainState | null): state is DomainState => state?.ensv2?.protocol === "ensv2";

const permissionsOf = async (ctx: Ctx, { ensv1, state, parentState }: Known): Promise<Permissions> => {
  if (isOfEnsv2(state)) return permissionsInEnsv2(ctx, { state, parent: parentState });
  return ensv1 === null ? { fixed: [], parts: [] } : permissionsInEnsv1(ctx, ensv1);
};

/** What the parent's owners may do now, and until when they cannot do it. */
function parentOf(ctx: Ctx, { ensv1, state, parentState }: Known): ParentPower | null {
  if (isOfEnsv2(state)) {
    if (parentState === null) return null;
    const entry = parentState.ensv2?.walk.entry;
    const isLive = entry !== undefined && entry !== null && entry.expiry > BigInt(ctx.now);
    const { fullName: name, node } = parentState;
    return { name, node, may: isLive ? ["replace"] : [], cannotControlUntil: null };
  }
  if (ensv1 === null || ensv1.parent === null) return null;
  const { row, parent, parentPowers } = ensv1;
  const contracts = ctx.contracts.nameContracts(row.chainId);
  const ofOwners = parentPowers.filter(({ owner }) => !isKeeper(contracts, owner));
  const token = {
    wrapperFuses: row.wrapperFuses ?? 0,
    wrapperExpiryTimestamp: row.wrapperExpiryTimestamp ?? 0n,
  };
  const isGivenUp = (fusesAt(token, BigInt(ctx.now)) & PARENT_CANNOT_CONTROL) !== 0;
  return {
    name: parent.fullName,
    node: parent.node,
    may: [...new Set(ofOwners.flatMap(({ may }) => may))],
    cannotControlUntil: isGivenUp && row.isWrapped ? token.wrapperExpiryTimestamp : null,
  };
}

/** Other ways to change the name that are not in the list. */
async function notCoveredOf(ctx: Ctx, { row, state }: Known): Promise<Surface[]> {
  if (isOfEnsv2(state)) return notCoveredInEnsv2(ctx, state);
  if (row === null) return ["contracts"];
  const contracts = ctx.contracts.nameContracts(row.chainId);
  const { resolver } = row;
  const rule = resolver === null ? undefined : contracts.resolvers.get(resolver);
  return [
    "contracts",
    ...(contracts.registry === undefined ? (["dns_token"] as const) : []),
    ...(row.registrarOwner === null ? [] : (["controllers"] as const)),
    ...(resolver !== null && rule === undefined ? (["resolver"] as const) : []),
    ...(rule?.seesWrapper ? (["trusted_by_resolver"] as const) : []),
    ...(row.wrapperOwner !== null && row.wrapperApproved !== null
      ? (["wrapper_self_transfer"] as const)
      : []),
  ];
}

async function notCoveredInEnsv2({ db, contracts }: Ctx, state: DomainState): Promise<Surface[]> {
  const { ensv2, resolver, chainId } = state;
  const { entry, isKnown } = ensv2?.walk ?? { entry: null, isKnown: true };
  const code = [...(contracts.ensv2?.wrapperCode ?? [])];
  const wrappers = entry && (await listWithCode(db, { chainId, contracts: [entry.registry], code }));
  const isOfEnsv2Resolver = ensv2?.walk.resolver?.isKnown === true;
  return [
    "contracts",
    ...(entry === null ? [] : (["controllers", "ensv2_operator_transfers"] as const)),
    ...(isKnown ? [] : (["registry_of_unknown_code"] as const)),
    ...(wrappers && wrappers.size > 0 ? (["ensv2_wrapper_registry"] as const) : []),
    ...(resolver === null ? [] : ([isOfEnsv2Resolver ? "ensv2_resolver_roles" : "resolver"] as const)),
  ];
}
