import { secondsOrOff } from "./kinds.ts";
import type { Network } from "./network.ts";
import { optional, type ValuesOf } from "./variable.ts";

/** How old the index may become before it is refused, and before the watchdog ends its indexer. */
export type FreshnessSettings = {
  /** Maximum age of the newest indexed block for the index to answer; null for chains whose time stands still. */
  maxLagSeconds: number | null;
  /** How long the index may be stuck while its chain advances, before the indexer is ended; null for no limit. */
  watchdogSeconds: number | null;
};

/** Public chains make a block every 12 seconds, so an index that is this far behind the clock is late. */
export const LATE_SECONDS = 120;

/** Far more than the pause between two blocks of a chain, and than an indexer needs for one. */
const STALLED_SECONDS = 300;

export const freshnessVariables = {
  MAX_LAG_SECONDS: optional(secondsOrOff(1_000_000_000), {
    example: String(LATE_SECONDS),
    unset: `mainnet and Sepolia: \`${LATE_SECONDS}\`; else \`off\``,
    meaning:
      "Maximum age of the newest indexed block. Beyond it, name operations return 503 `INDEX_NOT_READY` ([operations.md](operations.md#is-it-current)). Use `off` for chains that produce blocks on demand: the index then answers once it has reached the head.",
  }),
  WATCHDOG_SECONDS: optional(secondsOrOff(86_400), {
    example: String(STALLED_SECONDS),
    unset: `devnet: \`off\`; else \`${STALLED_SECONDS}\``,
    meaning:
      "How long the index may stall while its chain advances. After that, `npm start` exits with code 75 so that its supervisor restarts it ([operations.md](operations.md#the-watchdog)).",
  }),
};

type FreshnessValues = ValuesOf<typeof freshnessVariables> & { ENS_NETWORK: Network };

export const toFreshnessSettings = (known: FreshnessValues): FreshnessSettings => ({
  maxLagSeconds: readMaxLag(known),
  watchdogSeconds: readWatchdog(known),
});

function readWatchdog({ ENS_NETWORK, WATCHDOG_SECONDS }: FreshnessValues): number | null {
  const chosen = WATCHDOG_SECONDS ?? (ENS_NETWORK === "devnet" ? "off" : STALLED_SECONDS);
  return chosen === "off" ? null : chosen;
}

function readMaxLag({ ENS_NETWORK, MAX_LAG_SECONDS }: FreshnessValues): number | null {
  const usual = ENS_NETWORK === "mainnet" || ENS_NETWORK === "sepolia" ? LATE_SECONDS : "off";
  const chosen = MAX_LAG_SECONDS ?? usual;
  return chosen === "off" ? null : chosen;
}
