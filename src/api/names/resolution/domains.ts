import { MAX_NAME_BYTES } from "../../../ens/name.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { mapYielding } from "../../server/scheduling/turns.ts";
import type { LiveRecords } from "../live/records.ts";
import type { ParsedName } from "../schemas/input.ts";
import {
  askChain,
  askChainInWaves,
  type ChainAnswer,
  type RecordSelector,
  type Spelled,
  spell,
} from "./chain.ts";
import { type Absence, absenceOf, decide, type Outcome } from "./decision.ts";
import type { DomainState } from "./domainState.ts";
import { readEnsv2 } from "./ensv2/readEnsv2.ts";
import type { FoundByNode, Requested } from "./found.ts";
import {
  completeKnown,
  type Known,
  readFound,
  readFoundForRecords,
  readKnown,
  withDetails,
} from "./known.ts";
import { showTexts } from "./provenLabels.ts";

/** What is known of a name, and where it comes from. */
export type ResolvedDomain =
  | (({ kind: "known"; state: DomainState } | { kind: Absence; state: null }) &
      ({ source: "indexed" } | { source: "live"; records: LiveRecords; blockNumber: number }))
  /** What registries say is known. What the name's resolver says is not: no text of the name is known to ask it by. */
  | { kind: "resolverNotAsked"; state: DomainState; source: "indexed" };

/**
 * Only the chain could tell, and it could not be asked. What registries say of the name may be certain by the index all the
 * same: then it is the state.
 */
export type UnresolvedDomain = {
  kind: "unresolved";
  state: DomainState | null;
  source: "indexed";
  /** The name, as far as its text is known. */
  name: string | null;
  error: ApiError;
};

/** What is known of a name, or why not all of it is. */
export type DomainOutcome = ResolvedDomain | UnresolvedDomain;

/** What the chain says at a block, with the records that were selected. */
export type LiveDomain = Extract<ResolvedDomain, { source: "live" }>;

/** A domain record shows no other text record, and this one only where it is the name itself in other capitals. */
const displayOnly: RecordSelector = async () => ({
  coinTypes: [],
  contenthash: false,
  texts: ["display"],
  longestText: MAX_NAME_BYTES,
});

/**
 * What is known of a name or node: by the index where it can know, else by the chain.
 *
 * @throws ApiError LIVE_RESOLUTION_FAILED if only the chain can tell, and it could not be asked
 * @example
 * const { state, source } = await resolveDomain(ctx, parseName("alice.eth"));
 * if (state === null) return `unknown (${source})`;
 * return state.resolver;
 */
export const resolveDomain = async (ctx: Ctx, requested: Requested): Promise<ResolvedDomain> =>
  orThrow(await tryDomain(ctx, requested));

/** The same, with what is certain where the chain could not be asked. */
export async function tryDomain(ctx: Ctx, requested: Requested): Promise<DomainOutcome> {
  const [outcome] = await tryDomains(ctx, [requested]);
  return outcome as DomainOutcome;
}

/** The same for many names and nodes, in their order. */
export const tryDomains = async (ctx: Ctx, requested: readonly Requested[]): Promise<DomainOutcome[]> =>
  tryFound(ctx, requested, await readFoundForRecords(ctx, requested));

/**
 * The same for domains that were read from the index already, each with its row. Of a node that is on two chains, the row
 * that does not answer for the name is as the index has it.
 */
export async function tryListed<Row extends DomainState>(
  ctx: Ctx,
  rows: readonly Row[],
): Promise<{ row: Row; outcome: DomainOutcome }[]> {
  const requested = rows.map(({ node }) => ({ query: node, node }));
  const found =
    ctx.contracts.managed.length > 0
      ? await readFound(ctx, requested)
      : await readEnsv2(ctx, requested, new Map(rows.map((row) => [row.node, row])));
  const [outcomes, shown] = await Promise.all([tryFound(ctx, requested, found), showTexts(ctx, rows)]);
  return rows.map((row, i) => {
    const isAnswering = found.get(row.node)?.state.chainId === row.chainId;
    const stored: ResolvedDomain = { kind: "known", state: shown[i] ?? row, source: "indexed" };
    return { row: shown[i] ?? row, outcome: (isAnswering && outcomes[i]) || stored };
  });
}

const tryFound = async (
  ctx: Ctx,
  requested: readonly Requested[],
  found: FoundByNode,
  records?: WantedRecords,
): Promise<DomainOutcome[]> =>
  tryAll(ctx, await completeKnown(ctx, requested, await withDetails(ctx, found)), records);

/** What is known of many names and nodes, with the records that are selected where the chain answers. */
export const tryDomainsWithRecords = async (
  ctx: Ctx,
  requested: readonly Requested[],
  select: RecordSelector,
): Promise<DomainOutcome[]> =>
  tryFound(ctx, requested, await readFoundForRecords(ctx, requested), { select, ask: askChainInWaves });

/**
 * What is known of a name, for an answer about its records.
 *
 * @throws ApiError LIVE_RESOLUTION_FAILED if only the chain can tell, and it could not be asked
 */
export const resolveWithRecords = async (
  ctx: Ctx,
  name: ParsedName,
  select: RecordSelector,
): Promise<ResolvedDomain> => orThrow(await tryWithRecords(ctx, name, select));

