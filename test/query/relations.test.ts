// Also runs as: long
import { domain, ensv2Entry, ensv2Proxy, ensv2Role, holder } from "ponder:schema";
import type { Address } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../support/size.ts";
import { useApi } from "./api.ts";
import { contracts, ETH_REGISTRY, proxyRow, REGISTRY_CODE } from "./ensv2.ts";
import { accounts, type Named, relationsTo, rootEntry, subregistries, worldOf } from "./relationsWorld.ts";
import { account, CHAIN_ID, domainRow, LISTED_RESOLVER, NOW, WRAPPER } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

const FUZZ_SEED = Number(process.env.FUZZ_SEED ?? 7);

/** Numbers from 0 to 1 that a seed decides. Source: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const world = worldOf(randomOf(FUZZ_SEED));

let statements: string[] = [];
const tables = useTables({ onQuery: (sql) => void statements.push(sql) });
const api = useApi(tables, NOW, { contracts });

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: 100, time: NOW });
  const { writer } = tables;
  await writer.insert(domain).values([domainRow("eth", { effectiveOwnerAddress: account(7) })]);
  await writer.insert(domain).values(world.map(({ row }) => row));
  await writer.insert(ensv2Entry).values([rootEntry, ...world.flatMap(({ entry }) => entry ?? [])]);
  await writer.insert(ensv2Proxy).values(subregistries.map((address) => proxyRow(address, REGISTRY_CODE)));
  await writer.insert(ensv2Role).values(world.flatMap(({ roles }) => roles));
  await writer.insert(holder).values(world.flatMap(({ holders }) => holders));
});

type Item = Record<string, unknown> & { name: string; relations: string[] };
type Body = Record<string, unknown> & { results: Item[]; total: number; next_cursor: string | null };

const get = <Answer = Body>(path: string) => api.ask<Answer>(path);

const queryOf = (given: Record<string, string>) => new URLSearchParams(given).toString();

/** All items of a list, page by page. */
const listAll = (address: Address, given: Record<string, string>, size = 200) =>
  api.walk<Item>(`/address/${address}/domains?${queryOf(given)}`, size);

const count = (address: Address, given: Record<string, string>) =>
  get<Record<string, number>>(`/address/${address}/domain-count?${queryOf(given)}`);

const meets = (address: Address, words: readonly string[]) => (named: Named) =>
  relationsTo(address, named).some((relation) => words.includes(relation));

const namesOf = (some: readonly { name: string }[]) => some.map(({ name }) => name).sort();

const asked: [string, string[]][] = [
  ...[
    "effective_owner",
    "registry_owner",
    "registrar_owner",
    "wrapper_owner",
    "manager",
    "role_holder",
    "former_owner",
    "resolver",
  ].map((word): [string, string[]] => [word, [word]]),
  ["any", ["effective_owner", "manager", "role_holder"]],
  ["manager,former_owner", ["manager", "former_owner"]],
  ["registry_owner,role_holder,wrapper_owner", ["registry_owner", "role_holder", "wrapper_owner"]],
];

const addresses = [...accounts, WRAPPER, LISTED_RESOLVER];

