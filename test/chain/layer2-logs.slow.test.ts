import { type Address, getAddress, type Hex, namehash, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Layer2Deployment } from "../../abis/deployments.ts";
import { dnsEncode, ethNode, hashLabel, registerReferred, setSubnodeOwner } from "../../devnet/acts.ts";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { readStatus } from "../../devnet/ponder.ts";
import { type Stack, type StackPlan, startStack } from "../support/stack.ts";
import {
  by,
  contractOf,
  type Emission,
  type EmitterChain,
  layer2Of,
  logOf,
  startEmitterChain,
} from "./emittedLogs.ts";
import { lower } from "./stage.ts";
import { differencesOf, readTables } from "./tables.ts";

/*
 * A test cannot have the contracts of Basenames and Lineanames, but it can have their logs: contracts at their true addresses log
 * what they are told to, in the order of the true ones.
 */

const YEAR = 365n * 86_400n;
const ETHER = 10n ** 18n;
const person = (digits: string): Address => getAddress(`0x${digits.repeat(20)}`);
const [ALICE, BOB, CAROL, STRANGER] = [person("a1"), person("b0"), person("c4"), person("57")];
/** The owner of every name above the managed one. */
const CHIEF = person("cc");

const base = layer2Of("base");
const linea = layer2Of("linea");

let main: LocalChain;
let onBase: EmitterChain;
let onLinea: EmitterChain;
let stack: Stack;

/** Mainnet's local stand-in with both layer 2s. */
const planOf = (): StackPlan => ({
  rpcUrl: main.anvil.url,
  deployment: { ...main.deployment, layer2: [base, linea] },
  env: { RPC_URL_8453: onBase.anvil.url, RPC_URL_59144: onLinea.anvil.url },
});

beforeAll(async () => {
  main = await startLocalChain();
  [onBase, onLinea] = await Promise.all([startEmitterChain(base, main), startEmitterChain(linea, main)]);
  await buildScaffolding();
  await onBase.emit(...purchase({ label: "first", owner: ALICE, price: ETHER }));
  stack = await startStack(planOf());
});

afterAll(async () => {
  await stack?.destroy();
  await Promise.all([main, onBase, onLinea].map((chain) => chain?.anvil.stop()));
});

/** Waits until everything that was mined on all three chains is indexed. */
async function waitForHeads(index: Stack): Promise<void> {
  const heights = { base: await onBase.height(), linea: await onLinea.height() };
  await index.waitForHead();
  await expect
    .poll(
      async () => {
        const status = await readStatus(index.url);
        return Object.entries(heights).every(([name, height]) => (status?.[name]?.number ?? -1) >= height);
      },
      { timeout: 60_000, interval: 50 },
    )
    .toBe(true);
}

/** Rows of the index, once everything mined is indexed. */
async function sql<Row extends Record<string, unknown>>(
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  await waitForHeads(stack);
  return stack.sql<Row>(text, values);
}

const domainsOf = (name: string) =>
  sql("select * from domains where node = $1 order by chain_id", [namehash(name)]);

/** The index's answer about a name of one chain. */
async function domainOf(
  name: string,
  { chainId }: Layer2Deployment,
): Promise<Record<string, unknown> | undefined> {
  return (await domainsOf(name)).find((row) => row.chain_id === chainId);
}

type EventRow = {
  contract: string;
  event_type: string;
  node: Hex | null;
  cost_wei: string | null;
  details: string | null;
};

const eventsOf = ({ transactionHash }: { transactionHash: Hex }) =>
  sql<EventRow & Record<string, unknown>>(
    "select * from events where transaction_hash = $1 order by log_index, ordinal",
    [transactionHash],
  );

const newOwner = "event NewOwner(bytes32 indexed node, bytes32 indexed label, address owner)";
const newResolver = "event NewResolver(bytes32 indexed node, address resolver)";
const transfer = "event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)";
const sold =
  "event NameRegisteredWithRecord(uint256 indexed id, address indexed owner, uint256 expires, address resolver, uint64 ttl)";
const registered = "event NameRegistered(uint256 indexed id, address indexed owner, uint256 expires)";
const renewed = "event NameRenewed(uint256 indexed id, uint256 expires)";
const paid = "event ETHPaymentProcessed(address indexed payee, uint256 price)";
const soldLabel =
  "event NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 expires)";
const renewedLabel = "event NameRenewed(string name, bytes32 indexed label, uint256 expires)";
const discount = "event DiscountApplied(address indexed registrant, bytes32 indexed discountKey)";
const textChanged =
  "event TextChanged(bytes32 indexed node, string indexed indexedKey, string key, string value)";
