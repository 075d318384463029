import { getAddress, type Hex, namehash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf, basenameNode, ethNode, setResolver, setText } from "../../devnet/acts.ts";
import { basenames } from "../../devnet/demoBase.ts";
import { lineanames } from "../../devnet/demoLinea.ts";
import { create, double, startDeployment, toContracts } from "../../devnet/deployer.ts";
import { type LocalChains, type LocalLayer2, startDemoChains } from "../../devnet/localChains.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { waitForHeads } from "./heads.ts";
import { listNodes, readDomain, readLogs } from "./layer2Reads.ts";
import { expectLookupAsSingle, expectNamesOfBridges } from "./lookups.ts";
import { askInTime } from "./stage.ts";

/* Answers about layer 2 names from the index, compared with answers through the bridges and with contract reads. */

let chains: LocalChains;
let base: LocalLayer2;
let linea: LocalLayer2;
/** With all three chains in its index. */
let indexed: Stack;
/** With the main chain alone: it asks the bridges. */
let mainOnly: Stack;

beforeAll(async () => {
  chains = await startDemoChains();
  [base, linea] = chains.layer2 as [LocalLayer2, LocalLayer2];
  const { anvil, deployment, layer2 } = chains;
  const plan = { rpcUrl: anvil.url, deployment };
  const env = Object.fromEntries(layer2.map((one) => [`RPC_URL_${one.deployment.chainId}`, one.anvil.url]));
  [indexed, mainOnly] = await Promise.all([startStack({ ...plan, env }), startStack(plan)]);
});

afterAll(async () => {
  await Promise.all([indexed?.destroy(), mainOnly?.destroy()]);
  await chains?.stop();
});

type Domain = {
  name: string;
  chain?: string;
  source: "indexed" | "live";
  expiry_timestamp: string | null;
  ownership: { owner?: string; registry?: string; registrar?: string; wrapper?: string };
  resolver: { status: string };
};
type Records = {
  source: string;
  records: { texts: Record<string, string>; addresses: Record<string, string>; contenthash: string | null };
};

const ask = async <Body>(stack: Stack, path: string): Promise<Body> => {
  const { status, body } = await askInTime(stack, path);
  expect(status, `${path}: ${JSON.stringify(body)}`).toBe(200);
  return body as Body;
};

/** Names of the stories, without those that a resolver on the main chain answers for. */
const namesOf = ({ deployment }: LocalLayer2): string[] =>
  Object.keys(deployment.chainId === 8453 ? basenames : lineanames)
    .filter((label) => label !== "gov")
    .map((label) => `${label}.${deployment.managedName?.name}`);

const allNames = () => [base, linea].flatMap(namesOf);

const shown = (address: Hex | null) => (address === null ? undefined : getAddress(address));

describe("an answer from the index", () => {
  test("has the owners and expiry that the layer 2's contracts answer", async () => {
    for (const layer2 of [base, linea]) {
      const nodes = new Map(listNodes(layer2, await readLogs(layer2)).map((one) => [one.node, one]));
      for (const name of namesOf(layer2)) {
        const reply = await ask<Domain>(indexed, `/whois/${name}`);
        const stored = await readDomain(layer2, nodes.get(namehash(name)) ?? expect.fail(name));
        const { registry, registrar, owner } = reply.ownership;
        expect({
          name,
          chain: reply.chain,
          expiry: reply.expiry_timestamp,
          registry,
          registrar,
          owner,
        }).toEqual({
          name,
          chain: layer2.deployment.name,
          expiry: stored.expiry_timestamp,
          registry: shown(stored.registry_owner),
          registrar: shown(stored.registrar_owner),
          owner: shown(stored.effective_owner_address),
        });
      }
    }
  });

  test("is indexed if the layer 2's resolver is an indexed one", async () => {
    const replies = await Promise.all(allNames().map((name) => ask<Domain>(indexed, `/whois/${name}`)));
    const known = replies.filter(({ resolver }) => resolver.status === "indexed");
    expect(known.length).toBeGreaterThan(10);
    for (const { name, source } of known) expect([name, source]).toEqual([name, "indexed"]);
  });

  test("has the records that the bridge returns", async () => {
    let compared = 0;
    for (const name of allNames()) {
      const own = await ask<Records>(indexed, `/domain/${name}/records`);
      if (own.source !== "indexed") continue;
      const live = await ask<Records>(mainOnly, `/domain/${name}/records`);
      expect(live.source, name).toBe("live");
      expect(own.records.contenthash, name).toBe(live.records.contenthash);
      expect(own.records.texts, name).toMatchObject(live.records.texts);
      for (const [key, value] of Object.entries(own.records.texts)) {
        const one = await ask<{ value: string }>(mainOnly, `/domain/${name}/records/text/${key}`);
        expect([name, key, one.value]).toEqual([name, key, value]);
        compared++;
      }
      const { 60: ethereum } = own.records.addresses;
      if (ethereum !== undefined) expect([name, live.records.addresses[60]]).toEqual([name, ethereum]);
    }
    expect(compared).toBeGreaterThan(3);
  });

  test("in a lookup of many names equals the single answers, and is listed by its address record", async () => {
    const names = [...allNames(), "gov.base.eth"];
    expect(await expectLookupAsSingle(indexed, names)).toBeGreaterThan(3);
    const { chain, deployment } = chains;
    const ofLayer2 = { stack: indexed, chain, deployment };
    expect(await expectNamesOfBridges(ofLayer2, mainOnly, names)).toBeGreaterThan(3);
  });

  test("equals the main chain's for a name with its own resolver there", async () => {
    const replies = await Promise.all(
      [indexed, mainOnly].map((stack) => ask<Domain>(stack, "/whois/gov.base.eth")),
    );
    // Only a log of Base spells the label out: without that chain's logs it is the caller's word.
    const [indexedThere, onMainOnly] = replies;
    expect({ ...indexedThere, label_source: "caller" }).toEqual(onMainOnly);
    expect(indexedThere).toMatchObject({ label_source: "event" });
    expect(replies[0]).toMatchObject({ source: "indexed", resolver: { chain: chains.deployment.name } });
    expect(replies[0]).not.toHaveProperty("chain");
  });
});

