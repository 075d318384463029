import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { stripVTControlCharacters } from "node:util";
import { createPublicClient, decodeFunctionData, defineChain, http, namehash, parseAbi } from "viem";
import { expect, test } from "vitest";
import { changeOfAlice } from "../../devnet/demo.ts";
import { type Welcome, welcomeText } from "../../devnet/welcome.ts";

/* What the screen of `npm run dev` prints to be pasted. */

const abi = parseAbi(["function setText(bytes32 node, string key, string value)"]);
const address = `0x${"a1".repeat(20)}` as const;
const chain = { accounts: [address, address], contracts: { resolver5: { address, abi } } };
const own = {
  registry: `0x${"b2".repeat(20)}`,
  universalResolver: `0x${"c3".repeat(20)}`,
  accounts: [],
  change: changeOfAlice(chain as never),
};
const welcome: Welcome = {
  url: "http://localhost:42069",
  chains: [{ name: "devnet", id: 31337, url: "http://127.0.0.1:8545" }],
  network: "devnet",
  hasExplorer: true,
  hasWebhooks: true,
  databaseUrl: "postgresql://local",
  schema: "namedex",
  own,
  metricsUrl: "",
  logFile: "",
};
const linesOf = (more: Partial<Welcome> = {}) =>
  stripVTControlCharacters(welcomeText({ ...welcome, ...more }))
    .split("\n")
    .map((line) => line.trim());

test("the lines for viem make a client of the chain with its contracts", async () => {
  const lines = linesOf();
  const first = lines.findIndex((line) => line.startsWith("import "));
  const setup = lines.slice(first, lines.indexOf("", first));
  expect(setup).toHaveLength(5);
  const run = `${setup.slice(1).join("\n").replace(" as const", "")}\nreturn client.chain;`;
  const made = new Function("createPublicClient", "defineChain", "http", run)(
    createPublicClient,
    defineChain,
    http,
  );
  expect(made).toMatchObject({
    id: 31337,
    rpcUrls: { default: { http: ["http://127.0.0.1:8545"] } },
    contracts: {
      ensRegistry: { address: own.registry },
      ensUniversalResolver: { address: own.universalResolver },
    },
  });
});

test("the line that changes something sets a text of alice.eth to the time, from alice's account", async () => {
  const bodies: string[] = [];
  const node = createServer(async (request, response) => {
    for await (const chunk of request) bodies.push(String(chunk));
    response.end();
  });
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(node.address() as AddressInfo).port}`;
  const line = linesOf({ chains: [{ name: "devnet", id: 31337, url }] }).find((one) =>
    one.includes('"eth_sendTransaction"'),
  );
  await new Promise((resolve) => spawn("sh", ["-c", line ?? ""]).once("exit", resolve));
  node.close();
  const { method, params } = JSON.parse(bodies.join(""));
  expect([method, params[0].from, params[0].to]).toEqual(["eth_sendTransaction", address, address]);
  const { args } = decodeFunctionData({ abi, data: params[0].data });
  expect(args.slice(0, 2)).toEqual([namehash("alice.eth"), "status"]);
  expect(Math.abs(Number(args[2]) - Date.now() / 1_000)).toBeLessThan(60);
});

test("a key for webhooks is offered where there are webhooks", () => {
  const ofKeys = (hasWebhooks: boolean) =>
    linesOf({ hasWebhooks }).filter((line) => line.includes("run -s keys"));
  expect(ofKeys(true)).toHaveLength(1);
  expect(ofKeys(true)[0]).toContain("DATABASE_URL=postgresql://local npm run -s keys -- create");
  expect(ofKeys(false)).toEqual([]);
});
