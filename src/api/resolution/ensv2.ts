import type { Address, Hex } from "viem";
import type { Contracts, Ensv2Contracts } from "../../../abis/contracts.ts";
import { nodeOfLabels, nodeOfNameByNode, ROOT_NODE } from "../../ens/name.ts";
import type { Ctx } from "../http/context.ts";
import type { EntryPlace } from "../live/entries.ts";
import { listDomains } from "../query/domains.ts";
import {
  type Ensv2Entry,
  type Link,
  listDisplayTexts,
  listLinks,
  listMigrationOwners,
  listPathsUp,
  listPhases,
  listRoleHolders,
  type MigrationOwners,
  type RoleHolder,
} from "../query/ensv2.ts";
import { isMigratable, type Protocol, protocolOf } from "../rules/ensv2.ts";
import { mapYielding } from "../scheduling/turns.ts";
import { isEthSecondLevel, labelhashesOf, type ParsedName, type ParsedNode } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";
import { type Path, type Walk, walkNames } from "./ensv2Walk.ts";

/** What ENSv2 says of a name. */
export type Ensv2State = {
  protocol: Protocol;
  /** The name's way from the root registry. */
  walk: Walk;
  /** Whether only the chain can tell the name's records; null where the rule for names of ENSv1 decides. */
  asksChain: boolean | null;
  /** True for a name of ENSv1 whose resolver there is no longer asked: the way through ENSv2 leads to no resolver. */
  isUnreached: boolean;
  /** The number of the name's record, at a resolver that is known; null if it has none there. */
  record: Hex | null;
  /** True for a name of which neither a registry nor ENSv1 has anything: a resolver above may answer for it. */
  isAbsent: boolean;
  /** The token as the chain told it; null if it is burnt. */
  liveTokenId?: bigint | null;
  /** What a domain record shows besides; read for these alone. */
  details?: Ensv2Details;
};

/** Who may do what with a name, and how it came from ENSv1. */
export type Ensv2Details = {
  holders: readonly RoleHolder[];
  migration: (MigrationOwners & { blockNumber: number; timestamp: number; transactionHash: Hex }) | null;
};

type Asked = ParsedName | ParsedNode;
type States = ReadonlyMap<Hex, DomainState>;

/**
 * Puts what ENSv2 says in place of what the index stores of names on the main chain: the way from the root registry
 * decides, at the time of the request. Names without row that a registry or a resolver of ENSv2 has are added.
 */
export async function applyEnsv2(ctx: Ctx, asked: readonly Asked[], rows: States): Promise<States> {
  const { ensv2, chainId } = ctx.contracts;
  if (ensv2 === undefined) return rows;
  const ofMain = asked.filter(({ node }) => (rows.get(node)?.chainId ?? chainId) === chainId);
  const paths = await findPaths(ctx, ofMain, rows);
  const nodes = [...paths.keys()];
  const [walks, phases] = await Promise.all([
    walkNames(ctx, [...paths.values()]),
    listPhases(ctx.db, chainId),
  ]);
  const isLeft = await findLeftToEnsv1(ctx, [...paths.values()], { walks, rows });
  const [isOpen = false, isPublic = false] = ["open", "public"].map((wanted) =>
    phases.some(({ phase }) => phase === wanted),
  );
  const byNode = new Map(ofMain.map((one) => [one.node, one]));
  const states = nodes.flatMap((node, i): [Hex, DomainState][] => {
    const [row, one, walk] = [rows.get(node), byNode.get(node), walks[i] as Walk];
    const state = toState(row, one, { walk, isLeft: isLeft[i] ?? false, isOpen, isPublic, ctx });
    return state ? [[node, state]] : [];
  });
  return withRecords(ctx, new Map([...rows, ...states]));
}

/** The labels of names from the top. A name that is written by its node is found from row to row. */
async function findPaths({ db, contracts }: Ctx, asked: readonly Asked[], rows: States) {
  const unique = [...new Map(asked.map((one) => [one.node, one])).values()];
  const found = await mapYielding(unique, (one): Path | null => {
    const name =
      "name" in one && nodeOfNameByNode(one.name) === null ? one.name : rows.get(one.node)?.fullName;
    if (name === undefined || name === "" || nodeOfNameByNode(name) !== null) return null;
    return labelhashesOf(name).toReversed();
  });
  const byNode = unique.flatMap(({ node }, i) => (found[i] === null && rows.has(node) ? [node] : []));
  const up = await listPathsUp(db, { chainId: contracts.chainId, nodes: byNode });
  return new Map(
    unique.flatMap(({ node }, i) => {
      const path = found[i] ?? up.get(node)?.toReversed();
      return path ? [[node, path] as const] : [];
    }),
  );
}

/** Whether a wrapper registry leaves the name, or one above it, to ENSv1. */
async function findLeftToEnsv1(
  { db, contracts, now }: Ctx,
  paths: readonly Path[],
  { walks, rows }: { walks: readonly Walk[]; rows: States },
): Promise<boolean[]> {
  const nodes = walks.map(({ missing }, i) =>
    missing?.isWrapper ? nodeOfLabels((paths[i] as Path).slice(0, missing.depth).toReversed()) : null,
  );
  const unread = nodes.filter((node) => node !== null).filter((node) => !rows.has(node));
  const read = await listDomains(db, { chainId: contracts.chainId, nodes: [...new Set(unread)] });
  const byNode = new Map([...rows, ...read.map((row) => [row.node, row] as const)]);
  return nodes.map((node) => node !== null && isMigratable(byNode.get(node), now));
}

