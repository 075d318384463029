/** Repeated work: each run begins some time after the previous one has ended or failed. */
export type TurnsPlan = {
  turn: (ended: AbortSignal) => Promise<void>;
  /** Hears why a turn failed, unless it was stopped. */
  onError: (error: Error) => void;
  pauseMs: number;
};

/** Starts at once and runs until stopped. `stop` resolves when the last run has ended. */
export function workInTurns({ turn, onError, pauseMs }: TurnsPlan): { stop: () => Promise<void> } {
  const end = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const once = async () => {
    try {
      await turn(end.signal);
    } catch (error) {
      if (!end.signal.aborted) onError(error as Error);
    }
    if (!end.signal.aborted) timer = setTimeout(start, pauseMs).unref();
  };
  const start = () => {
    running = once();
  };
  start();
  return {
    stop: async () => {
      end.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
