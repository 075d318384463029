import { addressRecord, domain, event, primaryName, resolverNode, textRecord } from "ponder:schema";
import { type Address, toHex } from "viem";
import { beforeAll } from "vitest";
import { reverseNode } from "../../src/api/names/schemas/input.ts";
import { coinTypeOfChain, DEFAULT_COIN_TYPE } from "../../src/ens/coinType.ts";
import { ADDR_REVERSE_NODE, nameByNode } from "../../src/ens/name.ts";
import { type TestApi, useApi } from "./api.ts";
import {
  account,
  addressRow,
  alice,
  bob,
  DAY,
  DEFAULT_ADDRESS_RESOLVER,
  type DomainRow,
  domainRow,
  eventRow,
  inDays,
  NOW,
  ownedBy,
  PARENT_CANNOT_CONTROL,
  primaryNameRow,
  registeredRow,
  STATIC_RESOLVER,
  STRANGE_RESOLVER,
  subnameRow,
  textRow,
  versionRow,
  WRAPPER,
  wrappedBy,
} from "./rows.ts";
import { type Tables, useTables } from "./tables.ts";

/* A small index that several files ask about: names of every kind, by their state, and their records. */

const OF_ETH = PARENT_CANNOT_CONTROL | 131_072 | 1;

const eth = (label: string, days: number, fields: Partial<DomainRow> = {}) =>
  registeredRow(`${label}.eth`, alice, inDays(days), { resolver: STATIC_RESOLVER, ...fields });

const wrappedEth = (label: string, days: number, until: bigint) =>
  registeredRow(`${label}.eth`, WRAPPER, inDays(days), {
    ...wrappedBy(alice, until, OF_ETH),
    resolver: STATIC_RESOLVER,
  });

const at = <Row extends DomainRow>(row: Row, resolver: Address = STATIC_RESOLVER) => ({ ...row, resolver });

/** The second before the test's time. */
const JUST_OVER = BigInt(NOW - 1);

/** A name whose text is so long that it is known only by its node. */
export const deep = at(domainRow("deep.strange.eth", ownedBy(alice)), STRANGE_RESOLVER);
export const DEEP_NAME = nameByNode(deep.node);

type State = "registered" | "grace" | "premium" | "available" | "unknown";

/** Unless their rows say otherwise, alice owns them and the static resolver answers for them. */
const world: Record<State, DomainRow[]> = {
  registered: [
    at(domainRow("eth", ownedBy(account(0xe2)))),
    eth("alice", 100),
    at(registeredRow("malice.eth", bob, inDays(80))),
    at(registeredRow("ALICE2.eth", bob, inDays(400))),
    eth("soon", 30, { resolver: DEFAULT_ADDRESS_RESOLVER }),
    eth("managed", 100, { registryOwner: bob }),
    eth("strange", 1, { resolver: STRANGE_RESOLVER }),
    // None of these has a resolver, or records in the index that suffice.
    eth("bare", 100, { resolver: null }),
    ...["cleared", "empty", "legacy", "olddefault"].map((label) => eth(label, 100)),
    eth("default", 100, { resolver: DEFAULT_ADDRESS_RESOLVER }),
    wrappedEth("wrapped", 10, inDays(100)),
    // Renewed at the registrar alone: the NameWrapper owns it since the token ended.
    wrappedEth("lapsed", 300, JUST_OVER),
    at(domainRow("sub.alice.eth", ownedBy(alice))),
    at(domainRow("100%_\\.alice.eth", ownedBy(bob))),
    at(subnameRow("sub.wrapped.eth", alice, inDays(5))),
    at(subnameRow("plain.wrapped.eth", alice, JUST_OVER, 0)),
    at(domainRow("endless.wrapped.eth", wrappedBy(alice, 0n, 0))),
    at(domainRow("retaken.wrapped.eth", { ...ownedBy(bob), wrapperOwner: alice, wrapperFuses: 0 })),
    { ...deep, fullName: DEEP_NAME },
  ],
  grace: [eth("grace", -90)],
  premium: [at(registeredRow("premium.eth", alice, BigInt(NOW - 90 * DAY - 1)))],
  available: [
    eth("ended", -111),
    at(domainRow("ghost.eth")),
    // Never moved to the current registry, or to a registrar.
    at(domainRow("relic.eth", { ...ownedBy(alice), isMigrated: false }), STRANGE_RESOLVER),
    domainRow("old.eth", ownedBy(alice)),
  ],
  unknown: [
    at(domainRow("deleted.alice.eth")),
    at(subnameRow("ended.wrapped.eth", alice, JUST_OVER)),
    domainRow("addr.reverse", { node: ADDR_REVERSE_NODE }),
  ],
};

export const states = Object.keys(world) as State[];

/** Each name with its row and state. */
export const known = states.flatMap((state) =>
  world[state].map((row) => ({ name: row.fullName, row, state })),
);

/** The owner in force. */
export const ownerOf = ({ fullName, effectiveOwnerAddress }: DomainRow): Address | null =>
  ["lapsed.eth", "ended.wrapped.eth"].includes(fullName) ? WRAPPER : (effectiveOwnerAddress ?? null);

