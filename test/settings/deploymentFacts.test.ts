import { describe, expect, test } from "vitest";
import { type DeploymentFacts, factsIn, gatherFacts, withFacts } from "../../abis/deploymentFacts.ts";
import { knownDeployments } from "../../abis/deployments.ts";
import { registryAbi } from "../../abis/registry.ts";

const mainnet = () => knownDeployments.mainnet();
const read = (deployment: ReturnType<typeof mainnet>, archiveReads = false) =>
  factsIn(withFacts(registryAbi, gatherFacts(deployment, archiveReads)));

describe("facts about a deployment in the ABI of Registry", () => {
  test("reach the handlers", () => {
    const facts = read(mainnet());
    expect(facts.archiveReads).toBe(false);
    expect(facts.staticResolvers).toContain("0x231b0ee14048e9dccd1d247744d114a4eb5e8e63");
    expect(facts.priceFeed?.phases.map(({ phase }) => phase)).toEqual([5, 6, 7]);
    expect(facts.managedNames.map(({ name }) => name)).toEqual(expect.arrayContaining(["base.eth"]));
    expect(facts.graveyards).toEqual([]);
  });

  test.each<[string, (deployment: ReturnType<typeof mainnet>) => DeploymentFacts]>([
    ["ARCHIVE_READS", (deployment) => read(deployment, true)],
    [
      "a resolver that is not static",
      (deployment) => {
        const contracts = deployment.contracts.map((entry) => ({ ...entry, static: false }));
        return read({ ...deployment, contracts });
      },
    ],
    [
      "another rent",
      (deployment) => {
        if (deployment.priceFeed === undefined) throw new Error("mainnet has a price feed");
        return read({ ...deployment, priceFeed: { ...deployment.priceFeed, rents: [1, 2, 3, 4, 5] } });
      },
    ],
    ["no layer 2", (deployment) => read({ ...deployment, layer2: [] })],
  ])("%s makes another ABI, so another index", (_, change) => {
    expect(change(mainnet())).not.toEqual(read(mainnet()));
  });

  test("are required in an ABI", () => {
    expect(() => factsIn(registryAbi)).toThrow(/Registry has no facts/);
  });
});
