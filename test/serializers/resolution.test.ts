import { describe, expect, test } from "vitest";
import type { DomainState } from "../../src/api/names/resolution/domainState.ts";
import type { Ensv2State } from "../../src/api/names/resolution/ensv2/ensv2State.ts";
import type { Walk } from "../../src/api/names/resolution/ensv2/walk.ts";
import { parseName } from "../../src/api/names/schemas/input.ts";
import { resolutionOf } from "../../src/api/names/serializers/toResolution.ts";
import { ETH_REGISTRY, entryRow, RESOLVER, walkOf } from "../query/ensv2.ts";
import { account, registeredRow, STATIC_RESOLVER } from "../query/rows.ts";

const NOW = 1_800_000_000;
const name = parseName("a.eth");

const stateOf = (fields: object = {}): DomainState =>
  registeredRow("a.eth", account(1), BigInt(NOW + 9), {
    resolver: null,
    ...fields,
  }) as unknown as DomainState;

const entry = (expiry: number) => entryRow(ETH_REGISTRY, "a", { expiry: BigInt(expiry) }) as Walk["entry"];

const ensv2 = (
  records: Ensv2State["records"],
  walk: Partial<Walk>,
  protocol: Ensv2State["protocol"] = "ensv2",
) => ({
  ensv2: {
    protocol,
    records,
    walk: walkOf(walk),
  },
});

const byNode = { kind: "byNode" } as const;
const indexed = (state: DomainState | null) => ({ kind: "known", source: "indexed", state }) as const;
const live = (state: DomainState | null, answeredBy: `0x${string}` | null) =>
  ({ kind: "known", source: "live", state, records: { answeredBy } }) as const;

describe("whether a name resolves", () => {
  test.each([
    ["a resolver of ENSv1", indexed(stateOf({ resolver: STATIC_RESOLVER })), "resolves"],
    ["no resolver in ENSv1", indexed(stateOf()), "no_resolver"],
    ["never registered", { kind: "unregistered", source: "indexed", state: null } as const, "not_registered"],
    ["no one could have it", { kind: "absent", source: "indexed", state: null } as const, "no_resolver"],
    ["the chain, by a resolver above", live(stateOf(), RESOLVER), "resolves"],
    ["the chain, and none", live(stateOf(), null), "no_resolver"],
    ["the chain, of an unknown name", live(null, null), "no_resolver"],
    ["a resolver that is no contract", live(stateOf({ resolver: RESOLVER }), null), "no_answer"],
    [
      "a record by number",
      indexed(
        stateOf(ensv2({ kind: "byNumber", resolver: RESOLVER, record: null }, { entry: entry(NOW + 1) })),
      ),
      "resolves",
    ],
    ["an entry without resolver", indexed(stateOf(ensv2(byNode, { entry: entry(NOW + 1) }))), "no_resolver"],
    ["an entry on its last second", indexed(stateOf(ensv2(byNode, { entry: entry(NOW) }))), "expired"],
    ["a parent that expired", indexed(stateOf(ensv2(byNode, { hasExpired: true }))), "expired_parent"],
    ["no entry", indexed(stateOf(ensv2(byNode, {}))), "no_live_entry"],
    [
      "a name of ENSv1 after the cut-over, whose resolver no longer counts",
      indexed(stateOf({ resolver: STATIC_RESOLVER, ...ensv2({ kind: "nowhere" }, {}, "ensv1") })),
      "no_live_entry",
    ],
    ["a name of ENSv1 before it", indexed(stateOf(ensv2({ kind: "ensv1" }, {}, "ensv1"))), "no_resolver"],
  ] as const)("%s", (_, resolved, word) => {
    expect(resolutionOf(name, resolved, NOW)).toBe(word);
  });

  test("is not said where only the chain can tell, and did not", () => {
    const state = stateOf();
    expect(resolutionOf(name, { kind: "unresolved", source: "indexed", state }, NOW)).toBeUndefined();
    expect(resolutionOf(name, { kind: "resolverNotAsked", source: "indexed", state }, NOW)).toBeUndefined();
    const node = { query: name.node, node: name.node };
    expect(resolutionOf(node, { kind: "absent", source: "indexed", state: null }, NOW)).toBeUndefined();
  });
});
