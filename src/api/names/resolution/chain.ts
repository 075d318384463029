import type { Hex } from "viem";
import { LATE_SECONDS } from "../../../../settings/freshness.ts";
import { fitsInBytes, MAX_NAME_BYTES, nodeOfNameByNode } from "../../../ens/name.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { listProgress, readIndexerState } from "../../server/indexState/progress.ts";
import type { Db } from "../../server/postgres/db.ts";
import { chunksOf } from "../../server/scheduling/chunks.ts";
import type { Block } from "../../server/serviceDb/liveAnswers.ts";
import type { ChainResult } from "../live/cache.ts";
import type { EntryPlace } from "../live/entries.ts";
import { LiveFailure } from "../live/failure.ts";
import type { Live, LiveName, NameQuestion } from "../live/live.ts";
import type { LiveRecords, RecordSelection } from "../live/liveRecords.ts";
import { isTokenUnknown } from "../rules/ownership.ts";
import { isEthSecondLevel, nodeOfName, type ParsedName } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";
import type { Ensv2State } from "./ensv2/ensv2State.ts";
import { stateOfLayer2, stateOfMain } from "./liveState.ts";
import type { NameFacts } from "./nameFacts.ts";

/** Selects the records of names to read if the chain is needed, in the order of the names. */
export type RecordSelector = (nodes: readonly Hex[]) => Promise<readonly RecordSelection[]>;

/** Selects the same records of every name. */
export const sameRecords =
  (selection: RecordSelection): RecordSelector =>
  async (nodes) =>
    nodes.map(() => selection);

/** The chain's answer about a name at a block, with the selected records; `state` is null for a name without one. */
export type ChainAnswer = { state: DomainState | null; records: LiveRecords; blockNumber: number };

/** A domain record shows only the `display` text, which is never longer than the name. */
const displayOnly = sameRecords({
  coinTypes: [],
  contenthash: false,
  texts: ["display"],
  longestText: MAX_NAME_BYTES,
});

/** A name to read from the chain, with a text that hashes to its node as far as labels are known. */
export type ChainQuestion = { facts: NameFacts; text: string };

/**
 * The text of a name as resolvers need it: as indexed, or as the caller wrote it if the indexed text is too long or in another
 * form. Null if no such text exists; the name cannot be resolved then.
 */
export function resolvableText({ requested, indexed }: NameFacts): string | null {
  if (indexed !== null && isText(indexed.state)) return indexed.state.fullName;
  if (!("name" in requested) || nodeOfNameByNode(requested.name) !== null) return null;
  return requested.name;
}

const isText = ({ fullName, node }: DomainState): boolean =>
  fitsInBytes(fullName, MAX_NAME_BYTES) && nodeOfName(fullName) === node;

/** Names read concurrently with selected records: one answer can be a megabyte. */
const WAVE = 50;
/** Bytes of records that one answer about many names reads from the chain: somewhat more than it has room for. */
export const MAX_LIVE_BYTES = 6_291_456;
/** How long one answer may begin new questions. Each wave also has the time limit of a request. */
const BEGIN_MS = 10_000;

type Answers = ReadonlyMap<NameFacts, ChainAnswer | ApiError>;

/**
 * Reads names from the chain. Each name gets its answer, or the reason why it has no answer. Selected records are read in waves, so that
 * strangers' records do not fill the memory. Without a selection, only the `display` text is read.
 */
export async function askChain(
  ctx: Ctx,
  questions: readonly ChainQuestion[],
  select?: RecordSelector,
): Promise<Answers> {
  const waveSize = select === undefined ? questions.length : WAVE;
  const answers = new Map<NameFacts, ChainAnswer | ApiError>();
  const begun = performance.now();
  let bytes = 0;
  for (const wave of chunksOf(questions, waveSize)) {
    const refused = refusal({ bytes, passed: performance.now() - begun });
    const asked = refused ? allFailing(wave, refused) : await askAtOnce(ctx, wave, select ?? displayOnly);
    for (const [facts, answer] of asked) {
      answers.set(facts, answer);
      bytes += bytesOf(answer);
    }
  }
  return answers;
}

function refusal({ bytes, passed }: { bytes: number; passed: number }): ApiError | null {
  if (bytes > MAX_LIVE_BYTES) {
    const message = "The response is full. Request this name in a smaller batch.";
    return new ApiError("RESPONSE_TOO_LARGE", message);
  }
  if (passed <= BEGIN_MS) return null;
  const message = "The chain answered slowly, and time ran out before this name.";
  return new ApiError("LIVE_RESOLUTION_FAILED", message);
}

const bytesOf = (answer: ChainAnswer | ApiError): number =>
  answer instanceof ApiError
    ? 0
    : answer.records.texts.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0) +
      answer.records.addresses.reduce((sum, { address }) => sum + (address?.length ?? 0), 0) +
      (answer.records.contenthash?.length ?? 0);

const allFailing = (questions: readonly ChainQuestion[], error: ApiError): Answers =>
  new Map(questions.map(({ facts }) => [facts, error]));

type Call = { facts: NameFacts; question: NameQuestion };

