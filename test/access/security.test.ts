import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Service, startService } from "./service.ts";

/**
 * Sends bytes as they are and returns the whole answer: requests that no well-behaved client
 * sends.
 */
function sendRaw(service: Service, lines: string[], body = ""): Promise<string> {
  const { port } = service.server.address() as AddressInfo;
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("close", () => resolve(text));
    socket.on("error", () => {}); // It may arrive after the answer, which is checked.
    socket.write(
      `${["GET /one/a HTTP/1.1", "Host: localhost", "Connection: close", ...lines].join("\r\n")}\r\n\r\n${body}`,
    );
  });
}

const statusOf = (answer: string): number => Number(answer.split(" ")[1]);

describe("X-Forwarded-For", () => {
  const services: Service[] = [];
  beforeAll(async () => {
    for (const trustedProxies of [0, 1, 2]) services.push(await startService({ trustedProxies }));
  });
  afterAll(async () => {
    for (const service of services) await service.close();
  });

  /** The addresses counted after requests with these headers. */
  async function countedAs(trustedProxies: number, headers: string[][]): Promise<string[]> {
    const { store } = services[trustedProxies] as Service;
    await store.query("DELETE FROM rate_limits");
    for (const lines of headers) await sendRaw(services[trustedProxies] as Service, lines);
    const rows = await store.query<{ key: string }>("SELECT key FROM rate_limits ORDER BY key");
    return rows.map(({ key }) => key.replace("anon:", ""));
  }

  const forged = [
    ["X-Forwarded-For: 1.1.1.1"],
    ["X-Forwarded-For: 2.2.2.2, 1.1.1.1"],
    ["X-Forwarded-For: 3.3.3.3", "X-Forwarded-For: 1.1.1.1"],
    ["X-Forwarded-For: 4.4.4.4, 3.3.3.3, 1.1.1.1"],
  ];

  test("is ignored if no proxy is trusted", async () => {
    expect(await countedAs(0, forged)).toEqual(["127.0.0.1"]);
  });

  test("is trusted in its last entry behind one proxy, whatever the client wrote before", async () => {
    expect(await countedAs(1, forged)).toEqual(["1.1.1.1"]);
  });

  test("is trusted in its last but one behind two; if that is missing, the connection's address counts", async () => {
    expect(await countedAs(2, forged)).toEqual(["127.0.0.1", "2.2.2.2", "3.3.3.3"]);
  });

  test("that is not an address is ignored", async () => {
    const texts = [
      "",
      "unknown",
      "1.1.1.1.1",
      "0x7f000001",
      "' OR true --",
      "a".repeat(5_000),
      "_hidden",
      "%00",
    ];
    for (const text of texts) {
      expect(await countedAs(1, [[`X-Forwarded-For: ${text}`]]), text).toEqual(["127.0.0.1"]);
    }
  });

  test("with one address in many spellings is one address", async () => {
    const spellings = ["::ffff:1.2.3.4", "1.2.3.4", "::ffff:102:304", " 1.2.3.4 "];
    expect(
      await countedAs(
        1,
        spellings.map((text) => [`X-Forwarded-For: ${text}`]),
      ),
    ).toEqual(["1.2.3.4"]);
    const six = ["2001:db8::1", "2001:0DB8:0:0::2", "2001:db8:0:0:ffff:ffff:ffff:ffff"];
    expect(
      await countedAs(
        1,
        six.map((text) => [`X-Forwarded-For: ${text}`]),
      ),
    ).toEqual(["2001:db8::/64"]);
  });
});

describe("requests that no well-behaved client sends", () => {
  let service: Service;
  let key: string;
  beforeAll(async () => {
    service = await startService();
    key = (await service.createKey(100)).key;
  });
  afterAll(() => service?.close());

  test.each([
    ["a NUL in the key", ["X-API-Key: ens_\u0000"], 400],
    ["a line break in the key", ["X-API-Key: ens_\rX"], 400],
    ["headers of 20 KB", [`X-API-Key: ${"a".repeat(20_000)}`], 431],
    ["two keys", [`X-API-Key: a`, "X-API-Key: b"], 401],
    ["a key of blanks", ["X-API-Key:    "], 401],
    ["a key in another alphabet", ["X-API-Key: \u00d0\u00ba\u00d0\u00bb"], 401],
    ["two lengths", ["Content-Length: 0", "Content-Length: 5"], 400],
    ["a length beside chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"], 400],
  ])("%s is refused", async (_, lines, status) => {
    expect(statusOf(await sendRaw(service, lines))).toBe(status);
  });

  test("nothing that a client writes becomes a header of the answer", async () => {
    const evil = "%0d%0aX-Evil:%201%0d%0a%0d%0a";
    for (const path of [`/one/${evil}`, `/fails?as=${evil}`, `/${evil}`, `/api/one/a?x=${evil}`]) {
      const { headers } = await service.get(path, { "X-API-Key": key, Origin: "https://a.example" });
      expect(headers.get("x-evil")).toBeNull();
    }
    const answer = await sendRaw(service, ["Authorization: Payment a\u000b\nX-Evil: 1", "X-API-Key: b"]);
    expect(answer).not.toMatch(/^x-evil/im);
  });

  test("a body of more than a mebibyte is refused, with or without a declared length, and costs nothing", async () => {
    const before = await service.balanceOf(key);
    const body = JSON.stringify({ names: ["a".repeat(1_100_000)] });
    // The server ends the connection, because it ignores the rest of the body.
    const headers = { "Content-Type": "application/json", "X-API-Key": key, Connection: "close" };
    const chunks = new ReadableStream({
      start(controller) {
        for (let at = 0; at < body.length; at += 65_536) {
          controller.enqueue(new TextEncoder().encode(body.slice(at, at + 65_536)));
        }
        controller.close();
      },
    });
    for (const sent of [body, chunks]) {
      const init = { method: "POST", headers, body: sent, duplex: "half" } as RequestInit;
      const reply = await fetch(`${service.url}/bulk`, init);
      expect(reply.status).toBe(400);
      expect(await reply.json()).toMatchObject({ error: { code: "LIMIT_EXCEEDED" } });
    }
    expect(await service.balanceOf(key)).toBe(before);
  });

  test("a wrong key gets the same answer even if it is nearly right", async () => {
    const last = key.at(-1) === "A" ? "B" : "A";
    const near = await service.get("/one/a", { "X-API-Key": key.slice(0, -1) + last });
    const far = await service.get("/one/a", { "X-API-Key": `ens_${"x".repeat(32)}` });
    const [nearly, wholly] = [near, far].map(({ status, body, headers }) => {
      const { date, "x-request-id": id, ...others } = Object.fromEntries(headers);
      return { status, body, others };
    });
    expect(nearly).toEqual(wholly);
    expect(near.status).toBe(401);
  });
});