const addressChanged = "event AddressChanged(bytes32 indexed node, uint256 coinType, bytes newAddress)";
const addrChanged = "event AddrChanged(bytes32 indexed node, address a)";
const nameChanged = "event NameChanged(bytes32 indexed node, string name)";

const tokenOf = (label: string): bigint => BigInt(hashLabel(label));
const baseNode = (label: string): Hex => namehash(`${label}.base.eth`);
const expiry = 1_900_000_000n;

/** What makes the managed name: the root gives `eth`, and `eth` gives it. None of them counts as an owned name. */
async function buildScaffolding() {
  for (const [chain, layer2, label] of [
    [onBase, base, "base"],
    [onLinea, linea, "linea"],
  ] as const) {
    const registry = by(layer2, "registry");
    await chain.emit(
      registry(newOwner, { node: namehash(""), label: hashLabel("eth"), owner: CHIEF }),
      registry(newOwner, {
        node: namehash("eth"),
        label: hashLabel(label),
        owner: contractOf(layer2, "registrar"),
      }),
      registry(newResolver, { node: namehash(`${label}.eth`), resolver: contractOf(layer2, "resolver") }),
      registry(newOwner, { node: namehash(""), label: hashLabel("reverse"), owner: CHIEF }),
      registry(newOwner, { node: namehash("reverse"), label: hashLabel("addr"), owner: CHIEF }),
    );
  }
}

type Sale = {
  label: string;
  owner: Address;
  price: bigint;
  controller?: number;
  discountKey?: Hex;
  expires?: bigint;
};

/** The logs of one `register` of Basenames. Source: base/basenames, src/L2/UpgradeableRegistrarController.sol. */
function purchase({ label, owner, price, controller = 2, discountKey, expires = expiry }: Sale): Emission[] {
  const [registry, registrar] = [by(base, "registry"), by(base, "registrar")];
  const [sales, records] = [by(base, "controller", controller), by(base, "resolver", 1)];
  const [node, id, resolver] = [baseNode(label), tokenOf(label), contractOf(base, "resolver", 1)];
  return [
    sales(paid, { payee: owner, price }),
    registrar(transfer, { from: zeroAddress, to: owner, tokenId: id }),
    registry(newOwner, { node: namehash("base.eth"), label: hashLabel(label), owner }),
    registry(newResolver, { node, resolver }),
    registrar(sold, { id, owner, expires, resolver, ttl: 0n }),
    records(addressChanged, { node, coinType: 60n, newAddress: owner }),
    records(addrChanged, { node, a: owner }),
    sales(soldLabel, { name: label, label: hashLabel(label), owner, expires }),
    ...(discountKey ? [sales(discount, { registrant: owner, discountKey })] : []),
  ];
}

const purchases = (rows: EventRow[]) =>
  rows
    .filter((row) => row.contract === "CONTROLLER" && row.event_type.includes("Name"))
    .map(({ event_type, node, cost_wei }) => ({ event_type, node, cost_wei }));

