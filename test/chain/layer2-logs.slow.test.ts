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
 * Logs of Basenames and Lineanames that their doubles (layer2.test.ts) do not make: contracts at the true addresses log what they
 * are told to, in the order of the true ones.
 */

const YEAR = 365n * 86_400n;
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
  await onBase.emit(...purchase({ label: "alice", owner: ALICE, price: 1n }));
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

const holdersOf = (node: Hex) => sql("select address from holders where node = $1", [node]);

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
};

/** The logs of one `register` of Basenames. Source: base/basenames, src/L2/UpgradeableRegistrarController.sol. */
function purchase({ label, owner, price, controller = 2 }: Sale): Emission[] {
  const [registry, registrar] = [by(base, "registry"), by(base, "registrar")];
  const [sales, records] = [by(base, "controller", controller), by(base, "resolver", 1)];
  const [node, id, resolver] = [baseNode(label), tokenOf(label), contractOf(base, "resolver", 1)];
  return [
    sales(paid, { payee: owner, price }),
    registrar(transfer, { from: zeroAddress, to: owner, tokenId: id }),
    registry(newOwner, { node: namehash("base.eth"), label: hashLabel(label), owner }),
    registry(newResolver, { node, resolver }),
    registrar(sold, { id, owner, expires: expiry, resolver, ttl: 0n }),
    records(addressChanged, { node, coinType: 60n, newAddress: owner }),
    records(addrChanged, { node, a: owner }),
    sales(soldLabel, { name: label, label: hashLabel(label), owner, expires: expiry }),
  ];
}

const purchases = (rows: EventRow[]) =>
  rows
    .filter((row) => row.contract === "CONTROLLER" && row.event_type.includes("Name"))
    .map(({ event_type, node, cost_wei }) => ({ event_type, node, cost_wei }));

test("logs of Base are events of their families, with owner, name, duration and price", async () => {
  const discountKey = hashLabel("key");
  const [registrar, sales] = [by(base, "registrar"), by(base, "controller", 2)];
  const [name, label, expires] = ["events", hashLabel("events"), expiry + YEAR];
  const receipt = await onBase.emit(
    ...purchase({ label: name, owner: BOB, price: 5n }),
    sales(discount, { registrant: BOB, discountKey }),
    sales(paid, { payee: STRANGER, price: 9n }),
    registrar(renewed, { id: tokenOf(name), expires }),
    sales(renewedLabel, { name, label, expires }),
  );
  const rows = await eventsOf(receipt);
  expect(rows.map(({ contract, event_type, cost_wei }) => [contract, event_type, cost_wei])).toEqual([
    ["CONTROLLER", "ETHPaymentProcessed", null],
    ["REGISTRAR", "Transfer", null],
    ["REGISTRY", "NewOwner", null],
    ["REGISTRY", "NewResolver", null],
    ["REGISTRAR", "NameRegisteredWithRecord", null],
    ["RESOLVER", "AddressChanged", null],
    ["RESOLVER", "AddrChanged", null],
    ["CONTROLLER", "NameRegistered", "5"],
    ["CONTROLLER", "DiscountApplied", null],
    ["CONTROLLER", "ETHPaymentProcessed", null],
    ["REGISTRAR", "NameRenewed", null],
    ["CONTROLLER", "NameRenewed", "9"],
  ]);
  const [owner_address, resolver_address] = [BOB, contractOf(base, "resolver", 1)].map(lower);
  expect(rows[0]).toMatchObject({ node: null, details: JSON.stringify({ price: "5" }) });
  expect(rows[4]).toMatchObject({ owner_address, resolver_address });
  expect(rows[7]).toMatchObject({ name: "events.base.eth", owner_address });
  expect(rows[8]).toMatchObject({ node: baseNode(name), details: JSON.stringify({ discountKey }) });
  expect(rows[10]).toMatchObject({ duration_seconds: String(YEAR) });
  expect(await holdersOf(baseNode(name))).toEqual([{ address: owner_address }]);
});

test("a registration on Base has the price of the last payment before it, and each payment counts once", async () => {
  const sales = by(base, "controller", 2);
  const unpaid = { name: "unpaid", label: hashLabel("unpaid"), owner: BOB, expires: expiry };
  const again = sales(soldLabel, unpaid);
  const receipt = await onBase.emit(
    ...purchase({ label: "one", owner: ALICE, price: 11n }),
    ...purchase({ label: "two", owner: BOB, price: 0n }),
    sales(paid, { payee: CAROL, price: 77n }),
    // A payment at another controller does not belong to this one.
    ...purchase({ label: "three", owner: CAROL, price: 33n, controller: 1 }),
    ...purchase({ label: "four", owner: CAROL, price: 44n }),
    again,
  );
  const costsOf = async (sale: { transactionHash: Hex }) =>
    purchases(await eventsOf(sale)).map((row) => row.cost_wei);
  expect(await costsOf(receipt)).toEqual(["11", "0", "33", "44", null]);
  const later = await onBase.emit(sales(paid, { payee: CAROL, price: 78n }));
  expect(await eventsOf(later)).toHaveLength(1);
  expect(await costsOf(await onBase.emit(again))).toEqual([null]);
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
    expect(await holdersOf(reverseNode(ALICE))).toEqual([]);
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
    const price = { cost_wei: "42", base_cost_wei: "40", premium_wei: "2" };
    expect((await eventsOf(sold)).at(-1)).toMatchObject({ event_type: "NameRegistered", ...price });
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

test("after a reorganisation and a kill every table equals that of an index that saw only the last branches", async () => {
  const { chain } = main;
  const [from = zeroAddress] = chain.accounts;
  await registerReferred(chain, { from, label: "base" });
  await setSubnodeOwner(chain, { from, parent: ethNode("base"), label: "undone", owner: from });
  const before = await onBase.emit(...purchase({ label: "undone", owner: BOB, price: 4n }));
  expect(await eventsOf(before)).toHaveLength(8);
  expect((await domainsOf("undone.base.eth")).map((row) => row.registry_owner)).toEqual(
    [BOB, from].map(lower),
  );
  await onBase.rollback(1);
  await onBase.emit(...purchase({ label: "elsewhere", owner: CAROL, price: 6n }));
  await onBase.emit(...purchase({ label: "further", owner: CAROL, price: 7n }));
  expect(await eventsOf(before)).toEqual([]);
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