/** The same, with what is certain where the chain could not be asked. */
export async function tryWithRecords(
  ctx: Ctx,
  name: ParsedName,
  select: RecordSelector,
): Promise<DomainOutcome> {
  const [outcome] = await tryAll(ctx, await readKnown(ctx, [name]), { select, ask: askChain });
  return outcome as DomainOutcome;
}

/**
 * What the chain says of a name, even if the index could answer.
 *
 * @throws ApiError LIVE_RESOLUTION_FAILED
 */
export const resolveLive = async (ctx: Ctx, name: ParsedName, select: RecordSelector): Promise<LiveDomain> =>
  orThrow(await tryLive(ctx, name, select));

/** The same, with what is certain where the chain could not be asked. */
export async function tryLive(
  ctx: Ctx,
  name: ParsedName,
  select: RecordSelector,
): Promise<LiveDomain | UnresolvedDomain> {
  const [outcome] = await tryLiveAll(ctx, [name], select);
  return outcome as LiveDomain | UnresolvedDomain;
}

/** The same for many names and nodes, in their order. */
export async function tryLiveAll(
  ctx: Ctx,
  requested: readonly Requested[],
  select: RecordSelector,
): Promise<(LiveDomain | UnresolvedDomain)[]> {
  if (requested.length === 0) return [];
  const names = (await readKnown(ctx, requested)).map((known) => ({ known, spelled: spell(known) }));
  const answers = await askChainInWaves(
    ctx,
    names.flatMap(({ spelled }) => spelled ?? []),
    select,
  );
  return names.map(({ known, spelled }) =>
    ofChain({ known, outcome: decide(known, ctx.contracts), spelled }, answers.get(known)),
  );
}

/** What is known of a name. @throws ApiError LIVE_RESOLUTION_FAILED if that is not all */
export function orThrow<Resolved extends ResolvedDomain>(outcome: Resolved | UnresolvedDomain): Resolved {
  if (outcome.kind === "unresolved") throw outcome.error;
  return outcome;
}

/** Which records are wanted where the chain answers, and how it is asked for them. */
type WantedRecords = { select: RecordSelector; ask: typeof askChain };

/** Decides for each name who can tell, and asks the chain where that is needed; for its records if some are selected. */
async function tryAll(ctx: Ctx, known: readonly Known[], records?: WantedRecords): Promise<DomainOutcome[]> {
  const decided = await mapYielding(known, (one): Decided => {
    const outcome = decide(one, ctx.contracts);
    return { known: one, outcome, spelled: isForChain(outcome) ? spell(one) : null };
  });
  const byIndex = new Map(
    decided.flatMap((one) => {
      const resolved = ofIndex(one, { needsResolver: records !== undefined });
      return resolved ? [[one.known, resolved] as const] : [];
    }),
  );
  const forChain = decided.flatMap((one) => (one.spelled && !byIndex.has(one.known) ? [one.spelled] : []));
  const answers = await (records?.ask ?? askChain)(ctx, forChain, records?.select ?? displayOnly);
  return decided.map((one) => byIndex.get(one.known) ?? ofChain(one, answers.get(one.known)));
}

/** What is decided for a name, with its text where the chain may be needed; null if no text of it is known. */
type Decided = { known: Known; outcome: Outcome; spelled: Spelled | null };

const isForChain = ({ kind }: Outcome): boolean => kind === "chain" || kind === "chainForResolver";

/** What the index answers without the chain; null if the chain is needed. */
function ofIndex(
  { outcome, spelled }: Decided,
  { needsResolver }: { needsResolver: boolean },
): ResolvedDomain | null {
  switch (outcome.kind) {
    case "indexed":
      return { kind: "known", state: outcome.state, source: "indexed" };
    case "chainForResolver": {
      if (needsResolver || spelled !== null) return null;
      return { kind: "resolverNotAsked", state: outcome.state, source: "indexed" };
    }
    case "chain":
      return null;
    default:
      return { kind: outcome.kind, state: null, source: "indexed" };
  }
}

/**
 * The answer of the chain; undefined where it got no question for want of a text. Where it could not be asked, what is
 * certain without it.
 */
function ofChain(
  { known: { requested, found }, outcome }: Decided,
  answer: ChainAnswer | ApiError | undefined,
): LiveDomain | UnresolvedDomain {
  if (answer === undefined || answer instanceof ApiError) {
    const state = "state" in outcome ? outcome.state : null;
    const name = state?.fullName ?? found?.state.fullName ?? ("name" in requested ? requested.name : null);
    return { kind: "unresolved", source: "indexed", state, name, error: answer ?? unspelled() };
  }
  const { state, ...others } = answer;
  if (state !== null) return { kind: "known", source: "live", state, ...others };
  return { kind: absenceOf(found?.state ?? requested), source: "live", state, ...others };
}

const unspelled = () =>
  new ApiError(
    "LIVE_RESOLUTION_FAILED",
    `Only the chain can tell, and it is asked by the text of a name. This one is known by its node alone: it has more than ${MAX_NAME_BYTES} bytes, or an ancestor that is unknown. If you know its text, ask by that.`,
  );
