import { setTimeout as sleep } from "node:timers/promises";
import { isLabelOf, isPrintable } from "../../ens/name.ts";
import type { AskedLabels } from "../serviceDb/askedLabels.ts";
import { type LabelService, LabelServiceError } from "./labelService.ts";

type Hash = `0x${string}`;

export type HealingPlan = {
  service: LabelService;
  asked: AskedLabels;
  /** Schema of this process's index. */
  schema: string;
  /** Whether this process indexes, and has indexed all that is past: before that most hashes are still to be spelled out. */
  mayAsk: () => Promise<boolean>;
  warn: (line: string) => void;
  times?: HealingTimes;
};

/** In milliseconds. */
export type HealingTimes = {
  /** Between two questions. */
  question: number;
  /** After all names were gone through, and while the index is not ready. */
  round: number;
  /** After a failure; each further one in a row doubles it, up to `longest`. */
  failure: number;
  longest: number;
};

/** Five questions a second at most: hosted services promise nothing, and a million names take three days. */
const usualTimes: HealingTimes = { question: 200, round: 60_000, failure: 1_000, longest: 600_000 };

/**
 * Asks a service for labels of which the index has the hash alone, one after the other, beside the index. What it knows goes
 * the way of all labels that others than the chain's logs gave; what it does not know is not asked again for a month.
 */
export function startHealing(plan: HealingPlan): { stop: () => Promise<void> } {
  const { service, warn, times = usualTimes } = plan;
  const end = new AbortController();
  const pause = (ms: number) => sleep(ms, undefined, { signal: end.signal, ref: false }).catch(() => {});
  const run = async (): Promise<void> => {
    let failures = 0;
    while (!end.signal.aborted) {
      try {
        if (await plan.mayAsk())
          await askForAll(plan, { pause, signal: end.signal, onAnswer: () => (failures = 0) });
        await pause(times.round);
      } catch (error) {
        const isFinal = error instanceof LabelServiceError && error.isFinal;
        const wait = isFinal ? times.longest : Math.min(times.failure * 2 ** failures, times.longest);
        failures++;
        warn(`Labels cannot be asked for: ${(error as Error).message}`);
        await pause(wait);
      }
    }
  };
  const running = run();
  return {
    stop: async () => {
      end.abort();
      await service.close();
      await running;
    },
  };
}

type Asking = { pause: (ms: number) => Promise<void>; signal: AbortSignal; onAnswer: () => void };

/** Goes through the names with unknown labels once. */
async function askForAll(plan: HealingPlan, asking: Asking): Promise<void> {
  const { asked, schema } = plan;
  for (let page = await asked.listUnknown(schema, null); page !== null; ) {
    const hashes = page.hashes.length === 0 ? [] : await asked.claim(page.hashes);
    await askFor(plan, hashes, asking);
    if (asking.signal.aborted) return;
    page = await asked.listUnknown(schema, page.last);
  }
}

/** Asks for hashes that are this process's. Those that it does not come to are released. */
async function askFor({ service, asked, times = usualTimes }: HealingPlan, hashes: Hash[], asking: Asking) {
  const left = [...hashes];
  try {
    for (let hash = left[0]; hash !== undefined && !asking.signal.aborted; hash = left[0]) {
      const label = await service.heal(hash);
      asking.onAnswer();
      if (label !== null && isPrintable(label) && isLabelOf(hash, label)) await asked.noteKnown(hash, label);
      else await asked.noteUnknown([hash]);
      left.shift();
      await asking.pause(times.question);
    }
  } finally {
    if (left.length > 0) await asked.release(left);
  }
}
