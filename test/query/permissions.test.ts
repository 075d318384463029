import { domain, operator, ownershipChange, recordDelegate, tokenApproval } from "ponder:schema";
import { sql } from "ponder";
import { type Address, getAddress, type Hex, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { failure, useApi } from "./api.ts";
import {
  account,
  alice,
  at,
  bob,
  CHAIN_ID,
  carol,
  domainRow,
  inDays,
  NOW,
  ownedBy,
  ownershipRow,
  PARENT_CANNOT_CONTROL,
  REGISTRAR,
  registeredRow,
  STATIC_RESOLVER,
  STRANGE_RESOLVER,
  transaction,
  WRAPPER,
  wrappedBy,
} from "./rows.ts";
import { useTables } from "./tables.ts";

const OF_ETH = PARENT_CANNOT_CONTROL | 131_072;
const [CANNOT_UNWRAP, CANNOT_TRANSFER] = [1, 4];

const REGISTRY = account(0xe1);
const mallory = account(0xbad);
const crowd = account(0xc0d);
const erin = account(0xe41);
/** The contract to which the NameWrapper is upgraded: its operator in the registry. */
const upgraded = account(0x0b9);
const MANY = 100_000;

type Item = Record<string, unknown>;

const tables = useTables();
const api = useApi(tables, NOW);

const shown = (block: number) => ({
  block_number: block,
  block_timestamp: at(block).blockTimestamp,
  transaction_hash: transaction(block),
  log_index: 1,
});

const ask = (path: string) => api.ask(path);
const ofName = async (name: string, query = "") =>
  (await ask(`/domain/${name}/permissions${query}`)).permissions as Item[];
const find = (rows: readonly Item[], wanted: Item) =>
  rows.filter((row) => Object.entries(wanted).every(([key, value]) => row[key] === value));

beforeAll(async () => {
  const { writer } = tables;
  const indexed = { resolver: STATIC_RESOLVER };
  const wrapped = (owner: Address, fuses: number) => wrappedBy(owner, inDays(100), fuses);
  const left = { ...wrapped(carol, PARENT_CANNOT_CONTROL), isWrapped: false };
  const renewed = { ...wrappedBy(carol, inDays(-1), OF_ETH), unexplainedRenewals: 1 };
  const kept = { ...wrapped(alice, PARENT_CANNOT_CONTROL), expiryTimestamp: inDays(100) };
  const fuses = OF_ETH | CANNOT_UNWRAP | CANNOT_TRANSFER;
  await writer.insert(domain).values([
    domainRow("eth", ownedBy(REGISTRAR)),
    registeredRow("alice.eth", alice, inDays(100), { ...indexed, registrarApproved: bob }),
    registeredRow("grace.eth", alice, inDays(-1), { registrarApproved: bob }),
    registeredRow("locked.eth", WRAPPER, inDays(10), {
      ...wrapped(carol, fuses),
      resolver: STRANGE_RESOLVER,
    }),
    domainRow("kept.locked.eth", kept),
    domainRow("lent.locked.eth", wrapped(alice, 0)),
    // Parents reclaimed these in the registry; their tokens remain.
    domainRow("left.alice.eth", { ...left, ...ownedBy(alice), wrapperApproved: erin }),
    domainRow("gone.bob.eth", { ...left, ...ownedBy(bob) }),
    // Renewed at the registrar, and no log says whether the token lasts as long.
    registeredRow("unsure.eth", WRAPPER, inDays(300), { ...renewed, ...indexed }),
    domainRow("old.alice.eth", { ...ownedBy(alice), ...indexed, isMigrated: false }),
    domainRow("crowd.alice.eth", ownedBy(crowd)),
  ]);
  const operatorRow = (owner: Hex, by: Hex, contract: Hex, block: number, isApproved = true) => ({
    ...at(block, 1),
    owner,
    operator: by,
    contract,
    isApproved,
  });
  await writer
    .insert(operator)
    .values([
      operatorRow(alice, bob, REGISTRY, 10),
      operatorRow(alice, carol, REGISTRAR, 11, false),
      operatorRow(alice, carol, STATIC_RESOLVER, 12),
      operatorRow(bob, mallory, REGISTRY, 13),
      operatorRow(carol, bob, WRAPPER, 14),
      operatorRow(alice, WRAPPER, REGISTRY, 15),
      operatorRow(WRAPPER, upgraded, REGISTRY, 16),
    ]);
  const approval = (name: string, contract: Hex, owner: Hex, approved: Hex | null, block: number) => ({
    ...at(block, 1),
    node: namehash(name),
    contract,
    owner,
    approved,
  });
  await writer.insert(tokenApproval).values([
    approval("alice.eth", REGISTRAR, alice, bob, 20),
    approval("grace.eth", REGISTRAR, alice, bob, 21),
    // A transfer ended it: the name's row has no delegate.
    approval("locked.eth", WRAPPER, alice, mallory, 22),
    approval("left.alice.eth", WRAPPER, carol, erin, 23),
  ]);
  const delegate = (owner: Hex, delegated: Hex, block: number, name = "alice.eth") => ({
    ...at(block, 1),
    resolver: STATIC_RESOLVER,
    node: namehash(name),
    owner,
    delegate: delegated,
    isApproved: true,
  });
  await writer
    .insert(recordDelegate)
    .values([
      delegate(alice, carol, 30),
      delegate(bob, mallory, 31),
      delegate(mallory, mallory, 32),
      delegate(carol, erin, 33, "unsure.eth"),
    ]);
  const change = (block: number, owner: Address, name = "alice.eth", fields = { registrarOwner: alice }) =>
    ownershipRow({ block, log: 1 }, name, owner, { reason: "registry", registryOwner: owner, ...fields });
  const unsure = { registrarOwner: alice, wrapperOwner: carol };
  await writer
    .insert(ownershipChange)
    .values([
      change(1, alice),
      change(2, bob),
      change(3, alice),
      change(4, alice),
      change(5, WRAPPER, "unsure.eth", unsure),
    ]);
  await writer.execute(
    sql.raw(`insert into operators (chain_id, contract, owner, operator, is_approved, block_number, log_index,
      block_timestamp, transaction_hash)
    select ${CHAIN_ID}, '${REGISTRY}', '${crowd}', '0x' || lpad(to_hex(i + 1000000000), 40, '0'), true, 50, i, ${NOW},
      '${transaction(50)}' from generate_series(1, ${MANY}) as i`),
  );
});

describe("GET /domain/:name/permissions", () => {
  test("an owner in the registry, since the start of uninterrupted ownership", async () => {
    expect(find(await ofName("alice.eth"), { kind: "owner", layer: "registry" })).toEqual([
      {
        address: getAddress(alice),
        kind: "owner",
        layer: "registry",
        in_force: true,
        contract_address: getAddress(REGISTRY),
        ...shown(3),
        may: ["set_registry_owner", "set_resolver", "create_subnames"],
      },
    ]);
  });

  test("operators of the current owner in each contract, and of nobody else", async () => {
    const operators = find(await ofName("alice.eth"), { kind: "operator" });
    expect(operators.map(({ address, layer, in_force }) => [address, layer, in_force])).toEqual([
      [getAddress(WRAPPER), "registry", true],
      [getAddress(bob), "registry", true],
      [getAddress(carol), "resolver", true],
    ]);
    expect(operators[1]).toMatchObject({ given_by: getAddress(alice), ...shown(10) });
  });

  test("an approval counts while the registrar returns it and the name has not expired", async () => {
    const [approved] = find(await ofName("alice.eth"), { kind: "token_approval" });
    expect(approved).toMatchObject({ address: getAddress(bob), in_force: true, ...shown(20) });
    expect(approved?.may).toEqual(["transfer_token", "set_registry_owner"]);
    const [inGrace] = find(await ofName("grace.eth"), { kind: "token_approval" });
    expect(inGrace).toMatchObject({ in_force: false, reason: "expired", may: [] });
    const [ended] = find(await ofName("locked.eth"), { kind: "token_approval" });
    const transferred = { in_force: false, reason: "transferred", address: getAddress(mallory) };
    expect(ended).toMatchObject(transferred);
    expect(find(await ofName("kept.locked.eth"), { kind: "parent_approval" })).toMatchObject([transferred]);
  });

  test("the owner's delegates count, a previous owner's do not, and strangers' are in no list", async () => {
    const delegates = find(await ofName("alice.eth"), { kind: "record_delegate" });
    expect(delegates.map(({ given_by, in_force, reason }) => [given_by, in_force, reason])).toEqual([
      [getAddress(bob), false, "owner_changed"],
      [getAddress(alice), true, undefined],
    ]);
  });

  test("fuses show what can no longer be done", async () => {
    const body = await ask("/domain/locked.eth/permissions");
    expect(body.fuses).toEqual({
      burnt: ["CANNOT_UNWRAP", "CANNOT_TRANSFER", "PARENT_CANNOT_CONTROL", "IS_DOT_ETH"],
      until: inDays(100).toString(),
      can_no_more: [
        "unwrap the name",
        "transfer the token",
        "take the name away, or burn its fuses, as the parent",
      ],
    });
    const [holder] = find(body.permissions as Item[], { kind: "owner", layer: "wrapper" });
    expect(holder?.may).toEqual([
      "set_resolver",
      "create_subnames",
      "burn_fuses",
      "approve",
      "extend_subnames",
    ]);
    expect(body).toMatchObject({ owner: getAddress(carol), manager: getAddress(carol) });
    expect((body.not_covered as Item[]).map(({ surface }) => surface)).toEqual([
      "contracts",
      "controllers",
      "resolver",
    ]);
  });

  test.each([
    ["alice.eth", "eth", []],
    ["locked.eth", "eth", []],
    ["lent.locked.eth", "locked.eth", ["wrapper"]],
    ["crowd.alice.eth", "alice.eth", ["registry"]],
  ])("%s: no contract that owns names for others may replace it", async (name, parent, layers) => {
    const body = await ask(`/domain/${name}/permissions`);
    const owners = find(body.permissions as Item[], { kind: "parent_owner" });
    expect(owners.map(({ layer }) => layer)).toEqual(layers);
    expect(body.parent).toMatchObject({ name: parent });
    const may = owners.flatMap((owner) => owner.may as string[]);
    expect(new Set((body.parent as { may: string[] }).may)).toEqual(new Set(may));
  });

  test("a parent's rights end with PARENT_CANNOT_CONTROL", async () => {
    const kept = await ask("/domain/kept.locked.eth/permissions");
    expect(kept.parent).toMatchObject({ name: "locked.eth", may: ["extend_expiry"] });
    expect(kept.parent).toMatchObject({ cannot_control_until: inDays(100).toString() });
    const lent = await ask("/domain/lent.locked.eth/permissions");
    expect(lent.parent).toMatchObject({ may: ["burn_fuses", "extend_expiry", "replace"] });
    expect(find(lent.permissions as Item[], { kind: "parent_operator" })).toMatchObject([
      { address: getAddress(upgraded), given_by: getAddress(WRAPPER), layer: "registry", may: ["replace"] },
      { address: getAddress(bob), given_by: getAddress(carol) },
    ]);
  });

  test("the holder of a leftover token acts for owners whose operator the NameWrapper is", async () => {
    const [left] = find(await ofName("left.alice.eth"), { kind: "owner", layer: "wrapper" });
    expect(left).toMatchObject({ address: getAddress(carol), in_force: true });
    expect(left?.may).toEqual(["set_resolver", "create_subnames", "unwrap"]);
    const [gone] = find(await ofName("gone.bob.eth"), { kind: "owner", layer: "wrapper" });
    expect(gone).toMatchObject({ in_force: false, reason: "not_wrapped", may: [] });
  });

  test("an approval for a leftover token grants nothing, according to both lists", async () => {
    const expected = [{ in_force: false, reason: "not_wrapped", address: getAddress(erin), ...shown(23) }];
    const ofToken = find(await ofName("left.alice.eth"), { kind: "token_approval" });
    expect(ofToken).toMatchObject(expected);
    const held = await ask(`/address/${erin}/permissions?kind=token_approval`);
    expect(held.permissions).toMatchObject(expected);
  });

  test("if it is unknown whether the token has ended, it is unknown whether its delegate may write", async () => {
    const expected = [{ in_force: null, reason: "renewal_unknown", address: getAddress(erin), ...shown(33) }];
    const ofUnsure = find(await ofName("unsure.eth"), { kind: "record_delegate" });
    expect(ofUnsure).toMatchObject(expected);
    const held = await ask(`/address/${erin}/permissions?kind=record_delegate`);
    expect(held.permissions).toMatchObject(expected);
  });

  test("a name only in the registry of 2017 has no operators", async () => {
    const rows = await ofName("old.alice.eth");
    expect(find(rows, { kind: "owner" }).map(({ layer }) => layer)).not.toContain("registry");
    expect(find(rows, { kind: "operator" }).map(({ layer }) => layer)).toEqual(["resolver"]);
  });

  test("a name that the index does not have", async () => {
    const body = await ask("/domain/nothing.eth/permissions");
    expect(body).toMatchObject({ permissions: [], total: 0, parent: null, next_cursor: null });
    expect(body.chain).toBeUndefined();
  });

  test("kinds can be selected", async () => {
    const rows = await ofName("alice.eth", "?kind=operator,record_delegate");
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(["operator", "record_delegate"]));
  });
});

