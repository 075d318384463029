import { MAX_NAME_BYTES } from "../../../ens/name.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { mapYielding } from "../../server/scheduling/turns.ts";
import type { LiveRecords } from "../live/liveRecords.ts";
import { askChain, type ChainAnswer, type RecordSelector, resolvableText } from "./chain.ts";
import { type Absence, absenceOf, type Decision, decide } from "./decision.ts";
import type { DomainState } from "./domainState.ts";
import { readEnsv2 } from "./ensv2/readEnsv2.ts";
import type { Requested } from "./indexedName.ts";
import {
  addDetails,
  completeFacts,
  type FactsOptions,
  type NameFacts,
  readFacts,
  readIndexed,
} from "./nameFacts.ts";
import { showTexts } from "./shownTexts.ts";

/** The state of a name, and its source. */
export type ResolvedDomain =
  | (({ kind: "known"; state: DomainState } | { kind: Absence; state: null }) &
      ({ source: "indexed" } | { source: "live"; records: LiveRecords; blockNumber: number }))
  /** The registries' part is known. The resolver cannot be called, because no text of the name is known. */
  | { kind: "resolverNotAsked"; state: DomainState; source: "indexed" };

/** Only the chain knows the answer, and it could not be read. `state` is set if the index is certain of the registries' part. */
export type UnresolvedDomain = {
  kind: "unresolved";
  state: DomainState | null;
  source: "indexed";
  /** The name, as far as its text is known. */
  name: string | null;
  error: ApiError;
};

/** A resolved name, or the reason why it is not. */
export type DomainResult = ResolvedDomain | UnresolvedDomain;

/** An answer of the chain at a block, with the selected records. */
export type LiveDomain = Extract<ResolvedDomain, { source: "live" }>;

/** The parts to resolve besides the state. */
type ResolveOptions = FactsOptions & {
  /** Records to read from the chain if the index does not have the name's records. */
  records?: RecordSelector | undefined;
  /** Reads the chain even if the index could answer. */
  live?: boolean;
};

/** One result for each name. */
type Results<Names extends readonly unknown[]> = { [Index in keyof Names]: DomainResult };

/**
 * Resolves names and nodes, in their order: from the index if it can know the answer, otherwise from the chain.
 *
 * @example
 * const [result] = await resolveNames(ctx, [parseName("alice.eth")]);
 * const { state, source } = orThrow(result);
 */
export async function resolveNames<const Names extends readonly Requested[]>(
  ctx: Ctx,
  names: Names,
  { details, ...options }: ResolveOptions = {},
): Promise<Results<Names>> {
  const facts = names.length === 0 ? [] : await readFacts(ctx, names, { details: details ?? false });
  return (await resolveFacts(ctx, facts, options)) as Results<Names>;
}

/**
 * Resolves domains whose rows were already read, with all details. If a node is on two chains, the row that does not represent
 * the name is returned as indexed.
 */
export async function resolveListed<Row extends DomainState>(
  ctx: Ctx,
  rows: readonly Row[],
): Promise<{ row: Row; result: DomainResult }[]> {
  const requested = rows.map(({ node }) => ({ query: node, node }));
  const names =
    ctx.contracts.managed.length > 0
      ? await readIndexed(ctx, requested)
      : await readEnsv2(ctx, requested, new Map(rows.map((row) => [row.node, row])));
  const facts = addDetails(ctx, names).then((detailed) => completeFacts(ctx, requested, detailed));
  const [results, shown] = await Promise.all([
    facts.then((complete) => resolveFacts(ctx, complete, {})),
    showTexts(ctx, rows),
  ]);
  return rows.map((row, i) => {
    const isAnswering = names.get(row.node)?.state.chainId === row.chainId;
    const asIndexed: ResolvedDomain = { kind: "known", state: shown[i] ?? row, source: "indexed" };
    return { row: shown[i] ?? row, result: (isAnswering && results[i]) || asIndexed };
  });
}

/** @throws ApiError LIVE_RESOLUTION_FAILED if only the chain knows the answer, and it could not be read */
export function orThrow(result: DomainResult): ResolvedDomain {
  if (result.kind === "unresolved") throw result.error;
  return result;
}

/** A name, the source that can answer for it, and its text if the chain may have to be read. */
type Resolution = { facts: NameFacts; decision: Decision; text: string | null };

async function resolveFacts(
  ctx: Ctx,
  names: readonly NameFacts[],
  { records, live = false }: Omit<ResolveOptions, "details">,
): Promise<DomainResult[]> {
  const resolutions = await mapYielding(names, (facts): Resolution => {
    const decision = decide(facts, ctx.contracts);
    const mayNeedChain = live || decision.kind === "chain" || decision.kind === "chainForResolver";
    return { facts, decision, text: mayNeedChain ? resolvableText(facts) : null };
  });
  const fromIndex = resolutions.map((one) => (live ? null : indexResult(one, records !== undefined)));
  const questions = resolutions.flatMap(({ facts, text }, i) =>
    text !== null && fromIndex[i] === null ? [{ facts, text }] : [],
  );
  const answers = await askChain(ctx, questions, records);
  return resolutions.map((one, i) => fromIndex[i] ?? chainResult(one, answers.get(one.facts)));
}

/** The result without the chain; null if the chain is needed. */
function indexResult({ decision, text }: Resolution, needsResolver: boolean): ResolvedDomain | null {
  switch (decision.kind) {
    case "indexed":
      return { kind: "known", state: decision.state, source: "indexed" };
    case "chainForResolver": {
      if (needsResolver || text !== null) return null;
      return { kind: "resolverNotAsked", state: decision.state, source: "indexed" };
    }
    case "chain":
      return null;
    default:
      return { kind: decision.kind, state: null, source: "indexed" };
  }
}

/** `answer`: undefined if the chain was not read because the text is unknown. */
function chainResult(
  { facts: { requested, indexed }, decision }: Resolution,
  answer: ChainAnswer | ApiError | undefined,
): LiveDomain | UnresolvedDomain {
  if (answer === undefined || answer instanceof ApiError) {
    const state = "state" in decision ? decision.state : null;
    const name = state?.fullName ?? indexed?.state.fullName ?? ("name" in requested ? requested.name : null);
    return { kind: "unresolved", source: "indexed", state, name, error: answer ?? textUnknown() };
  }
  const { state, ...others } = answer;
  if (state !== null) return { kind: "known", source: "live", state, ...others };
  return { kind: absenceOf(indexed?.state ?? requested), source: "live", state, ...others };
}

const textUnknown = () =>
  new ApiError(
    "LIVE_RESOLUTION_FAILED",
    `Only the chain knows the answer, and it finds names by their text. This name is known only by its node: it has more than ${MAX_NAME_BYTES} bytes, or an unknown ancestor. If you know its text, request that.`,
  );
