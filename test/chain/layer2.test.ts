// Also runs as: slow, long
import { type Address, type Hex, namehash } from "viem";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import {
  addController,
  addressOf,
  approveForAll,
  approveRegistration,
  approveWrapped,
  authorise,
  basenameNode,
  bindAgent,
  buyBasename,
  buyLineaname,
  type Chain,
  hashLabel,
  lineanameNode,
  read,
  registrarToken,
  renewBasename,
  revertTo,
  send,
  setAgentURI,
  setLayer2Name,
  setSubnodeOwner,
  setText,
  setWrappedSubnodeOwner,
  takeSnapshot,
  transferRegistration,
  writeRecord,
} from "../../devnet/acts.ts";
import { basenames } from "../../devnet/demoBase.ts";
import { lineanames } from "../../devnet/demoLinea.ts";
import { type LocalChains, type LocalLayer2, startDemoChains } from "../../devnet/localChains.ts";
import { isSlow, sizeOf, wasShown } from "../support/size.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { judge } from "../truth/oracle.ts";
import { historiesOf, playSteps } from "../truth/steps.ts";
import { expectItsEvents } from "./everyEvent.ts";
import { waitForHeads } from "./heads.ts";
import { judgeLayer2Permissions } from "./layer2Permissions.ts";
import {
  type ChainLog,
  type DomainRow,
  listNodes,
  readDomain,
  readLegacyNames,
  readLogs,
  readPrimaryNames,
  readRecords,
} from "./layer2Reads.ts";
import { LABELS, playRandomSteps } from "./layer2Steps.ts";
import { lower } from "./stage.ts";

/** Labels without a log on Base. */
const SILENT = ["premint", "reclaimed", "silent"];
const SEED = inject("seed");
const STEPS = sizeOf({ short: 24, long: 600 });
const SOON = { timeout: 120_000, interval: 50 };

let chains: LocalChains;
let base: LocalLayer2;
let linea: LocalLayer2;
let stack: Stack;

beforeAll(async () => {
  // Needed by random acts and their judgement: premiums of any size, and contract reads at past blocks.
  const forHistories = { statesKept: 100_000, balance: 1_000_000_000 };
  chains = await startDemoChains({ ...forHistories, contracts: { layer2ReverseRegistrar: true } });
  [base, linea] = chains.layer2 as [LocalLayer2, LocalLayer2];
  await playUntold(chains.chain);
  stack = await startStack(planOf(chains));
});

/** Logs of main chain contracts that no story causes: their owners cause them. */
async function playUntold(chain: Chain): Promise<void> {
  const [deployer, alice, , , , , , , , operator] = chain.accounts as Address[];
  if (deployer === undefined || alice === undefined || operator === undefined) throw new Error("no accounts");
  const tell = (contract: string, functionName: string, args: unknown[]) =>
    send(chain, { from: deployer, contract, functionName, args });
  await tell("controller3", "setPriceOracle", [addressOf(chain, "priceOracle3")]);
  await tell("oldRegistrar", "removeController", [addressOf(chain, "controller1")]);
  await approveForAll(chain, { from: alice, contract: "oldRegistrar", operator });
  await approveForAll(chain, { from: alice, contract: "resolver5", operator });
  const { agentId } = await bindAgent(chain, {
    from: alice,
    token: registrarToken("alice"),
    uri: "ipfs://1",
  });
  await setAgentURI(chain, { from: alice, agentId, uri: "ipfs://2" });
}

afterAll(async () => {
  await stack?.destroy();
  await chains?.stop();
});

const planOf = ({ anvil, deployment, layer2 }: LocalChains) => ({
  rpcUrl: anvil.url,
  deployment,
  env: Object.fromEntries(layer2.map((one) => [`RPC_URL_${one.deployment.chainId}`, one.anvil.url])),
});

const everyHead = () => waitForHeads(stack, chains, base, linea);

const rowsOf = <Row extends Record<string, unknown>>(text: string, { deployment }: LocalLayer2) =>
  stack.sql<Row>(text, [deployment.chainId]);

const DOMAINS = `
  select node, registry_owner, resolver, registrar_owner, registrar_expiry_timestamp, wrapper_owner,
    wrapper_fuses, wrapper_expiry_timestamp, is_wrapped, expiry_timestamp, effective_owner_address
  from domains where chain_id = $1`;

const byNode = <Row extends { node: Hex }>(rows: readonly Row[]): Record<Hex, Row> =>
  Object.fromEntries(rows.map((row) => [row.node, row]));