test("the portfolio of an address has its tokens on all chains, as their registrars answer", async () => {
  const { accounts } = chains.chain;
  const domains = await indexed.sql<{ chain_id: number; owner: Hex }>(
    "select chain_id, effective_owner_address as owner from domains where chain_id = any($1)",
    [chains.layer2.map(({ deployment }) => deployment.chainId)],
  );
  for (const account of accounts.slice(0, 4)) {
    const { by_chain } = await ask<{ by_chain: { chain: string; count: number }[] }>(
      indexed,
      `/address/${account}/domain-count`,
    );
    for (const { deployment } of chains.layer2) {
      const own = domains.filter(
        ({ chain_id, owner }) => chain_id === deployment.chainId && owner === account.toLowerCase(),
      );
      const count = by_chain.find(({ chain }) => chain === deployment.name)?.count;
      expect([account, deployment.name, count]).toEqual([account, deployment.name, own.length]);
    }
  }
});

test("sales on Base equal the controllers' balances, to the wei", async () => {
  type Seller = { address: Hex; registration_cost_wei: string; renewal_cost_wei: string };
  const { sellers } = await ask<{ sellers: Seller[] }>(indexed, "/ens-stats/sellers?chain=base");
  const told = sellers.filter(({ address }) =>
    Object.entries(base.chain.contracts).some(
      ([name, one]) => name.startsWith("controller") && getAddress(one.address) === address,
    ),
  );
  expect(told.length).toBeGreaterThan(1);
  for (const { address, registration_cost_wei, renewal_cost_wei } of told) {
    const revenue = BigInt(registration_cost_wei) + BigInt(renewal_cost_wei);
    expect([address, revenue]).toEqual([address, await base.chain.client.getBalance({ address })]);
  }
});

test("if the resolver on Base is not an indexed one, the bridge gives the records, and the index everything else", async () => {
  const { chain } = base;
  const before = await ask<Domain>(indexed, "/whois/sold.base.eth");
  const bob = chain.accounts[2] as Hex;
  const deployer = await startDeployment(chain.client);
  await create(deployer, "stranger", double("BasenamesResolver2025Double"), [
    addressOf(chain, "registry"),
    addressOf(chain, "reverseRegistrar"),
  ]);
  Object.assign(chain.contracts, toContracts(deployer));
  const node = basenameNode("sold");
  await setResolver(chain, { from: bob, node, resolver: addressOf(chain, "stranger") });
  await setText(chain, {
    from: bob,
    resolver: "stranger",
    node,
    key: "url",
    value: "https://stranger.example",
  });
  await waitForHeads(indexed, base);
  expect(await ask<Domain>(indexed, "/whois/sold.base.eth")).toMatchObject({
    chain: base.deployment.name,
    source: "live",
    resolver: { status: "unindexed" },
    ownership: before.ownership,
    expiry_timestamp: before.expiry_timestamp,
  });
  expect(await ask<Records>(indexed, "/domain/sold.base.eth/records")).toMatchObject({
    source: "live",
    records: { texts: { url: "https://stranger.example" } },
  });
  // The main chain knows no owners of the name, and is asked for none.
  const asked = await indexed.sql<{ has_owners: boolean }>(
    `select distinct (answer -> 'owners') is not null as has_owners from namedex_service.live_answers
     where subject = 'sold.base.eth'`,
  );
  expect(asked).toEqual([{ has_owners: false }]);
});

test("once base.eth has another resolver, Base no longer answers for its names, until it is set back", async () => {
  const [deployer] = chains.chain.accounts;
  const node = ethNode("base");
  const set = async (resolver: Hex) => {
    await setResolver(chains.chain, { from: deployer as Hex, node, resolver });
    await indexed.waitForHead();
  };
  const whois = () => indexed.api<Domain>("/whois/alice.base.eth");
  expect((await whois()).body).toMatchObject({ chain: base.deployment.name });
  await set(addressOf(chains.chain, "resolver5"));
  expect((await whois()).body).not.toHaveProperty("chain");
  await set(addressOf(chains.chain, "baseBridge"));
  expect((await whois()).body).toMatchObject({ chain: base.deployment.name, source: "indexed" });
});
