import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { z } from "@hono/zod-openapi";
import type { Account, Hex } from "viem";
import { createSiweMessage, type SiweMessage } from "viem/siwe";
import { freePort } from "../../devnet/ports.ts";
import { signupEndpoints } from "../../src/api/names/endpoints/signupEndpoints.ts";
import { callerBehind } from "../../src/api/server/access/caller.ts";
import { limitsIn } from "../../src/api/server/access/limits.ts";
import { meteredAccess } from "../../src/api/server/access/metered.ts";
import { signatureCheck } from "../../src/api/server/access/signature.ts";
import { createSignup, signupLimiterIn } from "../../src/api/server/access/signup.ts";
import { toApiError } from "../../src/api/server/errors/errors.ts";
import { type Endpoint, endpoint, errorsOf } from "../../src/api/server/http/endpoint.ts";
import { type Keys, keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { reservationsIn } from "../../src/api/server/serviceDb/reservations.ts";
import { signupsIn } from "../../src/api/server/serviceDb/signups.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { createTestApp, createTestPages } from "../support/app.ts";
import { createTestDatabase } from "../support/database.ts";

/** The chain named in messages: the devnet's. */
export const CHAIN_ID = 31_337;

type Body = Record<string, unknown> & { error?: { code: string; message: string } };
export type Reply = { status: number; headers: Headers; body: Body };

/**
 * A metered service with sign-up, behind one proxy. Each request has its own address unless it
 * states one.
 */
export type SignupService = {
  /** Its public URL. */
  url: string;
  /** A second replica on the same database. */
  replicaUrl: string;
  store: Store;
  keys: Keys;
  ask: (path: string, init?: RequestInit & { from?: string }) => Promise<Reply>;
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Reply>;
  /** A fresh nonce of the service. */
  nonce: (account: Pick<Account, "address">) => Promise<string>;
  /**
   * A message for this service, as the account's wallet would write it. `fields` replace the
   * correct values.
   */
  messageFor: (account: Pick<Account, "address">, fields?: Partial<SiweMessage>) => Promise<string>;
  /** An account's complete sign-up with its own wallet. */
  signUp: (account: Signer) => Promise<Reply>;
  close: () => Promise<void>;
};

/** An account that signs messages, as wallets do. */
export type Signer = {
  address: Hex;
  signMessage: (asked: { message: string | { raw: Hex } }) => Promise<Hex>;
};

/** Costs a credit. */
const whois = endpoint({
  method: "get",
  path: "/whois/{name}",
  group: "Domains",
  summary: "A name",
  params: z.object({ name: z.string() }),
  reply: z.strictObject({ name: z.string() }),
  cost: 1,
  handle: async ({ name }) => ({ name }),
});

let lastAddress = 0;

export async function startSignupService({ rpcUrls = [] as string[] } = {}): Promise<SignupService> {
  const database = await createTestDatabase();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const plan = { databaseUrl: database.url, publicUrls: ["http://localhost:1", url], rpcUrls };
  const first = await startReplica({ ...plan, port });
  const second = await startReplica({ ...plan, port: await freePort() });
  const ask: SignupService["ask"] = async (path, { from, ...init } = {}) => {
    const headers = new Headers(init.headers);
    headers.set("X-Forwarded-For", from ?? `198.18.${lastAddress >> 8}.${lastAddress++ & 255}`);
    const reply = await fetch(path.startsWith("http") ? path : `${url}${path}`, { ...init, headers });
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Body };
  };
  const post: SignupService["post"] = (path, body, headers) =>
    ask(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json", ...headers },
    });
  const nonce: SignupService["nonce"] = async ({ address }) =>
    String((await post("/signup/nonce", { address })).body.nonce);
  const messageFor: SignupService["messageFor"] = async (account, fields) =>
    createSiweMessage({
      address: account.address,
      chainId: CHAIN_ID,
      version: "1",
      nonce: await nonce(account),
      domain: new URL(url).host,
      uri: `${url}/signup`,
      ...fields,
    });
  return {
    url,
    replicaUrl: second.url,
    store: first.store,
    keys: keysIn(first.store),
    ask,
    post,
    nonce,
    messageFor,
    signUp: async (account) => {
      const { body } = await post("/signup/nonce", { address: account.address });
      const message = String(body.message);
      return post("/signup", { message, signature: await account.signMessage({ message }) });
    },
    close: async () => {
      await first.close();
      await second.close();
      await database.drop();
    },
  };
}

type ReplicaPlan = { databaseUrl: string; port: number; publicUrls: string[]; rpcUrls: string[] };

async function startReplica({ databaseUrl, port, publicUrls, rpcUrls }: ReplicaPlan) {
  const store = openStore({ databaseUrl, schema: "service" });
  const parts = { keys: keysIn(store), reservations: reservationsIn(store), limits: limitsIn(store) };
  const signup = createSignup({
    ...parts,
    limiter: signupLimiterIn(store),
    signups: signupsIn(store),
    checkSignature: signatureCheck({ rpcUrls }),
    place: { publicUrls, chainId: CHAIN_ID },
  });
  const operations = [whois, ...signupEndpoints(signup).map(checked)];
  const app = createTestApp({
    operations,
    access: meteredAccess({ ...parts, payments: null, freeItems: 500 }),
    callerOf: callerBehind(1),
    pages: createTestPages({ operations, access: "metered" }),
  });
  const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }) as Server;
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await store.close();
  };
  return { url: `http://127.0.0.1:${port}`, store, close };
}

/** The operation checked against its declaration: an undeclared answer or error is a 500. */
const checked = (operation: Endpoint): Endpoint => ({
  ...operation,
  handle: async (...asked) => {
    const reply = await operation.handle(...asked).catch((thrown: unknown) => {
      const { code } = toApiError(thrown);
      if (code === "INTERNAL_ERROR" || errorsOf(operation).includes(code)) throw thrown;
      throw new Error(`${operation.path} does not declare ${code}`);
    });
    operation.reply.parse(JSON.parse(JSON.stringify(reply)));
    return reply;
  },
});
