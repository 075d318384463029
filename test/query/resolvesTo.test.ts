import { addressRecord, domain, ensv2Entry, ensv2Link, ensv2Proxy, resolverNode } from "ponder:schema";
import fc from "fast-check";
import { type Address, getAddress, type Hex, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import "../support/seed.ts";
import { openApi, type TestApi } from "./api.ts";
import {
  ETH_ENTRY,
  ETH_REGISTRY,
  entryRow,
  FAR,
  linkRow,
  NODE_RESOLVER,
  proxyRow,
  REGISTRY_CODE,
  RESOLVER,
  RESOLVER_CODE,
  record,
  contracts as withEnsv2,
} from "./ensv2.ts";
import {
  account,
  addressRow,
  alice,
  bob,
  DEFAULT_ADDRESS_RESOLVER,
  domainRow,
  NOW,
  registeredRow,
  STATIC_RESOLVER,
  STRANGE_RESOLVER,
  versionRow,
} from "./rows.ts";
import { useTables } from "./tables.ts";

const ZERO = account(0);
const DEFAULT = 2147483648n;
const BASE = 2147492101n;

type Pick = <T>(of: readonly T[]) => T;
type World = {
  domains: (typeof domain.$inferInsert)[];
  versions: (typeof resolverNode.$inferInsert)[];
  records: (typeof addressRecord.$inferInsert)[];
  entries: (typeof ensv2Entry.$inferInsert)[];
  links: (typeof ensv2Link.$inferInsert)[];
};

const coins = [60n, 0n, DEFAULT, BASE] as const;

/** Records of a name or record number at a resolver: in two versions, with some coin types. */
function recordsAt(pick: Pick, place: { resolver: Address; node: Hex }, world: World): void {
  const version = pick([0, 0, 1]);
  if (version > 0 || pick([true, false])) world.versions.push(versionRow("", { ...place, version }));
  for (const version of [0, 1]) {
    for (const coinType of coins.filter(() => pick([true, false]))) {
      const address = pick([alice, alice, bob, ZERO]);
      world.records.push(addressRow("", coinType, address, { ...place, version }));
    }
  }
}

const resolversOfEnsv1 = [STATIC_RESOLVER, DEFAULT_ADDRESS_RESOLVER, STRANGE_RESOLVER, null];

/** ENSv1 names only. */
function worldOfEnsv1(pick: Pick): World {
  const world: World = { domains: [], versions: [], records: [], entries: [], links: [] };
  for (let i = 0; i < 12; i++) {
    const name = `n${i}.eth`;
    const resolver = pick(resolversOfEnsv1);
    world.domains.push(registeredRow(name, alice, BigInt(NOW + pick([-1, 1])), { resolver }));
    for (const at of [STATIC_RESOLVER, DEFAULT_ADDRESS_RESOLVER, STRANGE_RESOLVER].filter(() =>
      pick([true, false]),
    )) {
      recordsAt(pick, { resolver: at, node: namehash(name) }, world);
    }
  }
  return world;
}

const SUB_REGISTRY = account(0x6001);
/** A registry below names of that one. */
const DEEP_REGISTRY = account(0x6003);
const OTHER = account(0x6002);

/** The same with ENSv2 names and subnames. Rows of `domains` are as the indexer writes them. */
function worldOfBoth(pick: Pick): World {
  const world = worldOfEnsv1(pick);
  world.domains.push(domainRow("eth", { registry: null }));
  world.entries.push(ETH_ENTRY);
  const expiries = [BigInt(NOW - 1), BigInt(NOW), BigInt(NOW + 1), FAR];
  const resolvers = [RESOLVER, RESOLVER, OTHER, NODE_RESOLVER, null];
  const subs = [0, 1, 2].map((i) => ({
    label: `s${i}`,
    expiry: pick(expiries),
    resolver: pick(resolvers),
    subregistry: pick([DEEP_REGISTRY, null]),
  }));
  for (const { label, ...sub } of subs) {
    world.entries.push(entryRow(SUB_REGISTRY, label, { ...sub, owner: alice }));
  }
  const deep = { expiry: pick(expiries), resolver: pick(resolvers) };
  world.entries.push(entryRow(DEEP_REGISTRY, "d", { ...deep, owner: alice }));
  for (let i = 0; i < 6; i++) {
    const label = `v${i}`;
    const [expiry, resolver] = [pick(expiries), pick(resolvers)];
    const subregistry = pick([SUB_REGISTRY, null]);
    world.entries.push(entryRow(ETH_REGISTRY, label, { expiry, resolver, subregistry, owner: alice }));
    const rowOf = (name: string, fields: object) =>
      world.domains.push(
        domainRow(name, { effectiveOwnerAddress: alice, registry: ETH_REGISTRY, ...fields }),
      );
    rowOf(`${label}.eth`, { expiryTimestamp: expiry, resolver });
    const names = [`${label}.eth`];
    if (subregistry) {
      for (const sub of subs) {
        const name = `${sub.label}.${label}.eth`;
        names.push(name);
        rowOf(name, {
          registry: SUB_REGISTRY,
          expiryTimestamp: sub.expiry,
          resolver: sub.resolver,
          pathExpiryTimestamp: expiry,
        });
        if (sub.subregistry === null) continue;
        names.push(`d.${name}`);
        rowOf(`d.${name}`, {
          registry: DEEP_REGISTRY,
          expiryTimestamp: deep.expiry,
          resolver: deep.resolver,
          pathExpiryTimestamp: [sub.expiry, expiry].sort((a, b) => Number(a - b))[0] ?? null,
        });
      }
    }
    for (const name of names) {
      if (pick([true, false])) recordsAt(pick, { resolver: NODE_RESOLVER, node: namehash(name) }, world);
      for (const at of [RESOLVER, OTHER].filter(() => pick([true, false]))) {
        world.links.push(linkRow(name, pick([1, 2, null]), at));
      }
    }
  }
  for (const at of [RESOLVER, OTHER]) {
    if (pick([true, false])) world.links.push(linkRow("", pick([1, 2, null]), at));
    for (const of of [1, 2]) recordsAt(pick, { resolver: at, node: record(of) }, world);
  }
  return world;
}

const tables = useTables();

async function write(world: World) {
  const into = [
    [domain, world.domains],
    [resolverNode, world.versions],
    [addressRecord, world.records],
    [ensv2Entry, world.entries],
    [ensv2Link, world.links],
  ] as const;
  for (const [table, rows] of into) {
    await tables.writer.delete(table);
    if (rows.length > 0) await tables.writer.insert(table as typeof domain).values(rows as never);
  }
}

beforeAll(async () => {
  await tables.writer
    .insert(ensv2Proxy)
    .values([
      proxyRow(SUB_REGISTRY, REGISTRY_CODE),
      proxyRow(DEEP_REGISTRY, REGISTRY_CODE),
      proxyRow(RESOLVER, RESOLVER_CODE),
      proxyRow(OTHER, RESOLVER_CODE),
    ]);
});

type Item = { name: string; coin_types: string[]; is_default?: true };

const listed = (api: TestApi, query: string) => api.walk<Item>(`/address/${alice}/resolves-to?${query}`, 3);

/** Whether a resolver answers with the default address if a coin type has no record. */
const hasDefault = (record: {
  resolver: { address?: string; status: string; answered_by?: string };
}): boolean => {
  const address = (record.resolver.address ?? record.resolver.answered_by ?? "").toLowerCase();
  return [DEFAULT_ADDRESS_RESOLVER, RESOLVER, OTHER, NODE_RESOLVER].includes(address as Address);
};

type Answer = { name: string; body: Record<string, unknown> };

/** What each name answers from its own records. */
async function answersOf(api: TestApi, { domains }: World): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { fullName: name } of domains) {
    const { body } = await api.get(`/domain/${name}/records?partial=true&types=addr&cleared=true`);
    answers.push({ name, body });
  }
  return answers;
}

