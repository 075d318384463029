import type { Address, Hex } from "viem";
import type { Contracts } from "../../../abis/contracts.ts";
import type { Ctx } from "../http/context.ts";
import { LiveFailure } from "../live/failure.ts";
import type { LiveRecords, RecordSelection } from "../live/records.ts";
import { listDomains } from "../query/domains.ts";
import type { StoredOwners } from "../rules/ownership.ts";
import { ApiError } from "../schemas/errors.ts";
import { ancestorNodes, isEthSecondLevel, type ParsedName, type ParsedNode } from "../schemas/input.ts";
import { type NamePlace, placeOf, spellOut, toLiveState } from "./liveState.ts";

/** What is known of a domain, whether it came from the index or from the chain. */
export type DomainState = StoredOwners & {
  node: Hex;
  parentNode: Hex | null;
  labelhash: Hex | null;
  label: string;
  labelLength: number | null;
  fullName: string;
  expiryTimestamp: bigint | null;
  resolver: Address | null;
  /** The name's `display` text record. */
  displayText: string | null;
};

/** Facts with where they come from; `facts` is null for a name of which nothing is known. */
export type ResolvedDomain = { facts: DomainState | null; source: "indexed" } | LiveDomain;

/** What the chain said at a block, with the records that were asked for. */
export type LiveDomain = {
  facts: DomainState | null;
  source: "live";
  records: LiveRecords;
  blockNumber: number;
};

/** Which records to ask for, should the chain have to be asked. */
export type RecordSelector = (node: Hex) => Promise<RecordSelection>;

/** All that a domain record shows of a name's records. */
const displayAlone: RecordSelector = async () => ({ coinTypes: [], contenthash: false, texts: ["display"] });

/**
 * What is known of the name that is asked for: by the index where it knows, else by the chain.
 * Throws LIVE_RESOLUTION_FAILED if only the chain can tell, and does not.
 */
export async function resolveDomain(
  ctx: Ctx,
  name: ParsedName,
  wanting: RecordSelector = displayAlone,
): Promise<ResolvedDomain> {
  const [found] = await resolveDomains(ctx, [name], wanting);
  return orThrow(found as ResolvedDomain | ApiError);
}

/** The same of many names and nodes, in their order; a name whose answer failed has the error in its place. */
export async function resolveDomains(
  ctx: Ctx,
  asked: readonly (ParsedName | ParsedNode)[],
  wanting: RecordSelector = displayAlone,
): Promise<(ResolvedDomain | ApiError)[]> {
  const indexed = await listIndexedDomains(
    ctx,
    asked.map(({ node }) => node),
  );
  const ancestors = await findAncestors(ctx, asked, indexed);
  const subjects = asked.map((one) => subjectOf(one, indexed.get(one.node) ?? null));
  const forChain = subjects.filter(isPlaced).filter((one) => needsChain(one, ancestors, ctx.contracts));
  const live = new Map<Target, LiveDomain | ApiError>();
  const answers = await askChain(ctx, forChain, wanting);
  for (const [i, subject] of forChain.entries()) live.set(subject, answers[i] as LiveDomain | ApiError);
  return subjects.map((subject) => live.get(subject) ?? { facts: subject.indexed, source: "indexed" });
}

/** What the chain says of a name, whoever else could answer. Throws LIVE_RESOLUTION_FAILED. */
export async function resolveLive(ctx: Ctx, name: ParsedName, wanting: RecordSelector): Promise<LiveDomain> {
  const indexed = await listIndexedDomains(ctx, [name.node]);
  const subject = subjectOf(name, indexed.get(name.node) ?? null);
  const [found] = await askChain(ctx, [subject].filter(isPlaced), wanting);
  return orThrow(found as LiveDomain | ApiError);
}

/** What the index holds of many nodes; those that it does not hold are left out. */
export async function listIndexedDomains(ctx: Ctx, nodes: readonly Hex[]): Promise<Map<Hex, DomainState>> {
  const rows = await listDomains(ctx.db, { chainId: ctx.contracts.chainId, nodes: [...new Set(nodes)] });
  return new Map(rows.map((row) => [row.node, row]));
}

