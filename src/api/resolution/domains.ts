import type { Hex } from "viem";
import type { Contracts } from "../../../abis/contracts.ts";
import type { Ctx } from "../http/context.ts";
import { LiveFailure } from "../live/failure.ts";
import type { LiveRecords, RecordSelection } from "../live/records.ts";
import { listDomains } from "../query/domains.ts";
import { ApiError } from "../schemas/errors.ts";
import {
  ancestorNodes,
  isEthSecondLevel,
  MAX_NAME_BYTES,
  type ParsedName,
  type ParsedNode,
} from "../schemas/input.ts";
import { mapYielding } from "../schemas/turns.ts";
import { type DomainState, toLiveState } from "./domainState.ts";

/** The state of a domain, null if nothing is known of it, and where it comes from. */
export type ResolvedDomain = { state: DomainState | null } & (
  | { source: "indexed" }
  | { source: "live"; records: LiveRecords; blockNumber: number }
);

/** What the chain says at a block, with the records that were selected. */
export type LiveDomain = Extract<ResolvedDomain, { source: "live" }>;

/** Selects the records to read if the chain has to be asked. */
export type RecordSelector = (node: Hex) => Promise<RecordSelection>;

/** A domain record shows no other text record, and this one only where it is the name itself in other capitals. */
const displayOnly: RecordSelector = async () => ({
  ...{ coinTypes: [], contenthash: false, texts: ["display"] },
  longestText: MAX_NAME_BYTES,
});

/**
 * What is known of a name: by the index where it can know, else by the chain.
 *
 * @throws ApiError LIVE_RESOLUTION_FAILED if only the chain can tell, and it could not be asked
 * @example
 * const { state, source } = await resolveDomain(ctx, parseName("alice.eth"));
 * if (state === null) return `unknown (${source})`;
 * return state.resolver;
 */
export async function resolveDomain(
  ctx: Ctx,
  name: ParsedName,
  select: RecordSelector = displayOnly,
): Promise<ResolvedDomain> {
  const [resolved] = await resolveDomains(ctx, [name], select);
  return orThrow(resolved as ResolvedDomain | ApiError);
}

/** The same for many names and nodes, in their order. Where one could not be resolved, the error is in its place. */
export async function resolveDomains(
  ctx: Ctx,
  parsed: readonly (ParsedName | ParsedNode)[],
  select: RecordSelector = displayOnly,
): Promise<(ResolvedDomain | ApiError)[]> {
  const nodes = parsed.map(({ node }) => node);
  const indexed = await listIndexedDomains(ctx, nodes);
  const ancestors = await findAncestors(ctx, parsed, indexed);
  const known = { indexed, ancestors, contracts: ctx.contracts };
  const isForChain = await mapYielding(parsed, (one) => needsChain(one, known));
  const forChain = parsed.filter((_, i) => isForChain[i]);
  const answers = await askChain(ctx, forChain, { indexed, select });
  const live = new Map(forChain.map((one, i) => [one, answers[i] as LiveDomain | ApiError]));
  return parsed.map((one) => live.get(one) ?? { state: indexed.get(one.node) ?? null, source: "indexed" });
}

/**
 * What the chain says of a name, even if the index could answer.
 *
 * @throws ApiError LIVE_RESOLUTION_FAILED
 */
export async function resolveLive(ctx: Ctx, name: ParsedName, select: RecordSelector): Promise<LiveDomain> {
  const indexed = await listIndexedDomains(ctx, [name.node]);
  const [resolved] = await askChain(ctx, [name], { indexed, select });
  return orThrow(resolved as LiveDomain | ApiError);
}

/** What the index has of these nodes. Nodes that it does not have are left out. */
export async function listIndexedDomains(ctx: Ctx, nodes: readonly Hex[]): Promise<Indexed> {
  const wanted = [...new Set(nodes)];
  const found: Indexed = new Map();
  for (let at = 0; at < wanted.length || at === 0; at += NODES_OF_QUERY) {
    const some = wanted.slice(at, at + NODES_OF_QUERY);
    const rows = await listDomains(ctx.db, { chainId: ctx.contracts.chainId, nodes: some });
    for (const row of rows) found.set(row.node, row);
  }
  return found;
}

/** Nodes of one query: more of them hold the database and the event loop for too long at once. */
const NODES_OF_QUERY = 2_000;

/** The ancestors of names, all together. Hashing many long names takes a while. */
export const ancestorsOf = async (names: readonly { name: string }[]): Promise<Hex[]> =>
  (await mapYielding(names, ({ name }) => ancestorNodes(name))).flat();

