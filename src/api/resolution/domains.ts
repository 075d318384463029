import { MAX_NAME_BYTES } from "../../ens/name.ts";
import { ApiError } from "../errors/errors.ts";
import type { Ctx } from "../http/context.ts";
import type { LiveRecords } from "../live/records.ts";
import { mapYielding } from "../scheduling/turns.ts";
import type { ParsedName } from "../schemas/input.ts";
import { askChain, type ChainAnswer, type RecordSelector, type Spelled, spell } from "./chain.ts";
import { type Absence, absenceOf, decide, type Outcome } from "./decision.ts";
import type { DomainState } from "./domainState.ts";
import { readEnsv2 } from "./ensv2/readEnsv2.ts";
import type { FoundByNode, Requested } from "./found.ts";
import { completeKnown, type Known, readFound, readKnown, withDetails } from "./known.ts";

/** What is known of a name, and where it comes from. */
export type ResolvedDomain =
  | (({ kind: "known"; state: DomainState } | { kind: Absence; state: null }) &
      ({ source: "indexed" } | { source: "live"; records: LiveRecords; blockNumber: number }))
  /** What registries say is known. What the name's resolver says is not: there is no node, or no text of the name. */
  | { kind: "resolverNotAsked"; state: DomainState; source: "indexed" };

/** What the chain says at a block, with the records that were selected. */
export type LiveDomain = Extract<ResolvedDomain, { source: "live" }>;

/** A domain record shows no other text record, and this one only where it is the name itself in other capitals. */
const displayOnly: RecordSelector = async () => ({
  ...{ coinTypes: [], contenthash: false, texts: ["display"] },
  longestText: MAX_NAME_BYTES,
});

/**
 * What is known of a name or node: by the index where it can know, else by the chain. Where no node is configured, the
 * index still tells all but what a resolver says.
 *
 * @throws ApiError LIVE_RESOLUTION_FAILED if only the chain can tell, and it could not be asked
 * @example
 * const { state, source } = await resolveDomain(ctx, parseName("alice.eth"));
 * if (state === null) return `unknown (${source})`;
 * return state.resolver;
 */
export async function resolveDomain(ctx: Ctx, requested: Requested): Promise<ResolvedDomain> {
  const [resolved] = await resolveDomains(ctx, [requested]);
  return orThrow(resolved as ResolvedDomain | ApiError);
}

/** The same for many names and nodes, in their order. Where one could not be resolved, the error is in its place. */
export const resolveDomains = async (
  ctx: Ctx,
  requested: readonly Requested[],
): Promise<(ResolvedDomain | ApiError)[]> => resolveFound(ctx, requested, await readFound(ctx, requested));

/**
 * The same for domains that were read from the index already, each with its row. Of a node that is on two chains, the row
 * that does not answer for the name is as the index has it.
 */
export async function resolveListed<Row extends DomainState>(
  ctx: Ctx,
  rows: readonly Row[],
): Promise<{ row: Row; resolved: ResolvedDomain | ApiError }[]> {
  const requested = rows.map(({ node }) => ({ query: node, node }));
  const found =
    ctx.contracts.managed.length > 0
      ? await readFound(ctx, requested)
      : await readEnsv2(ctx, requested, new Map(rows.map((row) => [row.node, row])));
  const resolved = await resolveFound(ctx, requested, found);
  return rows.map((row, i) => {
    const isAnswering = found.get(row.node)?.state.chainId === row.chainId;
    const stored: ResolvedDomain = { kind: "known", state: row, source: "indexed" };
    return { row, resolved: (isAnswering && resolved[i]) || stored };
  });
}

const resolveFound = async (
  ctx: Ctx,
  requested: readonly Requested[],
  found: FoundByNode,
): Promise<(ResolvedDomain | ApiError)[]> =>
  resolveAll(ctx, await completeKnown(ctx, requested, await withDetails(ctx, found)));

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
  const [resolved] = await resolveAll(ctx, await readKnown(ctx, [name]), select);
  return orThrow(resolved as ResolvedDomain | ApiError);
}

/**
 * What the chain says of a name, even if the index could answer.
 *
 * @throws ApiError LIVE_RESOLUTION_FAILED
 */
export async function resolveLive(ctx: Ctx, name: ParsedName, select: RecordSelector): Promise<LiveDomain> {
  const [known] = (await readKnown(ctx, [name])) as [Known];
  const spelled = spell(known);
  const answers = await askChain(ctx, spelled ? [spelled] : [], select);
  return orThrow(ofChain(known, answers.get(known)));
}

function orThrow<T>(resolved: T | ApiError): T {
  if (resolved instanceof ApiError) throw resolved;
  return resolved;
}

/** Decides for each name who can tell, and asks the chain where that is needed; for its records if some are selected. */
async function resolveAll(
  ctx: Ctx,
  known: readonly Known[],
  select?: RecordSelector,
): Promise<(ResolvedDomain | ApiError)[]> {
  const decided = await mapYielding(known, (one): Decided => {
    const outcome = decide(one, ctx.contracts);
    return { known: one, outcome, spelled: isForChain(outcome) ? spell(one) : null };
  });
  const byIndex = new Map(
    decided.flatMap((one) => {
      const resolved = ofIndex(one, { isNeeded: select !== undefined, isPossible: ctx.live.isConfigured });
      return resolved ? [[one.known, resolved] as const] : [];
    }),
  );
  const forChain = decided.flatMap((one) => (one.spelled && !byIndex.has(one.known) ? [one.spelled] : []));
  const answers = await askChain(ctx, forChain, select ?? displayOnly);
  return known.map((one) => byIndex.get(one) ?? ofChain(one, answers.get(one)));
}

/** What is decided for a name, with its text where the chain may be needed; null if no text of it is known. */
type Decided = { known: Known; outcome: Outcome; spelled: Spelled | null };

const isForChain = ({ kind }: Outcome): boolean => kind === "chain" || kind === "chainForResolver";

/** What the index answers without the chain; null if the chain is needed. */
function ofIndex(
  { outcome, spelled }: Decided,
  resolver: { isNeeded: boolean; isPossible: boolean },
): ResolvedDomain | null {
  switch (outcome.kind) {
    case "indexed":
      return { kind: "known", state: outcome.state, source: "indexed" };
    case "chainForResolver": {
      const needsChain = resolver.isNeeded || (resolver.isPossible && spelled !== null);
      return needsChain ? null : { kind: "resolverNotAsked", state: outcome.state, source: "indexed" };
    }
    case "chain":
      return null;
    default:
      return { kind: outcome.kind, state: null, source: "indexed" };
  }
}

/** The answer of the chain; undefined where it got no question for want of a text. */
function ofChain(
  { requested, found }: Known,
  answer: ChainAnswer | ApiError | undefined,
): LiveDomain | ApiError {
  if (answer === undefined) return unspelled();
  if (answer instanceof ApiError) return answer;
  const { state, ...others } = answer;
  if (state !== null) return { kind: "known", source: "live", state, ...others };
  return { kind: absenceOf(found?.state ?? requested), source: "live", state, ...others };
}

const unspelled = () =>
  new ApiError(
    "LIVE_RESOLUTION_FAILED",
    `Only the chain can tell, and it is asked by the text of a name. This one is known by its node alone: it has more than ${MAX_NAME_BYTES} bytes, or an ancestor that is unknown. If you know its text, ask by that.`,
  );
