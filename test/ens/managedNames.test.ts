import { namehash } from "viem";
import { describe, expect, test } from "vitest";
import { holds } from "../../src/ens/condition.ts";
import {
  isSecondLevel,
  managedNameOf,
  managedNames,
  registrarNode,
  secondLevelOf,
} from "../../src/ens/managedNames.ts";
import { ETH_NODE } from "../../src/ens/name.ts";

const [BASE, LINEA, MAIN, OTHER, TOKENS] = [8453, 59144, 1, 42161, 10];
const [BASE_NODE, LINEA_NODE] = [namehash("base.eth"), namehash("linea.eth")];

describe("a managed name", () => {
  test("has the node that its layer 2's contracts were made with", () => {
    // Basenames' `src/util/Constants.sol`, and the arguments of Linea's deployed registrar.
    expect(BASE_NODE).toBe("0xff1e3c0eb00ec714e34b6114125fbde1dea2f24a72fbf672e7b7fd5690328e10");
    expect(LINEA_NODE).toBe("0x527aac89ac1d1de5dd84cff89ec92c69b028ce9ce3fa3d654882474ab4402ec3");
    expect(managedNames.map(({ node }) => node)).toEqual(managedNames.map(({ name }) => namehash(name)));
  });

  test("belongs to one chain, and a chain has one", () => {
    expect(managedNameOf(BASE)).toMatchObject({ name: "base.eth", node: BASE_NODE, chainId: BASE });
    expect(managedNameOf(OTHER)).toBeUndefined();
    expect(managedNameOf(TOKENS)?.name).toBe("box");
    expect(new Set(managedNames.map(({ chainId }) => chainId)).size).toBe(managedNames.length);
  });
});

describe("the second level of a registrar", () => {
  const layer2 = managedNames.filter(({ chainId }) => chainId === BASE || chainId === LINEA);
  const cases = [
    { name: "alice.eth", chainId: MAIN, parentNode: ETH_NODE, is: true },
    { name: "alice.base.eth on Base", chainId: BASE, parentNode: BASE_NODE, is: true },
    { name: "alice.linea.eth on Linea", chainId: LINEA, parentNode: LINEA_NODE, is: true },
    { name: "gov.base.eth of the main chain", chainId: MAIN, parentNode: BASE_NODE, is: false },
    { name: "alice.linea.eth on Base", chainId: BASE, parentNode: LINEA_NODE, is: false },
    { name: "pay.alice.base.eth", chainId: BASE, parentNode: namehash("alice.base.eth"), is: false },
    { name: "a node whose parent is unknown", chainId: BASE, parentNode: null, is: false },
  ] as const;

  test.each(cases)("$name: $is", ({ chainId, parentNode, is }) => {
    expect(isSecondLevel({ chainId, parentNode })).toBe(is);
    expect(holds(secondLevelOf(layer2), { chainId, parentNode }, 0n)).toBe(is);
  });

  test("is right under `eth` on every chain without a managed name", () => {
    expect(registrarNode(MAIN)).toBe(ETH_NODE);
    expect(secondLevelOf([])).toEqual({ kind: "equals", column: "parentNode", value: ETH_NODE });
  });
});
