import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Entry } from "../../ops/log/entry.ts";
import { createRepeats } from "../../ops/log/repeats.ts";

let said: Entry[];
let repeats: ReturnType<typeof createRepeats>;
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers({ now: new Date("2026-11-24T03:00:00Z") });
  said = [];
  repeats = createRepeats((entry) => said.push(entry));
  stop = repeats.start();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

const entry = (more: Partial<Entry> = {}): Entry => ({
  time: new Date().toISOString(),
  level: "warn",
  program: "indexer",
  message: "The node is away",
  ...more,
});

const messages = () => said.map(({ message }) => message);

test("a continuing problem is logged once, then once a minute with its count, then when it is over", () => {
  for (let second = 0; second < 150; second++) {
    for (let i = 0; i < 80; i++) repeats.note(entry({ error: `connect ECONNREFUSED 127.0.0.1:${second}` }));
    vi.advanceTimersByTime(1_000);
  }
  expect(messages()).toEqual([
    "The node is away",
    "The node is away (4799 more times in the last minute)",
    "The node is away (4800 more times in the last minute)",
  ]);
  vi.advanceTimersByTime(120_000);
  expect(messages().slice(3)).toEqual([
    "The node is away (2400 more times in the last minute)",
    "Over: The node is away",
  ]);
  expect(said.at(-1)).toMatchObject({ level: "info", repeated: 11_999, since: "2026-11-24T03:00:00.000Z" });
});

test("what came once is said once, and comes again as new after a minute", () => {
  repeats.note(entry());
  vi.advanceTimersByTime(180_000);
  expect(messages()).toEqual(["The node is away"]);
  repeats.note(entry());
  expect(said).toHaveLength(2);
});

test("other troubles, and what is no trouble, are said by themselves", () => {
  repeats.note(entry());
  repeats.note(entry({ chain: "base" }));
  repeats.note(entry({ error: "TimeoutError" }));
  for (const status of [500, 502]) repeats.note(entry({ message: "request", status }));
  for (const port of [1, 2])
    repeats.note(entry({ message: `http://a:${port} is away`, indexer: `http://a:${port}` }));
  for (let i = 0; i < 5; i++) repeats.note(entry({ level: "info", message: "Indexed block" }));
  expect(said).toHaveLength(12);
});

test("a stranger who makes every line another one does not fill the log", () => {
  const word = (i: number) => String.fromCharCode(...[...String(i)].map((digit) => 97 + Number(digit)));
  for (let i = 0; i < 10_000; i++) repeats.note(entry({ error: `Error: ${word(i)}` }));
  expect(said.length).toBeLessThan(20);
  for (let i = 0; i < 10_000; i++) repeats.note(entry({ message: `Not ${word(i)}` }));
  expect(said.length).toBeLessThan(250);
});