describe("an owner with 100,000 operators", () => {
  test("each page has its rows, and the total is exact", async () => {
    const first = await ask("/domain/crowd.alice.eth/permissions?page_size=200");
    expect(first.total).toBe(MANY + 4);
    const second = await ask(
      `/domain/crowd.alice.eth/permissions?page_size=200&total=false&cursor=${first.next_cursor}`,
    );
    const addresses = [first, second].flatMap((body) =>
      find(body.permissions as Item[], { kind: "operator" }).map(({ address }) => address),
    );
    expect(new Set(addresses).size).toBe(398);
    const late = await ask(`/domain/crowd.alice.eth/permissions?page=${1 + MANY / 100 / 10}&page_size=100`);
    expect(late.permissions).toHaveLength(100);
  });

  test("a page by cursor is read through the index, whichever page it is", async () => {
    const first = await ask(`/address/${crowd}/permissions?direction=given&page_size=200`);
    expect(first.total).toBe(MANY);
    const seen = new Set<unknown>();
    let cursor = first.next_cursor;
    for (let page = 0; page < 5; page++) {
      const next = await ask(
        `/address/${crowd}/permissions?direction=given&page_size=200&total=false&cursor=${cursor}`,
      );
      for (const { address } of next.permissions as Item[]) seen.add(address);
      cursor = next.next_cursor;
    }
    expect(seen.size).toBe(1_000);
  });
});

