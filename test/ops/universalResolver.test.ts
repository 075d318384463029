import type { Address } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { lookAtUniversalResolver } from "../../ops/checks/universalResolver.ts";

let local: LocalChain;

beforeAll(async () => {
  local = await startLocalChain();
});
afterAll(() => local?.anvil.stop());

const look = (universalResolver: Address | undefined, url = local.anvil.url) =>
  lookAtUniversalResolver({ deployment: { ...local.deployment, universalResolver }, liveRpcUrls: [url] });

test("a Universal Resolver with the function causes no message", async () => {
  expect(local.deployment.universalResolver).toBeDefined();
  expect(await look(local.deployment.universalResolver)).toBeNull();
});

test("a contract without it, or a missing contract, is named at the start, with the required one", async () => {
  const registry = local.deployment.contracts.find(({ role }) => role === "registry")?.address as Address;
  for (const address of [registry, "0x00000000000000000000000000000000000abcde" as const]) {
    const note = await look(address);
    expect(note).toContain(address);
    expect(note).toContain("resolveWithGateways");
    expect(note).toContain("2025 or later");
  }
});

test("without a resolver or a node that answers, nothing is logged", async () => {
  expect(await look(undefined)).toBeNull();
  expect(await look(local.deployment.universalResolver, "http://127.0.0.1:1")).toBeNull();
});
