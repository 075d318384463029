import { AT_ONCE } from "./bounds.ts";
import { type DeliveryPlan, serveTurn } from "./deliver.ts";
import { type Due, listDue } from "./queue.ts";

/** Gives webhooks their turns, many at the same time, each alone. */
export type Dispatcher = {
  /** Begins turns for webhooks that have something to send now, as far as there is room. */
  look: () => Promise<void>;
  /** Resolves when all turns have ended. */
  idle: () => Promise<void>;
};

type Turn = Due & { host: string; done: Promise<void> };

export function createDispatcher(
  plan: DeliveryPlan,
  { signal, onError }: { signal: AbortSignal; onError: (error: unknown) => void },
): Dispatcher {
  const turns = new Map<number, Turn>();
  let looking: Promise<void> | null = null;
  let isAskedAgain = false;

  const begin = (due: Due): void => {
    const done = serveTurn(plan, due.id, signal)
      .catch((error: unknown) => {
        if (!signal.aborted) onError(error);
      })
      .finally(() => {
        turns.delete(due.id);
        if (!signal.aborted) void look();
      });
    turns.set(due.id, { ...due, host: new URL(due.url).host, done });
  };

  const lookOnce = async (): Promise<void> => {
    if (signal.aborted || turns.size >= AT_ONCE.all) return;
    const due = await listDue(plan.store, {
      ...{ except: [...turns.keys()], limit: LISTED, isPaid: plan.isPaid },
    });
    for (const one of due) if (hasRoom([...turns.values()], one)) begin(one);
  };

  const look = (): Promise<void> => {
    isAskedAgain = looking !== null;
    looking ??= lookOnce()
      .catch(onError)
      .finally(() => {
        looking = null;
        if (isAskedAgain && !signal.aborted) void look();
      });
    return looking;
  };

  return {
    look,
    idle: async () => {
      await looking;
      await Promise.all([...turns.values()].map(({ done }) => done));
    },
  };
}

/** Webhooks that are looked through for turns at once: of these some wait for their key or host. */
const LISTED = 4 * AT_ONCE.all;

/** One owner, one host, or receivers that fail leave room for others. */
function hasRoom(turns: readonly Turn[], { keyId, url, failures }: Due): boolean {
  const { host } = new URL(url);
  const count = (holds: (turn: Turn) => boolean): number => turns.filter(holds).length;
  if (turns.length >= AT_ONCE.all) return false;
  if (failures > 0 && count((turn) => turn.failures > 0) >= AT_ONCE.failing) return false;
  return (
    count((turn) => turn.keyId === keyId) < AT_ONCE.key && count((turn) => turn.host === host) < AT_ONCE.host
  );
}