describe("a registration on Base", () => {
  test("is a name, in the backfill and in new blocks alike", async () => {
    await onBase.emit(...purchase({ label: "alice", owner: ALICE, price: 3n * ETHER }));
    for (const name of ["first.base.eth", "alice.base.eth"]) {
      expect(await domainOf(name, base)).toMatchObject({
        full_name: name,
        label: name.split(".")[0],
        is_label_known: true,
        is_name_known: true,
        parent_node: namehash("base.eth"),
        registry_owner: lower(ALICE),
        registrar_owner: lower(ALICE),
        effective_owner_address: lower(ALICE),
        registrar_expiry_timestamp: String(expiry),
        expiry_timestamp: String(expiry),
        is_wrapped: false,
        wrapper_owner: null,
        resolver: lower(contractOf(base, "resolver", 1)),
      });
    }
  });

  test("has every log as an event of its family, and the price on one of them", async () => {
    const receipt = await onBase.emit(
      ...purchase({ label: "events", owner: BOB, price: 5n, discountKey: hashLabel("key") }),
    );
    const rows = await eventsOf(receipt);
    expect(rows.map(({ contract, event_type }) => `${contract} ${event_type}`)).toEqual([
      "CONTROLLER ETHPaymentProcessed",
      "REGISTRAR Transfer",
      "REGISTRY NewOwner",
      "REGISTRY NewResolver",
      "REGISTRAR NameRegisteredWithRecord",
      "RESOLVER AddressChanged",
      "RESOLVER AddrChanged",
      "CONTROLLER NameRegistered",
      "CONTROLLER DiscountApplied",
    ]);
    expect(rows.map((row) => row.cost_wei)).toEqual([...Array(7).fill(null), "5", null]);
    expect(rows[0]).toMatchObject({ node: null, details: JSON.stringify({ price: "5" }) });
    expect(rows[4]).toMatchObject({
      owner_address: lower(BOB),
      resolver_address: lower(contractOf(base, "resolver", 1)),
    });
    expect(rows[7]).toMatchObject({ name: "events.base.eth", owner_address: lower(BOB) });
    expect(rows[8]).toMatchObject({
      node: baseNode("events"),
      details: JSON.stringify({ discountKey: hashLabel("key") }),
    });
    const holders = await sql("select address from holders where chain_id = 8453 and node = $1", [
      baseNode("events"),
    ]);
    expect(holders).toEqual([{ address: lower(BOB) }]);
  });

  test("has the price of the last payment before it, and each payment counts once", async () => {
    const again = by(
      base,
      "controller",
      2,
    )(soldLabel, {
      name: "unpaid",
      label: hashLabel("unpaid"),
      owner: BOB,
      expires: expiry,
    });
    const receipt = await onBase.emit(
      ...purchase({ label: "one", owner: ALICE, price: 11n }),
      ...purchase({ label: "two", owner: BOB, price: 0n }),
      by(base, "controller", 2)(paid, { payee: CAROL, price: 77n }),
      // A payment at another controller does not belong to this one.
      ...purchase({ label: "three", owner: CAROL, price: 33n, controller: 1 }),
      ...purchase({ label: "four", owner: CAROL, price: 44n }),
      again,
    );
    expect(purchases(await eventsOf(receipt)).map((row) => row.cost_wei)).toEqual([
      "11",
      "0",
      "33",
      "44",
      null,
    ]);
    const later = await onBase.emit(by(base, "controller", 2)(paid, { payee: CAROL, price: 78n }));
    expect(await eventsOf(later)).toHaveLength(1);
    const next = await onBase.emit(again);
    expect(purchases(await eventsOf(next)).map((row) => row.cost_wei)).toEqual([null]);
  });

  test("makes no names of the nodes above, which have only events", async () => {
    const above = ["", "eth", "base.eth", "reverse", "addr.reverse"].map((name) => namehash(name));
    const rows = await sql("select node from domains where chain_id = 8453 and node = any($1)", [above]);
    expect(rows).toEqual([]);
    const events = await sql<{ count: number }>(
      "select count(*)::int as count from events where chain_id = 8453 and node = any($1)",
      [above],
    );
    expect(events).toEqual([{ count: 5 }]);
    expect(await sql("select 1 from holders where chain_id = 8453 and address = $1", [lower(CHIEF)])).toEqual(
      [],
    );
  });
});

