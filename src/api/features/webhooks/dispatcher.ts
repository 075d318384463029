import { shared } from "../../server/scheduling/shared.ts";
import { AT_ONCE } from "./bounds.ts";
import { type DeliveryPlan, STOPPED_SECONDS, serveTurn } from "./deliver.ts";
import { type Due, listDue, postpone } from "./queue.ts";
import type { Turns } from "./turns.ts";

type Turn = Due & { done: Promise<void> };

/** Gives webhooks their turns, many at the same time, each alone: no other process serves it meanwhile. */
export function createDispatcher(
  plan: DeliveryPlan & { turns: Turns },
  { signal, onError }: { signal: AbortSignal; onError: (error: unknown) => void },
) {
  const running = new Map<number, Turn>();

  const begin = (due: Due): void => {
    const done = serveTurn(plan, due.id, signal)
      .catch(async (error: unknown) => {
        if (signal.aborted) return;
        onError(error);
        // One that cannot be served would be the next one at once, and again.
        await postpone(plan.store, due.id, STOPPED_SECONDS).catch(() => {});
      })
      // Without its connection a process has no turns, and they are free.
      .then(() => plan.turns.free(due.id).catch(() => {}))
      .finally(() => {
        running.delete(due.id);
        if (!signal.aborted) void look();
      });
    running.set(due.id, { ...due, done });
  };

  const lookOnce = async (): Promise<void> => {
    if (signal.aborted || running.size >= AT_ONCE.all) return;
    const due = await listDue(plan.store, {
      except: [...running.keys()],
      limit: LISTED,
      isPaid: plan.isPaid,
    });
    const chosen: Due[] = [];
    for (const one of due) if (hasRoom([...running.values(), ...chosen], one)) chosen.push(one);
    const taken = await plan.turns.take(chosen.map(({ id }) => id));
    for (const one of chosen) if (taken.has(one.id)) begin(one);
  };

  const look = shared(() => lookOnce().catch(onError));

  return {
    /** Begins turns for webhooks that have something to send now, as far as there is room. */
    look,
    /** Resolves when all turns have ended. */
    idle: async (): Promise<void> => {
      await look(); // Begins nothing once the signal is aborted, and ends after the look before it.
      await Promise.all([...running.values()].map(({ done }) => done));
    },
  };
}

/** Webhooks that are looked through for turns at once: of these some wait for their key or host. */
const LISTED = 4 * AT_ONCE.all;

/** One owner, one host, or receivers that fail leave room for others. */
function hasRoom(turns: readonly Due[], one: Due): boolean {
  const count = (holds: (turn: Due) => boolean): number => turns.filter(holds).length;
  if (turns.length >= AT_ONCE.all) return false;
  if (one.failures > 0 && count(({ failures }) => failures > 0) >= AT_ONCE.failing) return false;
  return (
    count(({ keyId }) => keyId === one.keyId) < AT_ONCE.key &&
    count(({ host }) => host === one.host) < AT_ONCE.host
  );
}
