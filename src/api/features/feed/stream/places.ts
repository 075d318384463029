import { retryLater } from "../../../server/errors/errors.ts";

/** Streams of one process, and of one caller there. */
export const MOST_STREAMS = 2_000;
export const MOST_OF_CALLER = 20;

const refusal = (why: string) => retryLater("RATE_LIMITED", why, 30);

export type StreamPlaces = ReturnType<typeof createStreamPlaces>;

/** Counts open streams. */
export function createStreamPlaces(most = MOST_STREAMS, mostOfCaller = MOST_OF_CALLER) {
  const taken = new Map<string, number>();
  let all = 0;
  return {
    /** How many are open. */
    count: (): number => all,
    /** Takes a place; gives what frees it. @throws ApiError RATE_LIMITED if the caller, or the process, has as many as it may */
    take: (caller: string): (() => void) => {
      const own = taken.get(caller) ?? 0;
      if (own >= mostOfCaller) throw refusal(`A caller may have at most ${mostOfCaller} open streams.`);
      if (all >= most) throw refusal("This server has no capacity for another stream.");
      all++;
      taken.set(caller, own + 1);
      return () => {
        all--;
        const left = (taken.get(caller) ?? 1) - 1;
        if (left === 0) taken.delete(caller);
        else taken.set(caller, left);
      };
    },
  };
}
