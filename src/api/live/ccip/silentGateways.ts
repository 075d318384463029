import { LRUCache } from "lru-cache";

/** A gateway that gave no answer twice within a minute is left alone for half a minute. */
const FAILURES_WITHIN_MS = 60_000;
export const SILENCE_MS = 30_000;
/** Gateways that are remembered: those that failed last. */
const MAX_REMEMBERED = 1_000;

type Memory = { failedAt: number; silentUntil: number; isTrying: boolean };

/** Remembers gateways that give no answer, by the URL that resolvers name. */
export type SilentGateways = {
  /** Seconds until the gateway is asked again; 0 if it may be asked now, which `end` must follow. */
  begin: (url: string) => number;
  end: (url: string, outcome: "answered" | "silent" | "given up") => void;
};

/**
 * Remembers gateways that did not answer, so that their names fail at once and hold no places. After the time one request
 * at a time tries again. The whole URL counts and not its host: a stranger who names a slow page of an honest host
 * silences that page only. Each host has a limit of its own, whatever the URLs.
 */
export function createSilentGateways(now: () => number = Date.now): SilentGateways {
  const remembered = new LRUCache<string, Memory>({ max: MAX_REMEMBERED });
  return {
    begin: (url) => {
      const memory = remembered.get(url);
      if (memory === undefined || memory.silentUntil === 0) return 0;
      const left = memory.silentUntil - now();
      if (left > 0) return Math.ceil(left / 1_000);
      if (memory.isTrying) return 1;
      memory.isTrying = true;
      return 0;
    },
    end: (url, outcome) => {
      const memory = remembered.get(url);
      if (outcome === "answered") return void remembered.delete(url);
      if (outcome === "given up") {
        if (memory !== undefined) memory.isTrying = false;
        return;
      }
      const isAgain = memory !== undefined && now() - memory.failedAt < FAILURES_WITHIN_MS;
      const isSilent = isAgain || memory?.isTrying === true;
      const silentUntil = isSilent ? now() + SILENCE_MS : 0;
      remembered.set(url, { failedAt: now(), silentUntil, isTrying: false });
    },
  };
}
