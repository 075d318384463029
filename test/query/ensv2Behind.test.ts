import { domain, ensv2Entry, ensv2Mount, ensv2Proxy, holder } from "ponder:schema";
import { getAddress, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { serveExplorer } from "../explorer/statisticsPages.ts";
import { useApi } from "./api.ts";
import {
  contracts,
  type EntryRow,
  ETH_ENTRY,
  ETH_REGISTRY,
  entryRow,
  FAR,
  NODE_RESOLVER,
  proxyRow,
  REGISTRY_CODE,
} from "./ensv2.ts";
import { account, alice, bob, CHAIN_ID, domainRow, holderRow, NOW, ownedBy } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

/*
 * Rows that are behind: their registry was replaced and they are queued for an update, or the
 * ENSv1 name lies below a name that was later registered in ENSv2.
 */

/** Registries of `user.eth`, its previous one, and those of names that have expired. */
const USER = account(0x6001);
const BEFORE = account(0x6002);
const ENDED = account(0x6003);
const UNKNOWN = account(0x6004);

const at = (registry: `0x${string}`, owner: `0x${string}`, fields: object = {}) => ({
  registry,
  effectiveOwnerAddress: owner,
  expiryTimestamp: FAR,
  resolver: NODE_RESOLVER,
  ...fields,
});

const entry = (label: string, owner: `0x${string}`, fields: Partial<EntryRow> = {}) =>
  entryRow(USER, label, { owner, resolver: NODE_RESOLVER, ...fields });

const rows = [
  domainRow("user.eth", at(ETH_REGISTRY, bob)),
  domainRow("ended.eth", at(ETH_REGISTRY, bob, { expiryTimestamp: BigInt(NOW - 1) })),
  // Same as its entry.
  domainRow("same.user.eth", at(USER, alice)),
  domainRow("over.user.eth", at(USER, alice, { expiryTimestamp: BigInt(NOW - 9) })),
  // Its registry was replaced by one where the label has another owner or is missing, or only its
  // owner is behind.
  domainRow("other.user.eth", at(BEFORE, alice)),
  domainRow("sold.user.eth", at(USER, alice)),
  domainRow("cut.user.eth", at(BEFORE, alice)),
  // Its registry was replaced by one where the label has the same owner.
  domainRow("again.user.eth", at(BEFORE, alice)),
  // The same, and it expired.
  domainRow("past.user.eth", at(BEFORE, alice, { expiryTimestamp: BigInt(NOW - 9) })),
  // An ENSv1 name below a name registered in ENSv2.
  domainRow("old.user.eth", { ...ownedBy(alice), resolver: NODE_RESOLVER }),
  // Below an expired entry, with a row that says so or not yet.
  domainRow("known.ended.eth", at(ENDED, alice, { pathExpiryTimestamp: BigInt(NOW - 1) })),
  domainRow("late.ended.eth", at(ENDED, alice, { pathExpiryTimestamp: BigInt(NOW + 9) })),
];

const entries = [
  ETH_ENTRY,
  entryRow(ETH_REGISTRY, "user", { owner: bob, resolver: NODE_RESOLVER, subregistry: USER }),
  entryRow(ETH_REGISTRY, "ended", { owner: bob, expiry: BigInt(NOW - 1), subregistry: ENDED }),
  entry("same", alice),
  entry("over", alice, { expiry: BigInt(NOW - 9) }),
  entry("other", bob, { resolver: account(9) }),
  entry("sold", bob),
  entry("again", alice),
  entry("past", alice, { expiry: BigInt(NOW - 9) }),
  ...["known", "late"].map((label) => entryRow(ENDED, label, { owner: alice })),
  // Without a row: its registry is at more names than are followed. And one with unknown code.
  entry("unlisted", alice),
  entry("strange", alice, { subregistry: UNKNOWN }),
];

const tables = useTables();
const api = useApi(tables, NOW, { contracts });

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: 100, time: NOW });
  await tables.writer.insert(domain).values(rows);
  await tables.writer.insert(ensv2Entry).values(entries);
  await tables.writer
    .insert(ensv2Proxy)
    .values([USER, BEFORE, ENDED].map((registry) => proxyRow(registry, REGISTRY_CODE)));
  await tables.writer.insert(holder).values(rows.map(({ fullName }, i) => holderRow(bob, fullName, i)));
});

type Item = { name: string; protocol?: string; availability_status: string; ownership: { owner?: string } };
const listed = async (path: string) => (await api.get(path)).body.results as Item[];
const namesOf = (items: readonly Item[]) => items.map(({ name }) => name).sort();

test("whois reflects the entries", async () => {
  const ownerOf = async (name: string) =>
    ((await api.get(`/whois/${name}?partial=true`)).body.ownership as { owner?: string }).owner;
  for (const name of ["same.user.eth", "again.user.eth"]) expect(await ownerOf(name)).toBe(getAddress(alice));
  expect(await ownerOf("other.user.eth")).toBe(getAddress(bob));
  for (const name of ["cut.user.eth", "old.user.eth", "known.ended.eth", "late.ended.eth"])
    expect(await ownerOf(name), name).toBeUndefined();
});

