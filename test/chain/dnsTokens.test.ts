// Also runs as: long
import { type Address, getAddress, type Hex, namehash, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { chanceOf } from "../../bench/api/chance.ts";
import { dnsEncode } from "../../devnet/acts/names.ts";
import {
  addressOf,
  attempt,
  burnDnsName,
  type Chain,
  DAY,
  giveDnsName,
  hashLabel,
  latestTime,
  openTopLevel,
  read,
  registerDnsName,
  renewDnsName,
  send,
  setNextTime,
  setResolver,
  warp,
  writeRecord,
  YEAR,
} from "../../devnet/acts.ts";
import { startAnvil } from "../../devnet/anvil.ts";
import { create, double, startDeployment, toContracts } from "../../devnet/deployer.ts";
import { deployDnsTokens } from "../../devnet/deployLayer2.ts";
import { type DevnetGateway, GATEWAY_SIGNER, type Layer2Source, startGateway } from "../../devnet/gateway.ts";
import { connect, type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import type { LocalLayer2 } from "../../devnet/localChains.ts";
import { changeRows, type Report, reportOf, runVerify } from "../ops/runVerify.ts";
import { sizeOf } from "../support/size.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { expectItsEvents } from "./everyEvent.ts";
import { waitForHeads } from "./heads.ts";
import { readLogs } from "./layer2Reads.ts";

/* Names of the DNS at 3DNS: the index's answers, compared with the contract's. */

const SEED = inject("seed");
const STEPS = sizeOf({ short: 60, long: 600 });
const SOON = { timeout: 120_000, interval: 50 };

let gateway: DevnetGateway;
let main: LocalChain;
let optimism: LocalLayer2;
let stack: Stack;
let cast: { alice: Address; bob: Address };

beforeAll(async () => {
  const sources: Layer2Source[] = [];
  gateway = await startGateway({ layer2: sources });
  main = await startLocalChain({ contracts: { gatewayUrl: gateway.url } });
  const [deployer, alice, bob] = main.chain.accounts as [Address, Address, Address];
  cast = { alice, bob };
  const bridge = await openBox(main.chain, deployer);
  optimism = await startOptimism(bridge);
  const { chain } = optimism;
  sources.push({ name: "box", client: chain.client, registry: addressOf(chain, "dnsToken") });
  await playStory(chain);
  stack = await startStack(planOf());
});

afterAll(async () => {
  await stack?.destroy();
  await Promise.all([main?.anvil.stop(), optimism?.anvil.stop(), gateway?.stop()]);
});

const planOf = () => ({
  rpcUrl: main.anvil.url,
  deployment: { ...main.deployment, layer2: [optimism.deployment] },
  env: { RPC_URL_10: optimism.anvil.url },
});

/** `box` on the main chain, with the resolver that asks 3DNS. */
async function openBox(chain: Chain, deployer: Address): Promise<Address> {
  const own = await startDeployment(chain.client);
  const resolver = addressOf(chain, "resolver5");
  const args = [gateway.url, GATEWAY_SIGNER, dnsEncode(["box"]), resolver];
  await create(own, "boxBridge", double("BridgeResolverDouble"), args);
  const bridge = toContracts(own).boxBridge?.address as Address;
  const toDeployer = {
    contract: "root",
    functionName: "setSubnodeOwner",
    args: [hashLabel("box"), deployer],
  };
  await send(chain, { from: deployer, ...toDeployer });
  await setResolver(chain, { from: deployer, node: namehash("box"), resolver: bridge });
  return bridge;
}

async function startOptimism(bridge: Address): Promise<LocalLayer2> {
  const anvil = await startAnvil({ chainId: 10, statesKept: 100_000 });
  const client = connect(anvil.url);
  const { chain: deployment, contracts } = await deployDnsTokens(client);
  const chain = { client, accounts: await client.getAddresses(), contracts };
  return { anvil, chain, deployment: { ...deployment, managedName: { name: "box", bridges: [bridge] } } };
}

/** Names of each kind; `reborn.box` expires and is registered again, `gone.box` expires, `burnt.box` is burnt. */
async function playStory(chain: Chain): Promise<void> {
  const { alice, bob } = cast;
  for (const label of ["box", "xyz"]) await openTopLevel(chain, { label });
  const duration = YEAR;
  for (const name of ["alice.box", "given.box", "burnt.box", "alice.xyz"]) {
    await registerDnsName(chain, { name, owner: alice, duration });
  }
  for (const name of ["reborn.box", "gone.box"]) {
    await registerDnsName(chain, { name, owner: alice, duration: 30n * DAY });
  }
  await renewDnsName(chain, { name: "alice.box", duration });
  await giveDnsName(chain, { from: alice, name: "given.box", to: bob });
  await burnDnsName(chain, { name: "burnt.box" });
  const write = { kind: "text", key: "description", value: "a name of the DNS" } as const;
  await writeRecord(chain, { from: alice, resolver: "resolver", node: namehash("alice.box"), write });
  await warp(chain, { seconds: 40n * DAY });
  await registerDnsName(chain, { name: "reborn.box", owner: bob, duration });
}

const everyHead = () => waitForHeads(stack, main, optimism);

type Row = {
  node: Hex;
  full_name: string;
  owner: Hex | null;
  expiry: string | null;
  resolver: Hex | null;
};

const ROWS = `select node, full_name, effective_owner_address as owner, expiry_timestamp as expiry, resolver
  from domains where chain_id = 10 order by node`;

/** Every node in the logs, with the contract's current answer; an expired name has its last holder. */
async function readTokens(): Promise<Omit<Row, "full_name">[]> {
  const { chain } = optimism;
  const now = await latestTime(chain);
  const holders = new Map<Hex, Hex>();
  for (const { contract, event, args } of await readLogs(optimism)) {
    if (contract !== "dnsToken" || event !== "Transfer" || args.node === undefined) continue;
    holders.set(args.node as Hex, (args.owner as Hex).toLowerCase() as Hex);
  }
  const rows = [...holders].map(async ([node, holder]) => {
    const question = { contract: "dnsToken", functionName: "tokenData", args: [BigInt(node)] };
    const [owner, , expiry] = await read<[Address, number, bigint]>(chain, question);
    const isOver = expiry > 0n && expiry < now;
    const shown = (isOver ? holder : owner.toLowerCase()) as Hex;
    return {
      node,
      owner: shown === zeroAddress ? null : shown,
      expiry: expiry === 0n || expiry === 2n ** 64n - 1n ? null : String(expiry),
      resolver: addressOf(chain, "resolver").toLowerCase() as Hex,
    };
  });
  return (await Promise.all(rows)).sort((a, b) => (a.node < b.node ? -1 : 1));
}

async function expectTokens(): Promise<void> {
  await everyHead();
  const rows = await stack.sql<Row>(ROWS);
  expect(rows.map(({ full_name: _, ...row }) => row)).toEqual(await readTokens());
}

test("the index has every name with its token's owner and expiry", async () => {
  await expectTokens();
  const names = (await stack.sql<Row>(ROWS)).map(({ full_name }) => full_name).sort();
  expect(names).toEqual(
    ["alice.box", "alice.xyz", "box", "burnt.box", "given.box", "gone.box", "reborn.box", "xyz"].sort(),
  );
});

type Domain = {
  chain?: string;
  source: string;
  expiry_timestamp: string | null;
  availability_status: string;
  ownership: { owner?: string };
};

const whois = async (name: string): Promise<Domain> => {
  const { status, body } = await stack.api<Domain>(`/whois/${name}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};

describe("a name below .box", () => {
  test("has its owner and expiry from 3DNS, and its records from the chain", async () => {
    const node = namehash("alice.box");
    const [owner, , expiry] = await read<[Address, number, bigint]>(optimism.chain, {
      contract: "dnsToken",
      functionName: "tokenData",
      args: [BigInt(node)],
    });
    expect(await whois("alice.box")).toMatchObject({
      chain: "optimism",
      expiry_timestamp: String(expiry),
      availability_status: "registered",
      ownership: { owner },
    });
    // The gateway is in this process, so on a busy machine its first answer may be too late.
    await vi.waitFor(async () => {
      const { body } = await stack.api("/domain/alice.box/records");
      expect(body).toMatchObject({ records: { texts: { description: "a name of the DNS" } } });
    }, SOON);
  });

  test("has its registrations, renewals and owners in its histories", async () => {
    type Entries = Record<"registrations" | "renewals", { event_type: string }[]>;
    const { body } = await stack.api<Entries>("/domain/alice.box/registration-history");
    expect(body.registrations).toMatchObject([{ event_type: "RegistrationCreated" }]);
    expect(body.renewals).toMatchObject([{ event_type: "RegistrationExtended" }]);
    const given = await stack.api<{ history: { address: string | null }[] }>(
      "/domain/given.box/ownership-history",
    );
    expect(given.body.history.map(({ address }) => address)).toEqual([
      getAddress(cast.alice),
      getAddress(cast.bob),
    ]);
  });

  test("that expired keeps its last holder, and is no longer registered", async () => {
    const gone = await whois("gone.box");
    expect(gone.availability_status).not.toBe("registered");
    const { owner } = gone.ownership;
    const to_timestamp = Number(gone.expiry_timestamp) + 1;
    expect(gone.ownership).toMatchObject({
      is_owner_current: false,
      last_owner: { address: owner, to_timestamp, ended_by: "expiry" },
    });
    expect(await whois("reborn.box")).toMatchObject({ ownership: { owner: getAddress(cast.bob) } });
  });

  test("that was never registered there may exist elsewhere, so the chain is asked", async () => {
    const { body } = await stack.api<Domain>("/whois/unregistered.box");
    expect(body.availability_status).toBe("unknown");
  });
});

test("the portfolio of a wallet has its names at 3DNS, including those below other top-level names", async () => {
  const { status, body } = await stack.api<{ results: { name: string; chain?: string }[] }>(
    `/address/${cast.alice}/domains?chain=optimism`,
  );
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.results.map(({ name, chain }) => `${name} ${chain}`).sort()).toEqual(
    expect.arrayContaining(["alice.box optimism", "alice.xyz optimism"]),
  );
});

test("a name still has its owner in the second of its expiry", async () => {
  const { chain } = optimism;
  const name = "edge.box";
  await registerDnsName(chain, { name, owner: cast.alice, duration: 10n * DAY });
  const token = { contract: "dnsToken", functionName: "tokenData", args: [BigInt(namehash(name))] };
  const [, , expiry] = await read<[Address, number, bigint]>(chain, token);
  await setNextTime(chain, expiry);
  await giveDnsName(chain, { from: cast.alice, name, to: cast.bob });
  await expectTokens();
});

test(`random acts leave the index equal to the contract (FUZZ_SEED=${SEED})`, async () => {
  const { chain } = optimism;
  const chance = chanceOf(SEED);
  const names = ["a.box", "b.box", "c.xyz", "d.xyz"];
  for (let step = 0; step < STEPS; step++) {
    const name = names[chance.below(names.length)] as string;
    const owner = chain.accounts[1 + chance.below(4)] as Address;
    const holder = await read<Address>(chain, {
      contract: "dnsToken",
      functionName: "owner",
      args: [namehash(name)],
    });
    const duration = BigInt(1 + chance.below(60)) * DAY;
    await attempt(() =>
      chance.of<() => Promise<unknown>>([
        [4, () => registerDnsName(chain, { name, owner, duration })],
        [3, () => renewDnsName(chain, { name, duration })],
        [3, () => giveDnsName(chain, { from: holder === zeroAddress ? owner : holder, name, to: owner })],
        [1, () => burnDnsName(chain, { name })],
        [3, () => warp(chain, { seconds: BigInt(1 + chance.below(20)) * DAY })],
      ])(),
    );
  }
  await expectTokens();
});

test("`npm run verify -- --chain 10` compares owners and expiries with the contract", async () => {
  const { deployment, ...rest } = planOf();
  const verified = { ...rest, deployment, databaseUrl: stack.databaseUrl };
  const { code, out } = await runVerify(verified, ["--chain", "10", "--json"]);
  expect(code, out).toBe(0);
  const { difference_count, compared } = JSON.parse(out) as Report;
  expect(difference_count).toBe(0);
  expect(compared["domains.registrar_expiry_timestamp"]?.values).toBeGreaterThan(10);
});

test("every followed event of 3DNS is on the chain", () =>
  expectItsEvents("dnsTokens.test.ts", planOf().deployment, [main, optimism]));

test("`npm run verify` compares events of each chain with its node, and names a chain whose node does not answer", async () => {
  const verified = { ...planOf(), databaseUrl: stack.databaseUrl };
  expect(await reportOf(verified, ["--samples", "100"])).toMatchObject({ code: 0, difference_count: 0 });
  const [row] = await changeRows<{ block: number; index: number }>(
    stack,
    `update events set block_timestamp = block_timestamp + 1
     where ctid = (select ctid from events where chain_id = 10 order by block_number desc limit 1)
     returning block_number as block, log_index as index`,
  );
  const changed = await reportOf(verified, ["--samples", "100"]);
  expect(changed).toMatchObject({ code: 1, difference_count: 1 });
  const [difference] = changed.differences;
  expect(difference).toMatchObject({ table: "events", column: "block_timestamp" });
  expect(difference?.of).toContain(`log ${row?.index} of block ${row?.block}`);
  const silent = await reportOf({ ...verified, env: { RPC_URL_10: "http://127.0.0.1:9" } }, [
    "--samples",
    "100",
  ]);
  expect(silent).toMatchObject({ code: 0, difference_count: 0, complete: true });
  expect(Object.keys(silent.not_compared)).toContainEqual(expect.stringMatching(/^events of .* \(10\): /));
});
