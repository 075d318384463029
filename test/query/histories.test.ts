import { domain, event, ownershipChange, resolverChange, textRecord } from "ponder:schema";
import { getAddress, type Hex, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { failure, useApi } from "./api.ts";
import {
  account,
  at,
  domainRow,
  type EventRow,
  eventRow,
  LISTED_RESOLVER,
  NOW,
  ownershipRow,
  STATIC_RESOLVER,
  textRow,
  transaction,
  WRAPPER,
} from "./rows.ts";
import { useTables } from "./tables.ts";

const node = namehash("alice.eth");
const [alice, bob, carol] = [account(0xa), account(0xb), account(0xc)];
const CONTROLLER = account(0xe3);

const tables = useTables();
const api = useApi(tables, NOW);

const history = (path: string) => api.ask(path);

type Owners = Partial<Record<"registrar" | "registry" | "wrapper", Hex>>;

/** A change of owners: that of the name is the one in the contract that decides. */
const ownership = (
  [block, log, tx = block]: [block: number, log: number, tx?: number],
  reason: keyof Owners | null,
  owners: Owners,
  eventType = "Transfer",
) =>
  ownershipRow({ block, log, tx }, "alice.eth", (reason && owners[reason]) ?? null, {
    reason,
    eventType,
    registrarOwner: owners.registrar ?? null,
    registryOwner: owners.registry ?? null,
    wrapperOwner: owners.wrapper ?? null,
  });

const resolver = (block: number, log: number, address: Hex | null, name = "alice.eth") => ({
  ...at(block, log),
  node: namehash(name),
  resolver: address,
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
    const [ofWrapper, both] = [
      { registrar: WRAPPER, registry: WRAPPER },
      { registrar: alice, registry: bob },
    ];
    await tables.writer.insert(ownershipChange).values([
      // Registered: minted to the controller, then given to the buyer, in one transaction.
      ownership([10, 0], "registrar", { registrar: CONTROLLER }),
      ownership([10, 1], "registrar", { registrar: CONTROLLER, registry: alice }, "NewOwner"),
      ownership([10, 2], "registrar", { registrar: alice, registry: alice }),
      // Given away in the registry only: the registrar's owner stays the owner.
      ownership([11, 0], "registrar", both, "NewOwner"),
      // There and back in one transaction.
      ownership([12, 0], "registrar", { registrar: carol, registry: bob }),
      ownership([12, 1], "registrar", both),
      // Wrapped by two changes in one transaction, while another one follows in the same block.
      ownership([13, 0], "registrar", ofWrapper),
      ownership([13, 1], "wrapper", { ...ofWrapper, wrapper: alice }, "TransferSingle"),
      ownership([13, 2, 99], "wrapper", { ...ofWrapper, wrapper: bob }),
      ownership([14, 0], null, {}),
      ownership([15, 0], "registry", { registry: carol }, "NewOwner"),
    ]);
  });

  const timeOf = (block: number) => at(block).blockTimestamp;
  const span = (from: [number, number], to: [number, number] | null) => ({
    from_timestamp: timeOf(from[0]),
    from_block: from[0],
    from_tx: transaction(from[1]),
    to_timestamp: to && timeOf(to[0]),
    to_block: to?.[0] ?? null,
    to_tx: to && transaction(to[1]),
  });
  const period = (address: Hex, from: [number, number], to: [number, number] | null) => ({
    address: getAddress(address),
    ...span(from, to),
  });

  test("returns the effective owners, one change for each transaction, newest last", async () => {
    const by = (reason: string, event_type = "Transfer") => ({ reason, event_type });
    expect(await history("/domain/alice.eth/ownership-history")).toEqual({
      history: [
        { ...period(alice, [10, 10], [13, 13]), ...by("registrar") },
        { ...period(alice, [13, 13], [13, 99]), ...by("wrapper", "TransferSingle") },
        { ...period(bob, [13, 99], [14, 14]), ...by("wrapper") },
        { ...period(carol, [15, 15], null), ...by("registry", "NewOwner") },
      ],
      total: 4,
    });
  });

  test("`audit` adds the owners in each contract", async () => {
    expect(await history("/domain/alice.eth/ownership-history?audit=true")).toMatchObject({
      registry: [
        period(alice, [10, 10], [11, 11]),
        period(bob, [11, 11], [13, 13]),
        period(WRAPPER, [13, 13], [14, 14]),
        period(carol, [15, 15], null),
      ],
      registrar: [period(alice, [10, 10], [13, 13]), period(WRAPPER, [13, 13], [14, 14])],
      wrapper: [period(alice, [13, 13], [13, 99]), period(bob, [13, 99], [14, 14])],
    });
  });
});