describe("after a registration on Base", () => {
  test("a renewal costs what was paid and not what was sent, also in grace", async () => {
    const until = expiry + YEAR;
    const receipt = await onBase.emit(
      by(base, "controller", 2)(paid, { payee: STRANGER, price: 9n }),
      by(base, "registrar")(renewed, { id: tokenOf("alice"), expires: until }),
      by(base, "controller", 2)(renewedLabel, { name: "alice", label: hashLabel("alice"), expires: until }),
    );
    expect(await domainOf("alice.base.eth", base)).toMatchObject({ expiry_timestamp: String(until) });
    const rows = await eventsOf(receipt);
    expect(rows[1]).toMatchObject({
      event_type: "NameRenewed",
      duration_seconds: String(YEAR),
      cost_wei: null,
    });
    expect(rows[2]).toMatchObject({ event_type: "NameRenewed", cost_wei: "9", exact_cost_wei: null });
  });

  test("a premint has a token and no node", async () => {
    await onBase.emit(
      by(base, "registrar")(transfer, { from: zeroAddress, to: CAROL, tokenId: tokenOf("premint") }),
      by(base, "registrar")(registered, { id: tokenOf("premint"), owner: CAROL, expires: expiry }),
    );
    const row = await domainOf("premint.base.eth", base);
    expect(row).toMatchObject({
      registry_owner: null,
      registrar_owner: lower(CAROL),
      effective_owner_address: lower(CAROL),
      expiry_timestamp: String(expiry),
      is_label_known: false,
      full_name: `[${hashLabel("premint").slice(2)}].base.eth`,
    });
  });

  test("a token that is sold and a node that is not reclaimed have two owners, until it is reclaimed", async () => {
    await onBase.emit(by(base, "registrar")(transfer, { from: ALICE, to: BOB, tokenId: tokenOf("first") }));
    const sold = {
      registry_owner: lower(ALICE),
      registrar_owner: lower(BOB),
      effective_owner_address: lower(BOB),
    };
    expect(await domainOf("first.base.eth", base)).toMatchObject(sold);
    const node = namehash("base.eth");
    await onBase.emit(by(base, "registry")(newOwner, { node, label: hashLabel("first"), owner: BOB }));
    expect(await domainOf("first.base.eth", base)).toMatchObject({ ...sold, registry_owner: lower(BOB) });
  });

  test("a mint without a burn before it replaces the former holder", async () => {
    await onBase.emit(...purchase({ label: "first", owner: CAROL, price: 1n, expires: expiry + 2n * YEAR }));
    expect(await domainOf("first.base.eth", base)).toMatchObject({
      registrar_owner: lower(CAROL),
      expiry_timestamp: String(expiry + 2n * YEAR),
    });
  });

  test("a subname is a node below a name, and its label is not known", async () => {
    const hidden = hashLabel("hidden");
    await onBase.emit(by(base, "registry")(newOwner, { node: baseNode("alice"), label: hidden, owner: BOB }));
    expect(await domainOf("hidden.alice.base.eth", base)).toMatchObject({
      full_name: `[${hidden.slice(2)}].alice.base.eth`,
      registrar_owner: null,
      expiry_timestamp: null,
      registry_owner: lower(BOB),
      effective_owner_address: lower(BOB),
      parent_node: baseNode("alice"),
    });
  });

  test("a cleared address counts as none", async () => {
    const records = by(base, "resolver", 1);
    const node = baseNode("alice");
    await onBase.emit(
      records(addressChanged, { node, coinType: 60n, newAddress: "0x" }),
      records(addrChanged, { node, a: zeroAddress }),
    );
    const rows = await sql("select address from address_records where chain_id = 8453 and node = $1", [node]);
    expect(rows).toEqual([{ address: null }]);
  });
});