async function expectDomains(layer2: LocalLayer2, logs: readonly ChainLog[]): Promise<void> {
  const nodes = listNodes(layer2, logs);
  const expected = await Promise.all(nodes.map((node) => readDomain(layer2, node)));
  expect(byNode(await rowsOf<DomainRow>(DOMAINS, layer2))).toEqual(byNode(expected));
}

const RECORDS = `
  select resolver || ' ' || node || ' ' || record as line from (
    select chain_id, resolver, node, version, 'text ' || key || ' ' || value as record from text_records
    union all
    select chain_id, resolver, node, version, 'addr ' || coin_type || ' ' || address from address_records
    union all
    select chain_id, resolver, node, version, 'contenthash ' || contenthash from resolver_nodes
    union all
    select chain_id, resolver, node, version, 'name ' || name from resolver_nodes
  ) records left join resolver_nodes cleared using (chain_id, resolver, node)
  where chain_id = $1 and record is not null and records.version = coalesce(cleared.version, 0)`;

async function expectRecords(layer2: LocalLayer2, logs: readonly ChainLog[]): Promise<void> {
  const rows = await rowsOf<{ line: string }>(RECORDS, layer2);
  expect(rows.map(({ line }) => line).sort()).toEqual(await readRecords(layer2, logs));
}

const coinTypeOf = ({ deployment }: LocalLayer2): number => 0x80000000 + deployment.chainId;

async function expectPrimaryNames(layer2: LocalLayer2, logs: readonly ChainLog[]): Promise<void> {
  const rows = await stack.sql<{ address: Hex; name: string | null }>(
    "select address, name from primary_names where coin_type = $1",
    [coinTypeOf(layer2)],
  );
  const names = Object.fromEntries(rows.map(({ address, name }) => [address, name]));
  expect(names).toEqual(await readPrimaryNames(layer2, logs));
}

type Price = { at: string; contract_address: Hex; event_type: string; cost_wei: string | null };

const PRICES = `
  select block_number || '/' || log_index as at, contract_address, event_type, cost_wei from events
  where chain_id = $1 and contract = 'CONTROLLER' and cost_wei is not null order by block_number, log_index`;

/** The price of each sale, from the last payment before it at the same controller. */
function pricesOnBase(logs: readonly ChainLog[]): Price[] {
  const paid = new Map<string, bigint>();
  return logs.flatMap(({ contract, address, event, args, blockNumber, logIndex }) => {
    if (!contract.startsWith("controller")) return [];
    if (event === "ETHPaymentProcessed") paid.set(contract, args.price as bigint);
    if (event !== "NameRegistered" && event !== "NameRenewed") return [];
    const cost = String(paid.get(contract));
    paid.delete(contract);
    return [
      { at: `${blockNumber}/${logIndex}`, contract_address: address, event_type: event, cost_wei: cost },
    ];
  });
}

/** Prices by their logs, and their sum by the controllers' balances. */
async function expectRevenueOfBase(logs: readonly ChainLog[]): Promise<void> {
  const prices = await rowsOf<Price>(PRICES, base);
  expect(prices).toEqual(pricesOnBase(logs));
  for (const [name, { address }] of Object.entries(base.chain.contracts)) {
    if (!name.startsWith("controller")) continue;
    const own = prices.filter((price) => price.contract_address === lower(address));
    const revenue = own.reduce((sum, { cost_wei }) => sum + BigInt(cost_wei ?? 0), 0n);
    expect([name, revenue]).toEqual([name, await base.chain.client.getBalance({ address })]);
  }
}

/** Everything that the contracts of both layer 2s decide. */
async function expectAsOnChains(): Promise<void> {
  await everyHead();
  for (const layer2 of [base, linea]) {
    const logs = await readLogs(layer2);
    await expectDomains(layer2, logs);
    await expectRecords(layer2, logs);
    await expectPrimaryNames(layer2, logs);
  }
  await expectRevenueOfBase(await readLogs(base));
}

test.skipIf(wasShown())("every followed event is on one of the chains, or in another test", () =>
  expectItsEvents("layer2.test.ts", chains.deployment, [chains, base, linea]),
);

