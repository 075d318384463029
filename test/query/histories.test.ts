import { domain, event, ownershipChange, resolverChange, textRecord } from "ponder:schema";
import { getAddress, type Hex, keccak256, namehash, stringToBytes } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { useApi } from "./api.ts";
import {
  account,
  CHAIN_ID,
  domainRow,
  type EventRow,
  eventRow,
  LISTED_RESOLVER,
  STATIC_RESOLVER,
  transaction,
  WRAPPER,
} from "./rows.ts";
import { useTables } from "./tables.ts";

const node = namehash("alice.eth");
const [alice, bob, carol] = [account(0xa), account(0xb), account(0xc)];
const CONTROLLER = account(0xe3);

const tables = useTables();
const api = useApi(tables, 1_800_000_000);

const history = async (path: string) => (await api.get(path)).body;

const ownership = (
  at: { block: number; log: number; tx?: number },
  fields: Partial<typeof ownershipChange.$inferInsert>,
) => ({
  chainId: CHAIN_ID,
  blockNumber: at.block,
  logIndex: at.log,
  ordinal: 0,
  node,
  transactionHash: transaction(at.tx ?? at.block),
  blockTimestamp: 1,
  eventType: "Transfer",
  ...fields,
});

const resolver = (at: { block: number; log: number; tx?: number }, address: Hex | null) => ({
  chainId: CHAIN_ID,
  blockNumber: at.block,
  logIndex: at.log,
  node,
  resolver: address,
  transactionHash: transaction(at.tx ?? at.block),
  blockTimestamp: 1,
});

const text = (block: number, log: number, contractAddress: Hex, fields: Partial<EventRow>): EventRow =>
  eventRow(
    { block, log },
    { contract: "RESOLVER", eventType: "TextChanged", node, contractAddress, ...fields },
  );

beforeAll(async () => {
  await tables.writer.insert(domain).values([domainRow("alice.eth")]);
});

