import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Address } from "viem";
import {
  type Call,
  ethNode,
  hashLabel,
  nodeBelow,
  registerReferred,
  sendInOneBlock,
} from "../../devnet/acts.ts";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { journalChannel } from "../../engine/blocks/sql.ts";
import { feedChannel } from "../../src/api/features/feed/channel.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { type Stack, startStack } from "../../test/support/stack.ts";
import { clock } from "./clock.ts";

const SERVICE_SCHEMA = "namedex_service";

/** How long a block, or what follows from it, is waited for. */
const PATIENCE_MS = 60_000;

/** Gas of one change: so little that many go into one block. */
const RECORD_GAS = 300_000n;

/** One Namedex on one chain, with names whose records change. */
export type FeedStage = {
  local: LocalChain;
  stack: Stack;
  store: Store;
  /** Encrypts the secrets of webhooks. */
  secretKey: Buffer;
  /** Node of each name that changes. */
  nodes: readonly `0x${string}`[];
  /** A block with this number of changes, each of another name where there are enough. @returns its number */
  change: (count: number) => Promise<number>;
  /** When the index had a block committed, and when the feed had it, by the clock of all processes. */
  times: { committed: ReadonlyMap<number, number>; inFeed: ReadonlyMap<number, number> };
  close: () => Promise<void>;
};

export async function openFeedStage(databaseServer: string, names: number): Promise<FeedStage> {
  const local = await startLocalChain({ balance: 1_000_000_000 });
  const secretKey = randomBytes(32);
  const { chain } = local;
  const [, alice] = chain.accounts as [Address, Address];
  const labels = Array.from({ length: names }, (_, i) => `s${i}`);
  await registerReferred(chain, { from: alice, label: "alice", resolver: "resolver5" });
  await sendInOneBlock(
    chain,
    labels.map((label) => subname(alice, label)),
  );
  const stack = await startStack({
    rpcUrl: local.anvil.url,
    deployment: local.deployment,
    databaseServer,
    // Streams of many callers come from one address here.
    env: { TRUSTED_PROXIES: "1", WEBHOOK_SECRET_KEY: secretKey.toString("hex") },
    prepare: countFunctions,
  });
  const listener = await listen(stack);
  const store = openStore({ databaseUrl: stack.databaseUrl, schema: SERVICE_SCHEMA });
  const nodes = labels.map((label) => nodeBelow(ethNode("alice"), label));
  let blocks = 0;
  const change = async (count: number): Promise<number> => {
    blocks++;
    const calls = Array.from({ length: count }, (_, i) =>
      textOf(alice, { node: nodes[i % names] ?? "0x", key: `k${Math.floor(i / names)}`, value: `${blocks}` }),
    );
    await sendInOneBlock(chain, calls);
    const number = Number(await chain.client.getBlockNumber());
    await until(() => listener.inFeed.has(number), `block ${number} in the feed`);
    return number;
  };
  const close = async () => {
    await listener.close();
    await store.close();
    await stack.destroy();
    await local.anvil.stop();
  };
  const stage = { local, stack, store, secretKey, nodes, change, times: listener, close };
  await until(async () => (await hasFeed(stack)) === 1, "the feed");
  return stage;
}

const subname = (owner: Address, label: string): Call => ({
  from: owner,
  contract: "registry",
  functionName: "setSubnodeOwner",
  args: [ethNode("alice"), hashLabel(label), owner],
  gas: RECORD_GAS,
});

const textOf = (from: Address, { node, key, value }: Record<"node" | "key" | "value", string>): Call => ({
  from,
  contract: "resolver5",
  functionName: "setText",
  args: [node, key, value],
  gas: RECORD_GAS,
});

/** PostgreSQL counts the time of the triggers, which are functions. */
async function countFunctions(databaseUrl: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const name = new URL(databaseUrl).pathname.slice(1);
  await client.query(`alter database ${pg.escapeIdentifier(name)} set track_functions = 'pl'`);
  await client.end();
  return {};
}

const hasFeed = async ({ sql, schema }: Stack): Promise<number> =>
  (await sql("select from pg_class where oid = to_regclass($1)", [`${schema}.feed_state`])).length;

/** Notes when each block was committed to the index, and to the feed. */
async function listen({ databaseUrl, schema }: Stack) {
  const [committed, inFeed] = [new Map<number, number>(), new Map<number, number>()];
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => {}); // It is read no more when the stage ends.
  await client.connect();
  let newest = 0;
  client.on("notification", ({ channel, payload }) => {
    if (channel === feedChannel(schema)) {
      if (!inFeed.has(newest)) inFeed.set(newest, clock());
      return;
    }
    const [block] = JSON.parse(payload ?? "[]") as { number: number }[];
    newest = block?.number ?? newest;
    if (!committed.has(newest)) committed.set(newest, clock());
  });
  for (const channel of [journalChannel(schema), feedChannel(schema)])
    await client.query(`listen ${pg.escapeIdentifier(channel)}`);
  return { committed, inFeed, close: () => client.end() };
}

/** @throws Error with what was waited for */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !(await holds()); await sleep(5)) {
    if (Date.now() > end) throw new Error(`${what} did not come in ${PATIENCE_MS / 1_000} s`);
  }
}

/** The middle of some times, and that which one of a hundred exceeds. */
export function spreadOf(times: readonly number[]): { p50: number; p99: number } {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** The next message of a process. */
export const nextMessage = async <Message>(child: NodeJS.EventEmitter): Promise<Message> =>
  ((await once(child, "message")) as [Message])[0];
