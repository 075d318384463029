import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endSlowRequests } from "../../src/api/http/slowClients.ts";
import { startService } from "../access/service.ts";

const CHECK_MS = 50;
let server: Server;
let port: number;
let clients: Socket[];

beforeEach(async () => {
  clients = [];
  const app = new Hono()
    .use(endSlowRequests({ headersMs: 200, requestMs: 400 }))
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

/** A client that sends the beginning of a request, then a byte now and then; resolves with what it got in the end. */
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

describe("a client that lets its request trickle in", () => {
  test.each([
    ["headers", "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "],
    ["body", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"],
  ])("is sent away, when it is the %s", async (_, start) => {
    await ask();
    const outcome = await Promise.race([trickle(start).ended, sleep(30_000, "still there")]);
    expect(outcome).toMatch(/^HTTP\/1.1 408 /);
  });

  test("keeps nobody else waiting, not even in hundreds", async () => {
    await ask();
    const slow = Array.from({ length: 300 }, () => trickle("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "));
    expect(await ask()).toBe("hello");
    await Promise.all(slow.map(({ ended }) => ended));
    expect(await ask()).toBe("hello");
  });
});

test("the service gives a request 20 seconds for its headers and a minute for all of it", async () => {
  const service = await startService();
  await service.get("/free");
  expect(service.server).toMatchObject({ headersTimeout: 20_000, requestTimeout: 60_000 });
  await service.close();
});
