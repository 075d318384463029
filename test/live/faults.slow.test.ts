import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeAbiParameters, encodeErrorResult, type Hex, parseAbi } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { mineBlocks } from "../../devnet/acts.ts";
import { isReady, type Ponder, startPonder, until } from "../../devnet/ponder.ts";
import { freePort } from "../../devnet/ports.ts";
import { withoutAsOf } from "../support/asOf.ts";
import { bareEnvironment } from "../support/environment.ts";
import type { Fault, Recorded } from "./rpcProxy.ts";
import { names, openScene, type Scene } from "./scene.ts";

let scene: Scene;

beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene?.close());

afterEach(() => {
  scene.rpc.fault = () => undefined;
});

type Reply = { status: number; body: Record<string, unknown> };

const isOwners = ({ to }: Recorded) => to?.toLowerCase() === scene.local.deployment.multicall3?.toLowerCase();

/** A request in its own block, so that no earlier answer is remembered. */
async function askInNewBlock(path: string): Promise<Reply> {
  await mineBlocks(scene.chain, { count: 1 });
  await scene.stack.waitForHead();
  return scene.stack.api(path);
}

const failure = (message: string | RegExp) => ({
  status: 502,
  body: {
    error: {
      code: "LIVE_RESOLUTION_FAILED",
      message: typeof message === "string" ? message : expect.stringMatching(message),
    },
  },
});

const urErrors = parseAbi([
  "error HttpError(uint16 status, string message)",
  "error ResolverError(bytes errorData)",
  "error ResolverNotFound(bytes name)",
  "error NotYours(uint256 number)",
  "error UnreachableName(bytes name)",
]);
const httpError = encodeErrorResult({ abi: urErrors, errorName: "HttpError", args: [500, "gone"] });
const ownError = encodeErrorResult({ abi: urErrors, errorName: "NotYours", args: [7n] });
const resolverError = encodeErrorResult({ abi: urErrors, errorName: "ResolverError", args: [ownError] });
const noResolver = encodeErrorResult({ abi: urErrors, errorName: "ResolverNotFound", args: ["0x00"] });
const unreachable = encodeErrorResult({ abi: urErrors, errorName: "UnreachableName", args: ["0x00"] });
const mirrorError = encodeErrorResult({ abi: urErrors, errorName: "ResolverError", args: [unreachable] });
const revert = (data: Hex): Fault => ({ error: { code: 3, message: "execution reverted", data } });

/** The answer to a batch of one read. */
const items = (...all: Hex[]): Fault => ({
  result: encodeAbiParameters(
    [{ type: "bytes" }, { type: "address" }],
    [encodeAbiParameters([{ type: "bytes[]" }], [all]), "0x00000000000000000000000000000000000000aa"],
  ),
});
/** As the Universal Resolver pads errors in a batch. */
const padded = (error: Hex): Hex => `${error}${"00".repeat((36 - (((error.length - 2) / 2) % 32)) % 32)}`;

const asked = "The chain could not be asked:";

/** Ways in which any call can fail. */
const ofAnyCall: [way: string, fault: Fault, message: string][] = [
  ["no answer in time", { hang: true }, `${asked} the node did not answer in time.`],
  ["a connection that breaks", { close: true }, `${asked} the node cannot be reached.`],
  ["status 500", { status: 500, body: "oh" }, `${asked} the node answered with status 500.`],
  ["status 429", { status: 429 }, `${asked} the node answered with status 429.`],
  [
    "an error of the node",
    { error: { code: -32005, message: "limit exceeded at https://rpc.example/my-key" } },
    `${asked} the node answered error -32005.`,
  ],
  ["no JSON", { status: 200, body: "<html>" }, `${asked} the node's answer cannot be read.`],
  ["a result that is no bytes", { result: 7 }, `${asked} the node's answer cannot be read.`],
  ["no result", { result: null }, `${asked} the node's answer cannot be read.`],
  [
    "a node that has not heard of the block",
    { error: { code: -32000, message: "header not found" } },
    `${asked} the node does not have the block.`,
  ],
];

const path = `/whois/${names.changeable}`;

