import type { lookup as dnsLookup } from "node:dns";
import { expect, vi } from "vitest";
import { createReceivers } from "../../src/api/features/webhooks/attempt.ts";
import { createWebhookMeters } from "../../src/api/features/webhooks/metrics.ts";
import { webhookEndpoints } from "../../src/api/features/webhooks/operations.ts";
import { createWebhooks } from "../../src/api/features/webhooks/webhooks.ts";
import { startWebhooks } from "../../src/api/features/webhooks/worker.ts";
import { limitsIn } from "../../src/api/server/access/limits.ts";
import { meteredAccess } from "../../src/api/server/access/metered.ts";
import type { Endpoint } from "../../src/api/server/http/endpoint.ts";
import { createMeters, type Meters } from "../../src/api/server/observe/meters.ts";
import { type Keys, keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { reservationsIn } from "../../src/api/server/serviceDb/reservations.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import type { Chain } from "../feed/engine.ts";
import { openPlay, type Play } from "../feed/histories.ts";
import { domainWrite } from "../feed/writes.ts";
import { account, contracts } from "../query/rows.ts";
import { createTestApp } from "../support/app.ts";

export const SECRET_KEY = Buffer.alloc(32, 7);

type Body = Record<string, unknown> & { error?: { code: string; message: string } };
export type Reply = { status: number; body: Body };

/** A feed written by a simulated engine, its webhooks, and their senders. */
export type Stage = {
  play: Play;
  /** The counters of the sending processes. */
  meters: Meters;
  main: Chain;
  store: Store;
  keys: Keys;
  /** A key with credits. */
  key: { id: number; key: string };
  ask: (method: string, path: string, given?: { body?: unknown; key?: string | null }) => Promise<Reply>;
  /** A webhook that has answered its test. */
  subscribe: (url: string, more?: Record<string, unknown>) => Promise<{ id: number; secret: string }>;
  /** A block in which these names get another resolver. */
  block: (...names: string[]) => Promise<void>;
  /** A process that sends until it is stopped. */
  start: () => { stop: () => Promise<void> };
  /** Deletes all webhooks of the key. */
  clear: () => Promise<void>;
  /** The webhook operations, as a server answers them. */
  fetch: (request: Request) => Response | Promise<Response>;
  /** Waits until everything in the feed has been matched. */
  sorted: () => Promise<void>;
  /** Ends all waits for further attempts. */
  passWaits: () => Promise<void>;
  close: () => Promise<void>;
};

export type StageOptions = {
  isPaid?: boolean;
  credits?: number;
  secretKey?: Buffer | null;
  timeoutMs?: number;
  lookup?: typeof dnsLookup;
  allowLoopback?: boolean;
  isActive?: () => Promise<boolean>;
};

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const {
    isPaid = false,
    credits = 1_000,
    secretKey = SECRET_KEY,
    timeoutMs = 2_000,
    lookup,
    allowLoopback = true,
  } = options;
  const play = await openPlay();
  const [main] = play.engine.chains as [Chain];
  const { databaseUrl, db } = play.tables;
  const store = openStore({ databaseUrl, schema: "service" });
  const [keys, limits] = [keysIn(store), limitsIn(store)];
  const rules = { ownHosts: ["own.example"], allowLoopback, timeoutMs, ...(lookup && { lookup }) };
  const receivers = createReceivers(rules);
  const webhooks = createWebhooks({ store, keys, limits, secretKey, receivers });
  const reservations = reservationsIn(store);
  const app = createTestApp({
    operations: webhookEndpoints(webhooks).map(checked),
    createContext: async () => ({ db, contracts }) as never,
    ...(isPaid && { access: meteredAccess({ keys, reservations, limits, payments: null, freeItems: 1 }) }),
  });
  const key = await keys.create({ label: "", owner: null, credits, reason: "test" });
  const meters = createMeters();
  const { observer } = createWebhookMeters(meters);
  const running = new Set<{ stop: () => Promise<void> }>();
  const ask: Stage["ask"] = async (method, path, given = {}) => {
    const headers = new Headers({ "content-type": "application/json" });
    if (given.key !== null) headers.set("x-api-key", given.key ?? key.key);
    const body = given.body === undefined ? {} : { body: JSON.stringify(given.body) };
    const reply = await app.request(path, { method, headers, ...body });
    return { status: reply.status, body: (await reply.json()) as Body };
  };
  let blocks = 0;
  return {
    fetch: app.fetch,
    play,
    meters,
    main,
    store,
    keys,
    key,
    ask,
    subscribe: async (url, more = {}) => {
      const made = (await ask("POST", "/webhooks", { body: { url, ...more } })).body;
      const tested = await ask("POST", `/webhooks/${made.id}/test`);
      if (tested.body.is_delivered !== true) throw new Error(JSON.stringify([made, tested.body]));
      return { id: Number(made.id), secret: String(made.secret) };
    },
    block: async (...names) => {
      blocks++;
      const writes = names.map((name) => domainWrite(main, name, { resolver: account(blocks) }));
      await play.block(main, writes);
    },
    start: () => {
      const one = startWebhooks({
        databaseUrl,
        schema: "public",
        serviceSchema: "service",
        db,
        contracts,
        isPaid,
        everyMs: 50,
        secretKey: secretKey ?? SECRET_KEY,
        receivers: rules,
        log: () => {},
        isActive: options.isActive ?? (async () => true),
        observer,
      });
      running.add(one);
      return {
        stop: async () => {
          running.delete(one);
          await one.stop();
        },
      };
    },
    clear: async () => {
      const { webhooks: made } = (await ask("GET", "/webhooks")).body as { webhooks: { id: number }[] };
      for (const { id } of made) await ask("DELETE", `/webhooks/${id}`);
    },
    sorted: () =>
      until(async () => {
        const [feed] = await store.query<{ number: string }>("select number from webhook_feed");
        expect(Number(feed?.number)).toBe(await play.newest());
      }),
    passWaits: async () => {
      await store.query("update webhooks set next_at = now(), tested_at = null");
    },
    close: async () => {
      await Promise.all([...running].map((one) => one.stop()));
      await receivers.close();
      await store.close();
      await (play as Play & { close: () => Promise<void> }).close();
    },
  };
}

/** Checks the operation against its declaration. */
const checked = (operation: Endpoint): Endpoint => ({
  ...operation,
  handle: async (...asked) => {
    const reply = await operation.handle(...asked);
    operation.reply.parse(JSON.parse(JSON.stringify(reply)));
    return reply;
  },
});

/** Waits until the condition holds. */
export const until = (holds: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(holds, { timeout: 10_000, interval: 30 });