describe("GET /domain/:name/ownership-history", () => {
  beforeAll(async () => {
    await tables.writer.insert(ownershipChange).values([
      // Registered: minted to the controller, then given to the buyer, in one transaction.
      ownership(
        { block: 10, log: 0 },
        { ownerAddress: CONTROLLER, reason: "registrar", registrarOwner: CONTROLLER },
      ),
      ownership(
        { block: 10, log: 1 },
        {
          ownerAddress: CONTROLLER,
          reason: "registrar",
          registrarOwner: CONTROLLER,
          registryOwner: alice,
          eventType: "NewOwner",
        },
      ),
      ownership(
        { block: 10, log: 2 },
        { ownerAddress: alice, reason: "registrar", registrarOwner: alice, registryOwner: alice },
      ),
      // Given away in the registry only: the registrar's owner stays the owner.
      ownership(
        { block: 11, log: 0 },
        {
          ownerAddress: alice,
          reason: "registrar",
          registrarOwner: alice,
          registryOwner: bob,
          eventType: "NewOwner",
        },
      ),
      // There and back in one transaction.
      ownership(
        { block: 12, log: 0 },
        { ownerAddress: carol, reason: "registrar", registrarOwner: carol, registryOwner: bob },
      ),
      ownership(
        { block: 12, log: 1 },
        { ownerAddress: alice, reason: "registrar", registrarOwner: alice, registryOwner: bob },
      ),
      // Wrapped by two changes in one transaction, while another one follows in the same block.
      ownership(
        { block: 13, log: 0 },
        { ownerAddress: WRAPPER, reason: "registrar", registrarOwner: WRAPPER, registryOwner: WRAPPER },
      ),
      ownership(
        { block: 13, log: 1 },
        {
          ownerAddress: alice,
          reason: "wrapper",
          registrarOwner: WRAPPER,
          registryOwner: WRAPPER,
          wrapperOwner: alice,
          eventType: "TransferSingle",
        },
      ),
      ownership(
        { block: 13, log: 2, tx: 99 },
        {
          ownerAddress: bob,
          reason: "wrapper",
          registrarOwner: WRAPPER,
          registryOwner: WRAPPER,
          wrapperOwner: bob,
        },
      ),
      ownership({ block: 14, log: 0 }, { ownerAddress: null, reason: null }),
      ownership(
        { block: 15, log: 0 },
        { ownerAddress: carol, reason: "registry", registryOwner: carol, eventType: "NewOwner" },
      ),
    ]);
  });

  const span = (from: [number, number], to: [number, number] | null) => ({
    from_timestamp: 1,
    from_block: from[0],
    from_tx: transaction(from[1]),
    to_timestamp: to ? 1 : null,
    to_block: to?.[0] ?? null,
    to_tx: to ? transaction(to[1]) : null,
  });

  test("returns the effective owners, one change for each transaction, newest last", async () => {
    expect(await history("/domain/alice.eth/ownership-history")).toEqual({
      history: [
        {
          address: getAddress(alice),
          reason: "registrar",
          event_type: "Transfer",
          ...span([10, 10], [13, 13]),
        },
        {
          address: getAddress(alice),
          reason: "wrapper",
          event_type: "TransferSingle",
          ...span([13, 13], [13, 99]),
        },
        { address: getAddress(bob), reason: "wrapper", event_type: "Transfer", ...span([13, 99], [14, 14]) },
        { address: getAddress(carol), reason: "registry", event_type: "NewOwner", ...span([15, 15], null) },
      ],
      total: 4,
    });
  });

  test("`audit` adds the owners in each contract", async () => {
    expect(await history("/domain/alice.eth/ownership-history?audit=true")).toMatchObject({
      registry: [
        { address: getAddress(alice), ...span([10, 10], [11, 11]) },
        { address: getAddress(bob), ...span([11, 11], [13, 13]) },
        { address: getAddress(WRAPPER), ...span([13, 13], [14, 14]) },
        { address: getAddress(carol), ...span([15, 15], null) },
      ],
      registrar: [
        { address: getAddress(alice), ...span([10, 10], [13, 13]) },
        { address: getAddress(WRAPPER), ...span([13, 13], [14, 14]) },
      ],
      wrapper: [
        { address: getAddress(alice), ...span([13, 13], [13, 99]) },
        { address: getAddress(bob), ...span([13, 99], [14, 14]) },
      ],
    });
  });
});