describe("unlisted contracts", () => {
  test("a controller counts from the log on that adds it, and a listed one counts once", async () => {
    const added = person("ad");
    const sale = ({ label, price }: { label: string; price: bigint }) =>
      purchase({ label, owner: ALICE, price }).map((one) =>
        one.by === contractOf(base, "controller", 2) ? { ...one, by: added } : one,
      );
    const before = await onBase.emit(...sale({ label: "too-early", price: 1n }));
    const add = "event ControllerAdded(address indexed controller)";
    const registrar = by(base, "registrar");
    await onBase.emit(
      registrar(add, { controller: added }),
      registrar(add, { controller: contractOf(base, "controller", 2) }),
    );
    const after = await onBase.emit(...sale({ label: "in-time", price: 2n }));
    expect(purchases(await eventsOf(before))).toEqual([]);
    expect(purchases(await eventsOf(after))).toEqual([
      { event_type: "NameRegistered", node: baseNode("in-time"), cost_wei: "2" },
    ]);
    expect(await domainOf("in-time.base.eth", base)).toMatchObject({ full_name: "in-time.base.eth" });
    expect(await domainOf("too-early.base.eth", base)).toMatchObject({ is_label_known: false });
    const listed = await onBase.emit(...purchase({ label: "listed", owner: BOB, price: 3n }));
    expect(await eventsOf(listed)).toHaveLength(8);
  });

  test("a controller's logs are decoded in every known layout", async () => {
    const added = person("a7");
    const add = "event ControllerAdded(address indexed controller)";
    await onLinea.emit(by(linea, "registrar")(add, { controller: added }));
    const owned = "bytes32 indexed label, address indexed owner";
    const shapes: [signature: string, cost: string | null][] = [
      [`NameRegistered(string name, ${owned}, uint256 expires)`, null],
      [`NameRegistered(string name, ${owned}, uint256 cost, uint256 expires)`, "30"],
      [`NameRegistered(string name, ${owned}, uint256 baseCost, uint256 premium, uint256 expires)`, "42"],
      [
        "NameRegistered(string label, bytes32 indexed labelhash, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires, bytes32 referrer)",
        "42",
      ],
      [`PohNameRegistered(string name, ${owned}, uint256 expires)`, "0"],
      [`OwnerNameRegistered(string name, ${owned}, uint256 expires)`, "0"],
      ["NameRenewed(string name, bytes32 indexed label, uint256 expires)", null],
      ["NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)", "30"],
      [
        "NameRenewed(string label, bytes32 indexed labelhash, uint256 cost, uint256 expires, bytes32 referrer)",
        "30",
      ],
      ["NameRenewedPoh(string name, bytes32 indexed label, uint256 expires)", "0"],
    ];
    const logs = shapes.map(([signature], number): Emission => {
      const text = `shape-${number}`;
      const hash = hashLabel(text);
      const spelled = signature.includes("labelhash")
        ? { label: text, labelhash: hash }
        : { name: text, label: hash };
      const price = { cost: 30n, baseCost: 40n, premium: 2n };
      const rest = { owner: BOB, expires: expiry, referrer: hashLabel("referrer") };
      return { by: added, log: logOf(`event ${signature}`, { ...spelled, ...price, ...rest }) };
    });
    const rows = await eventsOf(await onLinea.emit(...logs));
    expect(rows.map(({ event_type, name, cost_wei }) => [event_type, name, cost_wei])).toEqual(
      shapes.map(([signature, cost], number) => [signature.split("(")[0], `shape-${number}.linea.eth`, cost]),
    );
  });

  test("a resolver counts from the log on that names it, and a listed one counts once", async () => {
    const own = person("0e");
    const set = (emitter: Address, value: string): Emission => ({
      by: emitter,
      log: logOf(textChanged, { node: baseNode("alice"), indexedKey: "url", key: "url", value }),
    });
    const before = await onBase.emit(set(own, "unseen"), set(STRANGER, "unseen"));
    await onBase.emit(by(base, "registry")(newResolver, { node: baseNode("alice"), resolver: own }));
    const foreign = logOf(textChanged, {
      node: namehash("not.here"),
      indexedKey: "url",
      key: "url",
      value: "foreign",
    });
    const after = await onBase.emit(
      { by: own, log: foreign },
      set(own, "seen"),
      set(STRANGER, "unseen"),
      set(contractOf(base, "resolver", 1), "old"),
    );
    expect(await eventsOf(before)).toEqual([]);
    expect((await eventsOf(after)).map(({ value }) => value)).toEqual(["seen", "old"]);
    const rows = await sql<{ resolver: Hex; value: string }>(
      "select resolver, value from text_records where chain_id = 8453 order by value",
    );
    expect(rows.map(({ value }) => value)).toEqual(["old", "seen"]);
  });
});

describe("reverse names on layer 2s", () => {
  const reverseNode = (address: Address) => namehash(`${address.slice(2).toLowerCase()}.80002105.reverse`);
  const claim = (address: Address, resolver: Address) => {
    const node = reverseNode(address);
    const label = hashLabel(address.slice(2).toLowerCase());
    return [
      by(base, "reverse-registrar")("event BaseReverseClaimed(address indexed addr, bytes32 indexed node)", {
        addr: address,
        node,
      }),
      by(base, "registry")(newOwner, { node: namehash("80002105.reverse"), label, owner: address }),
      by(base, "registry")(newResolver, { node, resolver }),
    ];
  };

  test("from before ENSIP-19 are history and not claims", async () => {
    const resolver = contractOf(base, "resolver", 1);
    const name = (text: string) =>
      by(base, "resolver", 1)(nameChanged, { node: reverseNode(ALICE), name: text });
    await onBase.emit(...claim(ALICE, resolver), name("alice.base.eth"));
    await onBase.emit(name(""));
    await onBase.emit(name("first.base.eth"));
    await onBase.emit(by(base, "registry")(newResolver, { node: reverseNode(ALICE), resolver: zeroAddress }));
    await onBase.emit(name("not.asked"));
    const rows = await sql("select name, coin_type, registrar from primary_name_changes where address = $1", [
      lower(ALICE),
    ]);
    const row = { coin_type: "2147492101", registrar: "REVERSE_REGISTRAR" };
    expect(rows).toEqual([
      { name: "alice.base.eth", ...row },
      { name: null, ...row },
      { name: "first.base.eth", ...row },
      { name: null, ...row },
    ]);
    expect(await sql("select 1 from primary_names where address = $1", [lower(ALICE)])).toEqual([]);
    expect(await domainsOf(`${ALICE.slice(2).toLowerCase()}.80002105.reverse`)).toEqual([]);
    expect(await sql("select 1 from holders where node = $1", [reverseNode(ALICE)])).toEqual([]);
  });

  test("of ENSIP-19 are the claim", async () => {
    await onBase.emit(
      by(base, "l2-reverse-registrar")("event NameForAddrChanged(address indexed addr, string name)", {
        addr: ALICE,
        name: "alice.base.eth",
      }),
    );
    const rows = await sql("select name, chain_id, registrar from primary_names where address = $1", [
      lower(ALICE),
    ]);
    expect(rows).toEqual([{ name: "alice.base.eth", chain_id: 8453, registrar: "L2_REVERSE_REGISTRAR" }]);
  });

  test("of Linea's own nodes under addr.reverse are not names, and give no address a primary name", async () => {
    const label = hashLabel(BOB.slice(2).toLowerCase());
    const node = namehash(`${BOB.slice(2).toLowerCase()}.addr.reverse`);
    await onLinea.emit(
      by(linea, "registry")(newOwner, { node: namehash("addr.reverse"), label, owner: BOB }),
      by(linea, "registry")(newResolver, { node, resolver: contractOf(linea, "resolver") }),
      by(linea, "resolver")(nameChanged, { node, name: "bob.linea.eth" }),
    );
    expect(await domainsOf(`${BOB.slice(2).toLowerCase()}.addr.reverse`)).toEqual([]);
    expect(await sql("select 1 from primary_name_changes where address = $1", [lower(BOB)])).toEqual([]);
  });
});

