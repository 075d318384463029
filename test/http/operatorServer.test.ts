import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { freePort } from "../../devnet/ports.ts";
import {
  metricsPage,
  type OperatorServer,
  startOperatorServer,
} from "../../src/api/server/http/operatorServer.ts";

const running: OperatorServer[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

const errors: unknown[] = [];
const pages = {
  "/metrics": async () => metricsPage("one 1\n"),
  "/none": async () => null,
  "/broken": async () => {
    throw new Error("a reason of ours");
  },
};

async function open(host = "127.0.0.1"): Promise<number> {
  const port = await freePort();
  const server = startOperatorServer({ host, port }, { pages, onError: (error) => errors.push(error) });
  running.push(server);
  await server.listening;
  return port;
}

/** The answer to a request line sent as is. */
const ask = (port: number, line: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
    socket.write(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  });

describe("the operator port", () => {
  test("serves its pages, including HEAD requests", async () => {
    const port = await open();
    expect(await ask(port, "GET /metrics?x=1")).toMatch(
      /^HTTP\/1\.1 200 [\s\S]*text\/plain[\s\S]*\r\n\r\none 1\n$/,
    );
    expect(await ask(port, "HEAD /metrics")).toMatch(
      /^HTTP\/1\.1 200 [\s\S]*Content-Length: 6\r\n[\s\S]*\r\n\r\n$/,
    );
  });

  test("serves nothing else and no other method, and exposes no internal reason", async () => {
    const port = await open();
    const lines = [
      "GET /",
      "GET /none",
      "GET /%6detrics",
      "GET /metrics/",
      "GET /constructor",
      "GET /__proto__",
    ];
    for (const line of lines) expect([line, (await ask(port, line)).slice(9, 12)]).toEqual([line, "404"]);
    expect((await ask(port, "POST /metrics")).slice(9, 12)).toBe("405");
    const broken = await ask(port, "GET /broken");
    expect(broken.slice(9, 12)).toBe("500");
    expect(broken).not.toContain("a reason of ours");
    expect(String(errors)).toContain("a reason of ours");
  });

  test("listens only on this machine, or on the address set by the operator", async () => {
    const reach = (host: string, port: number) =>
      new Promise((resolve) => {
        const socket = connect(port, host);
        socket.on("connect", () => resolve("reached"));
        socket.on("error", () => resolve("refused"));
      });
    expect(await reach("127.0.0.2", await open())).toBe("refused");
    expect(await reach("127.0.0.2", await open("0.0.0.0"))).toBe("reached");
  });

  test("reports an error if it cannot be used", async () => {
    const port = await open();
    const second = startOperatorServer({ host: "127.0.0.1", port }, { pages, onError: () => {} });
    await expect(second.listening).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});