describe("GET /domain/:name/resolver-history and text history", () => {
  beforeAll(async () => {
    await tables.writer
      .insert(resolverChange)
      .values([
        resolver(20, 1, STATIC_RESOLVER),
        resolver(30, 5, LISTED_RESOLVER),
        resolver(40, 0, null),
        resolver(50, 0, STATIC_RESOLVER),
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
    const timeOf = (block: number) => at(block).blockTimestamp;
    const from = (block: number) => ({
      from_timestamp: timeOf(block),
      from_block: block,
      from_tx: transaction(block),
    });
    const to = (block: number) => ({
      to_timestamp: timeOf(block),
      to_block: block,
      to_tx: transaction(block),
    });
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
    await tables.writer.insert(domain).values(domainRow("legacy.eth", { resolver: STATIC_RESOLVER }));
    await tables.writer.insert(resolverChange).values(resolver(60, 0, STATIC_RESOLVER, "legacy.eth"));
    await tables.writer
      .insert(event)
      .values([
        text(61, 0, STATIC_RESOLVER, { node: legacy, key: "url", valueSource: "unknown" }),
        text(61, 1, STATIC_RESOLVER, { node: legacy, key: "email", valueSource: "unknown" }),
        text(62, 0, STATIC_RESOLVER, { node: legacy, key: "email", value: "known", valueSource: "calldata" }),
      ]);
    await tables.writer
      .insert(textRecord)
      .values([
        textRow("legacy.eth", "url", null, { ...at(61), isValueKnown: false }),
        textRow("legacy.eth", "email", "known", at(61)),
      ]);
    const path = (key: string) => `/domain/legacy.eth/records/text/${key}/history`;
    expect(await api.get(path("url")), "no chain is there to be asked").toMatchObject(
      failure("LIVE_RESOLUTION_FAILED"),
    );
    expect(await history(path("email"))).toMatchObject({
      history: [{ value: "known" }, { value: null, value_known: false }],
    });
  });

  test("a key that was never set has no history", async () => {
    expect(await history("/domain/alice.eth/records/text/email/history")).toMatchObject({ history: [] });
  });
});

describe("GET /domain/:name/registration-history", () => {
  type Sale = [block: number, log: number, eventType: string, expiry: bigint, fields?: Partial<EventRow>];
  const ofContract =
    (contract: string, contractAddress: Hex) =>
    (...[block, log, eventType, expiryTimestamp, fields]: Sale) =>
      eventRow({ block, log }, { contract, contractAddress, eventType, node, expiryTimestamp, ...fields });
  const registrar = ofContract("REGISTRAR", account(0xe2));
  const controller = ofContract("CONTROLLER", CONTROLLER);

  beforeAll(async () => {
    const priced = { ownerAddress: alice, costWei: 3n, baseCostWei: 2n, premiumWei: 1n };
    const bound = { costWei: 90n, costIsUpperBound: true };
    const referred = { contract: "RENEWAL_REFERRER", contractAddress: account(9), node, costWei: 11n };
    await tables.writer.insert(event).values([
      registrar(100, 0, "NameRegistered", 1_000n, { ownerAddress: WRAPPER }),
      controller(100, 1, "NameRegistered", 1_000n, priced),
      registrar(101, 0, "NameRenewed", 2_000n),
      controller(101, 1, "NameRenewed", 2_000n, { costWei: 10n ** 15n }),
      // Twice in one transaction, through the contract with a referrer.
      registrar(102, 0, "NameRenewed", 3_000n),
      controller(102, 1, "NameRenewed", 3_000n, { costWei: 5n }),
      registrar(102, 2, "NameRenewed", 4_000n),
      controller(102, 3, "NameRenewed", 4_000n, { costWei: 6n }),
      eventRow({ block: 102, log: 4 }, { ...referred, eventType: "RenewalReferred" }),
      // The controller of 2023 logs the value it was sent.
      registrar(103, 0, "NameRenewed", 5_000n),
      controller(103, 1, "NameRenewed", 5_000n, bound),
      registrar(104, 0, "NameRenewed", 6_000n),
      controller(104, 1, "NameRenewed", 6_000n, { ...bound, exactCostWei: 60n }),
      // By another transaction of the same block.
      registrar(104, 2, "NameRenewed", 6_500n, { transactionHash: transaction(99) }),
      // Registered again by an unknown controller.
      registrar(105, 0, "NameRegistered", 7_000n, { ownerAddress: bob }),
    ]);
  });

  test("keeps two transactions of one block apart", async () => {
    const { renewals, total } = await history("/domain/alice.eth/registration-history");
    const ofBlock = (renewals as { block_number: number; transaction_hash: string }[]).filter(
      (one) => one.block_number === 104,
    );
    expect(ofBlock.map((one) => one.transaction_hash)).toEqual([transaction(104), transaction(99)]);
    expect(total).toBe(7);
  });

  test("`merged=false` returns each event with its contract", async () => {
    const { registrations, renewals } = await history("/domain/alice.eth/registration-history?merged=false");
    expect((registrations as { contract: string }[]).map(({ contract }) => contract)).toEqual([
      "REGISTRAR",
      "CONTROLLER_7",
      "REGISTRAR",
    ]);
    expect(renewals).toHaveLength(12);
    expect(renewals).toContainEqual({
      event_type: "NameRenewed",
      block_number: 103,
      transaction_hash: transaction(103),
      cost_wei: "90",
      cost_eth: "0.00000000000000009",
      cost_is_upper_bound: true,
      expiry_timestamp: "5000",
      owner_address: null,
      contract: "CONTROLLER_7",
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
