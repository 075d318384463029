import { z } from "zod";
import type { Network } from "./network.ts";
import { wholeNumber } from "./words.ts";

/** How old the index may become before it is refused, or its indexer ended. */
export type AgeSettings = {
  /** How old the newest indexed block may be for the index to answer; null for chains whose time stands still. */
  maxLagSeconds: number | null;
  /** How long the index may stand still while its chain goes on, before the indexer is ended; null for ever. */
  watchdogSeconds: number | null;
};

export const ageVariables = z.object({
  MAX_LAG_SECONDS: z.union([z.literal("off"), wholeNumber(1, 1_000_000_000)]).optional(),
  WATCHDOG_SECONDS: z.union([z.literal("off"), wholeNumber(1, 86_400)]).optional(),
});

export const ageExpectations = {
  MAX_LAG_SECONDS: ["a whole number of seconds from 1, or off", "120"],
  WATCHDOG_SECONDS: ["a whole number of seconds from 1 to 86400, or off", "300"],
} as const;

type AgeValues = z.output<typeof ageVariables> & { ENS_NETWORK: Network };

export const toAgeSettings = (known: AgeValues): AgeSettings => ({
  maxLagSeconds: readMaxLag(known),
  watchdogSeconds: readWatchdog(known),
});

/** Public chains make a block every 12 seconds; an index further behind the clock than this is known to be late. */
const LATE_SECONDS = 120;

/** Far more than a chain rests between blocks, and than an indexer does over one. */
const STALLED_SECONDS = 300;

function readWatchdog({ ENS_NETWORK, WATCHDOG_SECONDS }: AgeValues): number | null {
  const chosen = WATCHDOG_SECONDS ?? (ENS_NETWORK === "devnet" ? "off" : STALLED_SECONDS);
  return chosen === "off" ? null : chosen;
}

function readMaxLag({ ENS_NETWORK, MAX_LAG_SECONDS }: AgeValues): number | null {
  const usual = ENS_NETWORK === "mainnet" || ENS_NETWORK === "sepolia" ? LATE_SECONDS : "off";
  const chosen = MAX_LAG_SECONDS ?? usual;
  return chosen === "off" ? null : chosen;
}
