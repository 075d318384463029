import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createAnswerCache, recallAnswers } from "../../src/api/names/live/cache.ts";
import { LiveFailure } from "../../src/api/names/live/failure.ts";
import {
  type LiveAnswers,
  liveAnswersIn,
  MAX_STORED_BYTES,
  MAX_STORED_BYTES_A_MINUTE,
} from "../../src/api/server/serviceDb/liveAnswers.ts";
import { migrations } from "../../src/api/server/serviceDb/migrations.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { createTestDatabase } from "../support/database.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;
let answers: LiveAnswers;

beforeAll(async () => {
  database = await createTestDatabase();
  store = openStore({ databaseUrl: database.url, schema: "service" });
  answers = liveAnswersIn(store, { chainId: 1 });
});
afterAll(async () => {
  await store?.close();
  await database?.drop();
});

/** A question that no other test asked. */
let number = 0;
beforeEach(() => {
  number++;
});
const question = (text = "q") => ({
  question: { text: `${number} ${text}`, subject: "name.eth" },
  ask: text,
});
const block = { number: 100, timestamp: 1_700_000_000 };
const failure = new LiveFailure("rpc", "no node");

describe("an answer", () => {
  test("is read once per block by all replicas", async () => {
    const resolve = vi.fn((asks: readonly string[]) => asks.map(async (ask) => ({ said: ask })));
    const [first, second] = [createAnswerCache(answers), createAnswerCache(answers)];
    expect(await first(block, [question()], resolve)).toEqual([{ answer: { said: "q" } }]);
    expect(await first(block, [question()], resolve)).toEqual([{ answer: { said: "q" } }]);
    expect(await second(block, [question()], resolve)).toEqual([{ answer: { said: "q" } }]);
    expect(resolve.mock.calls.map(([asks]) => asks)).toEqual([["q"], [], []]);
  });

  test("is stale in the next block, and in another block of the same height", async () => {
    const cache = createAnswerCache(answers);
    let count = 0;
    const resolve = (asks: readonly string[]) => asks.map(async () => ++count);
    const at = [block, { ...block, number: 101 }, { ...block, timestamp: 1_700_000_012 }, block];
    const said = [];
    for (const one of at) said.push(...(await cache(one, [question()], resolve)));
    expect(said).toEqual([{ answer: 1 }, { answer: 2 }, { answer: 3 }, { answer: 1 }]);
  });

  test("belongs to its chain", async () => {
    const other = createAnswerCache(liveAnswersIn(store, { chainId: 2 }));
    await createAnswerCache(answers)(block, [question()], (asks) => asks.map(async () => "one"));
    expect(await other(block, [question()], (asks) => asks.map(async () => "two"))).toEqual([
      { answer: "two" },
    ]);
  });

  test("is shared by equal concurrent questions, without blocking others", async () => {
    const cache = createAnswerCache(answers);
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const asked: string[] = [];
    const resolve = (asks: readonly string[]) =>
      asks.map(async (ask) => {
        asked.push(ask);
        await gate;
        return ask;
      });
    const all = Promise.all([
      cache(block, [question("a"), question("b"), question("a")], resolve),
      cache(block, [question("b"), question("c")], resolve),
    ]);
    await vi.waitFor(() => expect(asked).toHaveLength(3), { timeout: 20_000 });
    release();
    expect(await all).toEqual([
      [{ answer: "a" }, { answer: "b" }, { answer: "a" }],
      [{ answer: "b" }, { answer: "c" }],
    ]);
    expect(asked.sort()).toEqual(["a", "b", "c"]);
  });

  test("may contain what PostgreSQL text cannot: NUL, a lone surrogate", async () => {
    const odd = { value: "nul\u0000 half\ud83d", key: "__proto__" };
    await createAnswerCache(answers)(block, [question()], (asks) => asks.map(async () => odd));
    const again = await createAnswerCache(answers)(block, [question()], () => []);
    expect(again).toEqual([{ answer: odd }]);
  });

  test("is unaffected if the store is away", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const away = openStore({ databaseUrl: "postgresql://user@127.0.0.1:1/none", schema: "service" });
    const cache = createAnswerCache(liveAnswersIn(away, { chainId: 1 }));
    expect(await cache(block, [question()], (asks) => asks.map(async () => "here"))).toEqual([
      { answer: "here" },
    ]);
    expect(warn).toHaveBeenCalled();
    warn.mockRestore();
    await away.close();
  });
});

describe("a large answer", () => {
  const ofSize = (bytes: number) => "x".repeat(bytes - 2);
  const ask = (cache: ReturnType<typeof createAnswerCache>, text: string, answer: string) =>
    cache(block, [question(text)], (asks) => asks.map(async () => answer));
  const isStored = async (text: string) => (await answers.find(block, [question(text).question])).size === 1;

  test("is returned but not stored", async () => {
    const cache = createAnswerCache(answers);
    const [largest, tooLarge] = [ofSize(MAX_STORED_BYTES - "name.eth".length), ofSize(MAX_STORED_BYTES)];
    expect(await ask(cache, "largest", largest)).toEqual([{ answer: largest }]);
    expect(await ask(cache, "too large", tooLarge)).toEqual([{ answer: tooLarge }]);
    expect([await isStored("largest"), await isStored("too large")]).toEqual([true, false]);
  });

  test("is also not stored once a minute's quota is used up", async () => {
    const now = vi.spyOn(Date, "now").mockReturnValue(1_700_000_000_000);
    const cache = createAnswerCache(liveAnswersIn(store, { chainId: 1 }));
    const answer = ofSize(MAX_STORED_BYTES - "name.eth".length);
    const room = MAX_STORED_BYTES_A_MINUTE / MAX_STORED_BYTES;
    for (let i = 0; i <= room; i++) await ask(cache, `one of many ${i}`, answer);
    expect([await isStored(`one of many ${room - 1}`), await isStored(`one of many ${room}`)]).toEqual([
      true,
      false,
    ]);
    now.mockReturnValue(1_700_000_060_000);
    await ask(cache, "a minute later", answer);
    expect(await isStored("a minute later")).toBe(true);
    now.mockRestore();
  });
});

