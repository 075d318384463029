import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import type { DomainState } from "../../../src/api/names/resolution/domainState.ts";
import { decideEnsv2 } from "../../../src/api/names/resolution/ensv2/ensv2Decision.ts";
import type { Walk, Way } from "../../../src/api/names/resolution/ensv2/walk.ts";
import { parseName } from "../../../src/api/names/schemas/input.ts";
import {
  contracts,
  ENSV1_RESOLVER,
  type EntryRow,
  ETH_REGISTRY,
  entryRow,
  NODE_RESOLVER,
  RESOLVER,
  reservedRow,
  STRANGE,
  walkOf,
} from "../../query/ensv2.ts";
import { BASE_BRIDGE, contracts as layer2 } from "../../query/layer2.ts";
import { account, domainRow, registeredRow, STATIC_RESOLVER } from "../../query/rows.ts";

const NOW = 1_800_000_000;
const alice = account(0xa11ce);
const bob = account(0xb0b);

const way = (walk: Partial<Walk>, fields: Partial<Omit<Way, "walk">> = {}): Way => ({
  walk: walkOf(walk),
  isLeft: false,
  phases: new Set<string>(),
  ...fields,
});

const at = (address: Address, isKnown = false): Partial<Walk> => ({
  resolver: { address, depth: 2, isKnown },
});
const entryOf = (label: string, fields: Partial<EntryRow> = {}): Partial<Walk> => ({
  entry: entryRow(ETH_REGISTRY, label, { owner: alice, ...fields }) as Walk["entry"],
});
const reserved: Partial<Walk> = { entry: reservedRow("a", BigInt(NOW + 9)) as Walk["entry"] };

const inPublic = { phases: new Set(["public"]) };
const ofEnsv1 = (name: string, fields: object = {}) =>
  (name.split(".").length === 2
    ? registeredRow(name, bob, BigInt(NOW + 9), { resolver: STATIC_RESOLVER, ...fields })
    : domainRow(name, {
        registryOwner: bob,
        effectiveOwnerAddress: bob,
        resolver: STATIC_RESOLVER,
        ...fields,
      })) as unknown as DomainState;

const decided = (name: string, row: DomainState | undefined, by: Way) =>
  decideEnsv2({ requested: parseName(name), row, way: by }, { contracts, now: NOW });

const plain = ofEnsv1("a.eth");
const sub = ofEnsv1("x.a.eth");

describe("the system that answers, and the source of records", () => {
  test.each<[string, string, DomainState | undefined, Way, string, string]>([
    ["a name that ENSv2 does not have", "a.eth", plain, way({}), "ensv1", "ensv1"],
    ["a reservation", "a.eth", plain, way(reserved), "ensv1", "ensv1"],
    ["the same, at ENSv2's Universal Resolver", "a.eth", plain, way(reserved, inPublic), "ensv1", "nowhere"],
    [
      "the same, where the way leads to ENSv1",
      "a.eth",
      plain,
      way({ ...reserved, ...at(ENSV1_RESOLVER) }, inPublic),
      ...(["ensv1", "ensv1"] as const),
    ],
    [
      "the same, where it leads to another resolver",
      "a.eth",
      plain,
      way({ ...reserved, ...at(STRANGE) }, inPublic),
      ...(["ensv1", "chain"] as const),
    ],
    ["a registered name without resolver", "a.eth", plain, way(entryOf("a")), "ensv2", "byNode"],
    [
      "at a resolver with numbers",
      "a.eth",
      plain,
      way({ ...entryOf("a"), ...at(RESOLVER, true) }),
      ...(["ensv2", "byNumber"] as const),
    ],
    [
      "at a listed resolver",
      "a.eth",
      plain,
      way({ ...entryOf("a"), ...at(NODE_RESOLVER) }),
      ...(["ensv2", "byNode"] as const),
    ],
    [
      "at an unknown one",
      "a.eth",
      plain,
      way({ ...entryOf("a"), ...at(STRANGE) }),
      ...(["ensv2", "chain"] as const),
    ],
    [
      "a name that was of ENSv2",
      "a.eth",
      { ...plain, registry: ETH_REGISTRY },
      way({}),
      ...(["ensv2", "byNode"] as const),
    ],
    [
      "below a registered name",
      "x.a.eth",
      sub,
      way({ isBelowRegistered: true }),
      ...(["ensv2", "byNode"] as const),
    ],
    [
      "the same, left to ENSv1",
      "x.a.eth",
      sub,
      way({ isBelowRegistered: true }, { isLeft: true, ...inPublic }),
      ...(["ensv1", "ensv1"] as const),
    ],
    ["below an unknown registry", "x.a.eth", sub, way({ isKnown: false }), "ensv2", "chain"],
  ])("%s (%s)", (_, name, row, by, protocol, records) => {
    const found = decided(name, row, by);
    expect(found).toMatchObject({
      isInRegistry: true,
      state: { ensv2: { protocol, records: { kind: records } } },
    });
    const owner = found?.state.effectiveOwnerAddress;
    expect(owner).toBe(protocol === "ensv1" ? bob : by.walk.entry ? alice : null);
  });
});

