import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, http } from "viem";
import { afterEach, describe, expect, it } from "vitest";
import { deploymentShape, generations, listContracts } from "../../abis/deployments.ts";
import {
  type Anvil,
  type AnvilOptions,
  anvilBinary,
  PortTakenError,
  startAnvil,
} from "../../devnet/anvil.ts";
import { deployContracts } from "../../devnet/deploy.ts";
import {
  deployBasenames,
  deployDnsTokens,
  deployLayer2,
  deployLineanames,
} from "../../devnet/deployLayer2.ts";
import { freePort } from "../../devnet/ports.ts";
import { START } from "./chain.ts";

const running: Anvil[] = [];
afterEach(async () => {
  for (const anvil of running.splice(0)) await anvil.stop();
});

async function open(options: AnvilOptions = {}) {
  const anvil = await startAnvil(options);
  running.push(anvil);
  return { anvil, client: createClient({ transport: http(anvil.url) }) };
}

async function headOf({ client }: Awaited<ReturnType<typeof open>>): Promise<unknown> {
  const block = await client.request({ method: "eth_getBlockByNumber", params: ["latest", false] });
  return [block?.number, block?.hash];
}

describe("the deployment", () => {
  it("is a valid one with a contract of every generation that Namedex tells apart by behaviour", async () => {
    const { client } = await open();
    const { deployment, contracts } = await deployContracts(client);
    expect(deploymentShape.parse(deployment)).toMatchObject({ name: "devnet", chainId: 31337, layer2: [] });
    const deployOn = async <Result>(chainId: number, deploy: (on: Client) => Promise<Result>) =>
      deploy((await open({ chainId })).client);
    const layer2 = [
      await deployOn(8453, deployBasenames),
      await deployOn(59144, deployLineanames),
      await deployOn(10, deployDnsTokens),
    ];
    const all = [deployment, ...layer2.map(({ chain }) => chain)].flatMap((chain) => chain.contracts);
    // The number of a price feed is its phase.
    const { "price-feed": _, ...behaviours } = generations;
    const missing = Object.entries(behaviours).flatMap(([role, known]) =>
      known
        .filter((generation) => !all.some((c) => c.role === role && c.generation === generation))
        .map((generation) => `${role} ${generation}`),
    );
    expect(missing).toEqual([
      ...["controller 2", "resolver 0", "resolver 1", "reverse-registrar 1"],
      ...["dns-registrar 1", "dns-registrar 2", "subdomain-registrar 1", "short-name-claims 1"],
    ]);
    expect(contracts.registry?.address).toBe(listContracts(deployment, "registry", 2)[0]?.address);
  });

  it("names the block in which each contract was created", async () => {
    const { client } = await open();
    const { deployment } = await deployContracts(client);
    for (const { address, startBlock } of deployment.contracts) {
      const codes = await Promise.all(
        [startBlock - 1, startBlock].map((block) =>
          client.request({ method: "eth_getCode", params: [address, `0x${block.toString(16)}`] }),
        ),
      );
      expect([codes[0], codes[1] === "0x"]).toEqual(["0x", false]);
    }
  });

  it("is the same block by block on two chains of the same start", async () => {
    const chains = [await open({ timestamp: START }), await open({ timestamp: START })];
    for (const { client } of chains) await deployContracts(client);
    const [first, second] = await Promise.all(chains.map(headOf));
    expect(first).toEqual(second);
  });

  it("of a layer 2 is its reverse registrar alone", async () => {
    const { client } = await open({ chainId: 31338 });
    const { chain } = await deployLayer2(client, { name: "layer2" });
    expect(chain).toMatchObject({
      name: "layer2",
      chainId: 31338,
      contracts: [{ role: "l2-reverse-registrar", generation: 1, startBlock: 1 }],
    });
  });
});

describe("anvil", () => {
  it("is named with its npm package where there is no build", () => {
    expect(() => anvilBinary("aix", "ppc64")).toThrow("@foundry-rs/anvil-aix-ppc64");
  });

  it("says so when its port is taken", async () => {
    const { anvil } = await open();
    await expect(startAnvil({ port: anvil.port })).rejects.toThrow(`did not start on port ${anvil.port}`);
  });

  it("never takes a chain that got the port in the same moment for its own", async () => {
    const folder = await mkdtemp(join(tmpdir(), "namedex-anvil-"));
    const port = await freePort();
    const starts = ["a", "b"].map((name) => startAnvil({ port, logFile: join(folder, `${name}.log`) }));
    const outcomes = await Promise.allSettled(starts);
    for (const one of outcomes) if (one.status === "fulfilled") running.push(one.value);
    const failures = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    expect(failures).toEqual([expect.any(PortTakenError)]);
    await rm(folder, { recursive: true });
  });

  it("ends when it is stopped", async () => {
    const { anvil } = await open();
    await anvil.stop();
    await expect(fetch(anvil.url, { method: "POST", body: "{}" })).rejects.toThrow();
  });
});
