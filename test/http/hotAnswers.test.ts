import { z } from "@hono/zod-openapi";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openAccess } from "../../src/api/server/access/access.ts";
import type { Ctx } from "../../src/api/server/http/context.ts";
import { type Endpoint, endpoint } from "../../src/api/server/http/endpoint.ts";
import { createHotAnswers } from "../../src/api/server/http/hotAnswers.ts";
import { createPipeline } from "../../src/api/server/http/pipeline.ts";

/** The state of the tables, and their content. */
const tables = { version: 1, value: "first" };
let now = 1_700_000_000;
let answered = 0;
let namesAt: string | null = null;

beforeEach(() => {
  Object.assign(tables, { version: 1, value: "first" });
  now = 1_700_000_000;
  answered = 0;
  namesAt = null;
});
afterEach(() => vi.restoreAllMocks());

function index(value: string): void {
  tables.version++;
  tables.value = value;
}

type Handle = (ctx: Ctx) => Promise<unknown> | unknown;

const operation = (more: Partial<Endpoint> = {}, look: Handle = () => undefined): Endpoint =>
  endpoint({
    method: "get",
    path: "/value/{of}",
    group: "System",
    summary: "What is in the tables",
    params: z.object({ of: z.unknown() }),
    reply: z.any(),
    cost: 0,
    hotAnswers: true,
    ...(more as object),
    handle: async ({ of }, ctx) => {
      answered++;
      const value = tables.value;
      await look(ctx);
      return { of: String(of), value, now: ctx.now };
    },
  });

function pipeline(maxBytes = 1_000_000) {
  const readVersion = vi.fn(async () => String(tables.version));
  const outcomes: string[] = [];
  const context = {
    liveBlock: async () => ({ number: 1 }),
    chainHead: async () => null,
    provenLabels: { find: async () => new Map(), countAfter: async () => 0, remember: () => {} },
    freshness: { report: async () => ({}) },
  };
  const execute = createPipeline({
    createContext: async () => ({ ...context, now, namesAt }) as unknown as Ctx,
    access: openAccess,
    requireReadyIndex: async () => {},
    observe: async (name, run) => {
      const reply = await run();
      outcomes.push(name);
      return reply;
    },
    hotAnswers: createHotAnswers({ readVersion, maxBytes }),
    readConsistently: async (read) => ({ result: await read({} as never), position: [] }),
  });
  const caller = { address: "127.0.0.1", header: () => undefined };
  const ask = async (of: unknown, asked: Endpoint = operation(), checkReply?: () => void) => {
    const call = { operation: asked, input: { of }, caller, ...(checkReply && { checkReply }) };
    return JSON.parse((await execute(call)).reply);
  };
  return { ask, readVersion, outcomes };
}

test("a repeated question is answered once", async () => {
  const { ask, outcomes } = pipeline();
  const answers = [await ask("alice"), await ask("alice"), await ask("alice"), await ask("alice")];
  expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(answered).toBe(2); // The first request is not known to be hot.
  expect(outcomes).toHaveLength(4);
});

test("a question asked once costs no extra query", async () => {
  const { ask, readVersion } = pipeline();
  for (const name of ["alice", "bob", "carol"]) await ask(name);
  now += 2;
  await ask("alice");
  expect(readVersion).not.toHaveBeenCalled();
});

test("a new block or a new second invalidates the answer", async () => {
  const { ask } = pipeline();
  for (let i = 0; i < 3; i++) await ask("alice");
  index("second");
  expect(await ask("alice")).toMatchObject({ value: "second" });
  now += 1;
  expect(await ask("alice")).toMatchObject({ now });
  expect(answered).toBe(4);
});

test("concurrent callers share one answer, unless it is of another state or fails", async () => {
  const { ask } = pipeline();
  await ask("alice");
  answered = 0;
  const together = await Promise.all(Array.from({ length: 50 }, () => ask("alice")));
  expect(new Set(together.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(answered).toBe(1);

  const disturbed = operation({ path: "/disturbed/{of}" }, () => index(`block ${tables.version}`));
  const apart = await Promise.all(Array.from({ length: 5 }, () => ask("alice", disturbed)));
  expect(new Set(apart.map(({ value }) => value)).size).toBeGreaterThan(1);

  let failures = 1;
  const failing = operation({ path: "/failing/{of}" }, () => {
    if (failures-- === 1) throw new Error("once");
  });
  await Promise.allSettled([ask("alice", failing)]);
  failures = 1;
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => ask("alice", failing)));
  expect(outcomes.filter(({ status }) => status === "rejected")).toHaveLength(1);
});