describe("a registration on Linea", () => {
  const wrapper = contractOf(linea, "wrapper");
  const lineaNode = (label: string) => namehash(`${label}.linea.eth`);
  const GRACE = 90n * 86_400n;
  const FUSES = 65_536 + 131_072;
  const wrappedEvent =
    "event NameWrapped(bytes32 indexed node, bytes name, address owner, uint32 fuses, uint64 expiry)";
  const single =
    "event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)";
  const shortEvent = "(string name, bytes32 indexed label, address indexed owner, uint256 expires)";

  /** The logs of one `registerAndWrap`, with the controller's last. Source: linea-ens, NameWrapper.sol. */
  const wrappedSale = (label: string, owner: Address, last: Emission): Emission[] => {
    const [registry, registrar, wrap] = [by(linea, "registry"), by(linea, "registrar"), by(linea, "wrapper")];
    const [node, id] = [lineaNode(label), tokenOf(label)];
    const operator = contractOf(linea, "controller");
    return [
      registrar(transfer, { from: zeroAddress, to: wrapper, tokenId: id }),
      registry(newOwner, { node: namehash("linea.eth"), label: hashLabel(label), owner: wrapper }),
      registrar(registered, { id, owner: wrapper, expires: expiry }),
      wrap(single, { operator, from: zeroAddress, to: owner, id: BigInt(node), value: 1n }),
      wrap(wrappedEvent, {
        node,
        name: dnsEncode([label, "linea", "eth"]),
        owner,
        fuses: FUSES,
        expiry: expiry + GRACE,
      }),
      registry(newResolver, { node, resolver: contractOf(linea, "resolver") }),
      last,
    ];
  };
  const sales = by(linea, "controller");
  const spelled = (label: string, owner: Address) => ({
    name: label,
    label: hashLabel(label),
    owner,
    expires: expiry,
  });
  const bought = (label: string, owner: Address) =>
    sales(
      "event NameRegistered(string name, bytes32 indexed label, address indexed owner, uint256 baseCost, uint256 premium, uint256 expires)",
      { ...spelled(label, owner), baseCost: 40n, premium: 2n },
    );

  test("is wrapped, and costs base price and premium", async () => {
    const receipt = await onLinea.emit(...wrappedSale("wrapped", ALICE, bought("wrapped", ALICE)));
    expect(await domainOf("wrapped.linea.eth", linea)).toMatchObject({
      full_name: "wrapped.linea.eth",
      is_wrapped: true,
      is_name_known: true,
      wrapper_fuses: String(FUSES),
      wrapper_owner: lower(ALICE),
      registrar_owner: lower(wrapper),
      registry_owner: lower(wrapper),
      effective_owner_address: lower(ALICE),
      expiry_timestamp: String(expiry),
      wrapper_expiry_timestamp: String(expiry + GRACE),
    });
    expect((await eventsOf(receipt)).at(-1)).toMatchObject({
      event_type: "NameRegistered",
      cost_wei: "42",
      base_cost_wei: "40",
      premium_wei: "2",
    });
    const linked = await sql("select label from labels where chain_id = 59144 order by label");
    expect(linked.filter(({ label }) => !String(label).startsWith("shape-"))).toEqual([
      { label: "eth" },
      { label: "linea" },
      { label: "wrapped" },
    ]);
  });

  test("is free for a proven person, and for the contract's owner", async () => {
    const events = ["PohNameRegistered", "OwnerNameRegistered"];
    for (const event of events) {
      const label = event.toLowerCase();
      const last = sales(`event ${event}${shortEvent}`, spelled(label, BOB));
      const receipt = await onLinea.emit(...wrappedSale(label, BOB, last));
      expect((await eventsOf(receipt)).at(-1)).toMatchObject({ event_type: event, cost_wei: "0" });
      expect(await domainOf(`${label}.linea.eth`, linea)).toMatchObject({ full_name: `${label}.linea.eth` });
    }
  });

  test("is renewed through the wrapper: its expiry follows, and the cost is an upper bound", async () => {
    const renewal = async (expires: bigint, last: Emission) =>
      (
        await eventsOf(
          await onLinea.emit(by(linea, "registrar")(renewed, { id: tokenOf("wrapped"), expires }), last),
        )
      ).at(-1);
    const args = { name: "wrapped", label: hashLabel("wrapped") };
    const [first, second] = [expiry + YEAR, expiry + 4n * YEAR];
    const cost = "event NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)";
    expect(await renewal(first, sales(cost, { ...args, cost: 500n, expires: first }))).toMatchObject({
      event_type: "NameRenewed",
      cost_wei: "500",
      cost_is_upper_bound: true,
      exact_cost_wei: null,
      duration_seconds: String(YEAR),
    });
    expect(await domainOf("wrapped.linea.eth", linea)).toMatchObject({
      expiry_timestamp: String(first),
      wrapper_expiry_timestamp: String(first + GRACE),
    });
    const free = "event NameRenewedPoh(string name, bytes32 indexed label, uint256 expires)";
    expect(await renewal(second, sales(free, { ...args, expires: second }))).toMatchObject({
      event_type: "NameRenewedPoh",
      cost_wei: "0",
      cost_is_upper_bound: null,
    });
    expect(await domainOf("wrapped.linea.eth", linea)).toMatchObject({
      expiry_timestamp: String(second),
      wrapper_expiry_timestamp: String(second + GRACE),
    });
  });

  test("is followed if the wrapper accepts a controller that the deployment does not list", async () => {
    const added = person("ae");
    const [registrar, wrap] = [by(linea, "registrar"), by(linea, "wrapper")];
    const changed = "event ControllerChanged(address indexed controller, bool active)";
    const cost = "event NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)";
    const renew = (expires: bigint) =>
      onLinea.emit(registrar(renewed, { id: tokenOf("taken-on"), expires }), {
        by: added,
        log: logOf(cost, { name: "taken-on", label: hashLabel("taken-on"), cost: 500n, expires }),
      });
    const token = async () => {
      const row = await domainOf("taken-on.linea.eth", linea);
      return [row?.wrapper_expiry_timestamp, row?.unexplained_renewals];
    };
    await onLinea.emit(wrap(changed, { controller: added, active: true }));
    const sold = await onLinea.emit(
      ...wrappedSale("taken-on", ALICE, { ...bought("taken-on", ALICE), by: added }),
    );
    expect((await eventsOf(sold)).at(-1)).toMatchObject({ event_type: "NameRegistered", cost_wei: "42" });
    const [first, second, third, fourth] = [1n, 2n, 3n, 4n].map((years) => expiry + years * YEAR) as [
      bigint,
      bigint,
      bigint,
      bigint,
    ];
    // Without the controller's log, it is unknown whether the renewal went through the wrapper.
    await onLinea.emit(registrar(renewed, { id: tokenOf("taken-on"), expires: first }));
    expect(await token()).toEqual([String(expiry + GRACE), 1]);
    const through = await eventsOf(await renew(second));
    expect(through.map(({ event_type }) => event_type)).toEqual(["NameRenewed", "NameRenewed"]);
    expect(through.at(-1)).toMatchObject({ cost_wei: "500", cost_is_upper_bound: true });
    expect(await token()).toEqual([String(second + GRACE), null]);
    // The registrar accepts it, too: one entry handles its logs, which do not show which way it went.
    await onLinea.emit(registrar("event ControllerAdded(address indexed controller)", { controller: added }));
    expect(await eventsOf(await renew(third))).toHaveLength(2);
    expect(await token()).toEqual([String(second + GRACE), 1]);
    // The wrapper drops it: it can only use the registrar, and earlier renewals remain unknown.
    await onLinea.emit(wrap(changed, { controller: added, active: false }));
    const direct = await eventsOf(await renew(fourth));
    expect(direct.at(-1)).toMatchObject({ cost_wei: "500", cost_is_upper_bound: null });
    expect(await token()).toEqual([String(second + GRACE), 1]);
  });

  test("shares neither label nor node with another chain", async () => {
    const hidden = hashLabel("alice");
    await onLinea.emit(
      by(linea, "registry")(newOwner, { node: namehash("linea.eth"), label: hidden, owner: BOB }),
    );
    expect(await domainOf("alice.linea.eth", linea)).toMatchObject({
      full_name: `[${hidden.slice(2)}].linea.eth`,
    });
    expect(await domainOf("alice.base.eth", base)).toMatchObject({ full_name: "alice.base.eth" });
    await onLinea.emit(bought("alice", BOB));
    expect(await domainOf("alice.linea.eth", linea)).toMatchObject({ full_name: "alice.linea.eth" });
    expect(await sql("select chain_id from labels where label = 'alice' order by 1")).toEqual([
      { chain_id: 8453 },
      { chain_id: 59144 },
    ]);
  });
});

