import { describe, expect, test } from "vitest";
import {
  agentKeyPrefix,
  buildAgentKey,
  parseAgentId,
  parseAgentKey,
} from "../../src/api/names/rules/agentKey.ts";
import {
  decodeInteroperableAddress,
  encodeInteroperableAddress,
  evmContractOf,
} from "../../src/api/names/rules/interoperableAddress.ts";

const REGISTRY = "0x8004a169fb4a3325136eb29fa0ceb6d2e539a432";
/** The vector of ENSIP-25. */
const VECTOR = `agent-registration[0x00010000010114${REGISTRY.slice(2)}][167]`;

describe("interoperable addresses (ERC-7930)", () => {
  test("example 1 of the standard: an address on Ethereum mainnet, in capitals", () => {
    const found = decodeInteroperableAddress("0x00010000010114D8DA6BF26964AF9D7EED9E03E53415D37AA96045");
    expect(found).toEqual({
      chainType: 0,
      chainReference: "0x01",
      address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
    });
    expect(found && evmContractOf(found)).toEqual({
      chainId: 1n,
      address: "0xd8da6bf26964af9d7eed9e03e53415d37aa96045",
    });
  });

  test("example 2: an address on Solana mainnet", () => {
    const found = decodeInteroperableAddress(
      "0x000100022045296998a6f8e2a784db5d9f95e18fc23f70441a1039446801089879b08c7ef02005333498d5aea4ae009585c43f7b8c30df8e70187d4a713d134f977fc8dfe0b5",
    );
    expect(found).toEqual({
      chainType: 2,
      chainReference: "0x45296998a6f8e2a784db5d9f95e18fc23f70441a1039446801089879b08c7ef0",
      address: "0x05333498d5aea4ae009585c43f7b8c30df8e70187d4a713d134f977fc8dfe0b5",
    });
    expect(found && evmContractOf(found)).toBeNull();
  });

  test("example 3: an EVM address without a chain", () => {
    const found = decodeInteroperableAddress("0x000100000014D8DA6BF26964AF9D7EED9E03E53415D37AA96045");
    expect(found).toMatchObject({ chainType: 0, chainReference: "0x" });
    expect(found && evmContractOf(found)).toBeNull();
  });

  test("example 4: a chain without an address", () => {
    expect(
      decodeInteroperableAddress(
        "0x000100022045296998a6f8e2a784db5d9f95e18fc23f70441a1039446801089879b08c7ef000",
      ),
    ).toMatchObject({ chainType: 2, address: "0x" });
  });

  test.each([
    [1, "0x00010000010114"],
    [10, "0x00010000010a14"],
    [8453, "0x0001000002210514"],
    [11155111, "0x0001000003aa36a714"],
    [31337, "0x00010000027a6914"],
  ])("chain %i is written without leading zeros, and read back", (chainId, prefix) => {
    const encoded = encodeInteroperableAddress({ chainId, address: REGISTRY });
    expect(encoded).toBe(`${prefix}${REGISTRY.slice(2)}`);
    const decoded = decodeInteroperableAddress(encoded);
    expect(decoded && evmContractOf(decoded)).toEqual({ chainId: BigInt(chainId), address: REGISTRY });
  });

  test.each([
    ["another version", `0x00020000010114${REGISTRY.slice(2)}`],
    ["a byte too many", `0x00010000010114${REGISTRY.slice(2)}00`],
    ["a byte too few", `0x00010000010114${REGISTRY.slice(2, -2)}`],
    ["half a byte", `0x00010000010114${REGISTRY.slice(2)}0`],
    ["an address of 19 bytes on an EVM chain", `0x00010000010113${REGISTRY.slice(4)}`],
    ["a chain id with a leading zero", `0x0001000002000114${REGISTRY.slice(2)}`],
    ["neither chain nor address", "0x000100000000"],
    ["no 0x", `00010000010114${REGISTRY.slice(2)}`],
    ["nothing", "0x"],
    ["no hexadecimal", "0x0001zz"],
  ])("%s is none", (_, text) => {
    expect(decodeInteroperableAddress(text)).toBeNull();
  });
});

describe("keys of claims (ENSIP-25)", () => {
  test("the standard's vector is built and read", () => {
    expect(buildAgentKey({ chainId: 1, address: REGISTRY }, 167n)).toBe(VECTOR);
    expect(agentKeyPrefix({ chainId: 1, address: REGISTRY })).toBe(VECTOR.slice(0, -"167]".length));
    expect(parseAgentKey(VECTOR)).toEqual({
      registry: `0x00010000010114${REGISTRY.slice(2)}`,
      agentId: "167",
      isConforming: true,
      at: { chainId: 1n, address: REGISTRY },
    });
  });

  test("capitals are read, shown as written, and built in lower case", () => {
    const written = `0x00010000010114${REGISTRY.slice(2).toUpperCase()}`;
    const key = parseAgentKey(`agent-registration[${written}][0]`);
    expect(key).toEqual({
      registry: written,
      agentId: "0",
      isConforming: true,
      at: { chainId: 1n, address: REGISTRY },
    });
    expect(key?.at && buildAgentKey({ chainId: 1, address: key.at.address }, 0n)).toBe(
      VECTOR.replace("167", "0"),
    );
  });

  test("a registry written as CAIP-10 is understood, and does not conform", () => {
    expect(
      parseAgentKey("agent-registration[eip155:1:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432][7]"),
    ).toEqual({
      registry: "eip155:1:0x8004A169FB4a3325136EB29fA0ceB6D2e539a432",
      agentId: "7",
      isConforming: false,
      at: { chainId: 1n, address: REGISTRY },
    });
  });

  test("a registry of another kind of chain conforms, and is no EVM contract", () => {
    const key = parseAgentKey(
      "agent-registration[0x000100022045296998a6f8e2a784db5d9f95e18fc23f70441a1039446801089879b08c7ef02005333498d5aea4ae009585c43f7b8c30df8e70187d4a713d134f977fc8dfe0b5][agent one]",
    );
    expect(key).toMatchObject({ agentId: "agent one", isConforming: true, at: null });
  });

  test.each([
    `agent-registration[0x000100000014${REGISTRY.slice(2)}][1]`,
    "agent-registration[anything][1]",
    "agent-registration[0x][1]",
  ])("%s is a claim that does not conform", (key) => {
    expect(parseAgentKey(key)).toMatchObject({ isConforming: false, at: null });
  });

  test.each([
    "agent-registration",
    "agent-registration[][1]",
    "agent-registration[0x01][]",
    "agent-registration[0x01]",
    "agent-registration[0x01][1][2]",
    "agent-registration[[0x01]][1]",
    "agent-registration[0x01][1] ",
    "Agent-registration[0x01][1]",
    "agent-registry: 1",
    `agent-registration[0x01][${"1".repeat(600)}]`,
  ])("%.60s is no key of a claim", (key) => {
    expect(parseAgentKey(key)).toBeNull();
  });

  test("an agent's id is a decimal number in its only spelling", () => {
    expect(parseAgentId("0")).toBe(0n);
    expect(parseAgentId("167")).toBe(167n);
    expect(parseAgentId((2n ** 256n - 1n).toString())).toBe(2n ** 256n - 1n);
    for (const text of ["", "007", "-1", "1.0", "0x1", "1e3", " 1", "١", (2n ** 256n).toString()]) {
      expect(parseAgentId(text), text).toBeNull();
    }
  });
});
