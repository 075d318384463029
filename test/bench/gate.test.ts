import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { domain } from "ponder:schema";
import { getAddress, namehash } from "viem";
import { expect, onTestFinished, test } from "vitest";
import { startAsker } from "../../bench/asker.ts";
import type { Arrivals } from "../../bench/gate/arrivals.ts";
import { differences } from "../../bench/gate/compare.ts";
import { continued, isFirstFull } from "../../bench/gate/pages.ts";
import { type Route, routesOf } from "../../bench/gate/routes.ts";
import { drawSkewed, type GateSamples } from "../../bench/gate/samples.ts";
import { type Seen, whyNotHeld } from "../../bench/gate/seen.ts";
import { account, registeredRow } from "../query/rows.ts";
import { createTables } from "../query/tables.ts";

async function listen(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function arrive(plan: Arrivals): Promise<Seen> {
  const { ask, stop } = startAsker<Arrivals, Seen>(new URL("../../bench/gate/arrivals.ts", import.meta.url));
  return ask(plan).finally(stop);
}

const asked = ["/a", "/b", "/c"].map((path) => ({ path }));

test("requests are sent when due, and latency counts from then", async () => {
  let count = 0;
  // Answers nothing for half a second, then all at once, as a stalled program does.
  let stalled: Promise<unknown> | undefined;
  const url = await listen(async (_, reply) => {
    count++;
    stalled ??= sleep(500);
    await stalled;
    reply.end("{}");
  });
  const seen = await arrive({ url, asked, perSecond: 100, seconds: 1, keepEvery: 10 });
  expect(count).toBe(100);
  expect(seen).toMatchObject({ answered: 100, failed: 0 });
  expect(seen.kept).toHaveLength(10);
  expect(new Set(seen.kept.map(({ path }) => path)).size, "the kept ones move on").toBe(3);
  expect(seen.p99).toBeGreaterThan(250);
});

test("error answers fail a rate", async () => {
  const url = await listen((request, reply) => {
    reply.statusCode = request.url === "/b" ? 503 : 200;
    reply.end("{}");
  });
  const seen = await arrive({ url, asked, perSecond: 90, seconds: 1, keepEvery: 0 });
  expect(seen).toMatchObject({ failed: 30, answered: 60 });
  expect(whyNotHeld({ perSecond: 90, goal: { p50: 1e6, p95: 1e6, p99: 1e6 } }, seen)).toBe(
    "30 requests failed",
  );
});

test("a rate is met only with enough answers, fast enough", () => {
  const goal = { p50: 5, p95: 10, p99: 25 };
  const seen = { p50: 1, p95: 2, p99: 3, answered: 1_960, failed: 0, kept: [] };
  const why = (other: Partial<Seen>) => whyNotHeld({ perSecond: 2_000, goal }, { ...seen, ...other });
  expect(why({})).toBeNull();
  expect(why({ answered: 1_900 })).toBe("1900 of 2000 a second");
  expect(why({ p95: 10.04 })).toBe("p95 of 10.0 ms, goal 10 ms");
});

test("the first samples are requested far more often, and the last ones are still requested", () => {
  const drawn = drawSkewed(
    Array.from({ length: 1_000 }, (_, i) => i),
    { count: 20_000, seed: 1 },
  );
  const often = (from: number, to: number) => drawn.filter((one) => one >= from && one < to).length;
  expect(often(0, 10)).toBeGreaterThan(5 * often(500, 510));
  expect(often(900, 1_000)).toBeGreaterThan(0);
  expect(drawn).not.toContain(undefined);
});

const samples = (): GateSamples => {
  const of = (text: string) => [`${text}1`, `${text}2`];
  return {
    names: of("n"),
    nodes: of("0x"),
    owners: of("0xa"),
    parents: of("p"),
    claimants: of("0xc"),
    parts: of("x"),
  };
};

test("every route reports where its data is short, and requests absent items, too", () => {
  for (const route of routesOf(samples())) expect(route.short, route.name).toContain("are needed");
  const [whois] = routesOf(samples());
  const absent = whois?.asked.filter(({ path }) => path.includes("absent")).length ?? 0;
  expect(absent / (whois?.asked.length ?? 0)).toBeCloseTo(0.1, 1);
});

test("a tenth of a list's requests continue from a cursor, and an empty first answer is reported", async () => {
  const url = await listen((request, reply) =>
    reply.end(
      JSON.stringify(
        request.url === "/empty" ? { domains: [], total: 0 } : { domains: [1], next_cursor: "on" },
      ),
    ),
  );
  const list = { asked: Array.from({ length: 20 }, () => ({ path: "/list" })), hasPages: true } as Route;
  const { asked: all, cursors } = await continued(list, url);
  expect(all.filter(({ path }) => path === "/list?cursor=on")).toHaveLength(2);
  expect(cursors).toBe(1);
  const short = await continued({ ...list, shortPage: 4 }, url);
  expect(short.asked.filter(({ path }) => path === "/list?page_size=4&cursor=on")).toHaveLength(2);
  expect(await isFirstFull(list, url)).toBe(true);
  expect(await isFirstFull({ ...list, asked: [{ path: "/empty" }] }, url)).toBe(false);
});

test("an answer that differs from the rows is found, and so is one that differs at rest", async () => {
  const tables = await createTables();
  onTestFinished(() => tables.drop());
  const owner = account(0xa11ce);
  await tables.writer.insert(domain).values(registeredRow("alice.eth", owner, 2_000_000_000n));
  const right = {
    namehash: namehash("alice.eth"),
    label: "alice",
    expiry_timestamp: "2000000000",
    availability_status: "registered",
  };
  const compare = (given: object, atRest: object = given) =>
    listen((_, reply) => reply.end(JSON.stringify(atRest))).then((url) =>
      differences(url, tables.pool, [{ path: "/whois/alice.eth", text: JSON.stringify(given) }]),
    );
  expect(await compare({ items: [right] })).toEqual([]);
  const checksummed = getAddress(owner);
  expect(checksummed).not.toBe(owner);
  expect(await compare({ ...right, ownership: { registry: checksummed } })).toEqual([]);
  expect(await compare({ ...right, expiry_timestamp: "1" })).toEqual([expect.stringContaining("2000000000")]);
  expect(await compare({ ...right, label: "bob" })).toEqual([expect.stringContaining("alice")]);
  expect(await compare({ ...right, ownership: { registry: account(2) } })).toHaveLength(1);
  expect(await compare({ ...right, namehash: namehash("bob.eth") })).toEqual([
    expect.stringContaining("no row"),
  ]);
  expect(await compare(right, { ...right, display: "x" })).toEqual(["/whois/alice.eth at rest"]);
});
