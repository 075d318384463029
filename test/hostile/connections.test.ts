import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createShares, ENDLESS } from "../../ops/gateway/places.ts";
import { MAX_BEHIND, oneByOne } from "../../src/api/server/http/oneByOne.ts";
import { heldWork, startService } from "../access/service.ts";
import type { RunningGateway } from "../gateway/gateway.ts";
import { open } from "../gateway/opened.ts";
import { startUpstream } from "../gateway/upstream.ts";

/* Attacks by connections alone: many requests in one packet, bodies that hardly arrive, answers that are hardly read. */

const PATIENCE = { timeout: 60_000, interval: 20 };
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A connection that sends these bytes, and the answer so far. */
function send({ url }: { url: string }, bytes: string) {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const connection = { socket, text: "", isOver: false };
  sockets.push(socket);
  socket.on("data", (data) => (connection.text += data)).on("error", () => {});
  socket.on("close", () => (connection.isOver = true));
  socket.write(bytes);
  return connection;
}

const get = (path: string, ...headers: string[]) =>
  `${[`GET ${path} HTTP/1.1`, "Host: names.example", ...headers].join("\r\n")}\r\n\r\n`;
const answersIn = (text: string) => text.split("HTTP/1.1 200").length - 1;

describe("requests that arrive in one packet", () => {
  test("are answered by the gateway one after the other, and the connection continues", async () => {
    let [held, most] = [0, 0];
    const upstream = await startUpstream(async ({ url }, response) => {
      most = Math.max(most, ++held);
      await sleep(1);
      held--;
      response.end(`<${url}>`);
    });
    const gateway = await open([upstream]);
    const paths = Array.from({ length: MAX_BEHIND }, (_, i) => `/${i}`);
    const sent = send(gateway, paths.map((path) => get(path)).join(""));
    await vi.waitFor(() => expect(answersIn(sent.text)).toBe(paths.length), PATIENCE);
    expect([...sent.text.matchAll(/<(.*?)>/g)].map(([, path]) => path)).toEqual(paths);
    expect(most).toBe(1);
    sent.socket.write(get("/later"));
    await vi.waitFor(() => expect(sent.text).toContain("</later>"), PATIENCE);
  });

  test("are answered by the API one after the other, with their bodies", async () => {
    const service = await startService();
    await service.get("/free"); // The first request of a server prepares it.
    const { key } = await service.createKey(1_000);
    let release = () => {};
    heldWork.until = new Promise((resolve) => (release = resolve));
    heldWork.begun = 0;
    const body = JSON.stringify({ names: ["a"] });
    const paid = `X-API-Key: ${key}`;
    const post = `POST /bulk HTTP/1.1\r\nHost: x\r\n${paid}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const sent = send(service, `${get("/held", paid).repeat(40)}${post.repeat(40)}`);
    await vi.waitFor(() => expect(heldWork.begun).toBe(1), PATIENCE);
    await sleep(100);
    expect(heldWork.begun).toBe(1);
    release();
    await vi.waitFor(() => expect(answersIn(sent.text)).toBe(80), PATIENCE);
    expect(await service.balanceOf(key)).toBe(1_000 - 80);
    await service.close();
  });

  test("are not read further if there are too many", async () => {
    let read = 0;
    const answer = oneByOne(() => {});
    const server = createServer((request, response) => {
      read++;
      answer(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const sent = send({ url: `http://127.0.0.1:${port}` }, get("/x").repeat(1_000));
    await vi.waitFor(() => expect(sent.isOver).toBe(true), PATIENCE);
    expect(read).toBeLessThanOrEqual(MAX_BEHIND + 2);
    server.close();
  });

  test("end their connection if there are many, while others are answered", async () => {
    const service = await startService();
    await service.get("/free");
    let release = () => {};
    heldWork.until = new Promise((resolve) => (release = resolve));
    heldWork.begun = 0;
    const { key } = await service.createKey(1_000);
    const many = Array.from({ length: 20 }, () =>
      send(service, get("/held", `X-API-Key: ${key}`).repeat(2_000)),
    );
    await vi.waitFor(() => expect(many.filter(({ isOver }) => !isOver)).toEqual([]), PATIENCE);
    expect(heldWork.begun).toBeLessThanOrEqual(many.length);
    expect((await service.get("/free")).status).toBe(200);
    release();
    const left = async () => service.balanceOf(key);
    await vi.waitFor(async () => expect(await left()).toBe(1_000 - heldWork.begun), PATIENCE);
    await service.close();
  });
});

