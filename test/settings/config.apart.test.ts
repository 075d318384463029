import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Abi, type AbiEvent, type Address, isAddressEqual, toEventSelector } from "viem";
import { afterEach, expect, test, vi } from "vitest";
import { layer2Of } from "../../abis/deployments/layer2.ts";
import { mainnet } from "../../abis/deployments/mainnet.ts";
import { followed as followedByVerify } from "../../ops/verify/followedLogs.ts";
import { type Entry, familyOf } from "../../src/indexing/write/families.ts";
import { followedEvents } from "../support/followedEvents.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
  vi.doUnmock("ponder:registry");
});

/** Ponder's configuration as a start with these variables reads it. */
async function readConfig(env: Record<string, string>) {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  return (await import("../../ponder.config.ts")).default;
}

const threeVariables = {
  ENS_NETWORK: "mainnet",
  RPC_URL_1: "https://rpc.example.org",
  DATABASE_URL: "postgresql://namedex:secret@localhost:5432/namedex",
};

test("mainnet's configuration follows every contract of the deployment from its first block on", async () => {
  const { contracts } = await readConfig(threeVariables);
  const places = Object.values(contracts).flatMap(({ chain }) => {
    const place = (chain as Record<string, { address?: unknown; startBlock: number }>).mainnet;
    // Contracts discovered through logs have no list.
    return (Array.isArray(place?.address) ? (place.address as string[]) : []).map((address) => ({
      address,
      startBlock: place?.startBlock ?? 0,
    }));
  });
  for (const entry of mainnet.contracts) {
    const isSilent = entry.role === "reverse-registrar" && entry.generation < 3;
    if (isSilent) continue;
    const place = places.find(({ address }) => address === entry.address);
    expect(place, `${entry.role} ${entry.generation} at ${entry.address}`).toBeDefined();
    expect(place?.startBlock).toBeLessThanOrEqual(entry.startBlock);
  }
});

test("every entry belongs to a family of contracts listed in docs/api.md", async () => {
  const page = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");
  const [, events = ""] = page.split("\n## Events\n");
  const documented = [...events.matchAll(/^\| (`[A-Z].*?) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([A-Z0-9_]+)(?:_<block>)?`/g)].map(([, word]) => word),
  );
  const { contracts } = await readConfig(threeVariables);
  expect(new Set((Object.keys(contracts) as Entry[]).map(familyOf))).toEqual(new Set(documented));
});

test("one RPC URL is not limited to Ponder's 20 requests a second", async () => {
  const { chains } = await readConfig({ ...threeVariables, RPC_REQUESTS_PER_SECOND: "100" });
  expect(chains.mainnet?.rpc).toEqual(Array(5).fill("https://rpc.example.org"));
});

test("a layer 2's reverse registrar is followed on its own chain", async () => {
  const { chains, contracts } = await readConfig({
    ...threeVariables,
    RPC_URL_59144: "https://linea.example.org",
  });
  expect(Object.keys(chains)).toEqual(["mainnet", "linea"]);
  expect(Object.keys(contracts.L2ReverseRegistrar.chain)).toEqual(["linea"]);
});

test("agents are followed on chains with an adapter, and of their registry only the adapter's agents", async () => {
  const { contracts } = await readConfig({
    ...threeVariables,
    RPC_URL_8453: "https://base.example.org",
    RPC_URL_10: "https://optimism.example.org",
  });
  expect(Object.keys(contracts.AgentAdapter.chain)).toEqual(["mainnet", "base"]);
  expect(Object.keys(contracts.AgentRegistry.chain)).toEqual(["mainnet", "base"]);
  const adapter = "0x270d25D2c59A8bcA1B0f40ad95fF7806c0025c27";
  expect(contracts.AgentRegistry.chain.base?.filter).toEqual([
    { event: "Registered", args: { owner: [adapter] } },
    { event: "URIUpdated", args: { updatedBy: [adapter] } },
    { event: "Transfer", args: { from: [adapter] } },
  ]);
});

test("the switch for archive reads is part of the index's identity", async () => {
  const off = await readConfig(threeVariables);
  vi.resetModules();
  const on = await readConfig({ ...threeVariables, ARCHIVE_READS: "on" });
  expect(on.contracts.Registry.abi).not.toEqual(off.contracts.Registry.abi);
});

/** Events of an ABI shared by several contracts that one of these never emits. */
const neverEmitted = ["RegistryOld:ApprovalForAll"]; // The registry of 2017 has no operators.

test("every followed event has a handler, and every handler an event", async () => {
  const handled = new Set<string>();
  vi.doMock("ponder:registry", () => ({ ponder: { on: (name: string) => handled.add(name) } }));
  const { contracts } = await readConfig(threeVariables);
  const folder = new URL("../../src/indexing/", import.meta.url);
  for (const file of readdirSync(folder)) {
    if (file.endsWith(".ts")) await import(fileURLToPath(new URL(file, folder)));
  }
  const followed = followedEvents(contracts).map(({ key }) => key);
  expect([...handled, ...neverEmitted].sort()).toEqual([...new Set(followed)].sort());
});

const selectorsOf = (abi: Abi) =>
  abi.filter((item): item is AbiEvent => item.type === "event").map((event) => toEventSelector(event));

test("`npm run verify` expects rows of the followed events of each listed contract", async () => {
  const layer2 = layer2Of("mainnet");
  const nodes = layer2.map(({ chainId }) => [`RPC_URL_${chainId}`, "https://rpc.example.org"]);
  const { contracts } = await readConfig({ ...threeVariables, ...Object.fromEntries(nodes) });
  const entries = [mainnet, ...layer2].flatMap(({ name, contracts }) =>
    contracts.map((entry) => ({ name, ...entry })),
  );
  for (const { name, role, generation, address } of entries) {
    // Only agents bound to names have rows.
    if (role === "agent-registry") continue;
    const places = Object.values(contracts).flatMap(({ abi, chain }) => {
      const place = (chain as Record<string, { address?: unknown }>)[name];
      const isListed =
        Array.isArray(place?.address) &&
        place.address.some((one: Address) => isAddressEqual(one, address as Address));
      const isAny = place !== undefined && place.address === undefined;
      return isListed || isAny ? [{ isListed, selectors: selectorsOf(abi as Abi) }] : [];
    });
    const expected = (followedByVerify[`${role} ${generation}`] ?? followedByVerify[role] ?? []).flatMap(
      selectorsOf,
    );
    const what = `${role} ${generation} of ${name}`;
    const selectors = new Set(places.flatMap((one) => one.selectors));
    expect(
      expected.filter((one) => !selectors.has(one)),
      what,
    ).toEqual([]);
    const listed = places.filter(({ isListed }) => isListed).flatMap((one) => one.selectors);
    expect(
      listed.filter((one) => !expected.includes(one)),
      what,
    ).toEqual([]);
  }
});