describe("GET /address/:address/permissions", () => {
  test("what an address holds, each with whether it counts now", async () => {
    const body = await ask(`/address/${bob}/permissions`);
    expect(body).toMatchObject({ total: 4, own_names: { count: 1 } });
    const held = (body.permissions as Item[]).map(
      ({ kind, layer, name, in_force, reason }) =>
        `${kind} ${layer} ${name ?? "all"} ${in_force} ${reason ?? ""}`,
    );
    expect(held.toSorted()).toEqual([
      "operator registry all true ",
      "operator wrapper all true ",
      "token_approval registrar alice.eth true ",
      "token_approval registrar grace.eth false expired",
    ]);
  });

  test("what it granted", async () => {
    const body = await ask(`/address/${alice}/permissions?direction=given`);
    const given = (body.permissions as Item[]).map(({ kind, address }) => `${kind} ${address}`);
    expect(given.toSorted()).toEqual(
      [
        `operator ${getAddress(bob)}`,
        `operator ${getAddress(carol)}`,
        `operator ${getAddress(WRAPPER)}`,
        `record_delegate ${getAddress(carol)}`,
        `token_approval ${getAddress(bob)}`,
        `token_approval ${getAddress(bob)}`,
        `token_approval ${getAddress(mallory)}`,
      ].toSorted(),
    );
  });

  test("a delegate of someone who no longer has the name", async () => {
    const body = await ask(`/address/${mallory}/permissions?kind=record_delegate`);
    expect((body.permissions as Item[]).map(({ in_force, reason }) => [in_force, reason])).toEqual([
      [false, "owner_changed"],
      [false, "owner_changed"],
    ]);
  });

  test("a cursor of another address is refused", async () => {
    const { next_cursor } = await ask(`/address/${alice}/permissions?direction=given&page_size=1`);
    const path = `/address/${bob}/permissions?direction=given&page_size=1&cursor=${next_cursor}`;
    expect(await api.get(path)).toMatchObject(failure("INVALID_PARAMETER"));
  });
});
