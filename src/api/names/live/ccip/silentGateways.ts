import { LRUCache } from "lru-cache";
import type { Hex } from "viem";

/** A gateway that gave no answer twice within a minute is left alone for half a minute. */
const FAILURES_WITHIN_MS = 60_000;
export const SILENCE_MS = 30_000;
/** Gateways that are remembered: those that were asked last. */
const MAX_REMEMBERED = 1_000;
/** The longest question that is remembered, in characters: a question for a few records is far shorter. */
const MAX_PROOF = 4_096;

type Memory = {
  failedAt: number;
  /** Until when it is not asked; 0 if it may be. */
  silentUntil: number;
  /** It failed twice, and has not yet failed at what it once answered. */
  isDoubted: boolean;
  isTrying: boolean;
  /** The first question that it answered: with it silence is proved. Null if it answered none. */
  proof: Hex | null;
};

export type Outcome = "answered" | "silent" | "given up";

/** One request, which may be made. */
export type Attempt = {
  /** What has to be asked first, and decides whether the gateway is silent; null if nothing. */
  trial: Hex | null;
  end: (outcome: Outcome, question: Hex) => void;
};

/** Remembers gateways that give no answer. The key names the URL and the resolver that names it. */
export type SilentGateways = {
  /** Seconds until the gateway is asked again, or an attempt, whose `end` must follow. */
  begin: (key: string) => { seconds: number } | Attempt;
};

/**
 * Remembers gateways that did not answer, so that their names fail at once and hold no places. Any resolver may name any
 * URL: what one resolver's questions come to says nothing about another's. Nor do a stranger's questions to an honest
 * resolver: one that answered before is silent only if it no longer answers that question. After the time one request at a
 * time tries again, with that question first.
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
    // It failed at this question before and after a pause: the gateway may have forgotten it.
    if (!memory.isDoubted) memory.proof = null;
    memory.isDoubted = false;
    memory.failedAt = now();
    memory.silentUntil = now() + SILENCE_MS;
  };

function noteAnswer(memory: Memory, question: Hex): void {
  const proof = memory.proof ?? (question.length <= MAX_PROOF ? question : null);
  Object.assign(memory, { failedAt: Number.NEGATIVE_INFINITY, silentUntil: 0, isDoubted: false, proof });
}
