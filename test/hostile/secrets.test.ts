import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { hideSecrets } from "../../settings/hideSecrets.ts";
import { newBudget } from "../../src/api/names/live/ccip/budget.ts";
import { createGateways, type GatewayRules } from "../../src/api/names/live/ccip/gatewayClient.ts";
import { createRpc } from "../../src/api/names/live/rpc.ts";
import { sanitizeMessage } from "../../src/api/server/errors/foreignText.ts";

/*
 * Texts from nodes, gateways and contracts reach callers and logs, and must not carry a secret of the settings along. Providers
 * name keys and projects in their errors.
 */

const KEY = "c0ffee0123456789abcdef";
const PASSWORD = "hunter2-hunter2";

let url = "";
let server: Server;
let reply: unknown;
const before = globalThis.namedexHiding;
beforeAll(async () => {
  server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...(reply as object) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2/${KEY}`;
  hideSecrets(
    { RPC_URL_1: url, DATABASE_URL: `postgresql://a:${PASSWORD}@db/a`, PGPASSWORD: "pg-word-7" },
    [],
  );
});
afterEach(() => {
  reply = {};
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  globalThis.namedexHiding = before;
});

const call = { to: "0x00000000000000000000000000000000000000c1", data: "0x01", blockNumber: 5 } as const;

/** The caller's answer and the log, if the node answers with this error. */
async function tell(error: unknown): Promise<{ told: string; logged: string[] }> {
  const logged: string[] = [];
  reply = { error };
  const rpc = createRpc({ urls: [url], log: (line) => logged.push(line) });
  const told = await rpc.call(call, AbortSignal.timeout(5_000)).then(
    () => "an answer",
    (thrown: Error) => thrown.message,
  );
  return { told, logged };
}

const words: readonly [string, string][] = [
  ["a key alone", `project id ${KEY} has exceeded its rate`],
  ["a path", `/v2/${KEY} said no`],
  ["a URL", `POST ${"https://rpc.example/"}${KEY} failed`],
  ["another's key", "project 99887766554433221100 has exceeded its rate"],
  ["a key that begins where the message is cut", `${"x".repeat(110)}${KEY}`],
  ["a key after a megabyte", `${"x".repeat(1_000_000)}${KEY}`],
  ["the escapes of a terminal", `\u001b[2J\u001b]0;owned\u0007 ${KEY} \u202e`],
];

describe("a node's error", () => {
  test.each(words)("with %s: callers get its kind, the log its words without secrets", async (_, message) => {
    const { told, logged } = await tell({ code: -32005, message });
    expect(told).toBe("The chain could not be asked: the node answered error -32005.");
    expect(logged).toHaveLength(1);
    expect(logged[0]).not.toContain(KEY.slice(0, 6));
    expect(logged[0]).toMatch(/^[\x20-\x7e…]*$/u);
    expect(logged[0]?.length).toBeLessThan(200);
  });

  test.each([
    ["a code that is a text", { code: KEY, message: KEY }],
    ["a code that is an object", { code: { key: KEY }, message: { key: KEY } }],
    ["no message", { code: 7 }],
    ["a block that it does not have", { code: -32000, message: `header not found for ${KEY}` }],
  ])("with %s: callers get its kind", async (_, error) => {
    const { told, logged } = await tell(error);
    expect(told).toMatch(
      /^The chain could not be asked: the node (answered error( 7)?|does not have the block)\.$/,
    );
    expect(logged.join()).not.toContain(KEY);
  });

  test("is logged once in ten seconds, however often callers trigger it", async () => {
    const logged: string[] = [];
    reply = { error: { code: -32005, message: "slow down" } };
    const rpc = createRpc({ urls: [url], log: (line) => logged.push(line) });
    for (let i = 0; i < 20; i++) await rpc.call(call, AbortSignal.timeout(5_000)).catch(() => {});
    expect(logged).toHaveLength(1);
  });
});

test.each([KEY, `/v2/${KEY}`, PASSWORD, "pg-word-7"])("no text that an answer quotes has %s", (secret) => {
  for (const lead of [0, 60, 110, 118]) {
    const shown = sanitizeMessage(`${"y".repeat(lead)} ${secret} and more ${"z".repeat(100)}`);
    expect(shown).not.toContain(secret.slice(-6));
    expect(shown).not.toContain(secret.slice(0, 6));
  }
});

test("neither does the host of a gateway that a resolver names", async () => {
  const lookup = ((_host: string, _options: object, done: (error: Error) => void) =>
    done(new Error("no such host"))) as unknown as NonNullable<GatewayRules["lookup"]>;
  const gateways = createGateways({ allowLoopback: false, lookup });
  const question = {
    sender: call.to,
    urls: [`https://${KEY}.${"x".repeat(60)}.example/{data}`],
    data: call.data,
  };
  const ask = () =>
    gateways
      .ask(question, newBudget("stranger", AbortSignal.timeout(5_000)))
      .catch((error: Error) => error.message);
  const messages = [await ask(), await ask(), await ask()];
  expect(messages.join()).toContain("gave no answer lately");
  expect(messages.join()).not.toContain(KEY);
  await gateways.close();
});