describe.each([
  ["the resolver's call", (call: Recorded) => !isOwners(call)],
  ["the owners' call", (call: Recorded) => isOwners(call)],
])("%s fails by", (_, concerns) => {
  test.each(ofAnyCall)("%s", async (_, fault, message) => {
    scene.rpc.fault = (call) => (concerns(call) ? fault : undefined);
    expect(await askInNewBlock(path)).toEqual(failure(message));
  });
});

describe("the resolver's call answers with", () => {
  const definite: [what: string, fault: Fault][] = [
    ["ResolverNotFound", revert(noResolver)],
    ["an empty item", items("0x")],
    ["the error of a resolver that asks another one, which there is not", revert(mirrorError)],
    ["the same in its item", items(padded(unreachable))],
    [
      "the error of a resolver without such records",
      items(padded("0x7b1c461b00000000000000000000000000000000000000000000000000000000000000")),
    ],
  ];
  test.each(definite)("%s: an answer", async (_, fault) => {
    scene.rpc.fault = (call) => (isOwners(call) ? undefined : fault);
    expect(await askInNewBlock(path)).toMatchObject({
      status: 200,
      body: { source: "live", name: names.changeable },
    });
  });

  const failing: [what: string, fault: Fault, message: string | RegExp][] = [
    ["a revert without data", revert("0x"), "The name's resolver reverted: without a reason."],
    ["an error of the resolver", revert(resolverError), /^The name's resolver reverted: 0x[0-9a-f]+/],
    ["a gateway's error", revert(httpError), "A gateway of the name's resolver failed: gone."],
    [
      "a gateway's error in its item",
      items(padded(httpError)),
      "A gateway of the name's resolver failed: gone.",
    ],
    ["a resolver's error in its item", items(padded(ownError)), /^The name's resolver reverted: 0x/],
    ["an item that is no record", items("0xff"), "The answer of the name's resolver cannot be decoded."],
    ["fewer items than were asked for", items(), "The answer of the name's resolver cannot be decoded."],
    ["bytes that are no batch", { result: "0x1234" }, "The answer of the name's resolver cannot be decoded."],
    ["nothing", { result: "0x" }, "There is no Universal Resolver at the deployment's address."],
    [
      "a look-up that cannot be read",
      revert("0x556f1830aa"),
      "The resolver asked for a look-up that cannot be decoded.",
    ],
  ];
  test.each(failing)("%s: no answer", async (_, fault, message) => {
    scene.rpc.fault = (call) => (isOwners(call) ? undefined : fault);
    expect(await askInNewBlock(path)).toEqual(failure(message));
  });
});

describe("the owners' call answers with", () => {
  const none = "The owners could not be read: Multicall3 did not answer at the deployment's address.";
  test.each<[what: string, fault: Fault]>([
    ["a revert", revert("0x")],
    ["nothing", { result: "0x" }],
    ["bytes that are no results", { result: "0x1234" }],
  ])("%s: no answer", async (_, fault) => {
    scene.rpc.fault = (call) => (isOwners(call) ? fault : undefined);
    expect(await askInNewBlock(path)).toEqual(failure(none));
  });
});

test("a node that learns of the block a moment later is waited for", async () => {
  let behind = 2;
  scene.rpc.fault = () =>
    behind-- > 0 ? { error: { code: -32000, message: "header not found" } } : undefined;
  expect(await askInNewBlock(path)).toMatchObject({ status: 200, body: { source: "live" } });
});

test("in bulk, a failing owners' call fails every live item and no indexed one", async () => {
  scene.rpc.fault = (call) => (isOwners(call) ? { close: true } : undefined);
  await mineBlocks(scene.chain, { count: 1 });
  await scene.stack.waitForHead();
  const reply = await fetch(`${scene.stack.url}/whois/bulk`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ names: [names.changeable, names.indexed, names.wildcard] }),
  });
  const { results } = (await reply.json()) as { results: Record<string, unknown>[] };
  expect(results.map(({ source, error }) => (error as { code: string } | undefined)?.code ?? source)).toEqual(
    ["LIVE_RESOLUTION_FAILED", "indexed", "LIVE_RESOLUTION_FAILED"],
  );
});

