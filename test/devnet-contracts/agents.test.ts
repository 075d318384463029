import { readFileSync } from "node:fs";
import { type Abi, type AbiEvent, type AbiFunction, toEventSelector, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import { agentAdapterAbi, agentAdapterReads } from "../../abis/agentAdapter.ts";
import { agentRegistryAbi, agentRegistryReads } from "../../abis/agentRegistry.ts";

const abiOf = (name: string): Abi => {
  const file = new URL(`../../devnet/contracts/compiled/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { abi: Abi }).abi;
};

const eventsOf = (abi: Abi) => abi.filter((item): item is AbiEvent => item.type === "event");
const functionsOf = (abi: Abi) => abi.filter((item): item is AbiFunction => item.type === "function");

/** `name topic0 [which arguments are indexed]` of an event. */
const shapeOf = (event: AbiEvent) =>
  `${event.name} ${toEventSelector(event)} ${event.inputs.map(({ indexed }) => (indexed ? "i" : "-")).join("")}`;

/** As ERC-8217 and ERC-8004 publish them. */
const published = {
  AgentBound: "AgentBound 0x1cb39fc13e08b8994b5bc1afdfe2cc88d223e5e855bfafa4b959fcdf8025664c iii--",
  Registered: "Registered 0xca52e62c367d81bb2e328eb795f7c7ba24afb478408a26c0e201d155c449bc4a i-i",
  URIUpdated: "URIUpdated 0x3a2c7fffc2cba7582c690e3b82c453ea02a308326a98a3ad7576c606336409fb i-i",
  MetadataSet: "MetadataSet 0x2c149ed548c6d2993cd73efe187df6eccabe4538091b33adbd25fafdb8a1468b ii--",
  Transfer: "Transfer 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef iii",
};

const selectors: Record<string, string> = {
  bindingOf: "0x4d69ebc2",
  identityRegistry: "0x134e18f4",
  isController: "0x158e711d",
  "register(uint8,address,uint256,string)": "0xb68ca002",
  "register()": "0x1aa3a008",
  "register(string)": "0xf2c298be",
  getMetadata: "0xcb4799f2",
};

test("the registry's double logs what the identity registry logs", () => {
  const { AgentBound: _, ...ofRegistry } = published;
  expect(eventsOf(abiOf("IdentityRegistryDouble")).map(shapeOf).sort()).toEqual(
    Object.values(ofRegistry).sort(),
  );
});

test("the adapter's double binds as the adapter does", () => {
  expect(eventsOf(abiOf("AgentAdapterDouble")).map(shapeOf)).toContain(published.AgentBound);
});

test("their functions have the published selectors", () => {
  const functions = [
    ...functionsOf(abiOf("IdentityRegistryDouble")),
    ...functionsOf(abiOf("AgentAdapterDouble")),
  ];
  for (const [name, selector] of Object.entries(selectors)) {
    const found = functions.find(
      (one) => one.name === name || `${one.name}(${one.inputs.map(({ type }) => type).join(",")})` === name,
    );
    expect([name, found && toFunctionSelector(found)]).toEqual([name, selector]);
  }
});

test("the index and the API know them by the same shapes", () => {
  const known = [...agentAdapterAbi, ...agentRegistryAbi].map(shapeOf);
  expect(known.every((shape) => Object.values(published).includes(shape))).toBe(true);
  expect(known).toHaveLength(4);
  const doubles = [
    ...functionsOf(abiOf("IdentityRegistryDouble")),
    ...functionsOf(abiOf("AgentAdapterDouble")),
  ];
  const offered = new Set(doubles.map((one) => toFunctionSelector(one)));
  for (const one of functionsOf([...agentAdapterReads, ...agentRegistryReads])) {
    expect([one.name, offered.has(toFunctionSelector(one))]).toEqual([one.name, true]);
  }
});
