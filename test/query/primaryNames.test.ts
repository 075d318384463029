import {
  addressRecord,
  domain,
  primaryName,
  primaryNameChange,
  resolverNode,
  textRecord,
} from "ponder:schema";
import { eq } from "ponder";
import { type Address, getAddress, type Hex, labelhash, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import type { Live } from "../../src/api/names/live/live.ts";
import { readVerifiedNames } from "../../src/api/names/resolution/resolvePrimaryNames.ts";
import { failure, useApi } from "./api.ts";
import { noChain } from "./noChain.ts";
import {
  account,
  addressRow,
  at,
  claimRow,
  DEFAULT_ADDRESS_RESOLVER,
  type DomainRow,
  domainRow,
  inDays,
  LAYER2_CHAIN_ID,
  NOW,
  contracts as ofRows,
  primaryNameRow,
  registeredRow,
  STATIC_RESOLVER,
  STRANGE_RESOLVER,
  textRow,
  transaction,
  versionRow,
} from "./rows.ts";
import { useTables } from "./tables.ts";

const DEFAULT_COIN_TYPE = 0x80000000;

const REVERSE = "REVERSE_REGISTRAR";
const DEFAULT = "DEFAULT_REVERSE_REGISTRAR";

const tables = useTables();
const api = useApi(tables, NOW);
let accounts = 0x100;

const reverseNodeOf = (address: Address) => namehash(`${address.slice(2)}.addr.reverse`);

/** An address whose reverse node has this resolver and name. */
async function claim(name: string | null, resolver: Address | null = STATIC_RESOLVER): Promise<Address> {
  const address = account(accounts++);
  const reverse = `${address.slice(2)}.addr.reverse`;
  await tables.writer.insert(domain).values(domainRow(reverse, { registryOwner: address, resolver }));
  if (resolver !== null)
    await tables.writer.insert(resolverNode).values(versionRow(reverse, { resolver, name }));
  return address;
}

/** An address with a name only at the default reverse registrar. */
async function claimByDefault(name: string | null, address = account(accounts++)): Promise<Address> {
  await tables.writer.insert(primaryName).values(primaryNameRow(address, name));
  return address;
}

type Records = { resolver: Address; addresses?: Record<number, Hex | null> };

/** A name with a resolver and address records in it. */
async function resolving(name: string, { resolver, addresses = {} }: Records, row?: DomainRow) {
  await tables.writer
    .insert(domain)
    .values({ ...(row ?? registeredRow(name, account(1), inDays(1))), resolver });
  const records = Object.entries(addresses);
  if (records.length === 0) return;
  await tables.writer
    .insert(addressRecord)
    .values(records.map(([coinType, address]) => addressRow(name, BigInt(coinType), address, { resolver })));
}

const ask = async (address: Address, query = "") => api.get(`/address/${address}/primary-name${query}`);
const none = { primary_name: null, registrar: null };
const needsChain = failure("LIVE_RESOLUTION_FAILED");

beforeAll(async () => {
  await tables.writer
    .insert(domain)
    .values([
      domainRow("eth", { registryOwner: account(0xe2), resolver: STRANGE_RESOLVER }),
      domainRow("com", { registryOwner: account(0xc0), resolver: STRANGE_RESOLVER }),
      domainRow("xyz", { registryOwner: account(0xc0) }),
    ]);
});

describe("a claim is a primary name if it resolves to the address", () => {
  test("by its own address record, in the capitals of its display text", async () => {
    const address = await claim("alice.eth");
    await resolving("alice.eth", { resolver: STATIC_RESOLVER, addresses: { 60: address } });
    await tables.writer.insert(textRecord).values(textRow("alice.eth", "display", "AliCe.eth"));
    expect(await ask(address)).toEqual({
      status: 200,
      body: {
        address: getAddress(address),
        primary_name: "alice.eth",
        display: "AliCe.eth",
        registrar: REVERSE,
      },
    });
  });

  test("even if the index never learnt whose reverse node it is", async () => {
    const address = account(accounts++);
    const node = reverseNodeOf(address);
    const hidden = { node, labelhash: labelhash(address.slice(2)), label: "[hash]", isLabelKnown: false };
    await tables.writer
      .insert(domain)
      .values(domainRow("hidden.addr.reverse", { ...hidden, resolver: STATIC_RESOLVER }));
    await tables.writer.insert(resolverNode).values(versionRow("", { node, version: 3, name: "quiet.eth" }));
    await resolving("quiet.eth", { resolver: STATIC_RESOLVER, addresses: { 60: address } });
    expect((await ask(address)).body).toMatchObject({ primary_name: "quiet.eth", registrar: REVERSE });
  });

  test("even after the name expired: records outlive a registration", async () => {
    const address = await claim("ended.eth");
    const ended = registeredRow("ended.eth", account(1), 1n);
    await resolving("ended.eth", { resolver: STATIC_RESOLVER, addresses: { 60: address } }, ended);
    expect((await ask(address)).body).toMatchObject({ primary_name: "ended.eth" });
  });

  test("by the default record, at resolvers that support ENSIP-19", async () => {
    const address = await claim("everywhere.eth");
    const records = { [DEFAULT_COIN_TYPE]: address };
    await resolving("everywhere.eth", { resolver: DEFAULT_ADDRESS_RESOLVER, addresses: records });
    expect((await ask(address)).body).toMatchObject({ primary_name: "everywhere.eth" });
  });
});

describe("a claim is not a primary name", () => {
  const other = account(0x0123);
  const [plain, withDefault] = [STATIC_RESOLVER, DEFAULT_ADDRESS_RESOLVER];
  const cases: [why: string, name: string, resolver: Address, Record<number, Hex | null | "own">][] = [
    ["that resolves to another", "stolen.eth", plain, { 60: other }],
    ["whose address is cleared", "cleared.eth", plain, { 60: null }],
    ["without any record", "empty.eth", plain, {}],
    ["with a default record at a resolver without them", "early.eth", plain, { [DEFAULT_COIN_TYPE]: "own" }],
    [
      "with an own record of zero before the default one",
      "zero.eth",
      withDefault,
      { 60: account(0), [DEFAULT_COIN_TYPE]: "own" },
    ],
    ["on another chain only", "base.eth", withDefault, { [DEFAULT_COIN_TYPE + 8453]: "own" }],
  ];
  test.each(cases)("%s (%s)", async (_, name, resolver, records) => {
    const address = await claim(name);
    const addresses = Object.entries(records).map(([coin, of]) => [coin, of === "own" ? address : of]);
    await resolving(name, { resolver, addresses: Object.fromEntries(addresses) });
    expect(await ask(address)).toEqual({ status: 200, body: { address: getAddress(address), ...none } });
  });

  test("if its records were cleared after the address was set", async () => {
    const address = await claim("wiped.eth");
    await resolving("wiped.eth", { resolver: STATIC_RESOLVER, addresses: { 60: address } });
    await tables.writer.insert(resolverNode).values(versionRow("wiped.eth", { version: 1 }));
    expect((await ask(address)).body).toMatchObject(none);
  });

  test("at a resolver that the name left", async () => {
    const address = await claim("moved.eth");
    await resolving("moved.eth", { resolver: STATIC_RESOLVER, addresses: { 60: address } });
    await tables.writer
      .update(domain)
      .set({ resolver: DEFAULT_ADDRESS_RESOLVER })
      .where(eq(domain.node, namehash("moved.eth")));
    expect((await ask(address)).body).toMatchObject(none);
  });

  test.each(["Upper.eth", "a b.eth", "two..eth", "", `[${"0".repeat(64)}].eth`, `${"a".repeat(256)}.eth`])(
    "that is not normalised: %s",
    async (name) => {
      const address = await claim(name);
      expect(await ask(address)).toMatchObject({ status: 200, body: none });
    },
  );

  test("if the .eth name was never registered, regardless of the resolver of .eth", async () => {
    expect(await ask(await claim("never.eth"))).toMatchObject({ status: 200, body: none });
  });

  test("if neither the name nor its parents have a resolver", async () => {
    expect(await ask(await claim("foo.xyz"))).toMatchObject({ status: 200, body: none });
    expect(await ask(await claim("foo.bar.unknown"))).toMatchObject({ status: 200, body: none });
  });

  test("if the name has no resolver and its parent's resolver answers for no other name", async () => {
    await resolving("parent.eth", { resolver: STATIC_RESOLVER });
    expect(await ask(await claim("child.parent.eth"))).toMatchObject({ status: 200, body: none });
  });
});

describe("only the chain can tell", () => {
  test("if the reverse node's resolver is not indexed", async () => {
    expect(await ask(await claim("strange.eth", STRANGE_RESOLVER))).toMatchObject(needsChain);
  });

  test("if the claimed name's resolver is not indexed", async () => {
    const address = await claim("wild.eth");
    await resolving("wild.eth", { resolver: STRANGE_RESOLVER, addresses: { 60: address } });
    expect(await ask(address)).toMatchObject(needsChain);
  });

  test("if a parent's resolver may answer for the claimed name", async () => {
    await resolving("wildcard.eth", { resolver: STRANGE_RESOLVER });
    await tables.writer.insert(domain).values(registeredRow("bare.eth", account(1), inDays(1)));
    for (const name of ["sub.wildcard.eth", "deep.sub.wildcard.eth", "bare.eth", "example.com"]) {
      expect(await ask(await claim(name)), name).toMatchObject(needsChain);
    }
  });
});

const onLayer2 = {
  chainId: LAYER2_CHAIN_ID,
  coinType: DEFAULT_COIN_TYPE + LAYER2_CHAIN_ID,
  registrar: "L2_REVERSE_REGISTRAR",
};

describe("the default reverse record", () => {
  test("serves addresses without a resolver of their own", async () => {
    const address = await claimByDefault("default.eth");
    await resolving("default.eth", { resolver: STATIC_RESOLVER, addresses: { 60: address } });
    const found = { primary_name: "default.eth", registrar: DEFAULT };
    expect((await ask(address)).body).toMatchObject(found);
    const left = await claimByDefault("left.eth", await claim(null, null));
    await resolving("left.eth", { resolver: STATIC_RESOLVER, addresses: { 60: left } });
    expect((await ask(left)).body).toMatchObject({ primary_name: "left.eth", registrar: DEFAULT });
    expect((await api.get(`/address/${left}/summary`)).body).toMatchObject({
      primary_name: "left.eth",
      primary_name_source: "indexed",
    });
  });

  test("does not serve an address whose own resolver holds no name", async () => {
    const address = await claimByDefault("hidden.eth", await claim(null));
    await resolving("hidden.eth", { resolver: STATIC_RESOLVER, addresses: { 60: address } });
    expect((await ask(address)).body).toMatchObject(none);
  });

  test("is null once cleared", async () => {
    expect((await ask(await claimByDefault(null))).body).toMatchObject(none);
  });

  test("of another chain does not serve Ethereum", async () => {
    const address = account(accounts++);
    const claimed = primaryNameRow(address, "l2.eth", onLayer2);
    await tables.writer.insert(primaryName).values(claimed);
    await resolving("l2.eth", { resolver: STATIC_RESOLVER, addresses: { 60: address } });
    expect((await ask(address)).body).toMatchObject(none);
  });
});

describe("coin_type", () => {
  const { coinType: onBase } = onLayer2;

  test("returns the name on another chain", async () => {
    const address = await claim("mine.eth");
    await resolving("mine.eth", { resolver: STATIC_RESOLVER, addresses: { 60: address } });
    await tables.writer.insert(primaryName).values(primaryNameRow(address, "based.eth", onLayer2));
    await resolving("based.eth", { resolver: STATIC_RESOLVER, addresses: { [onBase]: address } });
    expect((await ask(address, `?coin_type=${onBase}`)).body).toMatchObject({ primary_name: "based.eth" });
    for (const query of ["", "?coin_type=60"])
      expect((await ask(address, query)).body).toMatchObject({ primary_name: "mine.eth" });
    const { body } = await ask(address, `?coin_type=${onBase}&history=true`);
    expect(body.current).toMatchObject({ primary_name: "based.eth" });
  });

  test.each(["0", "61", "2147483647", "4294967296", "-1", "x"])("%s is refused", async (coinType) => {
    expect(await ask(account(1), `?coin_type=${coinType}`)).toMatchObject(failure("INVALID_PARAMETER"));
  });
});

describe("history=true", () => {
  test("lists claims as they were made, on all chains, oldest first", async () => {
    const address = await claimByDefault(null);
    // The clocks of two chains: block 900 of the other one is as old as block 15 here.
    const second = { ...onLayer2, coinType: 1, blockTimestamp: at(15).blockTimestamp };
    await tables.writer
      .insert(primaryNameChange)
      .values([
        claimRow({ block: 30 }, address, null),
        claimRow({ block: 20 }, address, null, { isNameKnown: false }),
        claimRow({ block: 10 }, address, "First.eth"),
        claimRow({ block: 900 }, address, "second.eth", second),
      ]);
    const { body } = await ask(address, "?history=true");
    const entry = (name: string | null, block: number, fields = {}) => ({
      name,
      registrar: REVERSE,
      chain: "devnet",
      block_number: block,
      transaction_hash: transaction(block),
      ...fields,
    });
    expect(body).toEqual({
      address: getAddress(address),
      current: none,
      history: [
        entry("First.eth", 10),
        entry("second.eth", 900, { registrar: "L2_REVERSE_REGISTRAR", chain: "devnet2" }),
        entry(null, 20, { is_name_known: false }),
        entry(null, 30),
      ],
      total: 4,
    });
    expect((await ask(address, "?history=true&page=2")).body).toMatchObject({
      history: [],
      total: 4,
      page: 2,
    });
  });

  test("shows the state after each transaction, and nothing that held only within one", async () => {
    const address = account(0x5e771ed);
    const change = (block: number, log: number, name: string, fields = {}) =>
      claimRow({ block, log }, address, name, fields);
    await tables.writer.insert(primaryNameChange).values([
      change(40, 0, "old.eth"),
      // The reverse node gets its former resolver back, and then its name there.
      change(41, 1, "forgotten.eth"),
      change(41, 5, "new.eth"),
      change(41, 6, "default.eth", { coinType: DEFAULT_COIN_TYPE, registrar: DEFAULT }),
      // Another transaction in the same block.
      change(41, 9, "newer.eth", { transactionHash: transaction(4_100) }),
      change(41, 3, "elsewhere.eth", { chainId: LAYER2_CHAIN_ID, coinType: 1 }),
    ]);
    const { history } = (await ask(address, "?history=true")).body;
    const names = (history as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(["old.eth", "new.eth", "default.eth", "newer.eth", "elsewhere.eth"]);
  });

  test("is empty for an address that never claimed a name", async () => {
    const address = account(0xdead);
    expect((await ask(address, "?history=true")).body).toEqual({
      address: getAddress(address),
      current: none,
      history: [],
      total: 0,
    });
    expect((await ask(address, "?history=false")).body).toEqual({ address: getAddress(address), ...none });
  });
});

describe("names beside addresses in the explorer", () => {
  /** The names shown on pages, if the chain gave these claims within the last minutes. */
  const shown = async (addresses: readonly Address[], recent: Record<Address, string | null> = {}) => {
    const recentPrimaryNames: Live["recentPrimaryNames"] = async (asked) =>
      asked.map(({ address }) => recent[address]);
    const live = { ...noChain.live, recentPrimaryNames };
    const ctx = { ...noChain, db: tables.db, contracts: ofRows, now: NOW, live, chainHead: async () => null };
    const names = await readVerifiedNames(ctx, addresses);
    return names.map((found) => found?.name ?? null);
  };

  test("a name at a reverse resolver without events is remembered from the chain's last answer", async () => {
    const hidden = await claim(null, STRANGE_RESOLVER);
    await resolving("recalled.eth", { resolver: STATIC_RESOLVER, addresses: { 60: hidden } });
    expect(await shown([hidden])).toEqual([null]);
    expect(await shown([hidden], { [hidden]: null })).toEqual([null]);
    expect(await shown([hidden], { [hidden]: "recalled.eth" })).toEqual(["recalled.eth"]);
  });

  test("a remembered name is not shown once it resolves to another address, or only the chain can tell", async () => {
    const hidden = await claim(null, STRANGE_RESOLVER);
    await resolving("sold.eth", { resolver: STATIC_RESOLVER, addresses: { 60: account(7) } });
    await resolving("strange.eth", { resolver: STRANGE_RESOLVER });
    expect(await shown([hidden], { [hidden]: "sold.eth" })).toEqual([null]);
    expect(await shown([hidden], { [hidden]: "strange.eth" })).toEqual([null]);
    expect(await shown([hidden], { [hidden]: "never-registered.eth" })).toEqual([null]);
  });

  test("the index's own answer takes precedence over a remembered one", async () => {
    const named = await claim("indexed.eth");
    const unnamed = await claim("");
    await resolving("indexed.eth", { resolver: STATIC_RESOLVER, addresses: { 60: named } });
    await resolving("before.eth", { resolver: STATIC_RESOLVER, addresses: { 60: unnamed } });
    const recent = { [named]: "before.eth", [unnamed]: "before.eth" };
    expect(await shown([named, unnamed], recent)).toEqual(["indexed.eth", null]);
  });
});

describe("POST /address/primary-names/bulk", () => {
  const bulk = (addresses: unknown) => api.post("/address/primary-names/bulk", { addresses });

  test("names with very many labels wait for a separate request and delay no others", async () => {
    const named = await claim("few.eth");
    await resolving("few.eth", { resolver: STATIC_RESOLVER, addresses: { 60: named } });
    const deep = Array.from({ length: 510 }, () => "a").join(".");
    const claimers: Address[] = [];
    for (let i = 0; i < 12; i++) claimers.push(await claim(`${deep}.x${i}`.slice(0, 1_024)));
    const { body } = await bulk([...claimers, named]);
    const results = Object.entries(body.results as Record<string, { error?: { code: string } }>);
    const refused = results.filter(([, { error }]) => error?.code === "LIMIT_EXCEEDED");
    expect(refused).toHaveLength(3); // Nine times 511 labels plus two stay within 5,000.
    expect(Object.fromEntries(results)[getAddress(named)]).toMatchObject({ primary_name: "few.eth" });
    const [first] = refused[0] ?? [];
    expect((await bulk([first])).body.results).toEqual({
      [first ?? ""]: { primary_name: null, registrar: null, query: first },
    });
  });

  test("answers each address in its place; a failure does not affect the others", async () => {
    accounts = 0xabcde; // With letters, which have upper and lower case.
    const named = await claim("bulk.eth");
    await resolving("bulk.eth", { resolver: STATIC_RESOLVER, addresses: { 60: named } });
    const hidden = await claim(null, STRANGE_RESOLVER);
    const unnamed = account(0xdead);
    const upper = named.toUpperCase().replace("0X", "0x");
    const { status, body } = await bulk([upper, named, unnamed, hidden, "alice.eth", "__proto__"]);
    const invalid = (query: string) => ({ query, ...failure("INVALID_ADDRESS").body });
    expect(status).toBe(200);
    expect(Object.entries(body.results as object)).toEqual([
      [
        getAddress(named),
        { primary_name: "bulk.eth", registrar: REVERSE, query: upper, other_queries: [named] },
      ],
      [getAddress(unnamed), { ...none, query: unnamed }],
      [getAddress(hidden), { query: hidden, ...failure("LIVE_RESOLUTION_FAILED").body }],
      ["alice.eth", invalid("alice.eth")],
      ["__proto__", invalid("__proto__")],
    ]);
  });

  test("takes 200 addresses and no more", async () => {
    const many = Array.from({ length: 201 }, (_, i) => account(0xf000 + i));
    expect(Object.keys((await bulk(many.slice(1))).body.results as object)).toHaveLength(200);
    expect(await bulk(many)).toMatchObject(failure("LIMIT_EXCEEDED"));
  });
});