describe("a name without row", () => {
  test.each<[string, string, Way, boolean | null]>([
    ["whose entry is registered is stored", "x.a.eth", way(entryOf("x")), true],
    [
      "below a resolver is not stored",
      "x.a.eth",
      way({ isBelowRegistered: true, ...at(RESOLVER, true) }),
      false,
    ],
    ["below an unknown registry is not stored", "x.a.eth", way({ isKnown: false }), false],
    ["that ENSv1 would answer for is nothing", "x.a.eth", way({}), null],
    ["under .eth that is reserved is kept by ENSv2", "a.eth", way(reserved), true],
    ["of another name that is reserved is nothing", "x.a.eth", way(reserved), null],
    ["that no resolver answers for is nothing", "a.eth", way({}, inPublic), null],
  ])("%s", (_, name, by, isInRegistry) => {
    expect(decided(name, undefined, by)?.isInRegistry ?? null).toBe(isInRegistry);
  });

  test("below a resolver that asks a layer 2 is nothing: the rules of that layer 2 tell of it", () => {
    const by = way({ isBelowRegistered: true, ...at(BASE_BRIDGE) });
    const requested = { requested: parseName("x.base.eth"), row: undefined, way: by };
    expect(decideEnsv2(requested, { contracts, now: NOW })?.isInRegistry).toBe(false);
    const both = { ...contracts, managed: layer2.managed };
    expect(decideEnsv2(requested, { contracts: both, now: NOW })).toBeNull();
  });

  test("that is requested by its node is nothing: its text is not known", () => {
    const { node } = parseName("x.a.eth");
    const by = way({ isBelowRegistered: true, ...at(RESOLVER, true) });
    const requested = { query: node, node };
    expect(decideEnsv2({ requested, row: undefined, way: by }, { contracts, now: NOW })).toBeNull();
  });
});

test("of an entry counts what its registry answers: after the expiry the last holder of a .eth name alone", () => {
  const pathExpiry = BigInt(NOW + 50);
  for (const [seconds, isLive] of [
    [1, true],
    [0, false],
  ] as const) {
    const by = way({ ...entryOf("a", { expiry: BigInt(NOW + seconds), resolver: RESOLVER }), pathExpiry });
    const resolver = isLive ? RESOLVER : null;
    const ofEth = decided("a.eth", plain, by)?.state;
    expect(ofEth).toMatchObject({ effectiveOwnerAddress: alice, resolver, pathExpiryTimestamp: pathExpiry });
    const ofSub = decided("x.a.eth", sub, by)?.state;
    expect(ofSub).toMatchObject({
      effectiveOwnerAddress: isLive ? alice : null,
      resolver,
      registryOwner: null,
    });
  }
});