test("a caller neither waits for another caller's question nor gets its failures", async () => {
  const cache = createAnswerCache(answers);
  const of = (caller: string) => ({ question: { ...question().question, caller }, ask: caller });
  const never = new Promise<string>(() => {});
  void cache(block, [of("slow")], () => [never]);
  expect(await cache(block, [of("failing")], () => [Promise.reject(failure)])).toEqual([{ failure }]);
  const sound = await cache(block, [of("sound")], () => [Promise.resolve("up")]);
  expect(sound).toEqual([{ answer: "up" }]);
});

describe("a failure", () => {
  test("is repeated for three seconds without being stored, and then read again", async () => {
    const now = vi.spyOn(performance, "now").mockReturnValue(1_000);
    const setClock = async (ms: number) => {
      now.mockReturnValue(ms);
      await sleep(20); // The in-memory cache reads its clock once a millisecond.
    };
    const cache = createAnswerCache(answers);
    let isDown = true;
    const resolve = vi.fn((asks: readonly string[]) =>
      asks.map(async () => {
        if (isDown) throw failure;
        return "up";
      }),
    );
    expect(await cache(block, [question()], resolve)).toEqual([{ failure }]);
    isDown = false;
    await setClock(3_990);
    expect(await cache(block, [question()], resolve)).toEqual([{ failure }]);
    expect(resolve).toHaveBeenCalledTimes(1);
    expect(await createAnswerCache(answers)(block, [question()], resolve)).toEqual([{ answer: "up" }]);
    await setClock(4_010);
    expect(await cache(block, [question()], resolve)).toEqual([{ answer: "up" }]);
    now.mockRestore();
  });

  test("of one question does not affect the answers of others", async () => {
    const resolve = (asks: readonly string[]) =>
      asks.map(async (ask) => {
        if (ask === "bad") throw failure;
        return ask;
      });
    const said = await createAnswerCache(answers)(block, [question("good"), question("bad")], resolve);
    expect(said).toEqual([{ answer: "good" }, { failure }]);
  });

  test("that is unforeseen is thrown, and not taken for one of the chain", async () => {
    const bug = new TypeError("not a function");
    const resolve = (asks: readonly string[]) => asks.map(async () => Promise.reject(bug));
    await expect(createAnswerCache(answers)(block, [question()], resolve)).rejects.toBe(bug);
  });
});

describe("the store", () => {
  test("finds the last answer of the last minutes at any block, on its own chain", async () => {
    const [key, old, other] = ["recent", "outdated", "elsewhere"].map((text) => ({
      text,
      subject: "recent.eth",
    }));
    if (!key || !old || !other) throw new Error("three questions");
    await answers.put(block, key, "first");
    await answers.put({ ...block, number: 99 }, key, "later, at a lower block");
    await answers.put(block, old, "outdated");
    await liveAnswersIn(store, { chainId: 2 }).put(block, other, "on another chain");
    await store.query(
      `UPDATE live_answers SET resolved_at = now() - interval '11 minutes' WHERE answer::text = '"outdated"'`,
    );
    expect(await recallAnswers(answers, [other, old, key])).toEqual([
      undefined,
      undefined,
      "later, at a lower block",
    ]);
  });

  test("that cannot be read returns nothing", async () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    const away = openStore({ databaseUrl: "postgresql://127.0.0.1:9/none", schema: "service" });
    const gone = liveAnswersIn(away, { chainId: 1 });
    expect(await recallAnswers(gone, [{ text: "q", subject: "q.eth" }])).toEqual([undefined]);
    expect(warned).toHaveBeenCalledOnce();
    warned.mockRestore();
    await away.close();
  });

  test("removes answers of old blocks", async () => {
    await answers.put(block, { text: "old", subject: "old.eth" }, 1);
    await answers.put(block, { text: "new", subject: "new.eth" }, 2);
    await store.query(
      "UPDATE live_answers SET resolved_at = now() - interval '11 minutes' WHERE subject = 'old.eth'",
    );
    await answers.removeOld();
    const rows = await store.query<{ subject: string }>(
      "SELECT subject FROM live_answers WHERE subject IN ('old.eth', 'new.eth')",
    );
    expect(rows).toEqual([{ subject: "new.eth" }]);
  });

  test("is created once by processes that start together, and left as is by later ones", async () => {
    const plan = { databaseUrl: database.url, schema: "together" };
    const stores = Array.from({ length: 5 }, () => openStore(plan));
    await Promise.all(stores.map((one) => one.query("SELECT 1 FROM live_answers")));
    const later = openStore(plan);
    const rows = await later.query("SELECT version FROM migrations");
    expect(rows).toEqual(migrations.map((_, i) => ({ version: i + 1 })));
    await Promise.all([...stores, later].map((one) => one.close()));
  });

  test("of a later version is not touched, and the error says what to do", async () => {
    const plan = { databaseUrl: database.url, schema: "later" };
    const first = openStore(plan);
    await first.query("INSERT INTO migrations (version) VALUES (99)");
    await first.close();
    const second = openStore(plan);
    await expect(second.query("SELECT 1")).rejects.toThrow(
      /later version of Namedex \(schema version 99.*DATABASE_SERVICE_SCHEMA/,
    );
    await second.close();
  });
});