type Facts = { walk: Walk; isLeft: boolean; isOpen: boolean; isPublic: boolean; ctx: Ctx };

/** The state of a name; undefined if nothing is known of it. */
function toState(
  row: DomainState | undefined,
  asked: Asked | undefined,
  facts: Facts,
): DomainState | undefined {
  const { walk, isLeft } = facts;
  const way = {
    ...{ entry: walk.entry, isBelowRegistered: walk.isBelowRegistered, isLeftToEnsv1: isLeft },
    wasRegistered: (row?.registry ?? null) !== null,
  };
  const protocol = walk.isKnown ? protocolOf(way) : "ensv2";
  const isAbsent = row === undefined && !walk.entry?.isRegistered;
  const isUnreached = protocol === "ensv1" && isPublicOnly(facts) && walk.resolver === null;
  const ensv2: Ensv2State = {
    ...{ protocol, walk, asksChain: isUnreached ? false : asksChain(protocol, facts) },
    ...{ isUnreached, record: null, isAbsent },
  };
  if (isAbsent && (ensv2.asksChain === null || isUnreached || asksLayer2(walk, facts.ctx.contracts)))
    return undefined;
  const base = row ?? (asked && "name" in asked ? blankOf(asked, facts.ctx.contracts) : undefined);
  if (base === undefined) return undefined;
  if (protocol === "ensv2") return { ...ofEnsv2(base, facts), ensv2 };
  const isUnseen = facts.isOpen && walk.entry === null && isEthSecondLevel(base);
  return { ...base, ...(isUnreached && { displayText: null }), ...(isUnseen && { isUnseen }), ensv2 };
}

/** Whether a resolver answers from a layer 2, of whose names the rules for layer 2s tell. */
const asksLayer2 = ({ resolver }: Walk, { managed }: Contracts): boolean =>
  resolver !== null && managed.some(({ bridges }) => bridges.includes(resolver.address));

/**
 * Of a name of ENSv1, its resolver in ENSv1 answers while the Universal Resolver is ENSv1's. Once it is that of ENSv2, it
 * does so where the way through ENSv2 leads to a resolver that asks ENSv1.
 */
function asksChain(protocol: Protocol, facts: Facts): boolean | null {
  const { resolver, isKnown } = facts.walk;
  if (protocol === "ensv1") return isPublicOnly(facts) ? true : null;
  if (!isKnown) return true;
  return resolver !== null && !resolver.isKnown && !facts.ctx.contracts.isIndexedResolver(resolver.address);
}

/** Whether only the Universal Resolver of ENSv2 is asked for a name of ENSv1, and does not ask ENSv1 in turn. */
function isPublicOnly({ walk: { resolver }, isLeft, isPublic, ctx }: Facts): boolean {
  if (!isPublic || isLeft) return false;
  return resolver === null || !ctx.contracts.ensv2?.ensV1Resolvers.has(resolver.address);
}

const noOwners = {
  ...{ registryOwner: null, registrarOwner: null, wrapperOwner: null, isWrapped: false },
  ...{ wrapperFuses: null, wrapperExpiryTimestamp: null },
};

function blankOf(name: ParsedName, { chainId }: Contracts): DomainState {
  const { node, parentNode, labelhash, label, labelLength } = name;
  return {
    ...{ chainId, node, parentNode, labelhash, label, labelLength, fullName: name.name, ...noOwners },
    ...{ expiryTimestamp: null, resolver: null, registry: null, displayText: null },
    effectiveOwnerAddress: null,
  };
}

/** A name of ENSv2 is what its entry says. Without an entry it has no owner: what ENSv1 holds is history. */
function ofEnsv2(base: DomainState, { walk: { entry }, ctx }: Facts): DomainState {
  const isLive = entry !== null && entry.expiry > BigInt(ctx.now);
  // The registry keeps the last holder; only a name of the registrar can be renewed by him after its expiry.
  const isHeld = isLive || isEthSecondLevel(base);
  return {
    ...base,
    ...noOwners,
    registry: entry?.registry ?? null,
    effectiveOwnerAddress: (isHeld && entry?.owner) || null,
    expiryTimestamp: entry?.expiry ?? null,
    resolver: isLive ? entry.resolver : null,
    displayText: isLive && entry.resolver === base.resolver ? base.displayText : null,
  };
}