/** Which names are alice's by these answers, for a coin type. */
function expected(answers: readonly Answer[], filter: string): Item[] {
  const found: Item[] = [];
  for (const { name, body } of answers) {
    if (body.records === undefined) continue;
    const { addresses, cleared } = body.records as {
      addresses: Record<string, string>;
      cleared: { addresses: string[] };
    };
    const coin_types = Object.keys(addresses).filter((coin) => addresses[coin]?.toLowerCase() === alice);
    const isEvm = (coin: string) => coin === "60" || BigInt(coin) >= DEFAULT;
    const isOwn =
      filter === ""
        ? coin_types.length > 0
        : filter === "evm"
          ? coin_types.some(isEvm)
          : coin_types.includes(filter);
    // The zero address is also a record: the default address does not replace it.
    const isZero = cleared.addresses.includes(filter);
    const falls =
      ["60", String(BASE)].includes(filter) &&
      addresses[filter] === undefined &&
      !isZero &&
      coin_types.includes(String(DEFAULT));
    if (isOwn) found.push({ name, coin_types });
    else if (falls && hasDefault(body as never)) found.push({ name, coin_types, is_default: true });
  }
  return found;
}

const byName = (items: readonly Item[]) =>
  items
    .map(({ name, coin_types, is_default }) => ({ name, coin_types, ...(is_default && { is_default }) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

describe.each([
  ["ENSv1", worldOfEnsv1, undefined],
  ["ENSv1 and ENSv2", worldOfBoth, withEnsv2],
] as const)("names that have an address, with %s", (_, worldOf, contracts) => {
  test("are those whose own records say it, in random worlds", { timeout: 240_000 }, async () => {
    const api = openApi(tables, NOW, contracts ? { contracts } : {});
    let seen = 0;
    const holds = fc.asyncProperty(fc.gen(), async (gen) => {
      const world = worldOf((of) => gen(fc.constantFrom, ...of));
      await write(world);
      const answers = await answersOf(api, world);
      for (const filter of ["", "evm", "60", "0", String(DEFAULT), String(BASE)]) {
        const items = await listed(api, filter && `coin_type=${filter}`);
        expect(byName(items), filter).toEqual(byName(expected(answers, filter)));
        seen += items.length;
      }
    });
    await fc.assert(holds, { numRuns: 6, endOnFailure: true });
    expect(seen).toBeGreaterThan(20);
  });
});

test("a cleared record leaves the default one in force, but the zero address does not", async () => {
  const names = ["unset.eth", "cleared.eth", "zero.eth"];
  const resolver = { resolver: DEFAULT_ADDRESS_RESOLVER };
  await write({
    versions: [],
    entries: [],
    links: [],
    domains: names.map((name) => registeredRow(name, alice, FAR, resolver)),
    records: [
      ...names.map((name) => addressRow(name, DEFAULT, alice, resolver)),
      addressRow("cleared.eth", 60, null, resolver),
      addressRow("zero.eth", 60, ZERO, resolver),
    ],
  });
  const api = openApi(tables, NOW);
  expect(byName(await listed(api, "coin_type=60")).map(({ name }) => name)).toEqual([
    "cleared.eth",
    "unset.eth",
  ]);
});

test("the zero address has no names, and an invalid coin type is refused", async () => {
  const api = openApi(tables, NOW);
  const { body } = await api.get(`/address/${ZERO}/resolves-to`);
  expect(body).toMatchObject({ address: getAddress(ZERO), results: [], total: 0, next_cursor: null });
  for (const word of ["x", "-1", "060", `1${"0".repeat(78)}`]) {
    expect((await api.get(`/address/${alice}/resolves-to?coin_type=${word}`)).status).toBe(400);
  }
});

test("a name below one that ended in ENSv2 is answered by the resolver above that one, not by its own", async () => {
  const of = { effectiveOwnerAddress: alice, expiryTimestamp: FAR };
  const ended = BigInt(NOW);
  const world: World = {
    versions: [],
    records: [],
    domains: [
      domainRow("eth", { registry: null }),
      domainRow("top.eth", { ...of, registry: ETH_REGISTRY, resolver: RESOLVER }),
      domainRow("mid.top.eth", { ...of, registry: SUB_REGISTRY, resolver: OTHER, expiryTimestamp: ended }),
      domainRow("low.mid.top.eth", {
        ...of,
        registry: DEEP_REGISTRY,
        resolver: OTHER,
        pathExpiryTimestamp: ended,
      }),
    ],
    entries: [
      ETH_ENTRY,
      entryRow(ETH_REGISTRY, "top", { resolver: RESOLVER, subregistry: SUB_REGISTRY, owner: alice }),
      entryRow(SUB_REGISTRY, "mid", { expiry: ended, resolver: OTHER, subregistry: DEEP_REGISTRY }),
      entryRow(DEEP_REGISTRY, "low", { resolver: OTHER, owner: alice }),
    ],
    links: [linkRow("", 1)],
  };
  const records = [addressRow("", 60, alice, { resolver: RESOLVER, node: record(1) })];
  await write({ ...world, records });
  const api = openApi(tables, NOW, { contracts: withEnsv2 });
  const answers = expected(await answersOf(api, world), "60");
  expect(answers.map(({ name }) => name)).toEqual(["top.eth", "mid.top.eth", "low.mid.top.eth"]);
  expect(byName(await listed(api, "coin_type=60"))).toEqual(byName(answers));
});
