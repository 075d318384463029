import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DAY, latestTime, lineanameNode, read, tokenIdOf } from "../../devnet/acts.ts";
import { basenames } from "../../devnet/demoBase.ts";
import { lineanames } from "../../devnet/demoLinea.ts";
import { type LocalChains, startDemoChains } from "../../devnet/localChains.ts";

let chains: LocalChains;
beforeAll(async () => {
  chains = await startDemoChains();
});
afterAll(() => chains?.stop());

/** What the main chain's Universal Resolver answers, asking gateways where it has to. */
const universal = () => ({ universalResolverAddress: chains.deployment.universalResolver, strict: true });
const textOf = (name: string, key = "description") =>
  chains.chain.client.getEnsText({ ...universal(), name, key });
const addressOfName = (name: string) => chains.chain.client.getEnsAddress({ ...universal(), name });

describe("the main chain's resolvers of layer 2s answer", () => {
  test("for a name of Base and of Linea what their own resolver has", async () => {
    const [, alice, bob] = chains.chain.accounts;
    expect(await textOf("alice.base.eth")).toBe("Alice on Base");
    expect(await addressOfName("alice.base.eth")).toBe(alice);
    expect(await addressOfName("human.linea.eth")).toBe(bob);
    expect(await textOf("sub.fused.linea.eth", "url")).toBe("https://sub.fused.example");
  });

  test("nothing for one without a resolver, or that was never registered", async () => {
    expect(await textOf("premint.base.eth")).toBeNull();
    expect(await addressOfName("unregistered.linea.eth")).toBeNull();
  });

  test("for their own name what the main chain has", async () => {
    expect(await textOf("base.eth")).toBe("base.eth, whose subnames are on a layer 2");
    expect(await textOf("linea.eth")).toBe("linea.eth, whose subnames are on a layer 2");
  });

  test("not for a name that has a resolver of its own on the main chain", async () => {
    expect(await textOf("gov.base.eth")).toBe("on Ethereum, which answers");
  });
});

describe("the stories of layer 2s", () => {
  const layer2 = (name: string) =>
    chains.layer2.find(({ deployment }) => deployment.name === name)?.chain ?? expect.fail(`no ${name}`);

  test("leave every name that they promise with an expiry at the registrar", async () => {
    for (const [chain, labels] of [
      [layer2("base"), Object.keys(basenames)],
      [layer2("linea"), Object.keys(lineanames)],
    ] as const) {
      for (const label of labels) {
        const question = { contract: "registrar", functionName: "nameExpires", args: [tokenIdOf(label)] };
        const expiry = await read<bigint>(chain, question);
        const left = expiry - (await latestTime(chain));
        expect([label, left > (label === "grace" ? -31n * DAY : 0n)]).toEqual([label, true]);
      }
    }
  });

  test("end now, with one wallet's names on all three chains", async () => {
    const [, alice] = chains.chain.accounts;
    const ownerOf = (label: string) => ({ functionName: "ownerOf", args: [tokenIdOf(label)] });
    expect(await read(chains.chain, { contract: "registrar", ...ownerOf("alice") })).toBe(alice);
    expect(await read(layer2("base"), { contract: "registrar", ...ownerOf("alice") })).toBe(alice);
    const args = [BigInt(lineanameNode("alice"))];
    const wrapped = await read(layer2("linea"), { contract: "wrapper", functionName: "ownerOf", args });
    expect(wrapped).toBe(alice);
  });
});