describe.skipIf(wasShown())("after the stories on Base and Linea the index has", () => {
  test("every node below the managed name, with the owners and expiries that the contracts answer", async () => {
    await everyHead();
    for (const layer2 of [base, linea]) await expectDomains(layer2, await readLogs(layer2));
  });

  test("every label that a log revealed, including logs of an unlisted controller", async () => {
    for (const [layer2, names] of [
      [base, basenames],
      [linea, lineanames],
    ] as const) {
      const managed = layer2.deployment.managedName?.name ?? "";
      const rows = await rowsOf<{ node: Hex; full_name: string; is_name_known: boolean }>(
        "select node, full_name, is_name_known from domains where chain_id = $1",
        layer2,
      );
      const shown = byNode(rows);
      for (const label of Object.keys(names)) {
        const isSilent = layer2 === base && SILENT.includes(label);
        const first = isSilent ? `[${hashLabel(label).slice(2)}]` : label;
        const node = namehash(`${label}.${managed}`);
        expect(shown[node]).toEqual({ node, full_name: `${first}.${managed}`, is_name_known: !isSilent });
      }
    }
  });

  test("every record that the resolvers answer, and no cleared ones", async () => {
    for (const layer2 of [base, linea]) {
      const logs = await readLogs(layer2);
      expect((await readRecords(layer2, logs)).length).toBeGreaterThan(5);
      await expectRecords(layer2, logs);
    }
  });

  test("the price of every sale on Base, equal to the controllers' balances", async () => {
    const logs = await readLogs(base);
    await expectRevenueOfBase(logs);
    const prices = pricesOnBase(logs).map(({ cost_wei }) => cost_wei);
    expect(prices).toContain("0");
    expect(prices.length).toBeGreaterThan(20);
  });

  test("the discounts on Base, by their keys", async () => {
    const applied = (await readLogs(base)).filter(({ event }) => event === "DiscountApplied");
    const rows = await rowsOf<{ transaction_hash: Hex; details: string }>(
      "select transaction_hash, details from events where chain_id = $1 and event_type = 'DiscountApplied' order by block_number",
      base,
    );
    expect(rows.map(({ transaction_hash }) => transaction_hash)).toEqual(
      applied.map(({ transactionHash }) => transactionHash),
    );
    for (const [index, { args }] of applied.entries()) {
      expect(rows[index]?.details).toContain(args.discountKey);
    }
  });

  test("the prices of Linea: exact for purchases, 0 for free names, an upper bound for renewals", async () => {
    const logs = (await readLogs(linea)).filter(({ contract, event }) => {
      return contract === "controller" && event.includes("Name");
    });
    const expected = logs.map(({ event, args, blockNumber, logIndex }) => {
      const cost = ((args.baseCost as bigint) ?? 0n) + ((args.premium as bigint) ?? 0n);
      return {
        at: `${blockNumber}/${logIndex}`,
        contract_address: lower(addressOf(linea.chain, "controller")),
        event_type: event,
        cost_wei: String((args.cost as bigint) ?? cost),
      };
    });
    expect(await rowsOf<Price>(PRICES, linea)).toEqual(expected);
    const words = expected.map(({ event_type }) => event_type);
    for (const word of ["PohNameRegistered", "OwnerNameRegistered", "NameRenewedPoh"]) {
      expect(expected.filter((one) => one.event_type === word).map((one) => one.cost_wei)).toEqual(["0"]);
    }
    expect(words).toContain("NameRenewed");
    const sum = expected.reduce((total, { cost_wei }) => total + BigInt(cost_wei), 0n);
    const { address } = linea.chain.contracts.controller ?? expect.fail("no controller");
    expect(sum).toBeGreaterThan(await linea.chain.client.getBalance({ address }));
  });

  test("the primary names of ENSIP-19, and earlier ones as history only", async () => {
    for (const layer2 of [base, linea]) await expectPrimaryNames(layer2, await readLogs(layer2));
    const rows = await stack.sql<{ address: Hex; name: string | null }>(
      `select distinct on (address) address, name from primary_name_changes
       where coin_type = $1 and registrar = 'REVERSE_REGISTRAR' order by address, block_number desc, log_index desc`,
      [coinTypeOf(base)],
    );
    const expected = await readLegacyNames(base, await readLogs(base));
    expect(Object.fromEntries(rows.map(({ address, name }) => [address, name]))).toEqual(expected);
    const alice = lower(chains.chain.accounts[1] as Address);
    const { [alice]: claim } = await readPrimaryNames(base, await readLogs(base));
    expect([claim, expected[alice]]).toEqual(["alice.base.eth", "early.base.eth"]);
    const wrong = await stack.sql(
      "select address from primary_names where registrar <> 'L2_REVERSE_REGISTRAR' and coin_type in ($1, $2)",
      [coinTypeOf(base), coinTypeOf(linea)],
    );
    expect(wrong).toEqual([]);
  });

  test("both rows of a node on two chains, each with its own owner and resolver", async () => {
    const node = basenameNode("gov");
    const rows = await stack.sql<{ chain_id: number; registry_owner: Hex; resolver: Hex }>(
      "select chain_id, registry_owner, resolver from domains where node = $1 order by chain_id",
      [node],
    );
    const expected = [base, chains].map(async ({ chain, deployment }) => {
      const ask = (functionName: string) =>
        read<Address>(chain, { contract: "registry", functionName, args: [node] }).then(lower);
      return {
        chain_id: deployment.chainId,
        registry_owner: await ask("owner"),
        resolver: await ask("resolver"),
      };
    });
    expect(rows).toEqual(await Promise.all(expected));
    expect(rows[0]?.registry_owner).not.toBe(rows[1]?.registry_owner);
  });

  test("every log of the listed contracts exactly once, except those of resolver permissions", async () => {
    for (const layer2 of [base, linea]) {
      const listed = layer2.deployment.contracts.map(({ address }) => lower(address));
      const logs = (await readLogs(layer2)).filter(
        ({ contract, address, event }) =>
          listed.includes(lower(address)) &&
          !(
            contract.startsWith("resolver") &&
            /^(OwnershipTransferred|ControllerApprovalChanged)$/.test(event)
          ),
      );
      const rows = await stack.sql<{ place: string }>(
        `select block_number || '/' || log_index as place from events
         where ordinal = 0 and chain_id = $1 and contract_address = any($2) order by block_number, log_index`,
        [layer2.deployment.chainId, listed],
      );
      expect(rows.map(({ place }) => place)).toEqual(
        logs.map(({ blockNumber, logIndex }) => `${blockNumber}/${logIndex}`),
      );
    }
  });
});

