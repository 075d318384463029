import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { answerUnreadable, endSlowReaders, endSlowRequests } from "../../src/api/server/http/slowClients.ts";
import { startService } from "../access/service.ts";

const CHECK_MS = 50;
let server: Server;
let port: number;
let clients: Socket[];

beforeEach(async () => {
  clients = [];
  const app = new Hono()
    .use(endSlowRequests({ headersMs: 200, requestMs: 400 }))
    .use(answerUnreadable())
    .all("/", async (c) => c.text(await c.req.text()));
  const serverOptions = { connectionsCheckingInterval: CHECK_MS };
  server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1", serverOptions }) as Server;
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/**
 * A client that sends the beginning of a request, then a byte now and then. Resolves with
 * everything it received.
 */
function trickle(start: string): { ended: Promise<string> } {
  const client = connect(port, "127.0.0.1");
  clients.push(client);
  client.write(start);
  const drip = setInterval(() => client.writable && client.write("a"), 40);
  let text = "";
  client.on("data", (data) => {
    text += data;
  });
  client.on("error", () => {});
  const ended = new Promise<string>((resolve) => client.on("close", () => resolve(text)));
  return { ended: ended.finally(() => clearInterval(drip)) };
}

const ask = async () => (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: "hello" })).text();

/** What a client receives for the bytes it sends. */
function exchange(bytes: string): Promise<string> {
  const client = connect(port, "127.0.0.1");
  clients.push(client);
  client.write(bytes);
  let text = "";
  client.on("data", (data) => {
    text += data;
  });
  client.on("error", () => {});
  return new Promise((resolve) => client.on("close", () => resolve(text)));
}

describe("something that is not a request", () => {
  test.each([
    ["a URL of 20,000 characters", `GET /${"a".repeat(20_000)} HTTP/1.1\r\n\r\n`, "LIMIT_EXCEEDED"],
    ["nonsense", "nonsense\r\n\r\n", "INVALID_PARAMETER"],
  ])("is answered with an error of the usual form: %s", async (_, bytes, code) => {
    await ask();
    const answer = await exchange(bytes);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    const body = JSON.parse(answer.split("\r\n\r\n")[1] ?? "");
    expect(body).toEqual({ error: { code, message: expect.stringMatching(/\.$/) } });
  });
});

describe("a client that trickles its request", () => {
  test.each([
    ["headers", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "],
    ["body", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"],
  ])("is disconnected after the time limit of its %s", async (_, start) => {
    await ask();
    const outcome = await Promise.race([trickle(start).ended, sleep(30_000, "still there")]);
    expect(outcome).toMatch(/^HTTP\/1.1 408 /);
  });

  test("keeps no other client waiting, not even hundreds of them", async () => {
    await ask();
    const slow = Array.from({ length: 300 }, () => trickle("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "));
    expect(await ask()).toBe("hello");
    await Promise.all(slow.map(({ ended }) => ended));
    expect(await ask()).toBe("hello");
  });
});

test("a request has 20 seconds for its headers and a minute in total", async () => {
  const service = await startService();
  await service.get("/free");
  expect(service.server).toMatchObject({ headersTimeout: 20_000, requestTimeout: 60_000 });
  await service.close();
});

test("connections stay open longer than the minute after which proxies close theirs", async () => {
  await ask();
  const reply = await fetch(`http://127.0.0.1:${port}/`);
  expect(reply.headers.get("keep-alive")).toBe("timeout=65");
  await reply.text();
});

describe("a client that does not read its answer", () => {
  const large = "a".repeat(64 * 1_048_576);
  const serveTo = async (patience: { pauseMs: number; wholeMs: number }) => {
    const app = new Hono().use(endSlowReaders(patience)).get("/", (c) => c.text(large));
    const own = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
    if (!own.listening) await new Promise((resolve) => own.once("listening", resolve));
    const client = connect((own.address() as AddressInfo).port, "127.0.0.1");
    client.on("error", () => {});
    clients.push(client);
    client.pause();
    client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    /** Connections still open on the server. */
    const open = () => new Promise<number>((resolve) => own.getConnections((_, count) => resolve(count)));
    await expect.poll(open, { timeout: 30_000 }).toBe(1);
    return { client, open, close: () => own.close() };
  };

  test("is disconnected after a pause", async () => {
    const { open, close } = await serveTo({ pauseMs: 500, wholeMs: 600_000 });
    await expect.poll(open, { timeout: 60_000 }).toBe(0);
    close();
  });

  test("is disconnected in the end even if it reads a little now and then", async () => {
    const { client, open, close } = await serveTo({ pauseMs: 600_000, wholeMs: 2_000 });
    let taken = 0;
    const sips = setInterval(() => {
      taken += client.read(65_536)?.length ?? 0;
    }, 50);
    await expect.poll(open, { timeout: 60_000 }).toBe(0);
    clearInterval(sips);
    expect(taken).toBeLessThan(large.length);
    close();
  });

  test("gets the whole answer if it reads in time", async () => {
    const { client, close } = await serveTo({ pauseMs: 600_000, wholeMs: 600_000 });
    let taken = 0;
    client.on("data", (data) => {
      taken += data.length;
    });
    client.resume();
    await expect.poll(() => taken, { timeout: 60_000 }).toBeGreaterThan(large.length);
    close();
  });
});