describe("names of an address match those found by plain arithmetic", () => {
  const turns = asked.map(([word, words], turn) => [word, words, turn] as const);
  test.each(turns)("%s", async (address_type, words, turn) => {
    // Every second address in `npm test`, the others for the next relation.
    for (const address of addresses.filter((_, i) => isLong() || (i + turn) % 2 === 0)) {
      const expected = world.filter(meets(address, words));
      const items = await listAll(address, { address_type, include_expired: "true" });
      expect(namesOf(items), address).toEqual(namesOf(expected));
      const active = expected.filter(({ isActive }) => isActive);
      expect(namesOf(await listAll(address, { address_type })), address).toEqual(namesOf(active));
      expect(await count(address, { address_type })).toMatchObject({
        count: expected.length,
        active_count: active.length,
        expired_count: expected.filter(({ isExpired }) => isExpired).length,
        unknown_count: expected.filter(({ status }) => status === "unknown").length,
      });
    }
  });

  test("the world has names for each relation", () => {
    for (const relation of asked.slice(0, 8).map(([word]) => word)) {
      const found = addresses.flatMap((address) => world.filter(meets(address, [relation])));
      expect(found.length, relation).toBeGreaterThan(3);
    }
  });

  test("each item lists every relation of the address to the name", async () => {
    const byName = new Map(world.map((named) => [named.name, named]));
    for (const address of addresses) {
      const address_type = "any,former_owner,resolver,registry_owner,registrar_owner";
      const items = await listAll(address, { address_type, include_expired: "true" });
      for (const { name, relations, protocols, availability_status } of items) {
        const named = byName.get(name) as Named;
        expect(relations, `${name} of ${address}`).toEqual(relationsTo(address, named));
        expect(protocols, name).toEqual([...named.protocols].sort(inOrder));
        expect(availability_status, name).toBe(named.status);
      }
    }
  });
});

const wordOrder = ["ensv1", "ensv2", "registry", "registry_old", "wrapper", "layer2"];
const inOrder = (a: string, b: string) => wordOrder.indexOf(a) - wordOrder.indexOf(b);

const expiryOf = ({ row }: Named) => row.expiryTimestamp ?? null;

const filters: [Record<string, string>, (named: Named) => boolean][] = [
  ...wordOrder.map((protocol): [Record<string, string>, (named: Named) => boolean] => [
    { protocol },
    ({ protocols }) => protocols.includes(protocol),
  ]),
  [{ protocol: "wrapper,ensv2" }, ({ protocols }) => protocols.some((one) => /^(wrapper|ensv2)$/.test(one))],
  [{ parent: "eth" }, ({ name }) => name.split(".").length === 2],
  [{ parent: "live.eth" }, ({ name }) => name.endsWith(".live.eth")],
  [{ q: "SUB1" }, ({ name }) => name.includes("sub1")],
  [{ migrated: "true" }, ({ isMigrated }) => isMigrated],
  [{ migrated: "false" }, ({ isMigrated }) => !isMigrated],
  [{ availability_status: "grace" }, ({ status }) => status === "grace"],
  [{ availability_status: "premium,available" }, ({ status }) => /^(premium|available)$/.test(status)],
  [{ availability_status: "unknown" }, ({ status }) => status === "unknown"],
  [{ expiry_from: String(NOW) }, (named) => (expiryOf(named) ?? -1n) >= BigInt(NOW)],
  [
    { expiry_from: String(NOW - 1), expiry_to: String(NOW) },
    (named) => [BigInt(NOW - 1), BigInt(NOW)].includes(expiryOf(named) ?? -1n),
  ],
  [{ resolver: LISTED_RESOLVER }, ({ row }) => row.resolver === LISTED_RESOLVER],
];

describe("filters", () => {
  test.each(filters)("%o", async (given, isMet) => {
    let found = 0;
    for (const [address_type, words] of [asked[0], asked[8], asked[9]] as typeof asked) {
      for (const address of accounts.slice(0, isLong() ? 2 : 1)) {
        const all = { ...given, address_type, include_expired: "true" };
        const expected = world.filter((named) => meets(address, words)(named) && isMet(named));
        const items = await listAll(address, all);
        expect(namesOf(items), `${address} ${address_type}`).toEqual(namesOf(expected));
        expect((await count(address, { ...given, address_type })).count).toBe(expected.length);
        found += expected.length;
      }
    }
    expect(found > 0).toBe(given.protocol !== "layer2");
  });

  test("may be combined", async () => {
    const [address] = accounts;
    const items = await listAll(address, {
      address_type: "any",
      protocol: "ensv2",
      parent: "eth",
      availability_status: "registered,grace",
      migrated: "true",
    });
    const expected = world.filter(
      (named) =>
        meets(address, ["effective_owner", "role_holder"])(named) &&
        named.row.registry === ETH_REGISTRY &&
        named.isMigrated &&
        named.isActive,
    );
    expect(namesOf(items)).toEqual(namesOf(expected));
  });
});

