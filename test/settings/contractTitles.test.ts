import { expect, test } from "vitest";
import { contractsOf } from "../../abis/contracts.ts";
import { deploymentShape, knownDeployments } from "../../abis/deployments.ts";

const RESOLVER = "0xF29100983E058B709F3D539b0c765937B804AC15";
const mainnet = contractsOf(knownDeployments.mainnet());

test.each([
  [RESOLVER, "Public Resolver (2025)"],
  [RESOLVER.toLowerCase(), "Public Resolver (2025)"],
  ["0xD4416b13d2b3a9aBae7AcD5D6C2BbDBE25686401", "NameWrapper"],
  ["0x57f1887a8BF19b14fC0dF6Fd9B2acc9Af147eA85", ".eth Registrar"],
  ["0xde9049636F4a1dfE0a64d1bFe3155C0A14C54F31", "Resolver of base.eth"],
  ["0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe", "Universal Resolver"],
  ["0x0000000000000000000000000000000000000001", undefined],
])("%s is %s", (address, title) => {
  expect(mainnet.contractTitle(address, 1)).toBe(title);
});

test("a title belongs to its chain, or to any chain if it names none", () => {
  const onBase = "0x03c4738Ee98aE44591e1A4A4F3CaB6641d95DD9a";
  expect(mainnet.contractTitle(onBase, 8453)).toBe("Basenames Registrar");
  expect(mainnet.contractTitle(onBase, 1)).toBeUndefined();
  expect(mainnet.contractTitle(onBase)).toBe("Basenames Registrar");
});

test("every contract of the included networks has a title", () => {
  for (const read of Object.values(knownDeployments)) {
    const { layer2, ...main } = read();
    for (const { role, address, title } of [main, ...layer2].flatMap(({ contracts }) => contracts))
      expect(title, `${role} ${address}`).toMatch(/^[.A-Z0-9]/);
  }
});

test("without a title a contract is called by its label", () => {
  const { contracts, ...rest } = knownDeployments.mainnet();
  const bare = contracts.map(({ title: _, ...entry }) => entry);
  const { contractTitle } = contractsOf(deploymentShape.parse({ ...rest, contracts: bare }));
  expect(contractTitle(RESOLVER, 1)).toBe("RESOLVER_22764828");
  expect(contractTitle("0xD4416b13d2b3a9aBae7AcD5D6C2BbDBE25686401", 1)).toBe("NAME_WRAPPER");
  expect(contractTitle("0x314159265dD8dbb310642f98f50C066173C1259b", 1)).toBe("REGISTRY_OLD");
});
