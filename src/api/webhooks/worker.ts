import pg from "pg";
import type { Contracts } from "../../../abis/contracts.ts";
import { feedChannel } from "../feed/channel.ts";
import { pairLocks } from "../postgres/advisoryLocks.ts";
import type { Db } from "../postgres/db.ts";
import { createBell, workAlone, workInTurns } from "../postgres/lockedWork.ts";
import { openStore, type Store } from "../serviceDb/store.ts";
import { createReceivers, type ReceiverRules } from "./attempt.ts";
import { createDispatcher } from "./dispatcher.ts";
import { createHosts } from "./hosts.ts";
import { createMatcher } from "./matcher.ts";
import { trimQueue } from "./queue.ts";

export type WorkerPlan = {
  databaseUrl: string;
  /** Schema of the index, and of the service's own tables. */
  schema: string;
  serviceSchema: string;
  /** The index, which is only read. */
  db: Db;
  contracts: Contracts;
  /** Encrypts the secrets that are stored. */
  secretKey: Buffer;
  /** Whether deliveries cost credits. */
  isPaid: boolean;
  receivers: ReceiverRules;
  /** Whether readers are sent to this index: only its feed counts. */
  isActive: () => Promise<boolean>;
  log: (line: string) => void;
  /** How often is looked without a notification, in milliseconds. */
  everyMs?: number;
};

const EVERY_MS = 1_000;
/** How long a process waits before it tries again to be the worker. */
const TRY_MS = 5_000;
const TRIM_MS = 60_000;
const ACTIVE_MS = 10_000;

/** Connections of the worker, besides the one with the lock: requests have theirs. */
const CONNECTIONS = 4;

/**
 * Sends the webhooks of a service. Every process tries this, and a lock lets one do it; when that one ends, another goes on from
 * the tables. It shares no connection, and no queue, with requests or with the indexer.
 */
export function startWebhooks(plan: WorkerPlan): { stop: () => Promise<void> } {
  return workInTurns({
    pauseMs: plan.everyMs ?? TRY_MS,
    onError: ({ message }) => plan.log(`Webhooks wait for a while: ${message}`),
    turn: (ended) => work(plan, ended),
  });
}

/** Works until the process stops, the connection with the lock ends, or readers are sent to another index. */
async function work(plan: WorkerPlan, stopped: AbortSignal): Promise<void> {
  if (!(await plan.isActive())) return;
  const { databaseUrl, serviceSchema, schema } = plan;
  const locked = {
    ...{ databaseUrl, applicationName: `${serviceSchema}_webhooks`, stopped },
    lock: [pairLocks.webhooks, serviceSchema] as const,
  };
  await workAlone(locked, async (client, ended) => {
    await client.query(`listen ${pg.escapeIdentifier(feedChannel(schema))}`);
    await workWithLock(plan, client, ended);
  });
}

async function workWithLock(plan: WorkerPlan, client: pg.Client, ended: AbortSignal): Promise<void> {
  const { databaseUrl, serviceSchema: schema, db, contracts, isPaid, secretKey } = plan;
  const over = new AbortController();
  const signal = AbortSignal.any([ended, over.signal]);
  const store = openStore({ databaseUrl, schema, connections: CONNECTIONS });
  const receivers = createReceivers(plan.receivers);
  const dispatcher = createDispatcher(
    { store, receivers, hosts: createHosts(), secretKey, isPaid },
    { signal, onError: (error) => plan.log(`A webhook was not served: ${(error as Error).message}`) },
  );
  try {
    const matcher = createMatcher({ db, store, contracts, isPaid });
    const bell = createBell(client, signal);
    const due = { trim: 0, active: Date.now() + ACTIVE_MS };
    while (!signal.aborted) {
      const news = bell.next(plan.everyMs ?? EVERY_MS);
      while (!signal.aborted && (await matcher.step())) void dispatcher.look();
      void dispatcher.look();
      if (Date.now() > due.trim) await trim(store, due);
      if (Date.now() > due.active) {
        if (!(await plan.isActive())) return;
        due.active = Date.now() + ACTIVE_MS;
      }
      await news;
    }
  } finally {
    over.abort();
    await dispatcher.idle();
    await receivers.close();
    await store.close();
  }
}

async function trim(store: Store, due: { trim: number }): Promise<void> {
  await trimQueue(store);
  due.trim = Date.now() + TRIM_MS;
}