async function askAtOnce(
  ctx: Ctx,
  questions: readonly ChainQuestion[],
  select: RecordSelector,
): Promise<Answers> {
  const block = await ctx.liveBlock().catch(failureOrThrow);
  if (block instanceof LiveFailure) return allFailing(questions, toApiError(block));
  const selections = await select(questions.map(({ facts }) => nameOf(facts).node));
  const calls = questions.map((one, i) => callOf(one, selections[i] as RecordSelection));
  const { main = [], layer2 = [], unknown = [] } = Object.groupBy(calls, ({ facts }) => holderOf(facts, ctx));
  const [names, records] = await Promise.all([
    ctx.live.names(block, main.map(questionIn)),
    ctx.live.records(block, layer2.map(questionIn)),
  ]);
  return new Map<NameFacts, ChainAnswer | ApiError>([
    ...main.map(({ facts }, i) => {
      const name = { name: nameOf(facts), indexed: facts.indexed };
      const toAnswer = (answer: LiveName) => ({
        state: stateOfMain(name, answer, ctx),
        records: answer.records,
      });
      return [facts, answerBy(names[i] as ChainResult<LiveName>, block, toAnswer)] as const;
    }),
    ...layer2.map(({ facts }, i) => {
      const toAnswer = (answer: LiveRecords) => ({
        state: facts.indexed && stateOfLayer2(facts.indexed.state, answer),
        records: answer,
      });
      return [facts, answerBy(records[i] as ChainResult<LiveRecords>, block, toAnswer)] as const;
    }),
    ...unknown.map(({ facts }) => [facts, tokenUnknown()] as const),
  ]);
}

const questionIn = ({ question }: Call): NameQuestion => question;

/**
 * Where the state of a name is. The main chain has owners, expiry and records of its own names. Of a layer 2 name it has only the
 * records: the state of its registry is in the index, or unknown.
 */
function holderOf({ indexed }: NameFacts, { contracts }: Ctx): "main" | "layer2" | "unknown" {
  if (indexed === null || indexed.state.chainId === contracts.chainId) return "main";
  return isTokenUnknown(indexed.state) ? "unknown" : "layer2";
}

function callOf({ facts, text }: ChainQuestion, wanted: RecordSelection): Call {
  const ensv2 = facts.indexed?.state.ensv2;
  const name = nameOf(facts);
  const question = {
    name: text,
    node: name.node,
    ethLabelhash: isEthSecondLevel(name) ? name.labelhash : null,
    ...(ensv2?.protocol === "ensv2" && { place: entryPlaceOf(ensv2, text) }),
    wanted,
  };
  return { facts, question };
}

/** A name with a text is either indexed or written by the caller. */
const nameOf = ({ indexed, requested }: NameFacts): DomainState | ParsedName =>
  indexed?.state ?? (requested as ParsedName);

const tokenUnknown = () =>
  new ApiError(
    "LIVE_RESOLUTION_FAILED",
    "An unknown controller renewed this name. Only the contracts of its layer 2 know the owner since then, and live answers read the main chain.",
  );

const answerBy = <Answer>(
  result: ChainResult<Answer>,
  { number }: Block,
  toAnswer: (answer: Answer) => Omit<ChainAnswer, "blockNumber">,
): ChainAnswer | ApiError =>
  "failure" in result ? toApiError(result.failure) : { ...toAnswer(result.answer), blockNumber: number };

/** Returns a failure of the chain as a value. Every other error is thrown. */
export function failureOrThrow(error: unknown): LiveFailure {
  if (error instanceof LiveFailure) return error;
  throw error;
}

/** The error that callers get for a failure of the chain. */
export const toApiError = ({ message }: LiveFailure): ApiError =>
  new ApiError("LIVE_RESOLUTION_FAILED", message);

/** A context that never reads the chain: questions to it fail. */
export const withoutChain = (ctx: Ctx): Ctx => ({
  ...ctx,
  liveBlock: async () => {
    throw new LiveFailure("rpc", "The chain is not asked for this.");
  },
});

/** Where live answers find the entry of an ENSv2 name; null if the index knows that there is none. */
function entryPlaceOf({ walk: { entry, unknown } }: Ensv2State, name: string): EntryPlace | null {
  const labels = name.split(".").toReversed();
  if (entry !== null) return { registry: entry.registry, labels: labels.slice(-1), isKnown: true };
  return unknown && { registry: unknown.registry, labels: labels.slice(unknown.depth - 1), isKnown: false };
}

/**
 * The block at which live answers are read. Usually this is the newest block of the index: both halves of an answer are then from
 * the same block, and finding it takes no call. If the index is known to be late (its indexer is not running, or the clock has
 * gone on), it is the chain's newest block according to the live nodes.
 *
 * @throws LiveFailure when the index is late and no live node answers
 */
export async function newestBlock(
  { db, live }: { db: Db; live: Live },
  { chainId, clock }: { chainId: number; clock: number | null },
): Promise<Block> {
  const [state, chains] = await Promise.all([readIndexerState(db), listProgress(db)]);
  const indexed = chains.find((chain) => chain.chainId === chainId);
  const isLate = clock !== null && indexed !== undefined && clock - indexed.blockTimestamp > LATE_SECONDS;
  if (indexed !== undefined && state.isRunning && !isLate) {
    return { number: indexed.blockNumber, timestamp: indexed.blockTimestamp };
  }
  return { number: Math.max(await live.newestBlock(), indexed?.blockNumber ?? 0), timestamp: 0 };
}
