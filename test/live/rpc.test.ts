import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Hex } from "viem";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createRpc, MAX_RESULT_BYTES, MAX_REVERT_BYTES } from "../../src/api/names/live/rpc.ts";

type Answer = Record<string, unknown> | "silence";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/**
 * A node that always gives this answer. `asked` counts requests, `credentials` holds what it was
 * sent.
 */
async function startNode(answer: Answer) {
  const node = { url: "", asked: 0, credentials: "" };
  const server = createServer((request, response) => {
    node.asked++;
    node.credentials = request.headers.authorization ?? "";
    if (answer === "silence") return;
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...answer }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return node;
}

const to = "0x00000000000000000000000000000000000000c1";
const call = { to, data: "0x01", blockNumber: 5 } as const;
const soon = () => AbortSignal.timeout(60_000);

describe("several nodes", () => {
  test("are tried in turn, and the one that answered comes first from then on", async () => {
    const [silent, sound] = [await startNode("silence"), await startNode({ result: "0xaa" })];
    const rpc = createRpc({ urls: ["http://127.0.0.1:1", silent.url, sound.url], timeoutMs: 3_000 });
    expect(await rpc.call(call, soon())).toEqual({ ok: true, data: "0xaa" });
    expect(await rpc.call(call, soon())).toEqual({ ok: true, data: "0xaa" });
    expect([silent.asked, sound.asked]).toEqual([1, 2]);
  });

  test("are not tried after a revert, which is an answer", async () => {
    const first = await startNode({ error: { code: 3, message: "execution reverted", data: "0xabcd" } });
    const second = await startNode({ result: "0xaa" });
    const rpc = createRpc({ urls: [first.url, second.url] });
    expect(await rpc.call(call, soon())).toEqual({ ok: false, revert: "0xabcd" });
    expect(second.asked).toBe(0);
  });

  test("that all fail cause a failure that names the last fault, but no node's address", async () => {
    const failing = await startNode({
      error: { code: -32000, message: "no funds at http://key.example/secret" },
    });
    const rpc = createRpc({ urls: ["http://127.0.0.1:1", failing.url] });
    await expect(rpc.call(call, soon())).rejects.toThrow(
      "The chain could not be asked: the node answered error -32000.",
    );
  });

  test("are not tried when the time for the answer is over", async () => {
    const [first, second] = [await startNode("silence"), await startNode({ result: "0xaa" })];
    const rpc = createRpc({ urls: [first.url, second.url], timeoutMs: 5_000 });
    await expect(rpc.call(call, AbortSignal.timeout(100))).rejects.toThrow(/did not answer in time/);
    expect(second.asked).toBe(0);
  });
});

test("a URL's user and password are sent as credentials", async () => {
  const node = await startNode({ result: "0xaa" });
  const rpc = createRpc({ urls: [node.url.replace("http://", "http://me:secret@")] });
  await rpc.call(call, soon());
  expect(node.credentials).toBe(`Basic ${btoa("me:secret")}`);
});

test("without a node every call fails and says which setting is missing", async () => {
  const rpc = createRpc({ urls: [] });
  expect(rpc.isConfigured).toBe(false);
  await expect(rpc.call(call, soon())).rejects.toThrow(/LIVE_RPC_URL/);
  await expect(rpc.newestBlock(soon())).rejects.toThrow(/LIVE_RPC_URL/);
});

describe("a contract's answer", () => {
  const bytes = (count: number) => `0x${"ab".repeat(count)}`;

  test("may have one mebibyte, and its error a quarter of that", async () => {
    const node = await startNode({ result: bytes(MAX_RESULT_BYTES) });
    expect(await createRpc({ urls: [node.url], timeoutMs: 60_000 }).call(call, soon())).toMatchObject({
      ok: true,
    });
    const failing = await startNode({
      error: { code: 3, message: "reverted", data: bytes(MAX_REVERT_BYTES) },
    });
    expect(await createRpc({ urls: [failing.url], timeoutMs: 60_000 }).call(call, soon())).toMatchObject({
      ok: false,
    });
  });

  test.each<[what: string, answer: Answer, because: RegExp]>([
    [
      "an answer",
      { result: bytes(MAX_RESULT_BYTES + 1) },
      /answer of a contract is larger than 1048576 bytes/,
    ],
    [
      "an error",
      { error: { code: 3, message: "reverted", data: bytes(MAX_REVERT_BYTES + 1) } },
      /error of a contract is larger than 262144 bytes/,
    ],
  ])("(%s) beyond the limit is a failure, and no other node is asked", async (_, answer, because) => {
    const [first, second] = [await startNode(answer), await startNode({ result: "0xaa" })];
    await expect(
      createRpc({ urls: [first.url, second.url], timeoutMs: 60_000 }).call(call, soon()),
    ).rejects.toThrow(because);
    expect(second.asked).toBe(0);
  });

  test("is not even read completely if it is far larger", async () => {
    const node = await startNode({ result: bytes(5_000_000) });
    await expect(createRpc({ urls: [node.url], timeoutMs: 60_000 }).call(call, soon())).rejects.toThrow(
      /the node's answer is larger than 2359296 bytes/,
    );
  });

  test("is not requested by a call that is too large", async () => {
    const node = await startNode({ result: "0xaa" });
    const large = { ...call, data: bytes(MAX_RESULT_BYTES + 1) as Hex };
    await expect(createRpc({ urls: [node.url], timeoutMs: 60_000 }).call(large, soon())).rejects.toThrow(
      /call of a contract is larger/,
    );
    expect(node.asked).toBe(0);
  });
});

describe("a revert", () => {
  test.each<[where: string, error: Record<string, unknown>, revert: string]>([
    ["with data (Geth, Erigon, Anvil)", { code: 3, message: "execution reverted", data: "0x1234" }, "0x1234"],
    [
      "with data after a word (Nethermind)",
      { code: -32015, message: "VM execution error.", data: "Reverted 0x1234" },
      "0x1234",
    ],
    [
      "with data in an object (proxies)",
      { code: -32000, message: "oops", data: { data: "0x1234" } },
      "0x1234",
    ],
    ["without data", { code: -32000, message: "execution reverted" }, "0x"],
  ])("is recognised %s", async (_, error, revert) => {
    const node = await startNode({ error });
    expect(await createRpc({ urls: [node.url] }).call(call, soon())).toEqual({ ok: false, revert });
  });
});

test("the newest block is requested at most once a second", async () => {
  const now = vi.spyOn(Date, "now").mockReturnValue(1_700_000_000_000);
  const node = await startNode({ result: "0x64" });
  const rpc = createRpc({ urls: [node.url] });
  expect(await Promise.all([rpc.newestBlock(soon()), rpc.newestBlock(soon())])).toEqual([100, 100]);
  expect(await rpc.newestBlock(soon())).toBe(100);
  expect(node.asked).toBe(1);
  now.mockReturnValue(1_700_000_001_001);
  expect(await rpc.newestBlock(soon())).toBe(100);
  expect(node.asked).toBe(2);
  now.mockRestore();
});
