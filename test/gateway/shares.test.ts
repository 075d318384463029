import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { RunningGateway } from "./gateway.ts";
import { open } from "./opened.ts";
import { says, startUpstream } from "./upstream.ts";

const readers: Socket[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.destroy();
});

/** Requests an answer and reads it only when told to. */
function reader({ url }: RunningGateway, path: string, address = "192.0.2.1"): Socket {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: names.example\r\nX-Forwarded-For: ${address}\r\n\r\n`);
  readers.push(socket);
  return socket;
}

/** More than all socket buffers on the way can hold. */
const large = Buffer.alloc(64 * 1_048_576, "a");
const SIP = 262_144;
const inFlight = async (gateway: RunningGateway) =>
  (await gateway.status()).body.indexers[0]?.requests_in_flight;
const patience = { timeout: 60_000 };

describe("an answer whose reader does not take it", () => {
  test("ends and frees its place, whether the reader takes nothing or a little now and then", async () => {
    const upstream = await startUpstream((_, response) => void response.end(large));
    const gateway = await open([upstream], {
      GATEWAY_TIMEOUT_SECONDS: "4",
      GATEWAY_MAX_REQUESTS: "4",
      GATEWAY_TRUSTED_PROXIES: "1",
    });
    for (let i = 0; i < 3; i++) reader(gateway, "/none", `198.51.100.${i}`);
    // Reads without a pause, but so slowly that the whole answer would take longer than the gateway
    // waits.
    const slow = reader(gateway, "/slow");
    let taken = 0;
    const sips = setInterval(() => {
      taken += slow.read(SIP)?.length ?? 0;
    }, 100);
    await expect.poll(() => inFlight(gateway), patience).toBe(4);
    expect((await fetch(`${gateway.url}/x`)).status).toBe(503);
    await expect.poll(() => inFlight(gateway), patience).toBe(0);
    clearInterval(sips);
    expect(taken).toBeLessThan(large.length);
    upstream.handle = says("a");
    expect((await fetch(`${gateway.url}/x`)).status).toBe(200);
  });

  test("is complete for a reader that pauses for less", async () => {
    const upstream = await startUpstream((_, response) => void response.end(large));
    const gateway = await open([upstream], { GATEWAY_TIMEOUT_SECONDS: "20" });
    const socket = reader(gateway, "/x");
    await expect.poll(() => inFlight(gateway), patience).toBe(1);
    let bytes = 0;
    socket.on("data", (data) => {
      bytes += data.length;
    });
    socket.resume();
    await expect.poll(() => bytes, patience).toBeGreaterThanOrEqual(large.length);
  });
});

describe("places", () => {
  test("are limited per address, by /64 for IPv6, and other addresses have their own", async () => {
    const waiting: (() => void)[] = [];
    const upstream = await startUpstream((_, response) => void waiting.push(() => response.end("{}")));
    const gateway = await open([upstream], {
      GATEWAY_TRUSTED_PROXIES: "1",
      GATEWAY_MAX_REQUESTS: "24",
      GATEWAY_MAX_REQUESTS_PER_ADDRESS: "3",
    });
    const ask = (address: string) =>
      fetch(`${gateway.url}/x`, { headers: { "X-Forwarded-For": `6.6.6.6, ${address}` } });
    const held = [ask("192.0.2.1"), ask("192.0.2.1"), ask("::ffff:192.0.2.1")];
    held.push(ask("2001:db8::1"), ask("2001:db8::2"), ask("2001:db8::3"));
    await expect.poll(() => waiting.length, patience).toBe(6);
    for (const address of ["192.0.2.1", "2001:db8::4"]) {
      const refused = await ask(address);
      expect([refused.status, await refused.json()]).toMatchObject([
        429,
        { error: { code: "RATE_LIMITED" } },
      ]);
      expect(refused.headers.get("retry-after")).toBe("1");
      expect(refused.headers.get("access-control-allow-origin")).toBe("*");
    }
    held.push(ask("192.0.2.2"), ask("2001:db8:0:1::1"));
    await expect.poll(() => waiting.length, patience).toBe(8);
    for (const end of waiting) end();
    for (const reply of await Promise.all(held)) expect(reply.status).toBe(200);
    upstream.handle = says("a");
    expect((await ask("192.0.2.1")).status).toBe(200);
  });

  test("are freed when callers leave", async () => {
    const upstream = await startUpstream(() => {});
    const gateway = await open([upstream], { GATEWAY_MAX_REQUESTS_PER_ADDRESS: "2" });
    const sockets = [reader(gateway, "/a"), reader(gateway, "/b")];
    await expect.poll(() => upstream.requests.length, patience).toBe(2);
    expect((await fetch(`${gateway.url}/x`)).status).toBe(429);
    for (const socket of sockets) socket.destroy();
    upstream.handle = says("a");
    await expect.poll(async () => (await fetch(`${gateway.url}/x`)).status, patience).toBe(200);
  });
});
