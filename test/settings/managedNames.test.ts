import { describe, expect, test } from "vitest";
import { z } from "zod";
import { contractsOf } from "../../abis/contracts.ts";
import { type Deployment, deploymentShape, knownDeployments } from "../../abis/deployments.ts";

type Given = z.input<typeof deploymentShape>;
type Layer2 = NonNullable<Given["layer2"]>[number];

const address = (digits: string) => `0x${digits.repeat(20)}` as const;
const entry = (role: "registry" | "registrar" | "l2-reverse-registrar", generation: number) => ({
  role,
  generation,
  address: address("11"),
  startBlock: 1,
});

const base: Layer2 = {
  name: "base",
  chainId: 8453,
  managedName: { name: "base.eth", bridges: [address("aB")] },
  contracts: [entry("registry", 2), entry("registrar", 3)],
};

const withLayer2 = (layer2: Layer2, main: Partial<Given> = {}): Given => ({
  name: "private",
  chainId: 1337,
  contracts: [entry("registry", 2), entry("registrar", 2)],
  ...main,
  layer2: [layer2],
});

/** The fault of a deployment, in the words of the error; null if it is right. */
function complaintOf(deployment: Given): string | null {
  const result = deploymentShape.safeParse(deployment);
  return result.success ? null : z.prettifyError(result.error);
}

describe("a layer 2 with names", () => {
  test("is known by its managed name, and its bridges are in lower case", () => {
    const contracts = contractsOf(deploymentShape.parse(withLayer2(base)));
    expect(contracts.chainIds).toEqual([1337, 8453]);
    expect(contracts.managed).toEqual([
      {
        name: "base.eth",
        chainId: 8453,
        node: expect.stringMatching(/^0xff1e3c0e/),
        keeper: "registrar",
        hasPremium: true,
        bridges: [address("ab")],
      },
    ]);
  });

  test("with primary names only has no managed name", () => {
    const { managedName: _, ...rest } = base;
    const layer2 = { ...rest, contracts: [entry("l2-reverse-registrar", 1)] };
    const contracts = contractsOf(deploymentShape.parse(withLayer2(layer2)));
    expect([contracts.chainIds, contracts.managed]).toEqual([[1337], []]);
  });

  const faults: [what: string, deployment: Given, complaint: string][] = [
    [
      "a name of another chain",
      withLayer2({ ...base, managedName: { name: "linea.eth", bridges: [address("aB")] } }),
      "expected a name on its own chain: base.eth on 8453, ",
    ],
    ["a chain without such a name", withLayer2({ ...base, chainId: 10 }), "expected a name on its own chain"],
    [
      "no bridge",
      withLayer2({ ...base, managedName: { name: "base.eth", bridges: [] } }),
      "layer2[0].managedName.bridges",
    ],
    [
      "no registrar",
      withLayer2({ ...base, contracts: [entry("registry", 2)] }),
      "needs the registry of generation 2 and a registrar of generation 2 or 3",
    ],
    [
      "a registry without a managed name",
      withLayer2({ name: "base", chainId: 8453, contracts: [entry("registry", 2)] }),
      "layer2[0].managedName",
    ],
  ];

  test.each(faults)("is rejected with %s", (_, deployment, complaint) => {
    expect(complaintOf(deployment)).toContain(complaint);
  });

  test("cannot be the main chain", () => {
    expect(complaintOf(withLayer2(base, { chainId: 59144 }))).toContain(
      "chain 59144 is the layer 2 of linea.eth: it cannot be the main chain",
    );
  });
});

test.each(Object.entries(knownDeployments))("chains of %s have their own numbers and words", (_, read) => {
  const deployment: Deployment = read();
  const chains = [deployment, ...deployment.layer2];
  expect(new Set(chains.map(({ chainId }) => chainId)).size).toBe(chains.length);
  expect(new Set(chains.map(({ name }) => name)).size).toBe(chains.length);
});
