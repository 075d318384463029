import { LRUCache } from "lru-cache";
import type { Ctx } from "./context.ts";
import type { Endpoint } from "./endpoint.ts";

/** A question to an operation, and how it is answered and written. */
export type HotQuestion = {
  operation: Endpoint;
  input: Record<string, unknown>;
  ctx: Ctx;
  answer: (ctx: Ctx) => Promise<string>;
};

/** Answers a question, from memory where the same one was answered from the same state of the index. */
export type HotAnswers = (question: HotQuestion) => Promise<string>;

type Plan = {
  /** Which state the tables are in, or were in at most `KNOWN_MS` before the call. */
  readVersion: () => Promise<string>;
  /** How much the answers in memory may take; 0 keeps none. */
  maxBytes: number;
};

/**
 * How long the state of the tables counts as known, which bounds how far an answer from memory is behind them. The indexer's
 * notification of a block ends it at once; the time is for notifications that are late or lost. Ten queries a second at most
 * serve all hot questions.
 */
export const KNOWN_MS = 100;

/** A question is hot if it repeats within this time. Others cost no more than a lookup. */
const HOT_SECONDS = 1;
const MAX_QUESTIONS = 20_000;

/** Longest question and answer, in characters: frequent questions are about a name or an address. */
const MAX_QUESTION = 512;
export const MAX_ANSWER = 65_536;
const BYTES_OF_CHARACTER = 2;

/**
 * Keeps the answers to questions that many ask. An answer follows from the tables and the time in seconds: while both are
 * the same, so is the answer. Which state the tables are in is known for `KNOWN_MS`; then one small query serves all who ask. An
 * answer is of the state that was known before it was worked out, or of a later one. Those who ask while the answer is worked
 * out wait for it. What came from the chain, from a caller's proof or from a node is never stored.
 */
export function createHotAnswers({ readVersion, maxBytes }: Plan): HotAnswers {
  if (maxBytes === 0) return ({ ctx, answer }) => answer(ctx);
  const lastAsked = new LRUCache<string, number>({ max: MAX_QUESTIONS });
  const stored = new LRUCache<string, { state: string; text: string }>({
    maxSize: maxBytes,
    maxEntrySize: BYTES_OF_CHARACTER * (MAX_QUESTION + MAX_ANSWER),
    sizeCalculation: ({ text }, question) => BYTES_OF_CHARACTER * (text.length + question.length),
  });
  /** Null where the database does not tell, because tables are locked: the operation itself tries again, and says so. */
  const readState = (now: number): Promise<string | null> =>
    readVersion().then(
      (version) => `${now} ${version}`,
      () => null,
    );
  const running = new Map<string, { state: string; text: Promise<string | null> }>();

  /** Answers, and keeps the answer if it follows from the tables alone, and no block came meanwhile: null if not. */
  async function answerOnce({ ctx, answer }: HotQuestion, question: string, state: string) {
    const watched = watch(ctx);
    const text = await answer(watched.ctx);
    const isSame = watched.isOfTables() && (await readState(ctx.now)) === state;
    if (isSame) stored.set(question, { state, text });
    return { text, shared: isSame ? text : null };
  }

  /** The same, while others who ask the same of the same state wait for it. */
  async function answerForAll(asked: HotQuestion, question: string, state: string): Promise<string> {
    const answering = answerOnce(asked, question, state);
    const flight = { state, text: answering.then(({ shared }) => shared).catch(() => null) };
    running.set(question, flight);
    try {
      return (await answering).text;
    } finally {
      if (running.get(question) === flight) running.delete(question);
    }
  }

  return async (asked) => {
    const { operation, input, ctx, answer } = asked;
    const question = operation.hotAnswers ? questionOf(operation, input, ctx) : null;
    if (question === null) return answer(ctx);
    const before = lastAsked.get(question);
    lastAsked.set(question, ctx.now);
    if (before === undefined || ctx.now - before > HOT_SECONDS) return answer(ctx);
    const state = await readState(ctx.now);
    if (state === null) return answer(ctx);
    const known = stored.get(question);
    if (known?.state === state) return known.text;
    const flight = running.get(question);
    const text = flight?.state === state ? await flight.text : null;
    return text ?? answerForAll(asked, question, state);
  };
}

/** All that an answer follows from, besides the tables and the time; null if that is long. */
function questionOf({ path }: Endpoint, input: Record<string, unknown>, { namesAt }: Ctx): string | null {
  const text = JSON.stringify([path, namesAt, input], (_, value) =>
    typeof value === "bigint" ? `${value}n` : value,
  );
  return text.length > MAX_QUESTION ? null : text;
}

/** A context that records whether anything but the tables was read. */
function watch(ctx: Ctx): { ctx: Ctx; isOfTables: () => boolean } {
  let isOfTables = true;
  const noted =
    <Args extends unknown[], Result>(ask: (...args: Args) => Result) =>
    (...args: Args): Result => {
      isOfTables = false;
      return ask(...args);
    };
  const watched: Ctx = {
    ...ctx,
    liveBlock: noted(ctx.liveBlock),
    chainHead: noted(ctx.chainHead),
    provenLabels: { ...ctx.provenLabels, find: noted(ctx.provenLabels.find) },
    freshness: { ...ctx.freshness, report: noted(ctx.freshness.report) },
  };
  return { ctx: watched, isOfTables: () => isOfTables };
}