describe("a node killed while requests run", () => {
  test("does not affect indexed answers; live ones turn 502 and recover without intervention", async () => {
    expect(await askInNewBlock(path)).toMatchObject({ status: 200 });
    const state = { isRunning: true };
    const seen = { indexed: [] as number[], live: [] as number[] };
    const indexed = keepAsking(state, () => `/whois/${names.indexed}`, seen.indexed);
    let count = 0;
    const changing = keepAsking(state, () => `/whois/name-${count++}.wild.eth`, seen.live);
    await onlySeen(seen.live, 200);
    await scene.rpc.kill();
    await untilSeen(seen.live, 502);
    await onlySeen(seen.live, 502);
    await scene.rpc.start();
    await untilSeen(seen.live, 200);
    await onlySeen(seen.live, 200);
    state.isRunning = false;
    await Promise.all([indexed, changing]);
    expect([...new Set(seen.indexed)]).toEqual([200]);
  });
});

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function keepAsking(state: { isRunning: boolean }, nextPath: () => string, statuses: number[]) {
  while (state.isRunning) {
    const { status } = await scene.stack.api(nextPath());
    statuses.push(status);
    await sleep(10);
  }
}

const patience = { timeout: 30_000, interval: 20 };

const untilSeen = (statuses: number[], status: number) =>
  vi.waitFor(() => expect(statuses).toContain(status), patience);

/** Checks that each of the next answers has this status. */
async function onlySeen(statuses: number[], status: number): Promise<void> {
  statuses.length = 0;
  await vi.waitUntil(() => statuses.length >= 10, patience);
  expect([...new Set(statuses)]).toEqual([status]);
}

describe("a replica", () => {
  let folder: string;
  let replica: Ponder;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "namedex-replica-"));
    const port = await freePort();
    replica = startPonder({ command: "serve", port, folder, env: settingsOf(folder), onLog: () => {} });
    const look = () => isReady(replica.url);
    await until(replica, { look, timeout: 240_000, describe: () => "waiting for the replica" });
  });
  afterAll(async () => {
    await replica?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const askReplica = async (path: string): Promise<Reply> => {
    const reply = await fetch(`${replica.url}${path}`);
    return { status: reply.status, body: withoutAsOf((await reply.json()) as Record<string, unknown>) };
  };

  /** The settings of the stack whose tables the replica uses. Its first node does not exist. */
  function settingsOf(folder: string): Record<string, string | undefined> {
    const file = join(folder, "deployment.json");
    writeFileSync(file, JSON.stringify(scene.local.deployment));
    return {
      ...bareEnvironment,
      HOME: process.env.HOME,
      ENS_NETWORK: "devnet",
      ENS_DEPLOYMENT: file,
      RPC_URL_31337: scene.local.anvil.url,
      DATABASE_URL: scene.stack.databaseUrl,
      DATABASE_SCHEMA: scene.stack.schema,
      LIVE_RPC_URL: `http://127.0.0.1:1,${scene.rpc.url}`,
    };
  }

  test("has the answers that another one got in the same block, and asks no node", async () => {
    const first = await askInNewBlock(path);
    expect(first.status).toBe(200);
    scene.rpc.recorded.length = 0;
    expect(await askReplica(path)).toEqual(first);
    expect(scene.rpc.recorded).toEqual([]);
  });

  test("tries the next node if one does not answer", async () => {
    expect(await askReplica("/whois/another.wild.eth")).toMatchObject({
      status: 200,
      body: { source: "live" },
    });
    expect(scene.rpc.recorded).not.toEqual([]);
  });

  test("keeps live answers in the service's own schema, with their origin and block", async () => {
    const rows = await scene.stack.sql<Record<string, unknown>>(
      "SELECT origin, block_number::int AS block, chain_id FROM namedex_service.live_answers WHERE subject = $1",
      ["another.wild.eth"],
    );
    const head = Number(await scene.chain.client.getBlockNumber());
    expect(rows).toEqual([{ origin: "live", block: head, chain_id: 31337 }]);
  });
});
