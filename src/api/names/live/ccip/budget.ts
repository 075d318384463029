import { LiveFailure } from "../failure.ts";

/** Rounds of look-ups that a contract may request before it has to answer. */
export const MAX_ROUNDS = 4;
/** Most requests to gateways per answer. A name's usual records need fewer, even if each takes one. */
export const MAX_LOOKUPS = 50;
/** Bytes exchanged per answer. Each round may bring the largest answer of the node (1 MiB). */
export const MAX_EXCHANGED_BYTES = 4 * 1_048_576;

/**
 * What one answer may still use. All its steps share it: the rounds of a resolution, the look-ups of a batch, and both halves of
 * a primary name.
 */
export type Budget = {
  /** The caller, who shares places with no other caller. */
  caller: string;
  /** The time limit for everything that the request reads from the chain. */
  signal: AbortSignal;
  rounds: number;
  lookups: number;
  bytes: number;
};

export const newBudget = (caller: string, signal: AbortSignal): Budget => ({
  caller,
  signal,
  rounds: MAX_ROUNDS,
  lookups: MAX_LOOKUPS,
  bytes: MAX_EXCHANGED_BYTES,
});

/** @throws LiveFailure if the contract has no rounds left */
export function takeRound(budget: Budget): void {
  if (budget.rounds-- > 0) return;
  throw new LiveFailure("gateway", `The resolver asked for more than ${MAX_ROUNDS} rounds of look-ups.`);
}

/** @throws LiveFailure if more bytes than allowed were exchanged */
export function takeBytes(budget: Budget, bytes: number): void {
  budget.bytes -= bytes;
  if (budget.bytes >= 0) return;
  const message = `The look-ups of the name's resolver hold more than ${MAX_EXCHANGED_BYTES} bytes in all.`;
  throw new LiveFailure("gateway", message);
}
