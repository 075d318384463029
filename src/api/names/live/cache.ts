import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { onceAMinute } from "../../server/scheduling/onceAMinute.ts";
import type { AnswerKey, Block, LiveAnswers } from "../../server/serviceDb/liveAnswers.ts";
import { LiveFailure, type LiveStep } from "./failure.ts";

/** The outcome of one question to the chain. */
export type ChainResult<Answer> = { answer: Answer } | { failure: LiveFailure };

/** A question in its cached form and in its executable form. */
export type CachedCall<Ask> = { question: CallersQuestion; ask: Ask };

/** Callers are kept apart: none waits for another's questions in flight, or gets another's failures. */
type CallersQuestion = AnswerKey & { caller?: string };

/** Answers questions at a block, each at most once. See {@link createAnswerCache}. */
export type AnswerCache = <Ask, Answer>(
  block: Block,
  asked: readonly CachedCall<Ask>[],
  resolve: (asks: readonly Ask[]) => readonly Promise<Answer>[],
) => Promise<ChainResult<Answer>[]>;

/** Called with the source of each answer, and with the step at which a resolution failed. */
export type LiveObserver = {
  answered: (from: "chain" | "store" | "flight" | "failure") => void;
  failed: (step: LiveStep) => void;
};

const noObserver: LiveObserver = { answered: () => {}, failed: () => {} };

/** How long a failure is cached, to spare a node or gateway in trouble. */
const FAILURE_MS = 3_000;
const MAX_FAILURES = 10_000;

/** Answers stored within the last minutes, at any block, in the order of the questions. Calls no node. */
export async function recallAnswers<Answer>(
  answers: LiveAnswers,
  questions: readonly AnswerKey[],
): Promise<(Answer | undefined)[]> {
  if (questions.length === 0) return [];
  const stored = await answers
    .findRecent(questions)
    .catch((error) => warn(error, new Map<string, unknown>()));
  return questions.map(({ text }) => stored.get(text) as Answer | undefined);
}

type Memory = { answers: LiveAnswers; failures: LRUCache<string, LiveFailure>; observer: LiveObserver };

/**
 * Shares answers of the chain. An answer is stored under its block, for all replicas. Simultaneous equal questions of a caller
 * share one flight. A failure is cached for a few seconds, for its caller. If the store fails, answers still come from the chain.
 */
export function createAnswerCache(answers: LiveAnswers, observer: LiveObserver = noObserver): AnswerCache {
  const flights = new Map<string, Promise<ChainResult<unknown>>>();
  const failures = new LRUCache<string, LiveFailure>({ max: MAX_FAILURES, ttl: FAILURE_MS });
  const clean = onceAMinute(() => answers.removeOld().catch((error) => warn(error, undefined)));
  return async <Ask, Answer>(
    block: Block,
    asked: readonly CachedCall<Ask>[],
    resolve: (asks: readonly Ask[]) => readonly Promise<Answer>[],
  ) => {
    clean();
    const byKey = new Map(asked.map((one) => [keyOf(block, one.question), one]));
    const failed = new Map([...byKey.keys()].map((key) => [key, failures.get(key)]));
    const fresh = [...byKey].filter(([key]) => !flights.has(key) && !failed.get(key));
    for (const key of byKey.keys()) {
      if (failed.get(key)) observer.answered("failure");
      else if (flights.has(key)) observer.answered("flight");
    }
    const questions = fresh.map(([, one]) => one);
    const batch = settle({ answers, failures, observer }, { block, asked: questions, resolve });
    for (const [key, { question }] of fresh) {
      const flight = batch.then((settled) => settled.get(question.text) as Promise<ChainResult<Answer>>);
      flights.set(key, flight);
      void flight.catch(() => {}).finally(() => flights.delete(key));
    }
    return Promise.all(
      asked.map(({ question }): Promise<ChainResult<Answer>> => {
        const key = keyOf(block, question);
        const failure = failed.get(key);
        return failure ? Promise.resolve({ failure }) : (flights.get(key) as Promise<ChainResult<Answer>>);
      }),
    );
  };
}

type Batch<Ask, Answer> = {
  block: Block;
  asked: readonly CachedCall<Ask>[];
  resolve: (asks: readonly Ask[]) => readonly Promise<Answer>[];
};

/** Resolves what is not stored yet. Each answer is stored before it is returned. */
async function settle<Ask, Answer>(
  memory: Memory,
  { block, asked, resolve }: Batch<Ask, Answer>,
): Promise<Map<string, Promise<ChainResult<Answer>>>> {
  if (asked.length === 0) return new Map();
  const questions = asked.map(({ question }) => question);
  const stored = await memory.answers
    .find(block, questions)
    .catch((error) => warn(error, new Map<string, unknown>()));
  const missing = asked.filter(({ question }) => !stored.has(question.text));
  const resolved = resolve(missing.map(({ ask }) => ask));
  const settled = new Map<string, Promise<ChainResult<Answer>>>();
  for (const [text, answer] of stored) {
    memory.observer.answered("store");
    settled.set(text, Promise.resolve({ answer: answer as Answer }));
  }
  missing.forEach(({ question }, index) => {
    settled.set(
      question.text,
      keep(memory, { block, question, resolved: resolved[index] as Promise<Answer> }),
    );
  });
  return settled;
}

async function keep<Answer>(
  { answers, failures, observer }: Memory,
  { block, question, resolved }: { block: Block; question: CallersQuestion; resolved: Promise<Answer> },
): Promise<ChainResult<Answer>> {
  try {
    const answer = await resolved;
    observer.answered("chain");
    await answers.put(block, question, answer).catch((error) => warn(error, undefined));
    return { answer };
  } catch (error) {
    const failure = toLiveFailure(error);
    observer.failed(failure.step);
    failures.set(keyOf(block, question), failure);
    return { failure };
  }
}

/** A hash, because a question can be long: it contains the name and all requested keys. */
const keyOf = ({ number, timestamp }: Block, { text, caller = "" }: CallersQuestion): string =>
  createHash("sha256")
    .update(JSON.stringify([number, timestamp, caller, text]))
    .digest("base64");

/** A timeout is a failure of the chain. Unexpected errors are rethrown. */
function toLiveFailure(error: unknown): LiveFailure {
  if (error instanceof LiveFailure) return error;
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return new LiveFailure("deadline", "The name could not be resolved on chain in time.");
  }
  throw error;
}

function warn<T>(error: unknown, instead: T): T {
  console.warn("The store of live answers cannot be used:", error instanceof Error ? error.message : error);
  return instead;
}
