import {
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  parseAbi,
  toHex,
  zeroAddress,
} from "viem";
import { describe, expect, test } from "vitest";
import { agentAdapterReads } from "../../abis/agentAdapter.ts";
import { agentRegistryReads } from "../../abis/agentRegistry.ts";
import { multicall3Abi } from "../../abis/universalResolver.ts";
import { readBindings } from "../../src/api/names/live/binding.ts";
import { LiveFailure } from "../../src/api/names/live/failure.ts";

/*
 * What a node may answer for the adapter, in bytes: faults that a contract which works never shows. The contracts that
 * work are asked in `test/chain/agents.test.ts`.
 */

const contracts = {
  multicall3: toHex(1, { size: 20 }),
  adapter: toHex(2, { size: 20 }),
  registry: toHex(3, { size: 20 }),
};

type Result = { success: boolean; returnData: Hex };
const ok = (returnData: Hex): Result => ({ success: true, returnData });
const failed = (returnData: Hex): Result => ({ success: false, returnData });

const address = (value: Hex) => ok(encodeAbiParameters([{ type: "address" }], [value]));
const usesRegistry = address(contracts.registry);
const bindingOf = (standard: number, tokenContract: Hex, tokenId: bigint) =>
  ok(
    encodeFunctionResult({
      abi: agentAdapterReads,
      functionName: "bindingOf",
      result: { standard, tokenContract, tokenId },
    }),
  );
const unknownAgent = failed(
  encodeErrorResult({ abi: agentAdapterReads, errorName: "UnknownAgent", args: [5n] }),
);
const noToken = failed(
  encodeErrorResult({ abi: agentRegistryReads, errorName: "ERC721NonexistentToken", args: [5n] }),
);
const uri = ok(encodeAbiParameters([{ type: "string" }], ["ipfs://agent"]));
const owner = address("0x00000000000000000000000000000000000000AA");
const bound = bindingOf(7, "0x00000000000000000000000000000000000000bb", 2n ** 255n);

/** Asks about agent 5 a node that answers these results of Multicall3. */
const ask = (results: Result[]) => {
  const data = encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: results });
  return askFor({ ok: true as const, data });
};
const askFor = (answer: { ok: true; data: Hex } | { ok: false; revert: Hex }) =>
  readBindings(
    {
      rpc: {
        isConfigured: true,
        call: async () => answer,
        newestBlock: async () => 1,
        block: async () => null,
      },
      contracts,
      signal: new AbortController().signal,
    },
    { agentIds: [5n], blockNumber: 1 },
  );

describe("the adapter's word on an agent", () => {
  test("is its binding, of any token standard, with URI and owner from the registry", async () => {
    expect(await ask([usesRegistry, bound, owner, uri])).toEqual([
      {
        tokenStandard: 7,
        tokenContract: "0x00000000000000000000000000000000000000bb",
        tokenId: (2n ** 255n).toString(),
        uri: "ipfs://agent",
        owner: "0x00000000000000000000000000000000000000aa",
      },
    ]);
  });

  test("is absent if it reverts UnknownAgent, or returns an empty binding", async () => {
    expect(await ask([usesRegistry, unknownAgent, owner, uri])).toEqual([null]);
    expect(await ask([usesRegistry, bindingOf(0, zeroAddress, 0n), owner, uri])).toEqual([null]);
  });

  test("remains if the registry does not know the agent", async () => {
    expect(await ask([usesRegistry, bound, noToken, noToken])).toMatchObject([{ uri: null, owner: null }]);
  });

  const reason = encodeErrorResult({ abi: parseAbi(["error Error(string)"]), args: ["paused"] });
  test.each([
    ["reverts without a reason", [usesRegistry, failed("0x"), owner, uri]],
    ["reverts for another reason", [usesRegistry, failed(reason), owner, uri]],
    ["is not there", [usesRegistry, ok("0x"), owner, uri]],
    ["answers too little", [usesRegistry, ok("0x01"), owner, uri]],
    ["does not tell its registry", [failed("0x"), bound, owner, uri]],
    ["uses another registry", [address(contracts.adapter), bound, owner, uri]],
    ["is answered for in part", [usesRegistry]],
  ])("is not known if it %s", async (_, results) => {
    await expect(ask(results)).rejects.toThrow(LiveFailure);
  });

  test("is not known where Multicall3 reverts, or is not there", async () => {
    await expect(askFor({ ok: false, revert: "0x" })).rejects.toThrow(LiveFailure);
    await expect(askFor({ ok: true, data: "0x" })).rejects.toThrow(LiveFailure);
  });
});