/** Finds the numbers of records at resolvers of ENSv2, and the `display` texts there. */
async function withRecords({ db, contracts: { chainId } }: Ctx, states: States): Promise<States> {
  const asked = [...states.values()].flatMap(({ node, ensv2 }) => {
    const resolver = ensv2?.protocol === "ensv2" && ensv2.walk.isKnown ? ensv2.walk.resolver : null;
    return resolver?.isKnown ? [{ resolver: resolver.address, node }] : [];
  });
  if (asked.length === 0) return states;
  const roots = [...new Set(asked.map(({ resolver }) => resolver))].map((resolver) => ({
    resolver,
    node: ROOT_NODE,
  }));
  const links = new Map(
    (await listLinks(db, { chainId, names: [...asked, ...roots] })).map((link) => [keyOf(link), link.record]),
  );
  const records = asked.flatMap(({ resolver, node }) => {
    const record = recordOf({ resolver, node }, links);
    return record ? [{ node, resolver, record }] : [];
  });
  const texts = await listDisplayTexts(db, {
    chainId,
    records: records.map(({ resolver, record }) => ({ resolver, node: record })),
  });
  const textOf = new Map(texts.map(({ text, ...key }) => [keyOf(key), text]));
  const found = records.flatMap(({ node, resolver, record }): [Hex, DomainState][] => {
    const state = states.get(node);
    if (state?.ensv2 === undefined) return [];
    const displayText = textOf.get(keyOf({ resolver, node: record })) ?? null;
    return [[node, { ...state, displayText, ensv2: { ...state.ensv2, record } }]];
  });
  return new Map([...states, ...found]);
}

const keyOf = ({ resolver, node }: Pick<Link, "resolver" | "node">): string => `${resolver} ${node}`;

/**
 * A name without a link has the record that the root name is linked to.
 * Source: ensdomains/contracts-v2, src/resolver/PermissionedResolver.sol, `getRecordId`.
 */
const recordOf = (
  { resolver, node }: Pick<Link, "resolver" | "node">,
  links: ReadonlyMap<string, Hex | null>,
): Hex | null =>
  links.get(keyOf({ resolver, node })) ?? links.get(keyOf({ resolver, node: ROOT_NODE })) ?? null;

/** Reads what domain records show of names of ENSv2 besides their state. */
export async function withEnsv2Details(ctx: Ctx, states: States): Promise<States> {
  const { db, contracts } = ctx;
  const { ensv2, chainId } = contracts;
  if (ensv2 === undefined) return states;
  const named = [...states.values()].flatMap((state) => {
    const entry = state.ensv2?.protocol === "ensv2" ? state.ensv2.walk.entry : null;
    return entry ? [{ state, entry }] : [];
  });
  const migrated = named.flatMap(({ state, entry }) => {
    const { registeredBlockNumber: blockNumber, registeredTransactionHash: transactionHash } = entry;
    if (!isFromEnsv1(entry, ensv2) || blockNumber === null || transactionHash === null) return [];
    return [{ node: state.node, blockNumber, transactionHash }];
  });
  const [holders, owners] = await Promise.all([
    listRoleHolders(db, { chainId, entries: named.map(({ entry }) => entry) }),
    listMigrationOwners(db, { chainId, names: migrated, nonOwners: ensv2.nonOwners }),
  ]);
  const ownersOf = new Map(owners.map((one) => [one.node, one]));
  const found = named.map(({ state, entry }): [Hex, DomainState] => {
    const between = ownersOf.get(state.node);
    const details: Ensv2Details = {
      holders: holders.filter(
        ({ registry, resource }) => registry === entry.registry && resource === entry.resource,
      ),
      migration: between
        ? {
            ...between,
            blockNumber: entry.registeredBlockNumber ?? 0,
            timestamp: entry.registeredTimestamp ?? 0,
            transactionHash: entry.registeredTransactionHash as Hex,
          }
        : null,
    };
    return [state.node, { ...state, ensv2: { ...(state.ensv2 as Ensv2State), details } }];
  });
  return new Map([...states, ...found]);
}

/** A name came from ENSv1 if a migration controller registered it, or its wrapper registry itself. */
const isFromEnsv1 = ({ registeredBy, registry }: Ensv2Entry, ensv2: Ensv2Contracts): boolean =>
  registeredBy !== null && (ensv2.migrationControllers.has(registeredBy) || registeredBy === registry);

/** Where live answers find the entry of a name of ENSv2; null where the index knows that there is none. */
export function placeOf({ walk: { entry, unknown } }: Ensv2State, name: string): EntryPlace | null {
  const labels = name.split(".").toReversed();
  if (entry !== null) return { registry: entry.registry, labels: labels.slice(-1), isKnown: true };
  return unknown && { registry: unknown.registry, labels: labels.slice(unknown.depth - 1), isKnown: false };
}

/** Where the index has records. */
export type RecordsKey = { chainId: number; resolver: Address; node: Hex };

/**
 * Where the index has the records of a name for whose resolver it answers; null if the name has none. Of the resolvers
 * above a name, those of ENSv2 answer for it; those that keep records by node do not (ENSIP-10).
 */
export function recordsOf({ chainId, resolver, ensv2 }: DomainState, node: Hex): RecordsKey | null {
  if (ensv2?.isUnreached) return null;
  const winner = ensv2?.protocol === "ensv2" ? ensv2.walk.resolver : null;
  if (winner?.isKnown)
    return ensv2?.record ? { chainId, resolver: winner.address, node: ensv2.record } : null;
  return resolver === null ? null : { chainId, resolver, node };
}