describe("the same node on two chains", () => {
  test("has two rows, each by its own registry, and a reorganisation removes only one chain's", async () => {
    const { chain } = main;
    const [alice] = chain.accounts;
    if (alice === undefined) throw new Error("the main chain has no accounts");
    await registerReferred(chain, { from: alice, label: "base" });
    await setSubnodeOwner(chain, { from: alice, parent: ethNode("base"), label: "gov", owner: alice });
    const before = await onBase.emit(...purchase({ label: "gov", owner: BOB, price: 4n }));
    const both = await domainsOf("gov.base.eth");
    expect(both.map((row) => [row.chain_id, row.registry_owner, row.registrar_owner])).toEqual([
      [8453, lower(BOB), lower(BOB)],
      [31337, lower(alice), null],
    ]);
    const [labels] = await sql<{ count: number }>(
      "select count(*)::int as count from labels where label = 'gov'",
    );
    expect(labels).toEqual({ count: 1 });
    const height = await onBase.height();
    expect(Number(before.blockNumber)).toBe(height);
    await onBase.rollback(1);
    await onBase.emit(...purchase({ label: "elsewhere", owner: CAROL, price: 6n }));
    await onBase.emit(...purchase({ label: "further", owner: CAROL, price: 7n }));
    expect(await eventsOf(before)).toEqual([]);
    expect((await domainsOf("gov.base.eth")).map((row) => row.chain_id)).toEqual([31337]);
    expect(await sql("select 1 from labels where label = 'gov'")).toEqual([]);
    expect(await domainOf("further.base.eth", base)).toMatchObject({ registrar_owner: lower(CAROL) });
  });
});