test("an answer during which a block arrived is not kept", async () => {
  const { ask } = pipeline();
  const disturbed = operation({}, () => index(`block ${tables.version}`));
  for (let i = 0; i < 4; i++) await ask("alice", disturbed);
  expect(answered).toBe(4);
});

test.each<[string, Handle]>([
  ["the chain's block", (ctx) => ctx.liveBlock()],
  ["a node's head", (ctx) => ctx.chainHead(1)],
  ["labels that callers proved", (ctx) => ctx.provenLabels.find([])],
  ["how far the index is", (ctx) => ctx.freshness.report()],
])("an answer derived from %s is not kept", async (_, look) => {
  const { ask } = pipeline();
  for (let i = 0; i < 3; i++) await ask("alice", operation({}, look));
  expect(answered).toBe(3);
});

test.each([[false], [undefined]])("an answer is not kept unless its operation says so: %s", async (says) => {
  const { ask } = pipeline();
  const { hotAnswers: _, ...rest } = operation();
  const asked = says === undefined ? rest : { ...rest, hotAnswers: says };
  for (let i = 0; i < 3; i++) await ask("alice", asked);
  expect(answered).toBe(3);
});

test.each<[string, Partial<Endpoint>]>([
  ["of one caller", { isPrivate: true }],
  ["that needs a key", { needsKey: true }],
  ["of an index that is not complete", { index: "any state" }],
  ["by POST", { method: "post" }],
])("an operation %s cannot say so", (_, more) => {
  expect(() => operation(more)).toThrow("declares hotAnswers");
  expect(() => operation({ ...more, hotAnswers: false })).not.toThrow();
});

test("if the state of the tables cannot be read, the operation runs", async () => {
  const { ask, readVersion } = pipeline();
  for (let i = 0; i < 3; i++) await ask("alice");
  readVersion.mockRejectedValue(new Error("canceling statement due to lock timeout"));
  answered = 0;
  for (let i = 0; i < 3; i++) expect(await ask("alice")).toMatchObject({ value: "first" });
  expect(answered).toBe(3);
});

test("an answer with its own check is checked each time", async () => {
  const { ask } = pipeline();
  const check = vi.fn();
  for (let i = 0; i < 3; i++) await ask("alice", operation(), check);
  expect(check).toHaveBeenCalledTimes(3);
});

test("different inputs, operations and addresses of this service have separate answers", async () => {
  const { ask } = pipeline();
  const other = operation({ path: "/other/{of}" });
  for (let i = 0; i < 3; i++) {
    expect(await ask("alice")).toMatchObject({ of: "alice" });
    expect(await ask("bob")).toMatchObject({ of: "bob" });
    await ask(1);
    await ask(1n);
    await ask("alice", other);
  }
  expect(answered).toBe(10);
  namesAt = "https://names.example/";
  for (let i = 0; i < 3; i++) await ask("alice");
  expect(answered).toBe(12);
});

test("long questions and long answers are not kept", async () => {
  const { ask } = pipeline();
  for (let i = 0; i < 3; i++) await ask("a".repeat(512));
  expect(answered).toBe(3);
  tables.value = "x".repeat(70_000);
  for (let i = 0; i < 3; i++) await ask("alice");
  expect(answered).toBe(6);
});

test("answers use only the configured memory, and none if it is 0", async () => {
  const { ask } = pipeline(1_000);
  const names = Array.from({ length: 50 }, (_, i) => `name ${i}`);
  for (const name of [...names, ...names]) await ask(name);
  answered = 0;
  for (const name of [...names].reverse()) await ask(name);
  expect(answered).toBeGreaterThan(40);
  expect(answered).toBeLessThan(50);

  const none = pipeline(0);
  for (let i = 0; i < 3; i++) await none.ask("alice");
  expect(none.readVersion).not.toHaveBeenCalled();
});