describe("GET /domain/:name/resolver-history and text history", () => {
  beforeAll(async () => {
    await tables.writer
      .insert(resolverChange)
      .values([
        resolver({ block: 20, log: 1 }, STATIC_RESOLVER),
        resolver({ block: 30, log: 5 }, LISTED_RESOLVER),
        resolver({ block: 40, log: 0 }, null),
        resolver({ block: 50, log: 0 }, STATIC_RESOLVER),
      ]);
    await tables.writer
      .insert(event)
      .values([
        text(20, 0, STATIC_RESOLVER, { key: "url", value: "before it was the resolver" }),
        text(20, 2, STATIC_RESOLVER, { key: "url", value: "one" }),
        text(21, 0, STATIC_RESOLVER, { key: "avatar", value: "another key" }),
        text(22, 0, LISTED_RESOLVER, { key: "url", value: "at a resolver not yet active" }),
        text(23, 0, STATIC_RESOLVER, { key: "url", value: "" }),
        text(24, 0, STATIC_RESOLVER, { key: "url", value: "two" }),
        text(25, 0, STATIC_RESOLVER, { eventType: "VersionChanged" }),
        text(30, 4, STATIC_RESOLVER, { key: "url", value: "three" }),
        text(30, 6, LISTED_RESOLVER, { key: "url", value: "by a resolver that may say anything" }),
        text(31, 0, STATIC_RESOLVER, { key: "url", value: "at a resolver no more active" }),
        text(41, 0, LISTED_RESOLVER, { key: "url", value: "while there was none" }),
        text(51, 0, STATIC_RESOLVER, { key: null, value: "nul", details: JSON.stringify({ key: "u\0rl" }) }),
        text(52, 0, STATIC_RESOLVER, { key: "url", value: null, details: JSON.stringify({ value: "v\0" }) }),
        text(53, 0, STATIC_RESOLVER, { key: "url", value: null, valueSource: "unknown" }),
      ]);
  });

  test("returns the resolvers, newest last, without times when there was none", async () => {
    const from = (block: number) => ({ from_timestamp: 1, from_block: block, from_tx: transaction(block) });
    const to = (block: number) => ({ to_timestamp: 1, to_block: block, to_tx: transaction(block) });
    const current = { to_timestamp: null, to_block: null, to_tx: null };
    expect(await history("/domain/alice.eth/resolver-history")).toEqual({
      history: [
        { address: getAddress(STATIC_RESOLVER), title: "RESOLVER_5", ...from(20), ...to(30) },
        { address: getAddress(LISTED_RESOLVER), title: "RESOLVER_6", ...from(30), ...to(40) },
        { address: getAddress(STATIC_RESOLVER), title: "RESOLVER_5", ...from(50), ...current },
      ],
      total: 3,
    });
  });

  test("a text's history has what the active resolver logged, if indexed, and null when a value ended", async () => {
    const logged = (block: number, address: Hex, value: string | null) => ({
      value,
      block_number: block,
      source: "indexed",
      resolver: getAddress(address),
      transaction_hash: transaction(block),
    });
    const boundary = (block: number) => ({ value: null, block_number: block, source: "resolver_change" });
    expect(await history("/domain/alice.eth/records/text/url/history")).toEqual({
      domain: "alice.eth",
      key: "url",
      history: [
        { ...logged(53, STATIC_RESOLVER, null), value_known: false },
        logged(52, STATIC_RESOLVER, "v\0"),
        {
          ...boundary(50),
          restored: {
            value: "at a resolver no more active",
            block_number: 31,
            transaction_hash: transaction(31),
          },
        },
        boundary(40),
        boundary(30),
        logged(30, STATIC_RESOLVER, "three"),
        logged(25, STATIC_RESOLVER, null),
        logged(24, STATIC_RESOLVER, "two"),
        logged(23, STATIC_RESOLVER, null),
        logged(20, STATIC_RESOLVER, "one"),
      ],
      total: 10,
    });
  });

  test("a key with NUL has a history too", async () => {
    const { history: entries } = await history("/domain/alice.eth/records/text/u%00rl/history");
    expect(entries).toMatchObject([{ value: "nul", block_number: 51 }]);
  });

  test("a current value that only the chain knows is read there, not left out", async () => {
    const legacy = namehash("legacy.eth");
    const row = {
      chainId: CHAIN_ID,
      resolver: STATIC_RESOLVER,
      node: legacy,
      version: 0,
      setsInTransaction: 1,
    };
    const at = { blockNumber: 61, logIndex: 0, transactionHash: transaction(61), isRead: false };
    const keyOf = (key: string) => ({ key, keyHash: keccak256(stringToBytes(key)) });
    await tables.writer.insert(domain).values(domainRow("legacy.eth", { resolver: STATIC_RESOLVER }));
    await tables.writer
      .insert(resolverChange)
      .values({ ...resolver({ block: 60, log: 0 }, STATIC_RESOLVER), node: legacy });
    await tables.writer
      .insert(event)
      .values([
        text(61, 0, STATIC_RESOLVER, { node: legacy, key: "url", valueSource: "unknown" }),
        text(61, 1, STATIC_RESOLVER, { node: legacy, key: "email", valueSource: "unknown" }),
        text(62, 0, STATIC_RESOLVER, { node: legacy, key: "email", value: "known", valueSource: "calldata" }),
      ]);
    await tables.writer.insert(textRecord).values([
      { ...row, ...at, ...keyOf("url"), isValueKnown: false },
      { ...row, ...at, ...keyOf("email"), value: "known", isValueKnown: true },
    ]);
    const path = (key: string) => `/domain/legacy.eth/records/text/${key}/history`;
    expect(await api.get(path("url")), "no chain is there to be asked").toMatchObject({
      status: 502,
      body: { error: { code: "LIVE_RESOLUTION_FAILED" } },
    });
    expect(await history(path("email"))).toMatchObject({
      history: [{ value: "known" }, { value: null, value_known: false }],
    });
  });

  test("has the value of a text after each transaction", async () => {
    const twice = namehash("twice.eth");
    const ofTwice = (block: number, log: number, fields: Partial<EventRow>) =>
      text(block, log, STATIC_RESOLVER, { node: twice, ...fields });
    const clearing = { eventType: "VersionChanged" };
    await tables.writer.insert(domain).values(domainRow("twice.eth", { resolver: STATIC_RESOLVER }));
    await tables.writer
      .insert(resolverChange)
      .values({ ...resolver({ block: 70, log: 9 }, STATIC_RESOLVER), node: twice });
    await tables.writer
      .insert(event)
      .values([
        ofTwice(71, 0, { key: "url", value: "never seen" }),
        ofTwice(71, 1, { key: "url", value: "a" }),
        ofTwice(72, 0, { key: "url", value: "never seen" }),
        ofTwice(72, 1, clearing),
        ofTwice(73, 0, clearing),
        ofTwice(73, 1, { key: "url", value: "b" }),
        ofTwice(74, 0, { key: "email", value: "gone at once" }),
        ofTwice(74, 1, clearing),
      ]);
    expect(await history("/domain/twice.eth/records/text/url/history")).toMatchObject({
      history: [
        { value: null, block_number: 74 },
        { value: "b", block_number: 73 },
        { value: null, block_number: 72 },
        { value: "a", block_number: 71 },
      ],
      total: 4,
    });
    expect(await history("/domain/twice.eth/records/text/email/history")).toMatchObject({ history: [] });
  });

  test("a key that was never set has no history", async () => {
    expect(await history("/domain/alice.eth/records/text/email/history")).toMatchObject({ history: [] });
  });
});

