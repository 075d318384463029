import { domain, holder } from "ponder:schema";
import { getAddress, labelhash, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { useApi } from "./api.ts";
import {
  account,
  CHAIN_ID,
  type DomainRow,
  domainRow,
  registeredRow,
  STATIC_RESOLVER,
  STRANGE_RESOLVER,
  WRAPPER,
} from "./rows.ts";
import { useTables } from "./tables.ts";

const NOW = 1_800_000_000;
const DAY = 86_400;
const inDays = (days: number) => BigInt(NOW + days * DAY);
const PCC = 65536;

const alice = account(0xa11ce);
const bob = account(0xb0b);
const carol = account(0xca401);
const withoutNames = account(0xdead);

const tables = useTables();
const api = useApi(tables, NOW);

type Item = { name: string };
type Stated = { availability_status: string };
const namesOf = (body: Record<string, unknown>) => (body.results as Item[]).map(({ name }) => name);
const domains = async (address: string, query = "") =>
  (await api.get(`/address/${address}/domains${query}`)).body;
const owned = (owner: DomainRow["registryOwner"]) => ({ registryOwner: owner, effectiveOwnerAddress: owner });
const wrapped = (owner: DomainRow["wrapperOwner"]) => ({
  registryOwner: WRAPPER,
  wrapperOwner: owner,
  effectiveOwnerAddress: owner,
  isWrapped: true,
});

beforeAll(async () => {
  await tables.writer.insert(domain).values([
    domainRow("", { node: namehash(""), parentNode: null, labelhash: null, ...owned(bob) }),
    domainRow("eth", owned(account(0xe2))),
    registeredRow("alice.eth", alice, inDays(100), { resolver: STATIC_RESOLVER }),
    registeredRow("soon.eth", alice, inDays(30), { resolver: STRANGE_RESOLVER }),
    registeredRow("grace.eth", alice, inDays(-90)),
    registeredRow("premium.eth", alice, BigInt(NOW - 90 * DAY - 1)),
    registeredRow("ended.eth", alice, inDays(-200)),
    registeredRow("managed.eth", alice, inDays(100), { registryOwner: bob }),
    domainRow("old.eth", owned(alice)),
    domainRow("sub.alice.eth", owned(alice)),
    domainRow(`${alice.slice(2)}.addr.reverse`, owned(alice)),
    registeredRow("wrapped.eth", WRAPPER, inDays(10), {
      ...wrapped(alice),
      wrapperFuses: PCC,
      wrapperExpiryTimestamp: inDays(100),
    }),
    registeredRow("lapsed.eth", WRAPPER, inDays(300), {
      ...wrapped(alice),
      wrapperFuses: PCC,
      wrapperExpiryTimestamp: BigInt(NOW - 1),
    }),
    domainRow("plain.wrapped.eth", {
      ...wrapped(alice),
      wrapperFuses: 0,
      wrapperExpiryTimestamp: BigInt(NOW - 1),
      expiryTimestamp: BigInt(NOW - 1),
    }),
    domainRow("retaken.wrapped.eth", { ...owned(bob), wrapperOwner: alice, wrapperFuses: 0 }),
    domainRow("deleted.alice.eth", { resolver: STATIC_RESOLVER }),
  ]);
});

describe("GET /address/:address/domains", () => {
  test("lists the names of an effective owner by name, including those in grace", async () => {
    const body = await domains(alice.toUpperCase().replace("0X", "0x"));
    expect(namesOf(body)).toEqual([
      "alice.eth",
      "grace.eth",
      "managed.eth",
      "plain.wrapped.eth",
      "soon.eth",
      "sub.alice.eth",
      "wrapped.eth",
    ]);
    expect(body).toMatchObject({
      address: getAddress(alice),
      address_type: "effective_owner",
      total: 7,
      page: 1,
      page_size: 25,
      next_cursor: null,
    });
  });

  test("returns the fields that lists return for each name", async () => {
    const [first] = (await domains(alice)).results as Item[];
    expect(first).toEqual({
      name: "alice.eth",
      label: "alice",
      namehash: namehash("alice.eth"),
      labelhash: labelhash("alice"),
      availability_status: "registered",
      expiry_timestamp: inDays(100).toString(),
      ownership: {
        is_wrapped: false,
        is_owner_current: true,
        owner: getAddress(alice),
        registry: getAddress(alice),
        registrar: getAddress(alice),
      },
      resolver: { address: getAddress(STATIC_RESOLVER) },
      grace_end_timestamp: (inDays(190) + 1n).toString(),
      created_timestamp: 1_600_000_000,
      protocols: ["ensv1", "registry"],
      relations: ["effective_owner", "registry_owner", "registrar_owner", "manager"],
    });
  });

  test("lists names past grace only on request", async () => {
    const body = await domains(alice, "?include_expired=true&sort_by=expiry_timestamp");
    expect(namesOf(body)).toEqual([
      "ended.eth",
      "premium.eth",
      "grace.eth",
      "plain.wrapped.eth",
      "wrapped.eth",
      "soon.eth",
      ...(namehash("alice.eth") < namehash("managed.eth")
        ? ["alice.eth", "managed.eth"]
        : ["managed.eth", "alice.eth"]),
      ...(namehash("old.eth") < namehash("sub.alice.eth")
        ? ["old.eth", "sub.alice.eth"]
        : ["sub.alice.eth", "old.eth"]),
    ]);
    expect(body.total).toBe(10);
  });

  test("sorts in the other direction, with names without expiry still last", async () => {
    const names = namesOf(await domains(alice, "?sort_by=expiry_timestamp&sort_dir=desc"));
    expect(names.slice(2)).toEqual([
      "soon.eth",
      "wrapped.eth",
      "plain.wrapped.eth",
      "grace.eth",
      "sub.alice.eth",
    ]);
    expect(namesOf(await domains(alice, "?sort_dir=desc"))[0]).toBe("wrapped.eth");
  });

  test("a name whose wrapper token lapsed belongs to the NameWrapper", async () => {
    expect(namesOf(await domains(WRAPPER))).toEqual(["lapsed.eth"]);
  });

  test.each([
    ["registry_owner", alice, ["alice.eth", "grace.eth", "soon.eth", "sub.alice.eth"]],
    ["registry_owner", bob, ["managed.eth", "retaken.wrapped.eth"]],
    ["registry_owner", WRAPPER, ["lapsed.eth", "plain.wrapped.eth", "wrapped.eth"]],
    ["registrar_owner", alice, ["alice.eth", "grace.eth", "managed.eth", "soon.eth"]],
    ["wrapper_owner", alice, ["plain.wrapped.eth", "wrapped.eth"]],
    ["resolver", STATIC_RESOLVER, ["alice.eth", "deleted.alice.eth"]],
    ["resolver", STRANGE_RESOLVER, ["soon.eth"]],
  ])("%s of %s", async (type, address, names) => {
    const body = await domains(address, `?address_type=${type}`);
    expect(namesOf(body)).toEqual(names);
    expect(body).toMatchObject({ address_type: type, total: names.length });
  });

  test("an address without names has an empty list, and a page beyond the end is empty", async () => {
    expect(await domains(withoutNames)).toMatchObject({ results: [], total: 0 });
    expect(await domains(alice, "?page=2")).toMatchObject({ results: [], total: 7, page: 2 });
  });

  test.each([
    ["/address/0x123/domains", "INVALID_ADDRESS"],
    [`/address/${alice}00/domains`, "INVALID_ADDRESS"],
    ["/address/alice.eth/domains", "INVALID_ADDRESS"],
    [`/address/${alice}/domains?address_type=owner`, "INVALID_PARAMETER"],
    [`/address/${alice}/domains?include_expired=yes`, "INVALID_PARAMETER"],
    [`/address/${alice}/domains?sort_by=label`, "INVALID_PARAMETER"],
    [`/address/${alice}/domains?sort_dir=up`, "INVALID_PARAMETER"],
    [`/address/${alice}/domains?page=0`, "INVALID_PARAMETER"],
    [`/address/${alice}/domains?page=1&page=2`, "INVALID_PARAMETER"],
  ])("%s is answered with %s", async (path, code) => {
    expect(await api.get(path)).toMatchObject({ status: 400, body: { error: { code } } });
  });
});

describe("GET /address/:address/domain-count", () => {
  test("is the sum of its parts; a never registered .eth name can be bought, like an expired one", async () => {
    expect((await api.get(`/address/${alice}/domain-count`)).body).toEqual({
      address: getAddress(alice),
      address_type: "effective_owner",
      count: 10,
      active_count: 7,
      expired_count: 3,
      unknown_count: 0,
    });
  });

  const searchOf: Record<string, string | undefined> = {
    registry_owner: "registry_owner",
    registrar_owner: "registrar_owner",
    resolver: "resolver",
  };

  test.each(["effective_owner", "registry_owner", "registrar_owner", "wrapper_owner", "resolver"])(
    "%s: counts match the lists, by state",
    async (type) => {
      for (const address of [alice, bob, WRAPPER, STATIC_RESOLVER, withoutNames]) {
        const { body } = await api.get(`/address/${address}/domain-count?address_type=${type}`);
        const all = await domains(address, `?address_type=${type}&include_expired=true`);
        const inStates = (...states: string[]) =>
          (all.results as Stated[]).filter((one) => states.includes(one.availability_status)).length;
        expect(body).toMatchObject({
          count: all.total,
          active_count: inStates("registered", "grace"),
          expired_count: inStates("premium", "available"),
          unknown_count: inStates("unknown"),
        });
        const found = (await api.get(`/search-domains?${searchOf[type]}=${address}`)).body;
        if (searchOf[type]) expect(body.expired_count).toBe((found.stats as { expired: number }).expired);
      }
    },
  );

  test("rejects an invalid address and an invalid type", async () => {
    expect(await api.get("/address/0x/domain-count")).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_ADDRESS" } },
    });
    expect(await api.get(`/address/${alice}/domain-count?address_type=any,`)).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_PARAMETER" } },
    });
  });
});