function orThrow<T>(found: T | ApiError): T {
  if (found instanceof ApiError) throw found;
  return found;
}

/** What is asked about; `place` is null for a node that nobody can put a name to. `name` is what resolvers need. */
type Target = { place: NamePlace | null; name: string; indexed: DomainState | null };
type Placed = Target & { place: NamePlace };

const isPlaced = (subject: Target): subject is Placed => subject.place !== null;

function subjectOf(asked: ParsedName | ParsedNode, indexed: DomainState | null): Target {
  if (!("name" in asked)) return { place: indexed, name: indexed?.fullName ?? "", indexed };
  const place = indexed ?? placeOf(asked);
  return { place, name: spellOut(asked.name, place.fullName), indexed };
}

/** The ancestors of names that the index does not hold, as far as they could resolve through one. */
function findAncestors(
  ctx: Ctx,
  asked: readonly (ParsedName | ParsedNode)[],
  indexed: Map<Hex, DomainState>,
): Promise<Map<Hex, DomainState>> {
  const absent = asked.filter((one) => "name" in one && !indexed.has(one.node) && !isEthSecondLevel(one));
  return listIndexedDomains(
    ctx,
    absent.flatMap((one) => ("name" in one ? ancestorNodes(one.name) : [])),
  );
}

/**
 * Whether only the chain can answer: the name's resolver is not an indexed one, or it has none and resolves through an
 * ancestor, or no event named it and it may still exist. Of a .eth name that was never registered the index knows all.
 */
function needsChain(
  { place, indexed }: Placed,
  ancestors: Map<Hex, DomainState>,
  contracts: Contracts,
): boolean {
  if (indexed === null)
    return !isEthSecondLevel(place) && mayAncestorAnswer(place.fullName, ancestors, contracts);
  if (indexed.resolver !== null) return !contracts.isIndexedResolver(indexed.resolver);
  return !(isEthSecondLevel(indexed) && indexed.expiryTimestamp === null);
}

/**
 * Whether a name without resolver may resolve through one of an ancestor (ENSIP-10): the nearest that has one decides,
 * and indexed resolvers answer for no other names than they hold records of.
 */
export function mayAncestorAnswer(
  name: string,
  facts: ReadonlyMap<Hex, DomainState>,
  contracts: Contracts,
): boolean {
  const resolvers = ancestorNodes(name).map((node) => facts.get(node)?.resolver ?? null);
  const nearest = resolvers.find((resolver) => resolver !== null);
  return nearest !== undefined && !contracts.isIndexedResolver(nearest);
}

async function askChain(
  ctx: Ctx,
  subjects: readonly Placed[],
  wanting: RecordSelector,
): Promise<(LiveDomain | ApiError)[]> {
  if (subjects.length === 0) return [];
  const block = await ctx.liveBlock().catch(failureOrThrow);
  if (block instanceof LiveFailure) return subjects.map(() => toApiError(block));
  const questions = await Promise.all(
    subjects.map(async ({ name, place }) => ({
      ...{ name, node: place.node },
      ethLabelhash: isEthSecondLevel(place) ? place.labelhash : null,
      wanted: await wanting(place.node),
    })),
  );
  const settled = await ctx.live.names(block, questions);
  return settled.map((one, i) => {
    if ("failure" in one) return toApiError(one.failure);
    const { place, indexed } = subjects[i] as Placed;
    const { owners, records } = one.answer;
    const known = { indexed, live: { owners, records }, contracts: ctx.contracts, now: ctx.now };
    return { facts: toLiveState(place, known), source: "live", records, blockNumber: block.number };
  });
}

/** A failure of the chain as a value; anything else is thrown on. */
export function failureOrThrow(error: unknown): LiveFailure {
  if (error instanceof LiveFailure) return error;
  throw error;
}

/** What the caller is told of a failure of the chain. */
export const toApiError = ({ message }: LiveFailure): ApiError =>
  new ApiError("LIVE_RESOLUTION_FAILED", message);

/** The resolver whose records the index holds; null where the name is known to have no records. */
export const indexedResolver = ({ facts }: Extract<ResolvedDomain, { source: "indexed" }>): Address | null =>
  facts?.resolver ?? null;