describe("GET /domain/:name/registration-history", () => {
  const registrar = (
    eventType: string,
    expiry: bigint,
  ): Pick<EventRow, "contract"> & Partial<EventRow> & { eventType: string } => ({
    contract: "REGISTRAR",
    contractAddress: account(0xe2),
    eventType,
    node,
    expiryTimestamp: expiry,
  });
  const controller = (eventType: string, expiry: bigint) => ({
    ...registrar(eventType, expiry),
    contract: "CONTROLLER",
    contractAddress: CONTROLLER,
  });

  beforeAll(async () => {
    await tables.writer.insert(event).values([
      eventRow({ block: 100, log: 0 }, { ...registrar("NameRegistered", 1_000n), ownerAddress: WRAPPER }),
      eventRow(
        { block: 100, log: 1 },
        {
          ...controller("NameRegistered", 1_000n),
          ownerAddress: alice,
          costWei: 3n,
          baseCostWei: 2n,
          premiumWei: 1n,
        },
      ),
      eventRow({ block: 101, log: 0 }, registrar("NameRenewed", 2_000n)),
      eventRow({ block: 101, log: 1 }, { ...controller("NameRenewed", 2_000n), costWei: 10n ** 15n }),
      // Twice in one transaction, through the contract with a referrer.
      eventRow({ block: 102, log: 0 }, registrar("NameRenewed", 3_000n)),
      eventRow({ block: 102, log: 1 }, { ...controller("NameRenewed", 3_000n), costWei: 5n }),
      eventRow({ block: 102, log: 2 }, registrar("NameRenewed", 4_000n)),
      eventRow({ block: 102, log: 3 }, { ...controller("NameRenewed", 4_000n), costWei: 6n }),
      eventRow(
        { block: 102, log: 4 },
        {
          contract: "RENEWAL_REFERRER",
          contractAddress: account(9),
          eventType: "RenewalReferred",
          node,
          costWei: 11n,
        },
      ),
      // The controller of 2023 logs the value it was sent.
      eventRow({ block: 103, log: 0 }, registrar("NameRenewed", 5_000n)),
      eventRow(
        { block: 103, log: 1 },
        { ...controller("NameRenewed", 5_000n), costWei: 90n, costIsUpperBound: true },
      ),
      eventRow({ block: 104, log: 0 }, registrar("NameRenewed", 6_000n)),
      eventRow(
        { block: 104, log: 1 },
        { ...controller("NameRenewed", 6_000n), costWei: 90n, costIsUpperBound: true, exactCostWei: 60n },
      ),
      // Registered again by an unknown controller.
      eventRow({ block: 105, log: 0 }, { ...registrar("NameRegistered", 7_000n), ownerAddress: bob }),
    ]);
  });

  const entry = (block: number, eventType: string, expiry: number, fields: object) => ({
    event_type: eventType,
    block_number: block,
    transaction_hash: transaction(block),
    cost_wei: null,
    cost_eth: null,
    expiry_timestamp: String(expiry),
    owner_address: null,
    ...fields,
  });

  test("merges the events of a transaction: the controller's price and buyer, the registrar's expiry", async () => {
    expect(await history("/domain/alice.eth/registration-history")).toEqual({
      domain: "alice.eth",
      registrations: [
        entry(100, "NameRegistered", 1_000, {
          cost_wei: "3",
          cost_eth: "0.000000000000000003",
          owner_address: getAddress(alice),
        }),
        entry(105, "NameRegistered", 7_000, { owner_address: getAddress(bob) }),
      ],
      renewals: [
        entry(101, "NameRenewed", 2_000, { cost_wei: String(10n ** 15n), cost_eth: "0.001" }),
        entry(102, "NameRenewed", 4_000, {
          merged_events: 2,
          cost_wei: "11",
          cost_eth: "0.000000000000000011",
        }),
        entry(103, "NameRenewed", 5_000, {
          cost_wei: "90",
          cost_eth: "0.00000000000000009",
          cost_is_upper_bound: true,
        }),
        entry(104, "NameRenewed", 6_000, { cost_wei: "60", cost_eth: "0.00000000000000006" }),
      ],
      total: 6,
    });
  });

  test("`merged=false` returns each event with its contract", async () => {
    const { registrations, renewals } = await history("/domain/alice.eth/registration-history?merged=false");
    expect((registrations as { contract: string }[]).map(({ contract }) => contract)).toEqual([
      "REGISTRAR",
      "CONTROLLER_7",
      "REGISTRAR",
    ]);
    expect(renewals).toHaveLength(11);
    expect(renewals).toContainEqual({
      ...entry(103, "NameRenewed", 5_000, { cost_wei: "90", cost_eth: "0.00000000000000009" }),
      contract: "CONTROLLER_7",
      cost_is_upper_bound: true,
    });
  });
});

test("names without history have empty lists", async () => {
  expect(await history("/domain/unregistered.eth/ownership-history")).toEqual({ history: [], total: 0 });
  expect(await history("/domain/unregistered.eth/ownership-history?audit=true")).toEqual({
    history: [],
    registry: [],
    registrar: [],
    wrapper: [],
    audit_totals: { registry: 0, registrar: 0, wrapper: 0 },
    total: 0,
  });
  expect(await history("/domain/unregistered.eth/resolver-history")).toEqual({ history: [], total: 0 });
  expect(await history("/domain/unregistered.eth/registration-history")).toEqual({
    domain: "unregistered.eth",
    registrations: [],
    renewals: [],
    total: 0,
  });
});

test.each(["ownership-history?audit=1", "registration-history?merged=no"])(
  "%s is an invalid parameter",
  async (path) => {
    expect(await api.get(`/domain/alice.eth/${path}`)).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_PARAMETER" } },
    });
  },
);
