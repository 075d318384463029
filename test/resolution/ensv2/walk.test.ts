import { ensv2Entry, ensv2Proxy } from "ponder:schema";
import fc from "fast-check";
import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { type Walk, walkNames } from "../../../src/api/names/resolution/ensv2/walk.ts";
import type { Ctx } from "../../../src/api/server/http/context.ts";
import {
  contracts,
  type EntryRow,
  ETH_REGISTRY,
  entryRow,
  FAR,
  labelhashOf,
  proxyRow,
  REGISTRY_CODE,
  RESOLVER_CODE,
  ROOT,
  WRAPPER_CODE,
} from "../../query/ensv2.ts";
import { noChain } from "../../query/noChain.ts";
import { account } from "../../query/rows.ts";
import { useTables } from "../../query/tables.ts";

const NOW = 1_800_000_000;
const WORLDS = 60;

const tables = useTables();

const ctx = (): Ctx => ({ ...noChain, db: tables.db, contracts, now: NOW }) as unknown as Ctx;

const pathOf = (name: string) => name.split(".").reverse().map(labelhashOf);

/** A world of registries as objects: what each holds of a label. */
type World = { entries: Map<Address, Map<string, EntryRow>>; codes: Map<Address, Address> };

/** What the walk has to give, by a loop that asks one registry after the other, label by label. */
function slowWalk({ entries, codes }: World, name: string): Partial<Walk> {
  const labels = name.split(".").reverse();
  const known = [REGISTRY_CODE, WRAPPER_CODE];
  const walk = {
    entry: null as string | null,
    resolver: null as Walk["resolver"],
    isKnown: true,
    isBelowRegistered: false,
    unknown: null as Walk["unknown"],
    missing: null as Walk["missing"],
    pathExpiry: null as bigint | null,
  };
  let registry: Address = ROOT;
  const expiries: bigint[] = [];
  for (const [i, label] of labels.entries()) {
    const code = codes.get(registry);
    if (registry !== ROOT && registry !== ETH_REGISTRY && !(code && known.includes(code))) {
      return { ...walk, isKnown: false, unknown: { registry, depth: i + 1 } } as never;
    }
    const entry = entries.get(registry)?.get(label);
    if (entry === undefined) {
      return { ...walk, missing: { depth: i + 1, isWrapper: code === WRAPPER_CODE } } as never;
    }
    const isLast = i === labels.length - 1;
    if (isLast) {
      walk.entry = `${registry} ${label}`;
      walk.pathExpiry = expiries.sort((a, b) => Number(a - b))[0] ?? null;
    }
    if (!isLast && i > 0 && entry.isRegistered) walk.isBelowRegistered = true;
    if (entry.expiry <= BigInt(NOW)) return (isLast ? walk : { ...walk, hasExpired: true }) as never;
    expiries.push(entry.expiry);
    if (entry.resolver) {
      const isKnown = codes.get(entry.resolver) === RESOLVER_CODE;
      walk.resolver = { address: entry.resolver, depth: i + 1, isKnown };
    }
    if (isLast || !entry.subregistry) return walk as never;
    registry = entry.subregistry;
  }
  return walk as never;
}

const labels = ["eth", "a", "b", "c"];

function randomWorld(pick: <T>(of: readonly [T, ...T[]] | readonly T[]) => T): World {
  const registries = [ROOT, ETH_REGISTRY, ...[1, 2, 3, 4].map((n) => account(0x3000 + n))];
  const resolvers = [1, 2, 3].map((n) => account(0x4000 + n));
  const codes = new Map<Address, Address>();
  for (const one of registries.slice(2)) {
    const code = pick([REGISTRY_CODE, REGISTRY_CODE, WRAPPER_CODE, account(0x5000), null]);
    if (code) codes.set(one, code);
  }
  for (const one of resolvers.slice(1)) codes.set(one, RESOLVER_CODE);
  const expiries = [0n, ...[-1, 0, 1, 1_000].map((seconds) => BigInt(NOW + seconds)), FAR, FAR, FAR];
  const entries = new Map(
    registries.map((registry) => {
      const held = labels.filter(() => pick([true, true, false]));
      const rows = held.map((label) => {
        const fields = {
          expiry: pick(expiries),
          subregistry: pick([...registries, null]),
          resolver: pick([...resolvers, null, null]),
          isRegistered: pick([true, true, false]),
        };
        return [label, entryRow(registry, label, fields)] as const;
      });
      return [registry, new Map(rows)] as const;
    }),
  );
  entries.get(ROOT)?.set("eth", entryRow(ROOT, "eth", { subregistry: ETH_REGISTRY }));
  return { entries, codes };
}