describe("the gateway, while two addresses hold all they may,", () => {
  const TWO = {
    GATEWAY_TRUSTED_PROXIES: "1",
    GATEWAY_MAX_REQUESTS: "10",
    GATEWAY_MAX_REQUESTS_PER_ADDRESS: "8",
  };
  const from = (address: string) => ({ "X-Forwarded-For": address });
  const attackers = Array.from({ length: 16 }, (_, i) => `X-Forwarded-For: 192.0.2.${(i % 2) + 1}`);
  const inFlight = async (gateway: RunningGateway) =>
    (await gateway.status()).body.indexers[0]?.requests_in_flight as number;
  /** Others get answers, one after another. */
  async function expectAnswers({ url }: RunningGateway, path: string): Promise<void> {
    for (let i = 0; i < 20; i++) {
      const reply = await fetch(`${url}${path}`, { headers: from(`198.51.100.${i}`) });
      expect([reply.status, await reply.text()]).toEqual([200, "{}"]);
    }
  }

  test("by bodies that hardly arrive, answers others", async () => {
    const gateway = await open([await startUpstream((_, response) => void response.end("{}"))], TWO);
    const slow = attackers.map((address) =>
      send(gateway, `POST /x HTTP/1.1\r\nHost: x\r\n${address}\r\nContent-Length: 1000\r\n\r\na`),
    );
    const drip = setInterval(() => {
      for (const { socket } of slow) socket.write("a");
    }, 50);
    await sleep(500);
    await expectAnswers(gateway, "/x");
    expect(await inFlight(gateway)).toBe(0);
    expect((await fetch(`${gateway.url}/x`, { headers: from("192.0.2.1") })).status).toBe(429);
    clearInterval(drip);
    for (const { socket } of slow) socket.destroy();
    const again = () => fetch(`${gateway.url}/x`, { headers: from("192.0.2.1") });
    await vi.waitFor(async () => expect((await again()).status).toBe(200), PATIENCE);
  });

  test.each(["readers of their answers", "questions that take long"])(
    "by slow %s, answers others",
    async (what) => {
      const large = Buffer.alloc(64 * 1_048_576, "a");
      const upstream = await startUpstream(({ url }, response) => {
        if (url !== "/slow") response.end("{}");
        else if (what.startsWith("readers")) response.end(large);
      });
      const gateway = await open([upstream], TWO);
      const slow = attackers.map((address) => send(gateway, get("/slow", address)));
      for (const { socket } of slow) socket.pause();
      await expect.poll(() => inFlight(gateway), PATIENCE).toBeGreaterThanOrEqual(5);
      await expectAnswers(gateway, "/x");
      expect(await inFlight(gateway)).toBeLessThan(10);
      const refused = await fetch(`${gateway.url}/x`, { headers: from("192.0.2.1") });
      expect([refused.status, await refused.json()]).toMatchObject([
        429,
        { error: { code: "RATE_LIMITED" } },
      ]);
    },
  );
});

describe("a share", () => {
  test("of an address shrinks with the number of addresses, and none of 15 takes the last place", () => {
    const shares = createShares({ room: (taken) => ({ all: 100, free: 100 - taken }) });
    const counts = Array.from({ length: 15 }, (_, i) => {
      let count = 0;
      while (shares.take(`192.0.2.${i}`)) count++;
      return count;
    });
    expect(counts.slice(0, 3)).toEqual([38, 19, 10]);
    expect(shares.take("198.51.100.1")).toBe(true);
  });

  test("covers an IPv6 network, and is freed again", () => {
    const shares = createShares({ each: 2, room: ENDLESS });
    expect(["2001:db8::1", "2001:db8::2", "2001:db8::3"].map((one) => shares.take(one))).toEqual([
      true,
      true,
      false,
    ]);
    shares.give("2001:db8::9");
    expect(shares.take("2001:db8::3")).toBe(true);
  });
});
