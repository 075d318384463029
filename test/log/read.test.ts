import { pino } from "pino";
import { HttpRequestError } from "viem";
import { expect, test } from "vitest";
import { errorText, firstLine } from "../../ops/log/entry.ts";
import { formatEntry } from "../../ops/log/log.ts";
import { readEntry } from "../../ops/log/read.ts";

const as = { program: "indexer", usual: "info" } as const;

test("a line of Ponder has our form: time, words for levels, and the error's text in one field", () => {
  const line = {
    level: 40,
    time: 1_790_000_000_000,
    msg: "Received JSON-RPC error",
    chain: "mainnet",
    duration: 12.4,
    error: {
      name: "HttpRequestError",
      message: "no",
      stack: "HttpRequestError: no\n    at f",
      meta: "block: 7",
    },
  };
  expect(readEntry(JSON.stringify(line), as)).toEqual({
    time: "2026-09-21T14:13:20.000Z",
    level: "warn",
    program: "indexer",
    ms: 12,
    chain: "mainnet",
    message: "Received JSON-RPC error",
    error: "HttpRequestError: no\n    at f\nblock: 7",
  });
});

/** A line as Ponder's logger writes it: errors go through pino, and Ponder joins the lines of `meta`. */
function lineOf(error: Error): string {
  const { err } = pino.stdSerializers;
  const meta = (error as { meta?: unknown }).meta;
  const plain = { ...err(Object.assign(error, Array.isArray(meta) && { meta: meta.join("\n") })) };
  return JSON.stringify({ level: 50, msg: "uncaughtException", error: plain });
}

const changed = (error: Error, parts: object): Error => Object.assign(error, parts);

test.each<[what: string, error: Error, text: RegExp]>([
  [
    "whose stack Ponder emptied",
    changed(new Error('Failed to acquire lock on schema "a"'), {
      stack: undefined,
      name: "MigrationError",
      meta: [],
    }),
    /^MigrationError: Failed to acquire lock on schema "a"$/,
  ],
  [
    "whose stack is of no use",
    changed(new Error("is null"), { stack: "    at f", name: "DelayedInsertError", meta: ["row: 7"] }),
    /^DelayedInsertError: is null\n {4}at f\nrow: 7$/,
  ],
  [
    "whose message was changed afterwards",
    changed(new Error("no"), {
      message: "Error while executing ponder.config.ts: no",
      stack: "Error: no\n    at g",
    }),
    /^Error: Error while executing ponder.config.ts: no\nError: no\n {4}at g$/,
  ],
  [
    "that was caused by another",
    new Error("Failed query", { cause: new Error("disk full") }),
    /^Error: Failed query: disk full\n[\s\S]*\ncaused by: Error: disk full\n/,
  ],
  [
    "that was made of several, without a message of its own",
    new AggregateError([
      new Error("connect ECONNREFUSED ::1:1"),
      new Error("connect ECONNREFUSED 127.0.0.1:1"),
    ]),
    /connect ECONNREFUSED ::1:1[\s\S]*connect ECONNREFUSED 127.0.0.1:1/,
  ],
])("the reason of an error %s is in the log", (_, error, text) => {
  expect(readEntry(lineOf(error), as).error).toMatch(text);
  if (!error.stack?.includes("at f"))
    expect(errorText(error)).toMatch(/acquire lock|executing ponder|disk full|::1:1/);
});

test("what a node answered is in the first line, and not behind a long request", () => {
  const rpcUrl = `http://127.0.0.1/${"x".repeat(20_000)}`;
  const refused = new HttpRequestError({
    url: rpcUrl,
    status: 429,
    details: "Too\nmany requests",
    body: { a: 1 },
  });
  const first = "HttpRequestError: HTTP request failed. (429 Too many requests)\n";
  expect(readEntry(lineOf(refused), as).error?.startsWith(first)).toBe(true);
  expect(errorText(refused).startsWith(first)).toBe(true);
});

test("deprecated calls are for developers, Node's other warnings are warnings, and durations have one unit", () => {
  const said = (text: string) => readEntry(text, { ...as, usual: "error" }).level;
  expect(said("(node:7) [DEP0040] DeprecationWarning: The module is deprecated.\n(Use `node --trace)")).toBe(
    "info",
  );
  expect(said("(node:7) DeprecationWarning: Calling it is deprecated.")).toBe("info");
  expect(said("(node:7) MaxListenersExceededWarning: Possible leak")).toBe("warn");
  expect(said("Error: (node:7) DeprecationWarning: no")).toBe("error");
  const recovered = { level: 30, msg: "Detected crash recovery", last_active: "2ss" };
  expect(readEntry(JSON.stringify(recovered), as).last_active).toBe("2s");
});

test("an error's first line is that of what it was made of, if it says nothing itself", () => {
  expect(firstLine(new AggregateError([new Error("connect ECONNREFUSED ::1:1")]))).toBe(
    "Error: connect ECONNREFUSED ::1:1",
  );
  const circle = new Error("");
  circle.cause = circle;
  expect(firstLine(circle)).toBe("Error: ");
  expect(errorText(circle)).toMatch(/^Error: \n {4}at /);
  expect(errorText({ code: 7 })).toBe("{ code: 7 }");
});

test("a contract that reverts is no error, whatever Ponder calls it", () => {
  const line = (message: string) =>
    JSON.stringify({ level: 50, msg: "Error while processing event", error: { name: "Error", message } });
  expect(readEntry(line("execution reverted: no"), as).level).toBe("warn");
  expect(readEntry(line("connection lost"), as).level).toBe("error");
  const passed = {
    level: 50,
    msg: "Passed over a log whose handler failed",
    error: { message: "RangeError" },
  };
  expect(readEntry(JSON.stringify(passed), as).level).toBe("warn");
});

test("a stop that was asked for is no error, however long its last queries take", () => {
  const late = (code: number) =>
    JSON.stringify({ level: 50, msg: "Failed to shutdown within 5 seconds", code });
  expect(readEntry(late(0), as).level).toBe("warn");
  expect(readEntry(late(75), as).level).toBe("error");
});

test("a text of several lines is one entry, and a text that only looks like JSON is a text", () => {
  const crash = "Error: out of it\n    at x\n    at y";
  expect(readEntry(crash, { ...as, usual: "error" })).toMatchObject({
    level: "error",
    message: "Error: out of it",
    error: crash,
  });
  expect(readEntry("{not json", as).message).toBe("{not json");
  expect(readEntry("{}", as).message).toBe("");
});

test("what strangers make long is cut", () => {
  const long = "x".repeat(100_000);
  const entry = readEntry(JSON.stringify({ level: 50, msg: "a", request: long, error: { stack: long } }), as);
  expect(JSON.stringify(entry).length).toBeLessThan(10_000);
});

test("people at a terminal read one line, and the error below it", () => {
  const entry = readEntry(JSON.stringify({ level: "warn", time: 0, message: "late", chain: "base" }), as);
  expect(formatEntry({ ...entry, error: "a\nb" }, "text")).toBe(
    "1970-01-01 00:00:00 WARN  indexer: late chain=base\n  a\n  b\n",
  );
});
