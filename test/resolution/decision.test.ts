import type { Address } from "viem";
import { describe, expect, test } from "vitest";
import { type Decision, decide } from "../../src/api/names/resolution/decision.ts";
import { type DomainState, noOwners } from "../../src/api/names/resolution/domainState.ts";
import type { Ensv2State, RecordsSource } from "../../src/api/names/resolution/ensv2/ensv2State.ts";
import type { Walk } from "../../src/api/names/resolution/ensv2/walk.ts";
import type { NameFacts } from "../../src/api/names/resolution/nameFacts.ts";
import { parseName } from "../../src/api/names/schemas/input.ts";
import { ROOT_NODE } from "../../src/ens/name.ts";
import { BASE, BASE_BRIDGE, BASE_RESOLVER, contracts } from "../query/layer2.ts";
import { account, CHAIN_ID, STATIC_RESOLVER } from "../query/rows.ts";

const UNLISTED = account(0xee);

/** What the index has of a name, with a resolver and an expiry unless said otherwise. */
function stateOf(name: string, fields: Partial<DomainState> = {}): DomainState {
  const { node, parentNode, labelhash, label, labelLength } = parseName(name);
  return {
    chainId: CHAIN_ID,
    node,
    parentNode,
    labelhash,
    label,
    labelLength,
    fullName: name,
    ...noOwners,
    expiryTimestamp: 2_000_000_000n,
    resolver: STATIC_RESOLVER,
    registry: null,
    displayText: null,
    effectiveOwnerAddress: account(1),
    ...fields,
  };
}

const stored = (name: string, fields: Partial<DomainState> = {}): NameFacts => ({
  requested: parseName(name),
  indexed: { isInRegistry: true, state: stateOf(name, fields) },
  resolversAbove: [],
});

/** A name that the index does not have, with the resolvers of the names above it, nearest first. */
const missing = (name: string, ...resolversAbove: (Address | null)[]): NameFacts => ({
  requested: parseName(name),
  indexed: null,
  resolversAbove,
});

const walk: Walk = {
  entry: null,
  resolver: null,
  isKnown: true,
  pathExpiry: null,
  isBelowRegistered: true,
  registeredAbove: null,
  unknown: null,
  missing: null,
};
const ofEnsv2 = (records: RecordsSource, way: Partial<Walk> = {}): Ensv2State => ({
  protocol: "ensv2",
  walk: { ...walk, ...way },
  records,
});

/** A name that no registry has, below a resolver of ENSv2 or a registry of unknown code. */
const unstored = (name: string, ensv2: Ensv2State): NameFacts => ({
  requested: parseName(name),
  indexed: { isInRegistry: false, state: stateOf(name, { resolver: null, expiryTimestamp: null, ensv2 }) },
  resolversAbove: [],
});

const above = (isKnown: boolean): Partial<Walk> => ({
  resolver: { address: account(7), depth: 2, isKnown },
});
const byNumber: RecordsSource = { kind: "byNumber", resolver: account(7), record: null };
const chain: RecordsSource = { kind: "chain" };
const nameOf = (facts: NameFacts) =>
  "name" in facts.requested ? facts.requested.name : facts.requested.query;

