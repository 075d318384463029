import type { Hex } from "viem";
import type { Contracts } from "../../../abis/contracts.ts";
import { hasTokenNames } from "../../ens/managedNames.ts";
import { fitsInBytes, MAX_NAME_BYTES, nodeOfNameByNode, ROOT_NODE } from "../../ens/name.ts";
import { ApiError } from "../errors/errors.ts";
import type { Ctx } from "../http/context.ts";
import type { Settled } from "../live/cache.ts";
import { LiveFailure } from "../live/failure.ts";
import type { LiveName } from "../live/live.ts";
import type { LiveRecords, RecordSelection } from "../live/records.ts";
import { mapYielding } from "../scheduling/turns.ts";
import {
  ancestorNodes,
  isEthSecondLevel,
  nodeOfName,
  type ParsedName,
  type ParsedNode,
} from "../schemas/input.ts";
import { type Indexed, listAnswering, listMainDomains } from "./chosenRows.ts";
import { type DomainState, displayOf, toLiveState } from "./domainState.ts";
import { applyEnsv2, placeOf, withEnsv2Details } from "./ensv2.ts";
import { showProvenLabels } from "./provenLabels.ts";

/**
 * The state of a domain, null if nothing is known of it, and where it comes from. `isUnregistered` marks a name that no
 * registrar of a layer 2 has, though it would be there.
 */
