/** Runs a task as soon as its caller may have a place. */
export type Places = <Result>(
  caller: string,
  signal: AbortSignal,
  task: () => Promise<Result>,
) => Promise<Result>;

/** How many tasks may run in all and of one caller, how many may wait in all and of one caller. */
export type PlacesPlan = {
  running: { most: number; each: number };
  waiting: { most: number; each: number };
  /** The error of a task that finds too many waiting. */
  refuse: () => Error;
};

/** A caller that has places or waits for one. */
type Caller = { name: string; running: number; waiting: (() => void)[] };

/** `callers` has those first that got a place, or gave one back, longest ago. */
type State = { callers: Map<string, Caller>; running: number; waiting: number };

/**
 * Shares places fairly: a free place goes to the waiting caller that has the fewest; of several to the one that had
 * none for longest. So a newcomer waits for the end of one task of others, however many tasks they have. A task whose signal
 * is aborted while it waits is not started.
 */
export function fairPlaces(plan: PlacesPlan): Places {
  const state: State = { callers: new Map(), running: 0, waiting: 0 };
  return async (name, signal, task) => {
    signal.throwIfAborted();
    const caller = state.callers.get(name) ?? { name, running: 0, waiting: [] };
    const isFull = state.waiting >= plan.waiting.most || caller.waiting.length >= plan.waiting.each;
    if (isFull) throw plan.refuse();
    state.callers.set(name, caller);
    try {
      await waitForPlace(state, { caller, plan, signal });
      try {
        return await task();
      } finally {
        state.running--;
        caller.running--;
        putLast(state, caller);
        giveAway(state, plan);
      }
    } finally {
      if (caller.running === 0 && caller.waiting.length === 0) state.callers.delete(name);
    }
  };
}

/** Gives free places away, for as long as a waiting caller may have one. */
function giveAway(state: State, { running }: PlacesPlan): void {
  while (state.running < running.most) {
    const next = neediest(state.callers, running.each);
    if (next === null) return;
    putLast(state, next);
    state.running++;
    next.running++;
    next.waiting.shift()?.();
  }
}

function putLast({ callers }: State, caller: Caller): void {
  callers.delete(caller.name);
  callers.set(caller.name, caller);
}

function neediest(callers: ReadonlyMap<string, Caller>, each: number): Caller | null {
  let found: Caller | null = null;
  for (const caller of callers.values()) {
    if (caller.waiting.length > 0 && caller.running < (found?.running ?? each)) found = caller;
  }
  return found;
}

type Wait = { caller: Caller; plan: PlacesPlan; signal: AbortSignal };

/** Waits in the caller's queue for a place, or until the signal is aborted. */
function waitForPlace(state: State, { caller, plan, signal }: Wait): Promise<void> {
  return new Promise((resolve, reject) => {
    const leaveLine = () => {
      state.waiting--;
      caller.waiting.splice(caller.waiting.indexOf(proceed), 1);
      reject(signal.reason);
    };
    const proceed = () => {
      state.waiting--;
      signal.removeEventListener("abort", leaveLine);
      resolve();
    };
    signal.addEventListener("abort", leaveLine, { once: true });
    state.waiting++;
    caller.waiting.push(proceed);
    giveAway(state, plan);
  });
}
