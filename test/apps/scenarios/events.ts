import { type Address, type Hex, parseEventLogs } from "viem";
import { expect } from "vitest";
import { addressOf, contractOf, ethNode, hashLabel } from "../../../devnet/acts.ts";
import { screen, stage } from "../frame.ts";
import { at } from "../oracle.ts";
import { pages } from "../screens.ts";
import { type Event, isNewestFirst, type Log, logsOf, logsWith, slotOf, slotOfEvent } from "./logs.ts";

/* The portal's timelines. */

/**
 * Logs that concern a name of ENSv1 right under `.eth`, by its node or its labelhash. A log of a child counts for the child only.
 */
async function logsOfName(label: string): Promise<Log[]> {
  const [node, labelhash] = [ethNode(label), hashLabel(label)];
  const labelStore = addressOf(stage.chain, "labelStore").toLowerCase();
  return (await logsOf()).filter(({ address, topics: [, ...topics] }) => {
    const isOfChild = topics[0] === node && topics.length === 2;
    // The store of labels gives a label, and no name.
    const isOfLabel = address === labelStore;
    return topics.some((topic) => topic === node || topic === labelhash) && !isOfChild && !isOfLabel;
  });
}

screen("P5", async ({ list, get }) => {
  const {
    items,
    total,
    pages: read,
  } = await list<Event>("/domain/alice.eth/events?sort_dir=desc&page_size=100", "events");
  expect(isNewestFirst(items)).toBe(true);
  expect(total).toBe(items.length);
  const slots = items.map(slotOfEvent);
  for (const log of await logsOfName("alice")) expect(slots).toContain(slotOf(log));
  const words = new Set(items.map(({ type }) => type));
  for (const word of ["registration", "resolver", "record"]) expect([...words]).toContain(word);
  const { events: oldest } = await get<{ events: Event[] }>(
    "/domain/alice.eth/events?sort_dir=asc&page_size=20&page=1",
  );
  expect(oldest.map(slotOfEvent)).toEqual(slots.toReversed().slice(0, 20));
  return { theirs: read + 1 };
});

screen("P6", async ({ list }) => {
  const { items, total } = await list<Event>(
    "/domain/alice.eth/events?record=text&record_key=url&sort_dir=desc&page_size=200",
    "events",
  );
  expect(total).toBe(items.length);
  expect(isNewestFirst(items)).toBe(true);
  const texts = items.filter(({ event_type }) => event_type === "TextChanged");
  expect(texts.map(({ value }) => value)).toEqual([
    "https://alice.example",
    "https://first.example",
    "https://former.example",
  ]);
  const resolvers = ["resolver5", "resolver5", "resolver4"].map((name) => at(stage, name));
  expect(texts.map(({ contract_address }) => contract_address)).toEqual(resolvers);
  // A new resolver ends the value, too.
  const changes = items.filter(({ event_type }) => event_type === "NewResolver");
  const node = ethNode("alice");
  const set = (await logsOf(addressOf(stage.chain, "registry"))).filter(
    ({ topics }) => topics[0] === NEW_RESOLVER && topics[1] === node,
  );
  expect(changes.map(slotOfEvent)).toEqual(set.map(slotOf).toReversed());
  const cleared = await list<Event>(
    "/domain/paycleared.eth/events?record=addr&coin_type=60&sort_dir=desc&page_size=200",
    "events",
  );
  // A reset names no record and ends all of them: it is the newer of the two logs.
  const kinds = cleared.items.map(({ event_type }) => event_type);
  expect(kinds.filter((kind) => /^(VersionChanged|AddressChanged)$/.test(kind))).toEqual([
    "VersionChanged",
    "AddressChanged",
  ]);
  return { theirs: pages(items.length) + pages(cleared.items.length) };
});

/** `NewResolver(bytes32,address)`. */
const NEW_RESOLVER: Hex = "0x335721b01866dc23fbee8b6b2c7b1e14d6f05c28cd35a2c934239f94095602a0";

screen("P7", async ({ get, list }) => {
  const { alice, carol } = stage.cast;
  const { events: teaser } = await get<{ events: Event[] }>(`/address/${alice}/events?page_size=5`);
  expect(teaser).toHaveLength(5);
  const { items, total } = await list<Event>(`/address/${alice}/events?page_size=200`, "events");
  expect(items.slice(0, 5)).toEqual(teaser);
  expect(isNewestFirst(items)).toBe(true);
  expect(total).toBe(items.length);
  const listed = listedAddresses();
  const slots = new Set(items.filter(({ chain }) => chain === "devnet").map(slotOfEvent));
  const missing = (await logsWith(alice)).filter((log) => listed.has(log.address) && !slots.has(slotOf(log)));
  expect(missing.map(slotOf)).toEqual([]);
  const owned = await list<unknown>(`/address/${alice}/domains?address_type=effective_owner&page_size=200`);
  const many = await list<Event>(`/address/${carol}/events?page_size=200`, "events");
  expect(many.items.length).toBeGreaterThan(600);
  expect(many.total).toBe(many.items.length);
  expect(isNewestFirst(many.items)).toBe(true);
  return { theirs: 1 + [items, owned.items, many.items].reduce((sum, { length }) => sum + pages(length), 0) };
});

/** Contracts of the deployment whose every log is an event. */
const listedAddresses = (): Set<string> =>
  new Set(stage.local.deployment.contracts.map(({ address }) => address.toLowerCase()));

screen("P8", async ({ get }) => {
  const { events } = await get<{ events: Event[] }>("/events?page_size=15");
  expect(events).toHaveLength(15);
  expect(isNewestFirst(events)).toBe(true);
  const newest = events.find(({ chain }) => chain === "devnet");
  const resolver = addressOf(stage.chain, "resolverOfNative");
  expect(newest && slotOfEvent(newest)).toBe((await logsOf(resolver)).map(slotOf).at(-1));
  return { theirs: 1 };
});

screen("P15", async ({ get }) => {
  const wasSet = async (name: string) =>
    (await get<{ total: number }>(`/domain/${name}/events?type=subregistry&page_size=1`)).total > 0;
  expect(await wasSet("native.eth")).toBe(true);
  expect(await wasSet("sold.eth")).toBe(false);
  return { theirs: 2 };
});

screen("P16", async ({ list }) => {
  const registry = addressOf(stage.chain, "registryOfNative");
  const {
    items,
    total,
    pages: read,
  } = await list<Event>(`/contract/${registry}/events?page_size=100`, "events");
  const logs = await knownLogs(registry);
  expect(items.map(slotOfEvent)).toEqual(logs.map(slotOf).toReversed());
  expect(total).toBe(logs.length);
  return { theirs: read };
});

/** Logs of a registry that are events of ENS, and not only of its proxy. */
async function knownLogs(registry: Address): Promise<Log[]> {
  const { abi } = contractOf(stage.chain, "userRegistryCode");
  const all = await logsOf(registry);
  const isKnown = ({ topics, data }: Log) =>
    parseEventLogs({ abi, logs: [{ topics, data } as never] }).length > 0 && topics[0] !== INITIALIZED;
  return all.filter(isKnown);
}

/** `Initialized(uint64)`, which proxies log. */
const INITIALIZED: Hex = "0xc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d2";