const sortValueOf: Record<string, (named: Named) => string | number | bigint | null | undefined> = {
  full_name: ({ name }) => name,
  expiry_timestamp: ({ row }) => row.expiryTimestamp,
  registered_timestamp: ({ row }) => row.registeredTimestamp,
  created_timestamp: ({ row }) => row.createdTimestamp,
};

/** Names without a value come last in both directions. The node breaks ties. */
function sorted(some: readonly Named[], sortBy: string, direction: string): string[] {
  const sign = direction === "asc" ? 1 : -1;
  const compare = (a: Named, b: Named): number => {
    const [one, other] = [sortValueOf[sortBy]?.(a) ?? null, sortValueOf[sortBy]?.(b) ?? null];
    if ((one === null) !== (other === null)) return one === null ? 1 : -1;
    if (one !== null && other !== null && one !== other) return one < other ? -sign : sign;
    return a.row.node < b.row.node ? -sign : sign;
  };
  return [...some].sort(compare).map(({ name }) => name);
}

describe.each(Object.keys(sortValueOf).map((column, i) => [column, i] as const))(
  "sorted by %s",
  (sort_by, i) => {
    const directions = ["asc", "desc"];
    test.each(isLong() ? directions : directions.slice(i % 2).slice(0, 1))(
      "%s: by cursors, by pages and at once",
      async (sort_dir) => {
        for (const [address_type, words] of [asked[0], asked[8], asked[9]] as typeof asked) {
          const [, address] = accounts;
          const given = { address_type, include_expired: "true", sort_by, sort_dir };
          const expected = sorted(world.filter(meets(address, words)), sort_by, sort_dir);
          const names = (items: readonly Item[]) => items.map(({ name }) => name);
          expect(names(await listAll(address, given)), "at once").toEqual(expected);
          expect(names(await listAll(address, given, 17)), "by cursors").toEqual(expected);
          const second = await get(`/address/${address}/domains?${queryOf({ ...given, page: "2" })}`);
          expect(names(second.results)).toEqual(expected.slice(25, 50));
          expect(second.total).toBe(expected.length);
        }
      },
    );
  },
);

describe("a look-up of many addresses", () => {
  const others = Array.from({ length: 96 }, (_, i) => account(0xd000 + i));
  const words = asked.slice(1, 9).map(([word]) => word);
  const lookUp = async (inputs: readonly Address[], relations: readonly string[]) => {
    const { status, body } = await api.post("/lookup", { inputs, relations });
    expect(status, JSON.stringify(body)).toBe(200);
    return (body.results as { names: object[] }[]).map(({ names }) => names);
  };

  test("returns for each address what its lists return", async () => {
    const inputs = [...addresses, ...others.slice(0, 20)];
    for (const relations of [words, ["effective_owner"]]) {
      const found = await lookUp(inputs, relations);
      for (const [i, address] of inputs.entries())
        for (const [at, relation] of relations.entries()) {
          const { total, results, next_cursor } = await get(
            `/address/${address}/domains?address_type=${relation}`,
          );
          const expected = { relation, total, results, next_cursor };
          expect(JSON.stringify(found[i]?.[at])).toBe(JSON.stringify(expected));
        }
    }
  });

  test("reads the names of all addresses together, with the number of statements fixed here", async () => {
    const countOf = async (inputs: readonly Address[]) => {
      statements = [];
      await lookUp(inputs, ["effective_owner"]);
      return statements.length;
    };
    const many = Array.from({ length: 100 }, (_, i) => accounts[i % accounts.length] as Address);
    const ofOne = await countOf(many.slice(0, 1));
    // What is read for one list is read once for twenty.
    expect(await countOf(many.slice(0, 20))).toBe(ofOne);
    expect(await countOf(many)).toBeLessThanOrEqual(5 * ofOne);
  });
});