describe("GET /address/:address/previous-domains", () => {
  const held = (address: DomainRow["registryOwner"], name: string, block: number) => ({
    address: address ?? withoutNames,
    chainId: CHAIN_ID,
    node: namehash(name),
    lastOwnedBlockNumber: block,
    lastOwnedBlockTimestamp: 1_600_000_000 + block,
  });
  const previous = async (address: string, query = "") =>
    (await api.get(`/address/${address}/previous-domains${query}`)).body;

  beforeAll(async () => {
    const given = Array.from({ length: 26 }, (_, i) => `given${i}.eth`);
    await tables.writer
      .insert(domain)
      .values(given.map((name) => registeredRow(name, withoutNames, inDays(100))));
    await tables.writer
      .insert(holder)
      .values([
        ...["alice.eth", "grace.eth", "sub.alice.eth", "wrapped.eth"].map((name, i) => held(alice, name, i)),
        held(alice, "lapsed.eth", 10),
        held(alice, "premium.eth", 30),
        held(alice, "old.eth", 20),
        held(alice, "retaken.wrapped.eth", 40),
        held(alice, "deleted.alice.eth", 25),
        held(alice, "plain.wrapped.eth", 50),
        held(WRAPPER, "lapsed.eth", 11),
        ...given.map((name) => held(carol, name, 7)),
      ]);
  });

  test("lists names that passed to another owner, were deleted, or are past grace, last touched first", async () => {
    const body = await previous(alice);
    expect(namesOf(body)).toEqual([
      "retaken.wrapped.eth",
      "premium.eth",
      "deleted.alice.eth",
      "old.eth",
      "lapsed.eth",
    ]);
    expect(body).toMatchObject({ address: getAddress(alice), total: 5, page: 1, page_size: 25 });
  });

  test("a .eth name that no registrar registered is among the previous names, like one past its grace", async () => {
    for (const name of ["old.eth", "premium.eth"]) {
      expect(namesOf(await domains(alice, "?include_expired=true"))).toContain(name);
      expect(namesOf(await previous(alice))).toContain(name);
    }
  });

  test("returns each name as it is now, with the last event that named the address", async () => {
    const [retaken, premium, deleted] = (await previous(alice)).results as Item[];
    expect(retaken).toEqual({
      name: "retaken.wrapped.eth",
      label: "retaken",
      namehash: namehash("retaken.wrapped.eth"),
      labelhash: labelhash("retaken"),
      availability_status: "registered",
      expiry_timestamp: null,
      ownership: { owner: getAddress(bob), is_owner_current: true, is_wrapped: false },
      last_owned_block_number: 40,
      last_owned_block_timestamp: 1_600_000_040,
    });
    expect(premium).toMatchObject({
      ownership: { owner: getAddress(alice), is_owner_current: false, is_wrapped: false },
    });
    expect(deleted).toMatchObject({ ownership: { is_wrapped: false } });
    expect((deleted as unknown as { ownership: object }).ownership).not.toHaveProperty("owner");
  });

  test("sorts in the other direction", async () => {
    expect(namesOf(await previous(alice, "?sort_dir=asc"))[0]).toBe("lapsed.eth");
  });

  test("the NameWrapper still has lapsed names", async () => {
    expect(await previous(WRAPPER)).toMatchObject({ results: [], total: 0 });
  });

  test("pages do not overlap if all names were touched in one block", async () => {
    const pages = [await previous(carol), await previous(carol, "?page=2"), await previous(carol, "?page=3")];
    const names = pages.flatMap(namesOf);
    expect(pages.map((page) => namesOf(page).length)).toEqual([25, 1, 0]);
    expect(new Set(names).size).toBe(26);
    expect(pages.every(({ total }) => total === 26)).toBe(true);
  });

  test.each([
    ["/address/0x1/previous-domains", "INVALID_ADDRESS"],
    [`/address/${alice}/previous-domains?page=x`, "INVALID_PARAMETER"],
    [`/address/${alice}/previous-domains?sort_dir=newest`, "INVALID_PARAMETER"],
  ])("%s is answered with %s", async (path, code) => {
    expect(await api.get(path)).toMatchObject({ status: 400, body: { error: { code } } });
  });

  test("the summary has the same counts", async () => {
    expect((await api.get(`/address/${alice}/summary`)).body).toEqual({
      address: getAddress(alice),
      domain_count: 7,
      primary_name: null,
      primary_name_source: "indexed",
      domains_expiring_30d: 2,
      previously_owned_count: 5,
    });
    expect(await api.get("/address/alice/summary")).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_ADDRESS" } },
    });
  });
});