const table: [string, NameFacts, Decision["kind"]][] = [
  ["an indexed resolver", stored("alice.eth"), "indexed"],
  ["a resolver that is not", stored("alice.eth", { resolver: UNLISTED }), "chainForResolver"],
  ["no resolver: one above may answer", stored("alice.eth", { resolver: null }), "chainForResolver"],
  [
    "no resolver, and never registered: .eth does not answer for it",
    stored("alice.eth", { resolver: null, expiryTimestamp: null }),
    "indexed",
  ],
  [
    "the same of a subname",
    stored("a.alice.eth", { resolver: null, expiryTimestamp: null }),
    "chainForResolver",
  ],
  [
    "an indexed resolver of a layer 2",
    stored("a.base.eth", { chainId: BASE, resolver: BASE_RESOLVER }),
    "indexed",
  ],
  [
    "the same address on the main chain",
    stored("a.base.eth", { resolver: BASE_RESOLVER }),
    "chainForResolver",
  ],
  [
    "a wrapped name whose token may have another end than the index knows",
    stored("alice.eth", { isWrapped: true, unexplainedRenewals: 1 }),
    "chain",
  ],
  ["the same, unwrapped", stored("alice.eth", { unexplainedRenewals: 1 }), "indexed"],
  [
    "the root",
    {
      requested: { query: ROOT_NODE, node: ROOT_NODE },
      resolversAbove: [],
      indexed: { isInRegistry: true, state: stateOf("x.eth", { node: ROOT_NODE, resolver: UNLISTED }) },
    },
    "indexed",
  ],

  ["nothing, right under .eth", missing("nothing.eth"), "unregistered"],
  ["nothing, and no resolver above", missing("a.nothing.eth", null, null), "absent"],
  ["nothing, below an indexed resolver", missing("a.alice.eth", STATIC_RESOLVER), "absent"],
  ["nothing, below one that is not", missing("a.alice.eth", UNLISTED), "chain"],
  ["nothing: the nearest resolver decides", missing("a.b.alice.eth", STATIC_RESOLVER, UNLISTED), "absent"],
  ["nothing: one without resolver does not", missing("a.b.alice.eth", null, UNLISTED), "chain"],
  ["nothing in the registrar of a layer 2", missing("nothing.base.eth", BASE_BRIDGE, null), "unregistered"],
  ["nothing below a name there", missing("a.b.base.eth", null, BASE_BRIDGE), "chain"],
  ["nothing, where base.eth asks no layer 2", missing("nothing.base.eth", UNLISTED, null), "chain"],
  [
    "nothing, by node",
    { ...missing("a.eth", UNLISTED), requested: { query: "0x01", node: "0x01" } },
    "absent",
  ],

  ["ENSv2: records under the node", stored("a.eth", { ensv2: ofEnsv2({ kind: "byNode" }) }), "indexed"],
  [
    "ENSv2: records under a number",
    stored("a.eth", { resolver: UNLISTED, ensv2: ofEnsv2(byNumber) }),
    "indexed",
  ],
  ["ENSv2: an unknown resolver", stored("a.eth", { ensv2: ofEnsv2(chain) }), "chainForResolver"],
  [
    "ENSv2: an unknown registry above",
    stored("a.b.eth", { ensv2: ofEnsv2(chain, { isKnown: false }) }),
    "chain",
  ],
  [
    "ENSv1, whose resolver no longer counts",
    stored("a.eth", { resolver: UNLISTED, ensv2: { ...ofEnsv2({ kind: "nowhere" }), protocol: "ensv1" } }),
    "indexed",
  ],
  [
    "ENSv1, by its own rules",
    stored("a.eth", { resolver: UNLISTED, ensv2: { ...ofEnsv2({ kind: "ensv1" }), protocol: "ensv1" } }),
    "chainForResolver",
  ],
  ["in no registry, below a known resolver", unstored("x.a.eth", ofEnsv2(byNumber, above(true))), "indexed"],
  ["in no registry, below an unknown one", unstored("x.a.eth", ofEnsv2(chain, above(false))), "chain"],
  ["in no registry, below none", unstored("x.a.eth", ofEnsv2({ kind: "byNode" })), "absent"],
  ["in no registry, right under .eth", unstored("x.eth", ofEnsv2({ kind: "byNode" })), "unregistered"],
];

describe("who can tell of a name", () => {
  test.each(table.map(([what, facts, kind]) => [what, nameOf(facts), kind, facts] as const))(
    "%s (%s): %s",
    (_, __, kind, facts) => {
      const decision = decide(facts, contracts);
      expect(decision.kind).toBe(kind);
      // What the index has of the newest block is in the decision, for an answer without the chain.
      const hasState = kind === "indexed" || kind === "chainForResolver";
      expect("state" in decision && decision.state).toBe(hasState && facts.indexed?.state);
    },
  );
});
