import { LRUCache } from "lru-cache";
import type { Hex } from "viem";

/** A gateway that failed to answer twice within a minute is left alone for half a minute. */
const FAILURES_WITHIN_MS = 60_000;
export const SILENCE_MS = 30_000;
/** Number of remembered gateways: the ones called last. */
const MAX_REMEMBERED = 1_000;
/** The longest question that is remembered, in characters. A question for a few records is far shorter. */
const MAX_PROOF = 4_096;

type Memory = {
  failedAt: number;
  /** When it may be called again; 0 if it may be called now. */
  silentUntil: number;
  /** True if it failed twice, and has not yet failed at the question it once answered. */
  isDoubted: boolean;
  isTrying: boolean;
  /** The first question that it answered, which is used to prove silence. Null if it answered none. */
  proof: Hex | null;
};

export type Outcome = "answered" | "silent" | "given up";

/** A permitted request. */
export type Attempt = {
  /** The question to send first, which decides whether the gateway is silent, or null. */
  trial: Hex | null;
  end: (outcome: Outcome, question: Hex) => void;
};

/** Remembers gateways that give no answer. The key contains the URL and the resolver that named it. */
export type SilentGateways = {
  /** Returns the seconds until the gateway may be called again, or an attempt, whose `end` must be called. */
  begin: (key: string) => { seconds: number } | Attempt;
};

/**
 * Remembers gateways that did not answer, so that their names fail at once and occupy no places. Any resolver may name any URL,
 * so the outcome of one resolver's questions says nothing about another's. Nor do a stranger's questions to an honest resolver: a
 * gateway that once answered is silent only if it no longer answers that question. After the pause, one request at a time tries
 * again, starting with that question.
 */
export function createSilentGateways(now: () => number = Date.now): SilentGateways {
  const remembered = new LRUCache<string, Memory>({ max: MAX_REMEMBERED });
  const memoryOf = (key: string): Memory => {
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const memory: Memory = {
      failedAt: Number.NEGATIVE_INFINITY,
      silentUntil: 0,
      isDoubted: false,
      isTrying: false,
      proof: null,
    };
    remembered.set(key, memory);
    return memory;
  };
  const attempt = (memory: Memory): Attempt => ({ trial: null, end: endOf(memory, now) });
  const trial = (memory: Memory): Attempt => {
    memory.isTrying = true;
    return { trial: memory.proof, end: endOfTrial(memory, now) };
  };
  return {
    begin: (key) => {
      const memory = memoryOf(key);
      if (memory.isDoubted) return memory.isTrying ? attempt(memory) : trial(memory);
      if (memory.silentUntil === 0) return attempt(memory);
      const left = memory.silentUntil - now();
      if (left > 0) return { seconds: Math.ceil(left / 1_000) };
      return memory.isTrying ? { seconds: 1 } : trial(memory);
    },
  };
}

const endOf =
  (memory: Memory, now: () => number): Attempt["end"] =>
  (outcome, question) => {
    if (outcome === "answered") return noteAnswer(memory, question);
    if (outcome === "given up" || memory.silentUntil > 0) return;
    const isAgain = now() - memory.failedAt < FAILURES_WITHIN_MS;
    memory.failedAt = now();
    if (!isAgain) return;
    if (memory.proof === null) memory.silentUntil = now() + SILENCE_MS;
    else memory.isDoubted = true;
  };

const endOfTrial =
  (memory: Memory, now: () => number): Attempt["end"] =>
  (outcome, question) => {
    memory.isTrying = false;
    if (outcome === "answered") return noteAnswer(memory, question);
    if (outcome === "given up") return;
    // It failed at this question before and after a pause, so it may no longer know the answer.
    if (!memory.isDoubted) memory.proof = null;
    memory.isDoubted = false;
    memory.failedAt = now();
    memory.silentUntil = now() + SILENCE_MS;
  };

function noteAnswer(memory: Memory, question: Hex): void {
  const proof = memory.proof ?? (question.length <= MAX_PROOF ? question : null);
  Object.assign(memory, { failedAt: Number.NEGATIVE_INFINITY, silentUntil: 0, isDoubted: false, proof });
}