export type ResolvedDomain = { state: DomainState | null } & (
  | { source: "indexed"; notAsked?: true; isUnregistered?: true }
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

/** A name or node that a caller asks for. */
type Asked = ParsedName | ParsedNode;

/**
 * What is known of a name or node: by the index where it can know, else by the chain. Where no node is configured, the
 * index still tells all but what a resolver says; `notAsked` then marks that only the chain could add that.
 *
 * @throws ApiError LIVE_RESOLUTION_FAILED if only the chain can tell, and it could not be asked
 * @example
 * const { state, source } = await resolveDomain(ctx, parseName("alice.eth"));
 * if (state === null) return `unknown (${source})`;
 * return state.resolver;
 */
export async function resolveDomain(ctx: Ctx, parsed: Asked): Promise<ResolvedDomain> {
  const [resolved] = await resolveDomains(ctx, [parsed]);
  return orThrow(resolved as ResolvedDomain | ApiError);
}

/** The same for many names and nodes, in their order. Where one could not be resolved, the error is in its place. */
export async function resolveDomains(
  ctx: Ctx,
  parsed: readonly Asked[],
): Promise<(ResolvedDomain | ApiError)[]> {
  return resolveAll(ctx, parsed, { indexed: await withEnsv2Details(ctx, await findIndexed(ctx, parsed)) });
}

/**
 * The same for domains that were read from the index already. Of a node that is on two chains, the row that does not
 * answer for the name is as the index has it.
 */
export async function resolveListed(
  ctx: Ctx,
  states: readonly DomainState[],
): Promise<(ResolvedDomain | ApiError)[]> {
  const parsed = states.map(({ node }) => ({ query: node, node }));
  const answering =
    ctx.contracts.managed.length > 0
      ? await listAnswering(ctx, parsed)
      : await applyEnsv2(ctx, parsed, byNode(states));
  const detailed = await withEnsv2Details(ctx, answering);
  const resolved = await resolveAll(ctx, parsed, { indexed: await showProvenLabels(ctx, parsed, detailed) });
  return states.map((state, i) =>
    answering.get(state.node)?.chainId === state.chainId
      ? (resolved[i] as ResolvedDomain | ApiError)
      : { state, source: "indexed" },
  );
}

const byNode = (states: readonly DomainState[]): Indexed =>
  new Map(states.map((state) => [state.node, state]));

/**
 * What is known of a name, for an answer about its records.
 *
 * @throws ApiError LIVE_RESOLUTION_FAILED if only the chain can tell, and it could not be asked
 */
export async function resolveWithRecords(
  ctx: Ctx,
  name: ParsedName,
  select: RecordSelector,
): Promise<ResolvedDomain> {
  const [resolved] = await resolveAll(ctx, [name], { indexed: await findIndexed(ctx, [name]), select });
  return orThrow(resolved as ResolvedDomain | ApiError);
}

/**
 * What the chain says of a name, even if the index could answer.
 *
 * @throws ApiError LIVE_RESOLUTION_FAILED
 */
export async function resolveLive(ctx: Ctx, name: ParsedName, select: RecordSelector): Promise<LiveDomain> {
  const [resolved] = await askChain(ctx, [name], { indexed: await findIndexed(ctx, [name]), select });
  return orThrow(resolved as LiveDomain | ApiError);
}

/** The ancestors of names, all together. Hashing many long names takes a while. */
export const ancestorsOf = async (names: readonly { name: string }[]): Promise<Hex[]> =>
  (await mapYielding(names, ({ name }) => ancestorNodes(name))).flat();

/** What the index has of what is asked for, with the labels that callers proved. */
async function findIndexed(ctx: Ctx, parsed: readonly Asked[]): Promise<Indexed> {
  return showProvenLabels(ctx, parsed, await listAnswering(ctx, parsed));
}

function orThrow<T>(resolved: T | ApiError): T {
  if (resolved instanceof ApiError) throw resolved;
  return resolved;
}

/** Asks the index, and the chain where that is needed; `select` is left out where no record is asked for. */
async function resolveAll(
  ctx: Ctx,
  parsed: readonly Asked[],
  { indexed, select }: { indexed: Indexed; select?: RecordSelector },
): Promise<(ResolvedDomain | ApiError)[]> {
  const ancestors = await findAncestors(ctx, parsed, indexed);
  const known = { indexed, ancestors, contracts: ctx.contracts };
  const isForChain = await mapYielding(parsed, (one) => needsChain(one, known));
  const forChain = parsed.filter((_, i) => isForChain[i]);
  const isIndexEnough = await mapYielding(
    forChain,
    (one) =>
      isToldByIndex(indexed.get(one.node)) &&
      select === undefined &&
      !(ctx.live.isConfigured && spell(one, indexed) !== null),
  );
  const notAsked = new Set(forChain.filter((_, i) => isIndexEnough[i]));
  const asked = forChain.filter((one) => !notAsked.has(one));
  const answers = await askChain(ctx, asked, { indexed, select: select ?? displayOnly });
  const live = new Map(asked.map((one, i) => [one, answers[i] as LiveDomain | ApiError]));
  return parsed.map((one) => {
    const state = shownOf(indexed.get(one.node));
    return (
      live.get(one) ?? {
        ...{ state, source: "indexed" as const },
        ...(notAsked.has(one) && { notAsked: true as const }),
        ...(state === null && isUnregistered(one, known) && { isUnregistered: true as const }),
      }
    );
  });
}

/** Whether the index has what registries say of a name, so that the chain could only add what a resolver says. */
const isToldByIndex = (state: DomainState | undefined): boolean =>
  state !== undefined && (state.ensv2 === undefined || (state.ensv2.walk.isKnown && !state.ensv2.isAbsent));

/** A name that no registry has is known by a resolver of ENSv2 above it, which answers for all names there. */
function shownOf(state: DomainState | undefined): DomainState | null {
  if (state === undefined) return null;
  const { ensv2 } = state;
  return ensv2?.isAbsent && !ensv2.walk.resolver?.isKnown ? null : state;
}

/** The ancestors of names that the index does not have and that could resolve through one. */
async function findAncestors(ctx: Ctx, parsed: readonly Asked[], indexed: Indexed): Promise<Indexed> {
  const absent = parsed.flatMap((one) =>
    "name" in one && !indexed.has(one.node) && !isEthSecondLevel(one) ? [one] : [],
  );
  return listMainDomains(ctx, await ancestorsOf(absent));
}

/**
 * Whether only the chain can answer: the name's resolver is not an indexed one; or the name has no resolver and may
 * resolve through an ancestor; or no event named it, and an ancestor's resolver may answer for it. The index knows of
 * every .eth name whether it was registered, and of every name which ancestors have a resolver. The root, and a node
 * that the index does not have, cannot be asked for: their names are not known.
 */
function needsChain(parsed: Asked, known: Known): boolean {
  const { indexed, ancestors, contracts } = known;
  const state = indexed.get(parsed.node);
  if (state === undefined) {
    const isNamed = "name" in parsed && !isEthSecondLevel(parsed) && !isUnregistered(parsed, known);
    return isNamed && mayAncestorAnswer(parsed.name, ancestors, contracts);
  }
  if (state.node === ROOT_NODE) return false;
  if (state.ensv2 !== undefined && state.ensv2.asksChain !== null) return state.ensv2.asksChain;
  if (state.resolver !== null) return !contracts.isIndexedResolver(state.resolver, state.chainId);
  return !(isEthSecondLevel(state) && state.expiryTimestamp === null);
}

/** What the index has of what is asked for, and of the ancestors of what it does not have. */
type Known = { indexed: Indexed; ancestors: Indexed; contracts: Contracts };

/**
 * Whether a name that the index does not have would be in the registrar of a layer 2: right under a managed name whose
 * resolver asks that layer 2. Tokens of 3DNS are on another chain, too, so of these the index does not know.
 */
function isUnregistered(parsed: Asked, { indexed, ancestors, contracts }: Known): boolean {
  if (!("name" in parsed) || indexed.has(parsed.node)) return false;
  const managed = contracts.managed.find(
    ({ node, chainId }) => node === parsed.parentNode && !hasTokenNames(chainId),
  );
  const resolver = managed && ancestors.get(managed.node)?.resolver;
  return Boolean(resolver && managed?.bridges.includes(resolver));
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

type Question = { indexed: Indexed; select: RecordSelector };

/** Asks the chain for names and nodes; an error is in the place of one whose text is not known. */
async function askChain(
  ctx: Ctx,
  parsed: readonly Asked[],
  question: Question,
): Promise<(LiveDomain | ApiError)[]> {
  const spelled = await mapYielding(parsed, (one) => spell(one, question.indexed));
  const known = parsed.flatMap((one, i) => {
    const text = spelled[i] ?? null;
    return text === null ? [] : [{ one, text }];
  });
  const answers = await askByText(ctx, known, question);
  const byAsked = new Map(known.map(({ one }, i) => [one, answers[i]]));
  return parsed.map((one) => byAsked.get(one) ?? unspelled());
}

const unspelled = () =>
  new ApiError(
    "LIVE_RESOLUTION_FAILED",
    `Only the chain can tell, and it is asked by the text of a name. This one is known by its node alone: it has more than ${MAX_NAME_BYTES} bytes, or an ancestor that is unknown. If you know its text, ask by that.`,
  );

async function askByText(
  ctx: Ctx,
  asked: readonly { one: Asked; text: string }[],
  { indexed, select }: Question,
): Promise<(LiveDomain | ApiError)[]> {
  if (asked.length === 0) return [];
  const block = await ctx.liveBlock().catch(failureOrThrow);
  if (block instanceof LiveFailure) return asked.map(() => toApiError(block));
  const names = asked.map(({ one }) => indexed.get(one.node) ?? (one as ParsedName));
  const questions = await Promise.all(
    names.map(async (name, i) => ({
      ...{ name: asked[i]?.text ?? "", node: name.node },
      ethLabelhash: isEthSecondLevel(name) ? name.labelhash : null,
      ...placeOfName(indexed.get(name.node), asked[i]?.text ?? ""),
      wanted: await select(name.node),
    })),
  );
  const states = names.map(({ node }) => indexed.get(node) ?? null);
  const isOfLayer2 = states.map((state) => state !== null && state.chainId !== ctx.contracts.chainId);
  const [ofMain, ofLayer2] = await Promise.all([
    ctx.live.names(
      block,
      questions.filter((_, i) => !isOfLayer2[i]),
    ),
    ctx.live.records(
      block,
      questions.filter((_, i) => isOfLayer2[i]),
    ),
  ]);
  return names.map((name, i) => {
    const state = states[i] ?? null;
    const told = isOfLayer2[i]
      ? toStateOfLayer2(state as DomainState, ofLayer2.shift() as Settled<LiveRecords>)
      : toStateOfMain(ctx, { name, state }, ofMain.shift() as Settled<LiveName>);
    return told instanceof ApiError ? told : { ...told, source: "live", blockNumber: block.number };
  });
}

type Told = Pick<LiveDomain, "state" | "records">;

/** Owners and expiry are in the registry of the layer 2, which the index has: the main chain tells records only. */
function toStateOfLayer2(state: DomainState, told: Settled<LiveRecords>): Told | ApiError {
  if ("failure" in told) return toApiError(told.failure);
  return { state: { ...state, displayText: displayOf(told.answer) }, records: told.answer };
}

function toStateOfMain(
  { contracts, now }: Ctx,
  { name, state }: { name: DomainState | ParsedName; state: DomainState | null },
  told: Settled<LiveName>,
): Told | ApiError {
  if ("failure" in told) return toApiError(told.failure);
  const indexed = state?.ensv2?.isAbsent ? null : state;
  const known = { indexed, ensv2: state?.ensv2, contracts, now };
  return { state: toLiveState(name, told.answer, known), records: told.answer.records };
}

const placeOfName = (state: DomainState | undefined, text: string) =>
  state?.ensv2?.protocol === "ensv2" ? { place: placeOf(state.ensv2, text) } : {};

/**
 * A name as resolvers need it. The index has it with the text of as many labels as are known. Where that is too long, or
 * another form, the caller's text is the name. Null if there is none: the chain cannot be asked then.
 */
function spell(parsed: Asked, indexed: Indexed): string | null {
  const { fullName, node } = indexed.get(parsed.node) ?? { fullName: null, node: null };
  const isName = fullName !== null && fitsInBytes(fullName, MAX_NAME_BYTES) && nodeOfName(fullName) === node;
  if (isName) return fullName;
  return "name" in parsed && nodeOfNameByNode(parsed.name) === null ? parsed.name : null;
}

/** A failure of the chain as a value. Every other error is thrown. */
export function failureOrThrow(error: unknown): LiveFailure {
  if (error instanceof LiveFailure) return error;
  throw error;
}

/** The error that callers get for a failure of the chain. */
export const toApiError = ({ message }: LiveFailure): ApiError =>
  new ApiError("LIVE_RESOLUTION_FAILED", message);