async function write({ entries, codes }: World) {
  await tables.writer.delete(ensv2Entry);
  await tables.writer.delete(ensv2Proxy);
  await tables.writer.insert(ensv2Entry).values([...entries.values()].flatMap((rows) => [...rows.values()]));
  const proxies = [...codes].map(([address, code]) => proxyRow(address, code));
  if (proxies.length > 0) await tables.writer.insert(ensv2Proxy).values(proxies);
}

/** All names of up to `depth` labels. */
const namesOf = (depth: number): string[] =>
  depth === 0
    ? []
    : [...labels, ...namesOf(depth - 1).flatMap((name) => labels.map((label) => `${label}.${name}`))];

describe("walks from the root registry", () => {
  test(`are those of a loop that asks each registry, in ${WORLDS} random worlds`, async () => {
    const names = namesOf(4);
    const seen = { entry: 0, resolver: 0, unknown: 0, wrapper: 0, below: 0, expired: 0 };
    const holds = fc.asyncProperty(fc.gen(), async (gen) => {
      const made = randomWorld((of) => gen(fc.constantFrom, ...of));
      await write(made);
      const walks = await walkNames(ctx(), names.map(pathOf));
      for (const [i, name] of names.entries()) {
        const { entry, registeredAbove, ...walk } = walks[i] as Walk;
        expect(registeredAbove !== null, name).toBe(walk.isBelowRegistered);
        const found = entry && `${entry.registry} ${name.split(".")[0]}`;
        expect({ ...walk, entry: found }, name).toEqual(slowWalk(made, name));
        if (entry) seen.entry++;
        if (walk.resolver && walk.resolver.depth < name.split(".").length) seen.resolver++;
        if (walk.unknown) seen.unknown++;
        if (walk.missing?.isWrapper) seen.wrapper++;
        if (walk.isBelowRegistered) seen.below++;
        if (walk.hasExpired) seen.expired++;
      }
    });
    await fc.assert(holds, { numRuns: WORLDS });
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(WORLDS);
  });

  test.each([
    [-1, false],
    [0, false],
    [1, true],
  ])("an entry that expires %i seconds after now is gone through: %s", async (seconds, isOpen) => {
    const sub = account(0x3001);
    const expiry = BigInt(NOW + seconds);
    await write({
      codes: new Map([[sub, REGISTRY_CODE]]),
      entries: new Map([
        [ROOT, new Map([["eth", entryRow(ROOT, "eth", { subregistry: ETH_REGISTRY })]])],
        [
          ETH_REGISTRY,
          new Map([["a", entryRow(ETH_REGISTRY, "a", { expiry, subregistry: sub, resolver: account(7) })]]),
        ],
        [sub, new Map([["b", entryRow(sub, "b")]])],
      ]),
    });
    const [parent, child] = await walkNames(ctx(), ["a.eth", "b.a.eth"].map(pathOf));
    expect(parent?.entry).not.toBeNull();
    expect(parent?.resolver?.depth ?? null).toBe(isOpen ? 2 : null);
    expect(child?.entry !== null).toBe(isOpen);
    expect(child?.isBelowRegistered).toBe(true);
  });

  test("of the longest names end, also where a registry hangs below itself", async () => {
    const loop = entryRow(ETH_REGISTRY, "a", { subregistry: ETH_REGISTRY, resolver: account(7) });
    await write({
      codes: new Map(),
      entries: new Map([
        [ROOT, new Map([["eth", entryRow(ROOT, "eth", { subregistry: ETH_REGISTRY })]])],
        [ETH_REGISTRY, new Map([["a", loop]])],
      ]),
    });
    const name = `${"a.".repeat(510)}eth`;
    const [walk] = await walkNames(ctx(), [pathOf(name)]);
    expect(walk?.resolver?.depth).toBe(511);
  });
});