/** Names in an answer's order. */
export const namesOf = (some: readonly { name: string }[]) => some.map(({ name }) => name).sort();

const resolverEvent = (name: string, block: number, eventType: string, details: object) =>
  eventRow(
    { block },
    {
      contract: "RESOLVER",
      eventType,
      node: versionRow(name).node,
      contractAddress: STATIC_RESOLVER,
      details: JSON.stringify(details),
    },
  );

const atStrange = { resolver: STRANGE_RESOLVER };
const key = { x: toHex(1, { size: 32 }), y: toHex(2, { size: 32 }) };

async function fillWorld({ writer }: Pick<Tables, "writer">): Promise<void> {
  const reverse = { node: reverseNode(alice), parentNode: ADDR_REVERSE_NODE, ...ownedBy(alice) };
  await writer
    .insert(domain)
    .values([
      ...known.map(({ row }) => row),
      domainRow("", { parentNode: null, labelhash: null }),
      at(domainRow(`${alice.slice(2)}.addr.reverse`, reverse)),
    ]);
  await writer
    .insert(resolverNode)
    .values([
      versionRow("alice.eth", { contenthash: "0xe301", name: "alice.eth" }),
      versionRow("cleared.eth", { version: 2 }),
      versionRow("empty.eth", { name: "a\u24000\u2400\u24000" }),
      versionRow("", { node: reverseNode(alice), name: "alice.eth" }),
    ]);
  await writer
    .insert(textRecord)
    .values([
      textRow("alice.eth", "url", "https://alice.example"),
      textRow("alice.eth", "email", null),
      textRow("alice.eth", "__proto__", "odd"),
      textRow("alice.eth", "a/b c", "slash"),
      textRow("alice.eth", "n\0ul", "v\u2400", { exact: JSON.stringify({ key: "n\0ul", value: "v\0" }) }),
      textRow("alice.eth", "url", "of another resolver", atStrange),
      textRow("alice.eth", "display", "ALICE.eth", atStrange),
      textRow("cleared.eth", "url", "version 1", { version: 1 }),
      textRow("cleared.eth", "avatar", "version 2", { version: 2 }),
      textRow("cleared.eth", "display", "CLEARED.eth", { version: 1 }),
      textRow("cleared.eth", "display", "Cleared.eth", { version: 2 }),
      textRow("strange.eth", "display", "Strange.eth", atStrange),
      textRow("legacy.eth", "url", null, { isValueKnown: false }),
      textRow("legacy.eth", "email", "known"),
    ]);
  await writer.insert(addressRecord).values([
    addressRow("alice.eth", 60, alice),
    addressRow("alice.eth", 0, "0x0014aabb"),
    addressRow("alice.eth", 2147483658, account(0)),
    addressRow("alice.eth", 2, null),
    addressRow("cleared.eth", 60, alice, { version: 1 }),
    ...["default.eth", "olddefault.eth"].flatMap((name) => {
      const resolver = name === "default.eth" ? DEFAULT_ADDRESS_RESOLVER : STATIC_RESOLVER;
      return [
        addressRow(name, DEFAULT_COIN_TYPE, bob, { resolver }),
        addressRow(name, coinTypeOfChain(10), alice, { resolver }),
        addressRow(name, coinTypeOfChain(42_161), account(0), { resolver }),
        addressRow(name, coinTypeOfChain(8_453), null, { resolver }),
      ];
    }),
  ]);
  await writer.insert(primaryName).values([primaryNameRow(bob, "default.eth")]);
  await writer.insert(event).values([
    resolverEvent("alice.eth", 1, "ABIChanged", { contentType: "1" }),
    resolverEvent("alice.eth", 2, "ABIChanged", { contentType: "8" }),
    resolverEvent("alice.eth", 3, "InterfaceChanged", { interfaceID: "0x11111111", implementer: alice }),
    resolverEvent("alice.eth", 4, "InterfaceChanged", { interfaceID: "0x11111111", implementer: bob }),
    resolverEvent("alice.eth", 5, "InterfaceChanged", { interfaceID: "0x22222222", implementer: alice }),
    resolverEvent("alice.eth", 6, "InterfaceChanged", {
      interfaceID: "0x22222222",
      implementer: account(0),
    }),
    resolverEvent("alice.eth", 7, "PubkeyChanged", key),
    resolverEvent("cleared.eth", 10, "VersionChanged", { newVersion: "1" }),
    resolverEvent("cleared.eth", 11, "PubkeyChanged", key),
    resolverEvent("cleared.eth", 12, "ABIChanged", { contentType: "1" }),
    resolverEvent("cleared.eth", 13, "VersionChanged", { newVersion: "2" }),
    resolverEvent("cleared.eth", 14, "ABIChanged", { contentType: "4" }),
  ]);
}

/** These tables, and the API on them. */
export function useWorld(): { tables: Tables; api: TestApi } {
  const tables = useTables();
  beforeAll(() => fillWorld(tables));
  return { tables, api: useApi(tables, NOW) };
}
