import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { z } from "@hono/zod-openapi";
import { callerBehind } from "../../src/api/server/access/caller.ts";
import { limitsIn } from "../../src/api/server/access/limits.ts";
import { meteredAccess } from "../../src/api/server/access/metered.ts";
import type { Payments } from "../../src/api/server/access/payment.ts";
import { ApiError } from "../../src/api/server/errors/errors.ts";
import { endpoint } from "../../src/api/server/http/endpoint.ts";
import type { RequestObserver } from "../../src/api/server/observe/requests.ts";
import { type Keys, keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { reservationsIn } from "../../src/api/server/serviceDb/reservations.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { createTestApp } from "../support/app.ts";
import { createTestDatabase } from "../support/database.ts";

const group = "Domains";

/** What `/held` waits for before it answers, and how often its work began. */
export const heldWork = { begun: 0, until: Promise.resolve() };

/** Operations of each price, and with each kind of failure. */
const operations = [
  endpoint({
    method: "get",
    path: "/one/{name}",
    group,
    summary: "One credit",
    params: z.object({ name: z.string() }),
    reply: z.strictObject({ name: z.string() }),
    cost: 1,
    handle: async ({ name }) => ({ name }),
  }),
  endpoint({
    method: "post",
    path: "/bulk",
    group,
    summary: "A credit for each item",
    body: z.object({ names: z.array(z.string()) }),
    reply: z.strictObject({ count: z.number() }),
    cost: ({ names }) => names.length,
    handle: async ({ names }) => ({ count: names.length }),
  }),
  endpoint({
    method: "get",
    path: "/held",
    group,
    summary: "Answers, or fails, when the test lets it",
    query: z.object({ fails: z.enum(["true"]).optional() }),
    reply: z.strictObject({}),
    cost: 1,
    handle: async ({ fails }) => {
      heldWork.begun++;
      await heldWork.until;
      if (fails) throw new ApiError("LIVE_RESOLUTION_FAILED", "It fails.");
      return {};
    },
  }),
  endpoint({
    method: "get",
    path: "/free",
    group: "Statistics",
    summary: "Free",
    reply: z.strictObject({}),
    cost: 0,
    cacheSeconds: 60,
    handle: async () => ({}),
  }),
  endpoint({
    method: "get",
    path: "/fails",
    group,
    summary: "Answers an error",
    query: z.object({ as: z.enum(["INVALID_NAME", "LIVE_RESOLUTION_FAILED", "nothing foreseen"]) }),
    reply: z.strictObject({}),
    cost: 1,
    handle: async ({ as }) => {
      throw as === "nothing foreseen" ? new Error(as) : new ApiError(as, "It fails.");
    },
  }),
];

/** A metered service on its own database, over real HTTP. */
export type Service = {
  url: string;
  server: Server;
  databaseUrl: string;
  store: Store;
  keys: Keys;
  get: (path: string, headers?: RequestInit["headers"]) => Promise<Reply>;
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Reply>;
  /** A new key with this many credits. Returns its id and its text. */
  createKey: (credits: number) => Promise<{ id: number; key: string }>;
  balanceOf: (key: string) => Promise<number | undefined>;
  close: () => Promise<void>;
};

export type Reply = { status: number; headers: Headers; body: Body };
type Body = { error?: { code: string; message: string } } & Record<string, unknown>;

type Plan = {
  trustedProxies?: number;
  freeItems?: number;
  payments?: (store: Store) => Payments | null;
  databaseUrl?: string;
  observer?: RequestObserver;
};

export async function startService(plan: Plan = {}): Promise<Service> {
  const database = await createTestDatabase();
  const databaseUrl = plan.databaseUrl ?? database.url;
  const store = openStore({ databaseUrl, schema: "service" });
  const keys = keysIn(store);
  const payments = plan.payments?.(store) ?? null;
  const app = createTestApp({
    operations,
    access: meteredAccess({
      keys,
      reservations: reservationsIn(store),
      limits: limitsIn(store),
      payments,
      freeItems: plan.freeItems ?? 500,
    }),
    callerOf: callerBehind(plan.trustedProxies ?? 0),
    ...(plan.observer && { observer: plan.observer }),
  });
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = async (path: string, init: RequestInit): Promise<Reply> => {
    const reply = await fetch(`${url}${path}`, init);
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Body };
  };
  return {
    url,
    server,
    databaseUrl,
    store,
    keys,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", ...headers },
      }),
    createKey: (credits) => keys.create({ label: "test", owner: null, credits, reason: "for a test" }),
    balanceOf: async (key) => (await keys.find(key))?.credits,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await store.close();
      await database.drop();
    },
  };
}
