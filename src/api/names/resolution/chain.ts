import type { Hex } from "viem";
import { fitsInBytes, MAX_NAME_BYTES, nodeOfNameByNode } from "../../../ens/name.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import type { Block } from "../../server/serviceDb/liveAnswers.ts";
import type { Settled } from "../live/cache.ts";
import { LiveFailure } from "../live/failure.ts";
import type { LiveName, NameQuestion } from "../live/live.ts";
import type { LiveRecords, RecordSelection } from "../live/records.ts";
import { isTokenUnknown } from "../rules/ownership.ts";
import { isEthSecondLevel, nodeOfName, type ParsedName } from "../schemas/input.ts";
import type { DomainState } from "./domainState.ts";
import { entryPlaceOf } from "./ensv2/entryPlace.ts";
import type { Known } from "./known.ts";
import { stateOfLayer2, stateOfMain } from "./liveState.ts";

/** Selects the records to read if the chain is needed. */
export type RecordSelector = (node: Hex) => Promise<RecordSelection>;

/** What the chain says of a name at a block, with the selected records; the state is null if it has none. */
export type ChainAnswer = { state: DomainState | null; records: LiveRecords; blockNumber: number };

/** A name with its text as resolvers need it: as the index has it, or else as the caller wrote it. */
export type Spelled = { known: Known; text: string; name: DomainState | ParsedName };

/**
 * A name as resolvers need it. The index has it with the text of as many labels as are known. Where that is too long, or
 * another form, the caller's text is the name. Null if there is none: the chain can answer no question then.
 */
export function spell(known: Known): Spelled | null {
  const { requested, found } = known;
  if (found !== null && isText(found.state)) return { known, text: found.state.fullName, name: found.state };
  if (!("name" in requested) || nodeOfNameByNode(requested.name) !== null) return null;
  return { known, text: requested.name, name: found?.state ?? requested };
}

const isText = ({ fullName, node }: DomainState): boolean =>
  fitsInBytes(fullName, MAX_NAME_BYTES) && nodeOfName(fullName) === node;

/** Asks the chain for names. For each: its answer, or why there is none. */
export async function askChain(
  ctx: Ctx,
  names: readonly Spelled[],
  select: RecordSelector,
): Promise<ReadonlyMap<Known, ChainAnswer | ApiError>> {
  if (names.length === 0) return new Map();
  const block = await ctx.liveBlock().catch(failureOrThrow);
  if (block instanceof LiveFailure) return new Map(names.map(({ known }) => [known, toApiError(block)]));
  const questions = await Promise.all(names.map((name) => questionOf(name, select)));
  const isOfLayer2 = ({ known: { found } }: Question) =>
    found !== null && found.state.chainId !== ctx.contracts.chainId;
  const [ofMain, ofLayer2] = await Promise.all([
    askMain(
      ctx,
      block,
      questions.filter((one) => !isOfLayer2(one)),
    ),
    askLayer2(ctx, block, questions.filter(isOfLayer2)),
  ]);
  return new Map([...ofMain, ...ofLayer2]);
}

/** Names that are asked for at once where all their records are read: an answer can have a megabyte. */
const WAVE = 50;
/** Records that one answer about many names takes from the chain, in bytes: somewhat more than it has room for. */
export const MAX_LIVE_BYTES = 6_291_456;
/** For how long new questions of one answer begin. Each wave has the time limit of a request besides. */
const BEGIN_MS = 10_000;

/** The same for all records of many names, some of them at a time, so that strangers' records do not fill the memory. */
export async function askChainInWaves(
  ctx: Ctx,
  names: readonly Spelled[],
  select: RecordSelector,
): Promise<ReadonlyMap<Known, ChainAnswer | ApiError>> {
  const answers = new Map<Known, ChainAnswer | ApiError>();
  const begun = performance.now();
  let bytes = 0;
  for (let from = 0; from < names.length; from += WAVE) {
    const wave = names.slice(from, from + WAVE);
    const refused = refusal({ bytes, passed: performance.now() - begun });
    if (refused) for (const { known } of wave) answers.set(known, refused);
    else {
      for (const [known, answer] of await askChain(ctx, wave, select)) {
        answers.set(known, answer);
        bytes += bytesOf(answer);
      }
    }
  }
  return answers;
}