test("after a kill and all of that, every table equals that of an index that saw only the last branches", async () => {
  await stack.kill();
  await onBase.emit(...purchase({ label: "meanwhile", owner: ALICE, price: 8n }));
  await stack.expireLock();
  stack.restart();
  await stack.ready();
  await onBase.emit(...purchase({ label: "afterwards", owner: BOB, price: 9n }));
  const undisturbed = await startStack(planOf());
  try {
    await Promise.all([stack, undisturbed].map(waitForHeads));
    const [is, should] = [await readTables(stack), await readTables(undisturbed)];
    expect(should.get("events")?.length).toBeGreaterThan(100);
    expect(differencesOf(is, should)).toEqual([]);
  } finally {
    await undisturbed.destroy();
  }
});

test("a label revealed by one chain's log is also known on the other chain", async () => {
  const { chain } = main;
  const [alice = zeroAddress] = chain.accounts;
  const parent = ethNode("base");
  const name = (label: string) => setSubnodeOwner(chain, { from: alice, parent, label, owner: alice });
  await name("heldfromafar");
  const shown = async () => (await domainsOf("heldfromafar.base.eth")).map(({ full_name }) => full_name);
  expect(await shown()).toEqual([`[${hashLabel("heldfromafar").slice(2)}].base.eth`]);
  await onBase.emit(...purchase({ label: "heldfromafar", owner: BOB, price: 4n }));
  // Labels from other chains are applied at the first log of a block.
  let logs = 0;
  const afterNextLog = async () => {
    await name(`later${logs++}`);
    return shown();
  };
  const known = ["heldfromafar.base.eth", "heldfromafar.base.eth"];
  await expect.poll(afterNextLog, { timeout: 200_000, interval: 2_000 }).toEqual(known);
});