test(`random acts on all three chains at once leave the index equal to the contracts (FUZZ_SEED=${SEED})`, async () => {
  const [history = []] = historiesOf({ seed: SEED, runs: 1, steps: STEPS / 2 });
  const [, ...played] = await Promise.all([
    playSteps(chains.chain, "beside", history),
    ...[base, linea].map((layer2) => playRandomSteps(layer2, { seed: SEED, steps: STEPS })),
  ]);
  for (const { mined } of played) expect(mined).toBeGreaterThan(STEPS / 8);
  const [deployer] = base.chain.accounts as [Address];
  await addController(base.chain, { from: deployer, controller: addressOf(base.chain, "controller3") });
  if (wasShown()) return; // The slow tests go on from there.
  await expectAsOnChains();
  const { anvil, deployment } = chains;
  const main = { rpcUrl: anvil.url, deployment, query: stack.sql, archiveReads: true };
  expect((await judge(main)).differences).toEqual([]);
});

/** On each layer 2, a new name that others may now change in every way that its contracts have. */
async function letOthersAct(): Promise<void> {
  const [, from, bob, carol] = chains.chain.accounts as [Address, Address, Address, Address];
  const [label, records] = ["lent", [{ kind: "text", key: "url", value: "https://lent.example" } as const]];
  await buyBasename(base.chain, { from, label, controller: "controller3", resolver: "resolver2", records });
  await approveRegistration(base.chain, { from, label, to: bob });
  await approveForAll(base.chain, { from, contract: "registry", operator: carol });
  await authorise(base.chain, { from, resolver: "resolver2", node: basenameNode(label), delegate: bob });
  const node = lineanameNode(label);
  await buyLineaname(linea.chain, { from, label, records });
  await approveWrapped(linea.chain, { from, node, to: bob });
  await approveForAll(linea.chain, { from, contract: "wrapper", operator: carol });
  await authorise(linea.chain, { from, resolver: "resolver", node, delegate: bob });
  const below = { from, label: "sub", owner: carol };
  await setSubnodeOwner(base.chain, { ...below, parent: basenameNode(label) });
  await setWrappedSubnodeOwner(linea.chain, { ...below, parent: node, fuses: 0, expiry: 0n });
}

test.runIf(isSlow())(
  "the permissions on a layer 2 name, each tried by a call, and those that each account holds and gave",
  async () => {
    await letOthersAct();
    await everyHead();
    const texts = ["lent", ...Object.keys(basenames), ...Object.keys(lineanames), ...LABELS, "sub", "other"];
    const labels = new Map(texts.map((label) => [hashLabel(label), label]));
    for (const layer2 of [base, linea]) {
      const { differences, inForce } = await judgeLayer2Permissions(stack, { chains, layer2, labels });
      expect(differences, layer2.deployment.name).toEqual([]);
      console.log(`${layer2.deployment.name}: permissions in force ${JSON.stringify(inForce)}`);
      for (const kind of ["owner", "token_approval", "operator", "record_delegate", "parent_owner"])
        expect(inForce[kind] ?? 0, `${kind} on ${layer2.deployment.name}`).toBeGreaterThan(0);
    }
  },
);

