import { LRUCache } from "lru-cache";
import type { AnswerKey, Block, LiveAnswers } from "../serviceDb/liveAnswers.ts";
import { LiveFailure, type LiveStep } from "./failure.ts";

/** What became of a question to the chain. */
export type Settled<Answer> = { answer: Answer } | { failure: LiveFailure };

/** A question as it is remembered, and as it is asked. */
export type CachedCall<Ask> = { question: AnswerKey; ask: Ask };

/** Answers questions at a block, each at most once: see {@link createAnswerCache}. */
export type AnswerCache = <Ask, Answer>(
  block: Block,
  asked: readonly CachedCall<Ask>[],
  resolve: (asks: readonly Ask[]) => readonly Promise<Answer>[],
) => Promise<Settled<Answer>[]>;

/** Who wants to know where answers come from, and which step of a resolution failed. */
export type LiveObserver = {
  answered: (from: "chain" | "store" | "flight" | "failure") => void;
  failed: (step: LiveStep) => void;
};

const nobody: LiveObserver = { answered: () => {}, failed: () => {} };

/** A failure is told again for so long: a node or gateway in trouble is not asked by every request. */
const FAILURE_MS = 3_000;
const MAX_FAILURES = 10_000;
const CLEANING_MS = 60_000;

type Memory = { answers: LiveAnswers; failures: LRUCache<string, LiveFailure>; observer: LiveObserver };

/**
 * Shares answers of the chain. An answer is kept in the store under its block, for all replicas; equal questions at the
 * same time wait for one flight; a failure is remembered for a few seconds. Trouble with the store costs no answer.
 */
export function createAnswerCache(answers: LiveAnswers, observer: LiveObserver = nobody): AnswerCache {
  const flights = new Map<string, Promise<Settled<unknown>>>();
  const failures = new LRUCache<string, LiveFailure>({ max: MAX_FAILURES, ttl: FAILURE_MS });
  const clean = cleanerOf(answers);
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
      const flight = batch.then((settled) => settled.get(question.text) as Promise<Settled<Answer>>);
      flights.set(key, flight);
      void flight.catch(() => {}).finally(() => flights.delete(key));
    }
    return Promise.all(
      asked.map(({ question }): Promise<Settled<Answer>> => {
        const key = keyOf(block, question);
        const failure = failed.get(key);
        return failure ? Promise.resolve({ failure }) : (flights.get(key) as Promise<Settled<Answer>>);
      }),
    );
  };
}

type Batch<Ask, Answer> = {
  block: Block;
  asked: readonly CachedCall<Ask>[];
  resolve: (asks: readonly Ask[]) => readonly Promise<Answer>[];
};

/** Resolves what the store does not hold; each answer is stored before it is given. */
async function settle<Ask, Answer>(
  memory: Memory,
  { block, asked, resolve }: Batch<Ask, Answer>,
): Promise<Map<string, Promise<Settled<Answer>>>> {
  if (asked.length === 0) return new Map();
  const questions = asked.map(({ question }) => question);
  const stored = await memory.answers
    .find(block, questions)
    .catch((error) => complain(error, new Map<string, unknown>()));
  const missing = asked.filter(({ question }) => !stored.has(question.text));
  const resolved = resolve(missing.map(({ ask }) => ask));
  const settled = new Map<string, Promise<Settled<Answer>>>();
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
  { block, question, resolved }: { block: Block; question: AnswerKey; resolved: Promise<Answer> },
): Promise<Settled<Answer>> {
  try {
    const answer = await resolved;
    observer.answered("chain");
    await answers.put(block, question, answer).catch((error) => complain(error, undefined));
    return { answer };
  } catch (error) {
    const failure = toLiveFailure(error);
    observer.failed(failure.step);
    failures.set(keyOf(block, question), failure);
    return { failure };
  }
}

/** Removes answers of old blocks now and then. */
function cleanerOf(answers: LiveAnswers): () => void {
  let cleanedAt = Date.now();
  return () => {
    if (Date.now() - cleanedAt < CLEANING_MS) return;
    cleanedAt = Date.now();
    void answers.removeOld().catch((error) => complain(error, undefined));
  };
}

const keyOf = ({ number, timestamp }: Block, { text }: AnswerKey): string => `${number}:${timestamp}:${text}`;

/** Time over is a failure of the chain; what we did not foresee is thrown on. */
function toLiveFailure(error: unknown): LiveFailure {
  if (error instanceof LiveFailure) return error;
  if (error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError")) {
    return new LiveFailure("deadline", "The name could not be resolved on chain in the time for one answer.");
  }
  throw error;
}

function complain<T>(error: unknown, instead: T): T {
  console.warn("The store of live answers cannot be used:", error instanceof Error ? error.message : error);
  return instead;
}