type Indexed = Map<Hex, DomainState>;

function orThrow<T>(resolved: T | ApiError): T {
  if (resolved instanceof ApiError) throw resolved;
  return resolved;
}

/** The ancestors of names that the index does not have and that could resolve through one. */
async function findAncestors(
  ctx: Ctx,
  parsed: readonly (ParsedName | ParsedNode)[],
  indexed: Indexed,
): Promise<Indexed> {
  const absent = parsed.flatMap((one) =>
    "name" in one && !indexed.has(one.node) && !isEthSecondLevel(one) ? [one] : [],
  );
  return listIndexedDomains(ctx, await ancestorsOf(absent));
}

/**
 * Whether only the chain can answer: the name's resolver is not an indexed one; or the name has no resolver and may
 * resolve through an ancestor; or no event named it and it may still exist. The index knows of every .eth name whether
 * it was registered. A node that the index does not have cannot be asked for: its name is not known.
 */
function needsChain(
  parsed: ParsedName | ParsedNode,
  { indexed, ancestors, contracts }: { indexed: Indexed; ancestors: Indexed; contracts: Contracts },
): boolean {
  const state = indexed.get(parsed.node);
  if (state === undefined) {
    const isNamed = "name" in parsed && !isEthSecondLevel(parsed);
    return isNamed && mayAncestorAnswer(parsed.name, ancestors, contracts);
  }
  if (state.resolver !== null) return !contracts.isIndexedResolver(state.resolver);
  return !(isEthSecondLevel(state) && state.expiryTimestamp === null);
}

/**
 * Whether a name without resolver may resolve through an ancestor's (ENSIP-10). The nearest ancestor that has a resolver
 * decides; an indexed resolver answers only for names of which it holds records.
 */
export function mayAncestorAnswer(
  name: string,
  states: ReadonlyMap<Hex, DomainState>,
  contracts: Contracts,
): boolean {
  const resolvers = ancestorNodes(name).map((node) => states.get(node)?.resolver ?? null);
  const nearest = resolvers.find((resolver) => resolver !== null);
  return nearest !== undefined && !contracts.isIndexedResolver(nearest);
}

/** @param parsed names, and nodes that the index has */
async function askChain(
  ctx: Ctx,
  parsed: readonly (ParsedName | ParsedNode)[],
  { indexed, select }: { indexed: Indexed; select: RecordSelector },
): Promise<(LiveDomain | ApiError)[]> {
  if (parsed.length === 0) return [];
  const block = await ctx.liveBlock().catch(failureOrThrow);
  if (block instanceof LiveFailure) return parsed.map(() => toApiError(block));
  const names = parsed.map((one) => indexed.get(one.node) ?? (one as ParsedName));
  const questions = await Promise.all(
    names.map(async (name, i) => ({
      ...{ name: spell(parsed[i] as ParsedName | ParsedNode, name), node: name.node },
      ethLabelhash: isEthSecondLevel(name) ? name.labelhash : null,
      wanted: await select(name.node),
    })),
  );
  const settled = await ctx.live.names(block, questions);
  return settled.map((one, i) => {
    if ("failure" in one) return toApiError(one.failure);
    const name = names[i] as DomainState | ParsedName;
    const known = { indexed: indexed.get(name.node) ?? null, contracts: ctx.contracts, now: ctx.now };
    const state = toLiveState(name, one.answer, known);
    return { state, source: "live", records: one.answer.records, blockNumber: block.number };
  });
}

/**
 * A name as resolvers need it, with the text of as many labels as possible. The caller may know the text of a label of
 * which the index knows only the hash, and the other way round. Both spell the same node, so the hashes prove each text.
 */
function spell(parsed: ParsedName | ParsedNode, known: DomainState | ParsedName): string {
  const other = "fullName" in known ? known.fullName : known.name;
  if (!("name" in parsed)) return other;
  const [labels, others] = [parsed.name.split("."), other.split(".")];
  if (labels.length !== others.length) return parsed.name;
  return labels.map((label, i) => (label.startsWith("[") ? (others[i] ?? label) : label)).join(".");
}

/** A failure of the chain as a value. Every other error is thrown. */
export function failureOrThrow(error: unknown): LiveFailure {
  if (error instanceof LiveFailure) return error;
  throw error;
}

/** The error that callers get for a failure of the chain. */
export const toApiError = ({ message }: LiveFailure): ApiError =>
  new ApiError("LIVE_RESOLUTION_FAILED", message);