describe.skipIf(wasShown())("while one chain is disturbed the others continue", () => {
  const people = () => {
    const [, alice, bob, carol] = chains.chain.accounts as [Address, Address, Address, Address];
    return { alice, bob, carol };
  };
  const onBase = { controller: "controller3", resolver: "resolver2" };

  test("when Base is reorganised", async () => {
    const { alice, bob, carol } = people();
    const snapshot = await takeSnapshot(base.chain);
    await buyBasename(base.chain, { from: carol, label: "gone", ...onBase });
    await transferRegistration(base.chain, { from: carol, label: "gone", to: alice });
    await setLayer2Name(base.chain, { from: carol, name: "gone.base.eth" });
    await buyLineaname(linea.chain, { from: carol, label: "meanwhile" });
    await everyHead();
    const seen = await stack.sql("select 1 from domains where node = $1", [basenameNode("gone")]);
    expect(seen).toHaveLength(1);
    await revertTo(base.chain, { snapshot });
    const write = { kind: "text", key: "url", value: "https://other-branch.example" } as const;
    await buyBasename(base.chain, { from: bob, label: "lasting", ...onBase, records: [write] });
    for (let count = 0; count < 4; count++) {
      await renewBasename(base.chain, { from: bob, label: "lasting", controller: onBase.controller });
    }
    await buyLineaname(linea.chain, { from: bob, label: "afterwards" });
    await expectAsOnChains();
    expect(await stack.sql("select 1 from domains where node = $1", [basenameNode("gone")])).toEqual([]);
  });

  test("when the node of Base does not answer", async () => {
    const { alice, carol } = people();
    process.kill(base.anvil.pid, "SIGSTOP");
    try {
      await buyLineaname(linea.chain, { from: carol, label: "undaunted" });
      await setText(chains.chain, {
        from: alice,
        resolver: "resolver5",
        node: namehash("alice.eth"),
        key: "url",
        value: "https://undaunted.example",
      });
      await waitForHeads(stack, chains, linea);
    } finally {
      process.kill(base.anvil.pid, "SIGCONT");
    }
    await buyBasename(base.chain, { from: carol, label: "back-again", ...onBase });
    await expectAsOnChains();
  });
});

test.skipIf(wasShown())(
  `names given by random acts are found by a label that only a log of Linea spells out (FUZZ_SEED=${SEED})`,
  async () => {
    const [, from, owner] = chains.chain.accounts as [Address, Address, Address];
    await buyBasename(base.chain, { from, label: "heard", controller: "controller3", resolver: "resolver2" });
    await buyLineaname(linea.chain, { from, label: "heard" });
    const below = { from, label: "sub", owner };
    await setSubnodeOwner(base.chain, { ...below, parent: basenameNode("heard") });
    await setWrappedSubnodeOwner(linea.chain, {
      ...below,
      parent: lineanameNode("heard"),
      fuses: 0,
      expiry: 0n,
    });
    await everyHead();
    const rows = await stack.sql<{ name: string; label: string }>(
      `select said.label || '.' || parent.full_name as name, said.label from domains d
     join domains parent on parent.chain_id = d.chain_id and parent.node = d.parent_node and parent.is_name_known
     join labels said on said.chain_id = $2 and said.labelhash = d.labelhash and said.source = 'event'
     where d.chain_id = $1 and said.label in ('sub', 'other') order by name`,
      [base.deployment.chainId, linea.deployment.chainId],
    );
    const names = rows.map(({ name }) => name).sort();
    expect(names).toContain("sub.heard.base.eth");
    const write = { kind: "text", key: "url", value: "https://heard.example" } as const;
    const search = async (q: string) => {
      // Shared labels are applied with the next logs of the chain.
      await writeRecord(base.chain, { from, resolver: "resolver2", node: basenameNode("heard"), write });
      const { body } = await stack.api<{ results: { name: string }[] }>(
        `/search-domains?q=${q}&chain=base&limit=100`,
      );
      return body.results.flatMap(({ name }) => (name.startsWith(`${q}.`) ? [name] : []));
    };
    const searched = [...new Set(rows.map(({ label }) => label))];
    await expect
      .poll(async () => (await Promise.all(searched.map(search))).flat().sort(), { ...SOON, interval: 1_000 })
      .toEqual(names);
  },
);