function refusal({ bytes, passed }: { bytes: number; passed: number }): ApiError | null {
  if (bytes > MAX_LIVE_BYTES) {
    const message = "The records of the names before it fill the answer: ask for this one with fewer others.";
    return new ApiError("RESPONSE_TOO_LARGE", message);
  }
  if (passed <= BEGIN_MS) return null;
  const message = "The chain answered slowly, and this name's turn did not come in the time for one answer.";
  return new ApiError("LIVE_RESOLUTION_FAILED", message);
}

const bytesOf = (answer: ChainAnswer | ApiError): number =>
  answer instanceof ApiError
    ? 0
    : answer.records.texts.reduce((sum, { key, value }) => sum + key.length + (value?.length ?? 0), 0) +
      answer.records.addresses.reduce((sum, { address }) => sum + (address?.length ?? 0), 0) +
      (answer.records.contenthash?.length ?? 0);

type Question = Spelled & { question: NameQuestion };

async function questionOf(spelled: Spelled, select: RecordSelector): Promise<Question> {
  const { known, text, name } = spelled;
  const ensv2 = known.found?.state.ensv2;
  const question = {
    name: text,
    node: name.node,
    ethLabelhash: isEthSecondLevel(name) ? name.labelhash : null,
    ...(ensv2?.protocol === "ensv2" && { place: entryPlaceOf(ensv2, text) }),
    wanted: await select(name.node),
  };
  return { ...spelled, question };
}

/** Owners, expiry and records of names of the main chain. */
async function askMain(ctx: Ctx, block: Block, asks: readonly Question[]): Promise<Answered[]> {
  const answers = await ctx.live.names(
    block,
    asks.map(({ question }) => question),
  );
  return asks.map(({ known, name }, i) => {
    const tell = (answer: LiveName) => ({
      state: stateOfMain({ name, found: known.found }, answer, ctx),
      records: answer.records,
    });
    return [known, answerBy(answers[i] as Settled<LiveName>, block, tell)];
  });
}

/** Records of names of layer 2s: what registries say of them, the index has, or no one here can tell. */
async function askLayer2(ctx: Ctx, block: Block, asks: readonly Question[]): Promise<Answered[]> {
  const [unknown, others] = partition(
    asks,
    ({ known: { found } }) => found !== null && isTokenUnknown(found.state),
  );
  const answers = await ctx.live.records(
    block,
    others.map(({ question }) => question),
  );
  const answered = others.map(({ known }, i): Answered => {
    const tell = (records: LiveRecords) => ({
      state: known.found && stateOfLayer2(known.found.state, records),
      records,
    });
    return [known, answerBy(answers[i] as Settled<LiveRecords>, block, tell)];
  });
  return [...answered, ...unknown.map(({ known }): Answered => [known, tokenUnknown()])];
}

const tokenUnknown = () =>
  new ApiError(
    "LIVE_RESOLUTION_FAILED",
    "A controller whose logs are not known renewed this name. Only its layer 2's contracts can tell who owns it since, and live answers ask the main chain.",
  );

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

type Answered = [Known, ChainAnswer | ApiError];

const answerBy = <Answer>(
  settled: Settled<Answer>,
  { number }: Block,
  tell: (answer: Answer) => Omit<ChainAnswer, "blockNumber">,
): ChainAnswer | ApiError =>
  "failure" in settled ? toApiError(settled.failure) : { ...tell(settled.answer), blockNumber: number };

/** A failure of the chain as a value. Every other error is thrown. */
export function failureOrThrow(error: unknown): LiveFailure {
  if (error instanceof LiveFailure) return error;
  throw error;
}

/** The error that callers get for a failure of the chain. */
export const toApiError = ({ message }: LiveFailure): ApiError =>
  new ApiError("LIVE_RESOLUTION_FAILED", message);