describe("an address", () => {
  test("does not list names that it no longer owns as of the newest block", async () => {
    const items = await listed(`/address/${alice}/domains`);
    expect(namesOf(items)).toEqual(expect.arrayContaining(["again.user.eth", "same.user.eth"]));
    for (const name of ["other", "sold", "cut", "old"])
      expect(namesOf(items)).not.toContain(`${name}.user.eth`);
    expect(namesOf(items)).not.toContain("late.ended.eth");
  });

  test("lists names ended by time alone if asked for", async () => {
    const items = await listed(`/address/${alice}/domains?include_expired=true`);
    expect(namesOf(items)).toEqual(
      ["again.user", "known.ended", "over.user", "past.user", "same.user"].map((one) => `${one}.eth`),
    );
  });

  test("still has what the ENSv1 contracts hold for it", async () => {
    const items = await listed(`/address/${alice}/domains?address_type=registry_owner&include_expired=true`);
    expect(items).toMatchObject([{ name: "old.user.eth", protocol: "ensv2" }]);
  });

  test("does not list a name that it owns as a previous one", async () => {
    const previous = namesOf(await listed(`/address/${bob}/previous-domains`));
    expect(previous).toContain("same.user.eth");
    expect(previous).toContain("cut.user.eth");
    expect(previous).not.toContain("other.user.eth");
  });

  test("has a calendar of its own names", async () => {
    const reply = await api.app.request(`/address/${alice}/expiries.ics`);
    const text = await reply.text();
    for (const name of ["other", "cut", "old"]) expect(text).not.toContain(`${name}.user.eth`);
  });

  test("as a resolver has the names that point to it now", async () => {
    const path = `/address/${NODE_RESOLVER}/domains?address_type=resolver&include_expired=true`;
    const names = namesOf(await listed(path));
    expect(names).toContain("again.user.eth");
    for (const name of ["other", "cut", "old"]) expect(names).not.toContain(`${name}.user.eth`);
  });
});

describe("a search", () => {
  const found = async (query: string) => listed(`/search-domains?sort_by=full_name&${query}`);

  test("shows no name that contradicts its filter", async () => {
    expect(namesOf(await found("protocol=ensv1"))).toEqual([]);
    const registered = namesOf(await found("availability_status=registered"));
    expect(registered).toContain("again.user.eth");
    for (const name of ["cut.user.eth", "late.ended.eth"]) expect(registered).not.toContain(name);
    expect(namesOf(await found("is_wrapped=false"))).toContain("cut.user.eth");
    expect(namesOf(await found(`resolver=${NODE_RESOLVER}`))).not.toContain("other.user.eth");
    expect(namesOf(await found(`expiry_from=${NOW}`))).not.toContain("cut.user.eth");
  });

  test("treats a lagging row as a row that follows its registry", async () => {
    const names = namesOf(await found(`resolver=${NODE_RESOLVER}&parent=user.eth`));
    expect(names).toEqual(["again", "over", "past", "same", "sold"].map((one) => `${one}.user.eth`));
  });

  test("shows names as they are now if no filter excludes them", async () => {
    const items = await found("q=u");
    const old = (await found("q=old"))[0];
    expect(old).toMatchObject({ name: "old.user.eth", protocol: "ensv2", availability_status: "unknown" });
    expect(old?.ownership.owner).toBeUndefined();
    expect(namesOf(items)).toContain("cut.user.eth");
  });
});

test("names directly under a name are always listed", async () => {
  const items = await listed("/domain/user.eth/subdomains");
  expect(namesOf(items)).toEqual(
    ["again", "cut", "old", "other", "over", "past", "same", "sold"].map((one) => `${one}.user.eth`),
  );
  const owners = new Map(items.map(({ name, ownership }) => [name, ownership.owner]));
  expect(owners.get("other.user.eth")).toBe(getAddress(bob));
  expect(owners.get("cut.user.eth")).toBeUndefined();
});

describe("an answer that may be incomplete says so", () => {
  const isIncomplete = async (path: string) =>
    (await api.get(`${path}?partial=true`)).body.is_incomplete ?? false;
  const histories = [
    "events",
    "registration-history",
    "ownership-history",
    "resolver-history",
    "records/text/url/history",
  ];

  test.each(histories)("%s of a name whose row differs from its entry", async (history) => {
    const of = (name: string) => isIncomplete(`/domain/${name}/${history}`);
    for (const name of ["unlisted.user.eth", "other.user.eth", "x.strange.user.eth"]) {
      expect(await of(name), name).toBe(true);
    }
    for (const name of ["same.user.eth", "old.user.eth", "cut.user.eth", "never.eth"]) {
      expect(await of(name), name).toBe(false);
    }
  });

  test("the explorer's pages say so too", async () => {
    const { url, close } = await serveExplorer(tables, NOW, contracts);
    const page = async (name: string, view: string) =>
      (await fetch(`${url}/explore/name/${name}?view=${view}`)).text();
    expect(await page("unlisted.user.eth", "history")).toContain("Entries may be missing");
    expect(await page("same.user.eth", "history")).not.toContain("Entries may be missing");
    expect(await page("user.eth", "subnames")).toContain("Entries may be missing");
    await close();
  });

  test("subnames of a name to which its registry is not linked", async () => {
    const of = (name: string) => isIncomplete(`/domain/${name}/subdomains`);
    expect(await of("user.eth")).toBe(true);
    expect(await of("same.user.eth")).toBe(false);
    await tables.writer.insert(ensv2Mount).values({
      chainId: CHAIN_ID,
      registry: USER,
      position: 0,
      node: namehash("user.eth"),
      depth: 2,
    });
    expect(await of("user.eth")).toBe(false);
  });
});
