import { availableParallelism } from "node:os";
import type pg from "pg";
import { withClient } from "../../src/api/server/postgres/client.ts";

/** Connections that work at a time: more than four wait for each other's disk. */
const MAX_WORKERS = 4;

type Plan<Task> = {
  config: pg.ClientConfig;
  /** Runs once on each connection. */
  setUp?: (client: pg.Client) => Promise<void>;
  work: (client: pg.Client, task: Task) => Promise<void>;
};

/**
 * Does tasks in their order, several at a time, each worker with a connection of its own. The first failure ends all.
 */
export async function inParallel<Task>(
  tasks: readonly Task[],
  { config, setUp, work }: Plan<Task>,
): Promise<void> {
  const waiting = [...tasks];
  let hasFailed = false;
  const worker = () =>
    withClient(config, async (client) => {
      await setUp?.(client);
      for (let task = waiting.shift(); task !== undefined && !hasFailed; task = waiting.shift()) {
        await work(client, task);
      }
    }).catch((error: unknown) => {
      hasFailed = true;
      throw error;
    });
  const workers = Array.from({ length: Math.min(MAX_WORKERS, availableParallelism(), tasks.length) }, worker);
  const outcomes = await Promise.allSettled(workers);
  const failure = outcomes.find((outcome) => outcome.status === "rejected");
  if (failure !== undefined) throw failure.reason;
}
