import { setTimeout as sleep } from "node:timers/promises";
import { isLabelOf, isPrintable } from "../../../ens/name.ts";
import { messageOf } from "../../server/postgres/databaseErrors.ts";
import { workInTurns } from "../../server/scheduling/repeated.ts";
import type { AskedLabels } from "../../server/serviceDb/askedLabels.ts";
import { type LabelService, LabelServiceError } from "./labelService.ts";

export type HealingPlan = {
  service: LabelService;
  asked: AskedLabels;
  /** Schema of this process's index. */
  schema: string;
  /** Whether the index has all that is past: before that most hashes are still to be spelled out. */
  mayAsk: () => Promise<boolean>;
  /** Does the work if no other process asks the service; `ended` is aborted once this one may not go on. */
  alone: (stopped: AbortSignal, work: (ended: AbortSignal) => Promise<void>) => Promise<void>;
  warn: (line: string) => void;
  times?: HealingTimes;
};

/** In milliseconds. */
export type HealingTimes = {
  /** Between two questions. */
  question: number;
  /** After all names were gone through. */
  round: number;
  /** While the index is not ready, or another process asks. */
  turn: number;
  /** After a failure; each further one in a row doubles it, up to `longest`. */
  failure: number;
  longest: number;
};

/** Five questions a second at most: hosted services promise nothing, and a million names take three days. */
const usualTimes: HealingTimes = {
  question: 200,
  round: 60_000,
  turn: 5_000,
  failure: 1_000,
  longest: 600_000,
};

/**
 * Asks a service for labels of which the index has the hash alone, one after the other, beside the index. Every process of the
 * API tries this, with an indexer in it or not, and a lock lets one do it. What the service knows goes the way of all
 * labels that others than the chain's logs gave; what it does not know is not asked again for a month.
 */
export function startHealing(plan: HealingPlan): { stop: () => Promise<void> } {
  const turns = workInTurns({
    pauseMs: (plan.times ?? usualTimes).turn,
    onError: ({ message }) => plan.warn(`Labels cannot be asked for: ${message}`),
    turn: async (stopped) => {
      if (await plan.mayAsk()) await plan.alone(stopped, (ended) => askInRounds(plan, ended));
    },
  });
  return {
    stop: async () => {
      const stopped = turns.stop();
      await plan.service.close();
      await stopped;
    },
  };
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => {});

/** Goes through the names again and again, more slowly while the service fails. */
async function askInRounds(plan: HealingPlan, ended: AbortSignal): Promise<void> {
  const { warn, times = usualTimes } = plan;
  let failures = 0;
  const onFailure = async (error: unknown): Promise<void> => {
    if (ended.aborted) return;
    const isFinal = error instanceof LabelServiceError && error.isFinal;
    const wait = isFinal ? times.longest : Math.min(times.failure * 2 ** failures, times.longest);
    failures++;
    warn(`Labels cannot be asked for: ${messageOf(error)}`);
    await pause(wait, ended);
  };
  while (!ended.aborted && (await plan.mayAsk())) {
    try {
      await askForAll(plan, { ended, onAnswer: () => (failures = 0), onFailure });
      await pause(times.round, ended);
    } catch (error) {
      await onFailure(error);
    }
  }
}

type Asking = { ended: AbortSignal; onAnswer: () => void; onFailure: (error: unknown) => Promise<void> };

/** One round over the names with unknown labels. A failed lookup is skipped and repeated in the next round. */
async function askForAll(plan: HealingPlan, { ended, onAnswer, onFailure }: Asking): Promise<void> {
  const { asked, schema, times = usualTimes } = plan;
  for (let page = await asked.listUnasked(schema, null); page !== null; ) {
    for (const hash of page.hashes) {
      if (ended.aborted) return;
      await askFor(plan, { hash, onAnswer }).then(() => pause(times.question, ended), onFailure);
    }
    page = await asked.listUnasked(schema, page.last);
  }
}

async function askFor(
  { service, asked }: HealingPlan,
  { hash, onAnswer }: { hash: `0x${string}` } & Pick<Asking, "onAnswer">,
): Promise<void> {
  const label = await service.heal(hash);
  if (label !== null && isPrintable(label) && isLabelOf(hash, label)) await asked.noteKnown(hash, label);
  else await asked.noteUnknown(hash);
  onAnswer();
}
