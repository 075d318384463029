import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import type { LogQuery } from "../../engine/backfill/logGroups.ts";
import { openPortal } from "../../engine/sources/portal.ts";
import { hashOf } from "../engine/providerNode.ts";

/*
 * A malicious Portal: whatever it sends, it is abandoned within its limits, with an error that names it, and its connections are
 * closed.
 */

const any: LogQuery = { address: null, topics: [null, null, null, null] };
const HEAD = JSON.stringify({ number: 9, hash: hashOf(1, 9) });

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Path = "head" | "stream";
type Conduct = (reply: ServerResponse, isFirst: boolean) => unknown;

const pauses: number[] = [];
/** Requests blocks 4 to 6 from a Portal that misbehaves at one of its paths. */
async function ask(
  conduct: Conduct,
  { at = "stream" as Path, mostCharacters = 2 ** 30, silentMs = 300 } = {},
) {
  const open = new Set<ServerResponse>();
  let requests = 0;
  const server = createServer((request, reply) => {
    open.add(reply);
    reply.on("close", () => open.delete(reply));
    request.resume();
    const path: Path = request.method === "GET" ? "head" : "stream";
    if (path === at) conduct(reply, requests++ === 0);
    else reply.end(HEAD);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  pauses.length = 0;
  const pause = async (ms: number) => void pauses.push(ms);
  const plan = { pause, silentMs, attempts: 2, mostCharacters };
  const began = performance.now();
  const failure = await openPortal(`http://127.0.0.1:${port}/key/x`, () => {}, plan)
    .then((portal) => portal.logs([any], [4, 6]))
    .then(
      () => null,
      (error: Error) => error.message,
    );
  const took = performance.now() - began;
  await expect.poll(() => open.size).toBe(0);
  // Its URL can hold a key, and the port is not part of the limit's words.
  return { failure: failure?.replace(`127.0.0.1:${port} (x)`, "NAME"), took, requests };
}

/** Writes forever, as fast as it is read. */
const endless =
  (piece: string | Buffer, headers = {}): Conduct =>
  (reply) => {
    reply.writeHead(200, headers);
    const write = () => {
      while (!reply.destroyed) if (!reply.write(piece)) return void reply.once("drain", write);
    };
    write();
  };

/** Writes a piece every 20 ms, forever. */
const dripping =
  (pieceOf: (number: number) => string): Conduct =>
  (reply) => {
    let number = 0;
    const timer = setInterval(() => reply.write(pieceOf(number++)), 20);
    reply.writeHead(200).on("close", () => clearInterval(timer));
  };

const TOO_LONG = "NAME sent a line of more than 33554432 characters";
const NO_BLOCK = "NAME ended without a block, 2 times in a row";
const gzip = { "content-encoding": "gzip" };

test.each<[string, Conduct, string]>([
  ["a line that does not end", endless("x".repeat(65_536)), TOO_LONG],
  ["empty lines", endless("\n".repeat(65_536)), NO_BLOCK],
  ["empty lines with carriage returns", endless("\r\n".repeat(65_536)), "NAME sent a line that is no block"],
  ["a line in gzip of a thousandth", endless(gzipSync(Buffer.alloc(2 ** 24, "x")), gzip), TOO_LONG],
  ["empty lines in gzip", endless(gzipSync(Buffer.alloc(2 ** 24, "\n")), gzip), NO_BLOCK],
  ["an empty line now and then", dripping(() => "\n"), NO_BLOCK],
  ["a line that comes by the byte", dripping((i) => (i === 0 ? "{" : " ")), NO_BLOCK],
  ["nothing", (reply) => reply.writeHead(200).flushHeaders(), NO_BLOCK],
  ["an answer that does not begin", () => {}, "NAME cannot be reached (This operation was aborted)"],
  [
    "a page",
    (reply) => reply.writeHead(200, { "content-type": "text/html" }).end("<html>\n</html>"),
    "NAME sent a line that is no block with logs",
  ],
  ["what is no gzip", (reply) => reply.writeHead(200, gzip).end("x\n"), NO_BLOCK],
  [
    "a refusal without an end",
    (reply) => {
      reply.statusCode = 400;
      const write = () => void (reply.destroyed || reply.write("x".repeat(65_536), write));
      write();
    },
    "NAME refuses the request with status 400",
  ],
])("a stream of %s is abandoned", async (_, conduct, message) => {
  // Fast data should reach the size limit first.
  const { failure, took } = await ask(conduct, message === TOO_LONG ? { silentMs: 60_000 } : {});
  expect(failure).toContain(message);
  expect(took).toBeLessThan(30_000);
});

test.each<[string, Conduct]>([
  ["a page", (reply) => reply.end("<html></html>")],
  ["a number without an end", endless("1".repeat(65_536))],
  ["lines without an end", endless("{}\n")],
  ["empty lines now and then", dripping(() => "\n")],
  ["no block", (reply) => reply.end("null")],
  ["a block beyond all numbers", (reply) => reply.end(`{"number":1e300,"hash":"${hashOf(1, 9)}"}`)],
])("a head that is %s is rejected", async (_, conduct) => {
  const { failure, requests } = await ask(conduct, { at: "head" });
  expect(failure).toContain(NO_BLOCK);
  expect(requests).toBe(2);
});

test.each<Path>(["head", "stream"])("no redirect of the %s is followed", async (at) => {
  let reached = 0;
  const elsewhere = createServer((_, reply) => {
    reached++;
    reply.end(HEAD);
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
  closing.push(() => elsewhere.close());
  const location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
  const { failure } = await ask((reply) => reply.writeHead(307, { location }).end(), { at });
  expect(failure).toBe("NAME redirects, which is not followed: set the URL that it redirects to");
  expect(reached).toBe(0);
});

test("the pause that it requests is limited to half a minute", async () => {
  const busy: Conduct = (reply) => reply.writeHead(429, { "retry-after": "1000000000" }).end();
  const { failure } = await ask(busy);
  expect(failure).toContain("NAME answered with status 429, 2 times in a row");
  expect(pauses).toEqual([30_000]);
});

const header = { number: 5, hash: hashOf(1, 5), timestamp: 1_500_000_060 };
const address = `0x${"07".repeat(20)}`;
const log = {
  logIndex: 0,
  transactionIndex: 0,
  transactionHash: hashOf(2, 5),
  address,
  topics: [],
  data: "0x",
};
const transaction = {
  transactionIndex: 0,
  hash: hashOf(2, 5),
  from: address,
  to: null,
  input: "0x",
  value: "0x0",
  nonce: 0,
  gas: "0x1",
};
const withLog = (fields: object) => ({ header, logs: [{ ...log, ...fields }] });
const withTransaction = (fields: object) => ({
  header,
  logs: [log],
  transactions: [{ ...transaction, ...fields }],
});

test.each<[string, object]>([
  ["timestamp 10000000000", { header: { ...header, timestamp: 1e10 } }],
  ["timestamp 1500000060000", { header: { ...header, timestamp: 1_500_000_060_000 } }],
  ["number 9007199254740992", { header: { ...header, number: 2 ** 53 } }],
  ["number -1", { header: { ...header, number: -1 } }],
  ["number 5.5", { header: { ...header, number: 5.5 } }],
  ['number "5"', { header: { ...header, number: "5" } }],
  ["logIndex 2147483648", withLog({ logIndex: 2 ** 31 })],
  ["transactionIndex 2147483648", withLog({ transactionIndex: 2 ** 31 })],
  ["transactionIndex 4294967296", withTransaction({ transactionIndex: 2 ** 32 })],
  ["nonce 2147483648", withTransaction({ nonce: 2 ** 31 })],
  ["type 2147483648", withTransaction({ type: 2 ** 31 })],
  [`value "0x1${"0".repeat(64)}"`, withTransaction({ value: `0x1${"0".repeat(64)}` })],
  [`gas "0x1${"0".repeat(64)}"`, withTransaction({ gas: `0x1${"0".repeat(64)}` })],
  ["no list", { header, logs: { length: 1 } }],
  ["logIndex undefined", { header, logs: [null] }],
])("a line with %s is refused before it reaches the database", async (fault, line) => {
  const { failure } = await ask((reply) => reply.end(`${JSON.stringify(line)}\n`));
  expect(failure).toMatch(/^NAME sent a line that is no block with logs/);
  expect(failure).toContain(`(${fault})`);
});

test.each<[string, object]>([
  ["a block that was not asked for", { header: { ...header, number: 9 } }],
  ["a block before the last one", { header: { ...header, number: 1 } }],
  ["no time", { header: { ...header, timestamp: 0 } }],
  ["an invalid hash", { header: { ...header, hash: "0x12" } }],
  ["an invalid address of a log", withLog({ address: "0x12" })],
  ["five topics", withLog({ topics: Array(5).fill(hashOf(1, 1)) })],
  ["half a byte", withLog({ data: "0x1" })],
  ["an index below zero", withLog({ logIndex: -1 })],
])("%s is refused", async (_, line) => {
  const { failure } = await ask((reply) => reply.end(`${JSON.stringify(line)}\n`));
  expect(failure).toMatch(/sent (?:a line|block)/);
});

test("the largest numbers that the cache holds are accepted", async () => {
  const line = {
    header: { ...header, timestamp: 9_999_999_999, number: 6 },
    logs: [{ ...log, logIndex: 2 ** 31 - 1, transactionIndex: 2 ** 31 - 1 }],
    transactions: [{ ...transaction, nonce: 2 ** 31 - 1, value: `0x${"f".repeat(64)}` }],
  };
  const { failure } = await ask((reply) => reply.end(`${JSON.stringify(line)}\n`));
  expect(failure).toBeUndefined();
});

test("blocks that are large together exceed the memory limit", async () => {
  const data = `0x${"00".repeat(500_000)}`;
  const lines = [4, 5, 6].map((number) =>
    JSON.stringify({ header: { ...header, number }, logs: [{ ...log, data }] }),
  );
  const conduct: Conduct = (reply) => reply.writeHead(200, gzip).end(gzipSync(lines.join("\n")));
  expect((await ask(conduct, { mostCharacters: 4e6 })).failure).toBeUndefined();
  expect((await ask(conduct, { mostCharacters: 2e6 })).failure).toBe(
    "NAME sent more than 2000000 characters of blocks 4 to 6",
  );
});
