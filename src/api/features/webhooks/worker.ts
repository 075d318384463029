import pg from "pg";
import type { Contracts } from "../../../../abis/contracts.ts";
import { pairLocks } from "../../server/postgres/advisoryLocks.ts";
import { queriesInOrder } from "../../server/postgres/client.ts";
import { messageOf } from "../../server/postgres/databaseErrors.ts";
import type { Db } from "../../server/postgres/db.ts";
import { createBell, onOwnConnection, takeLock } from "../../server/postgres/lockedWork.ts";
import { workInTurns } from "../../server/scheduling/repeated.ts";
import { openStore } from "../../server/serviceDb/store.ts";
import { feedChannel } from "../feed/channel.ts";
import { createReceivers, type ReceiverRules } from "./attempt.ts";
import type { DeliveryObserver } from "./deliver.ts";
import { createDispatcher } from "./dispatcher.ts";
import { createHosts } from "./hosts.ts";
import { createMatcher } from "./matcher.ts";
import { queueChannel, trimQueue } from "./queue.ts";
import { turnsOn } from "./turns.ts";

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
  observer: DeliveryObserver;
  log: (line: string) => void;
  /** How often is looked without a notification, in milliseconds. */
  everyMs?: number;
};

const EVERY_MS = 1_000;
/** How long a process waits before it connects again. */
const TRY_MS = 5_000;
const TRIM_MS = 60_000;
const ACTIVE_MS = 10_000;

/** Connections of the worker, besides the one with the locks: requests have theirs. */
const CONNECTIONS = 4;

/**
 * Sends the webhooks of a service. Every process does, and they share the webhooks: each is served by one at a time. A lock lets
 * one of them sort out who wants which change. When a process ends, the others go on from the tables. A worker shares no
 * connection, and no queue, with requests or with the indexer.
 */
export function startWebhooks(plan: WorkerPlan): { stop: () => Promise<void> } {
  return workInTurns({
    pauseMs: plan.everyMs ?? TRY_MS,
    onError: ({ message }) => plan.log(`Webhooks are paused: ${message}`),
    turn: (ended) => work(plan, ended),
  });
}

/** Works until the process stops, the connection with the locks ends, or readers are sent to another index. */
async function work(plan: WorkerPlan, stopped: AbortSignal): Promise<void> {
  if (!(await plan.isActive())) return;
  const { databaseUrl, serviceSchema, schema } = plan;
  const connection = { databaseUrl, applicationName: `${serviceSchema}_webhooks`, stopped };
  await onOwnConnection(connection, async (client, ended) => {
    for (const channel of [feedChannel(schema), queueChannel(serviceSchema)])
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
    await workOn(plan, client, ended);
  });
}

async function workOn(plan: WorkerPlan, client: pg.Client, ended: AbortSignal): Promise<void> {
  const {
    databaseUrl,
    serviceSchema: schema,
    db,
    contracts,
    isPaid,
    secretKey,
    observer,
    everyMs = EVERY_MS,
  } = plan;
  const over = new AbortController();
  const signal = AbortSignal.any([ended, over.signal]);
  const store = openStore({ databaseUrl, schema, connections: CONNECTIONS });
  const receivers = createReceivers(plan.receivers);
  const locks = queriesInOrder(client);
  const dispatcher = createDispatcher(
    { store, receivers, hosts: createHosts(), secretKey, isPaid, observer, turns: turnsOn(locks, schema) },
    { signal, onError: (error) => plan.log(`A webhook was not served: ${messageOf(error)}`) },
  );
  try {
    const onError = (error: Error) => plan.log(`A change was left out of webhooks: ${error.message}`);
    const matcher = createMatcher({ db, store, contracts, isPaid, onError });
    // What keeps changes from being matched must not keep what waits from being sent.
    const sort = async (): Promise<void> => {
      try {
        while (!signal.aborted && (await matcher.step())) void dispatcher.look();
        if (Date.now() > due.trim) {
          await trimQueue(store);
          due.trim = Date.now() + TRIM_MS;
        }
      } catch (error) {
        if (!signal.aborted) plan.log(`Changes cannot be matched to webhooks: ${(error as Error).message}`);
      }
    };
    let isSorter = false; // It stays so as long as its connection lasts.
    const bell = createBell(client, signal);
    const due = { trim: 0, active: Date.now() + ACTIVE_MS };
    while (!signal.aborted) {
      const news = bell.next(everyMs);
      void dispatcher.look();
      isSorter ||= await takeLock(locks, [pairLocks.webhooks, schema]);
      if (isSorter) await sort();
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
