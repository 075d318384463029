import { domain, holder } from "ponder:schema";
import { getAddress, labelhash, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { failure } from "./api.ts";
import {
  account,
  alice,
  bob,
  carol,
  holderRow,
  inDays,
  registeredRow,
  STATIC_RESOLVER,
  WRAPPER,
} from "./rows.ts";
import { known, namesOf, ownerOf, useWorld } from "./world.ts";

/* Lists by relation, state, order and filter: see relations.test.ts, which compares them with plain arithmetic. */

const withoutNames = account(0xdead);
const { tables, api } = useWorld();

/** Fewer than a page has. */
const ofAlice = known.filter(({ row }) => ownerOf(row) === alice);
const active = ofAlice.filter(({ state }) => state === "registered" || state === "grace");

describe("GET /address/:address/domains", () => {
  test("lists the names of an effective owner, in any spelling of the address, without those past grace", async () => {
    const body = await api.ask(`/address/${alice.toUpperCase().replace("0X", "0x")}/domains`);
    expect(namesOf(body.results as { name: string }[])).toEqual(namesOf(active));
    expect(body).toMatchObject({
      address: getAddress(alice),
      address_type: "effective_owner",
      total: active.length,
      page: 1,
      page_size: 25,
      next_cursor: null,
    });
    const all = await api.names(`/address/${alice}/domains?include_expired=true`);
    expect(all.toSorted()).toEqual(namesOf(ofAlice));
  });

  test("returns the fields that lists return for each name", async () => {
    const { results } = await api.ask(`/address/${alice}/domains`);
    expect(results).toContainEqual({
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

  test("a name whose wrapper token lapsed belongs to the NameWrapper", async () => {
    expect(await api.names(`/address/${WRAPPER}/domains`)).toEqual(["lapsed.eth"]);
  });

  test("an address without names has an empty list", async () => {
    expect(await api.ask(`/address/${withoutNames}/domains`)).toMatchObject({ results: [], total: 0 });
  });
});

describe("GET /address/:address/domain-count", () => {
  test("is the sum of its parts; a never registered .eth name can be bought, like an expired one", async () => {
    const count = (...states: string[]) => ofAlice.filter(({ state }) => states.includes(state)).length;
    expect(await api.ask(`/address/${alice}/domain-count`)).toEqual({
      address: getAddress(alice),
      address_type: "effective_owner",
      count: ofAlice.length,
      active_count: active.length,
      expired_count: count("premium", "available"),
      unknown_count: count("unknown"),
    });
  });

  test("an empty relation is refused", async () => {
    const path = `/address/${alice}/domain-count?address_type=any,`;
    expect(await api.get(path)).toMatchObject(failure("INVALID_PARAMETER"));
  });
});

describe("GET /address/:address/previous-domains", () => {
  const previous = (address: string, query = "") => api.ask(`/address/${address}/previous-domains${query}`);
  const lost = ["retaken.wrapped.eth", "premium.eth", "deleted.alice.eth", "old.eth", "lapsed.eth"];

  beforeAll(async () => {
    const given = Array.from({ length: 26 }, (_, i) => `given${i}.eth`);
    await tables.writer
      .insert(domain)
      .values(given.map((name) => registeredRow(name, withoutNames, inDays(100))));
    await tables.writer
      .insert(holder)
      .values([
        ...["alice.eth", "grace.eth", "sub.alice.eth", "wrapped.eth"].map((name, i) =>
          holderRow(alice, name, i),
        ),
        ...lost.map((name, i) => holderRow(alice, name, 40 - i)),
        holderRow(alice, "plain.wrapped.eth", 50),
        holderRow(WRAPPER, "lapsed.eth", 11),
        ...given.map((name) => holderRow(carol, name, 7)),
      ]);
  });

  test("lists names that passed to another owner, were deleted, or are past grace, last touched first", async () => {
    expect(await api.names(`/address/${alice}/previous-domains`)).toEqual(lost);
    expect(await api.names(`/address/${alice}/previous-domains?sort_dir=asc`)).toEqual(lost.toReversed());
    const frame = { address: getAddress(alice), total: 5, page: 1, page_size: 25 };
    expect(await previous(alice)).toMatchObject(frame);
  });

  test("a .eth name that no registrar registered is among the previous names, like one past its grace", async () => {
    const all = await api.names(`/address/${alice}/domains?include_expired=true`);
    expect(all).toEqual(expect.arrayContaining(["old.eth", "premium.eth"]));
  });

  test("returns each name as it is now, with the last event that named the address", async () => {
    const [retaken, premium, deleted] = (await previous(alice)).results as { ownership: object }[];
    expect(retaken).toEqual({
      name: "retaken.wrapped.eth",
      label: "retaken",
      namehash: namehash("retaken.wrapped.eth"),
      labelhash: labelhash("retaken"),
      availability_status: "registered",
      expiry_timestamp: null,
      ownership: { owner: getAddress(bob), is_owner_current: true, is_wrapped: false },
      last_owned_block_number: 40,
      last_owned_block_timestamp: 1_600_000_480,
    });
    const ownership = { owner: getAddress(alice), is_owner_current: false, is_wrapped: false };
    expect(premium).toMatchObject({ ownership });
    expect(deleted?.ownership).toEqual({ is_wrapped: false });
  });

  test("the NameWrapper still has lapsed names", async () => {
    expect(await previous(WRAPPER)).toMatchObject({ results: [], total: 0 });
  });

  test("pages do not overlap if all names were touched in one block", async () => {
    const pages = await Promise.all(
      [1, 2, 3].map((page) => api.names(`/address/${carol}/previous-domains?page=${page}`)),
    );
    expect(pages.map(({ length }) => length)).toEqual([25, 1, 0]);
    expect(new Set(pages.flat()).size).toBe(26);
  });

  test("the summary has the same counts", async () => {
    const soon = active.filter(({ row }) => {
      const left = (row.expiryTimestamp ?? 0n) - inDays(0);
      return left > 0n && left <= BigInt(30 * 86_400);
    });
    expect(await api.ask(`/address/${alice}/summary`)).toEqual({
      address: getAddress(alice),
      domain_count: active.length,
      primary_name: "alice.eth",
      primary_name_source: "indexed",
      domains_expiring_30d: soon.length,
      previously_owned_count: lost.length,
    });
  });
});
