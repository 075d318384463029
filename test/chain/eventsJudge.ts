import { type Abi, type Address, decodeEventLog, getAddress, type Hex, numberToHex } from "viem";
import { expect } from "vitest";
import { agentAdapterAbi } from "../../abis/agentAdapter.ts";
import * as controllers from "../../abis/controllers.ts";
import * as ensv2 from "../../abis/ensv2.ts";
import { nameWrapperAbi } from "../../abis/nameWrapper.ts";
import { priceFeedAbi } from "../../abis/priceFeed.ts";
import { auctionRegistrarAbi, basenamesRegistrarAbi, registrarAbi } from "../../abis/registrar.ts";
import { registryAbi } from "../../abis/registry.ts";
import { listedResolverAbi, resolverAbi, resolverUnindexedKeyAbi } from "../../abis/resolver.ts";
import * as reverse from "../../abis/reverse.ts";
import { isSlow } from "../support/size.ts";
import { request } from "../truth/chainReads.ts";
import { eventsWithTopic, topicOf } from "../truth/eventTopics.ts";
import type { ApiEvent } from "./stage.ts";

/*
 * The lists of events, judged by the nodes' logs: `eth_getLogs`, decoded here. A log's relation to an address or a contract
 * follows from its arguments alone, never from the product's tables.
 */

/** A chain whose logs are indexed. */
export type JudgedChain = { name: string; chainId: number; rpcUrl: string };

type Ask = <Body>(path: string) => Promise<{ status: number; body: Body }>;

/** A log as its node has it, with its arguments. */
type Decoded = { place: string; address: Hex; eventName: string; parties: Set<string>; moved: bigint[] };

const abi: Abi = [
  registryAbi,
  registrarAbi,
  basenamesRegistrarAbi,
  auctionRegistrarAbi,
  nameWrapperAbi,
  agentAdapterAbi,
  resolverAbi,
  listedResolverAbi,
  resolverUnindexedKeyAbi,
  ensv2.ensv2RegistryAbi,
  ensv2.ensv2ResolverAbi,
  ensv2.ensv2RegistrarAbi,
  ensv2.ensv2FactoryAbi,
  ensv2.ensv2LabelStoreAbi,
  ensv2.upgradedAbi,
  reverse.reverseRegistrarAbi,
  reverse.basenamesReverseRegistrarAbi,
  reverse.nameForAddrAbi,
  reverse.defaultReverseRegistrarAbi,
  controllers.controllerCostAbi,
  controllers.controllerPremiumAbi,
  controllers.controllerReferrerAbi,
  controllers.basenamesControllerAbi,
  controllers.lineanamesControllerAbi,
  controllers.renewalReferrerAbi,
  priceFeedAbi,
].flat() as unknown as Abi;

const topics = new Set(abi.flatMap((item) => (item.type === "event" ? [topicOf(item)] : [])));

/** Arguments that name who acts, gives or receives, by event: all contracts use these words alike. */
const words = [
  "from",
  "to",
  "owner",
  "newOwner",
  "operator",
  "sender",
  "account",
  "approved",
  "bidder",
  "registeredBy",
];
/** Events that name an address for another purpose, or that anyone's contract can log about anyone. */
const ofNoParty = [
  "AuthorisationChanged",
  "Approved",
  "OwnershipTransferred",
  "ControllerChanged",
  "ControllerAdded",
  "PriceOracleChanged",
  "ETHPaymentProcessed",
  "DiscountApplied",
  "NewPriceOracle",
];

const ZERO = `0x${"0".repeat(40)}`;
const isAddress = (value: unknown): value is string =>
  typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) && value !== ZERO;

function partiesOf(eventName: string, args: Record<string, unknown>): Set<string> {
  if (ofNoParty.includes(eventName)) return new Set();
  const claimed = ["ReverseClaimed", "BaseReverseClaimed", "NameForAddrChanged"].includes(eventName);
  const named = claimed ? [args.addr] : words.map((word) => args[word]);
  return new Set(named.filter(isAddress).map((address) => address.toLowerCase()));
}

type RawLog = { address: Hex; topics: [Hex, ...Hex[]]; data: Hex; blockNumber: Hex; logIndex: Hex };

const placeOf = ({
  chain,
  block_number,
  log_index,
}: Pick<ApiEvent, "chain" | "block_number" | "log_index">) => `${chain}/${block_number}/${log_index}`;

async function readLogs({ name, rpcUrl }: JudgedChain, toBlock: number): Promise<Decoded[]> {
  const range = { fromBlock: "0x0", toBlock: numberToHex(toBlock) };
  const raw = await request<RawLog[]>(rpcUrl, "eth_getLogs", [range]);
  return raw
    .filter((log) => topics.has(log.topics[0]))
    .map((log) => ({
      place: `${name}/${Number(log.blockNumber)}/${Number(log.logIndex)}`,
      address: log.address.toLowerCase() as Hex,
      ...decode(log),
    }));
}

/** How many of each token a token log moves, in the order of its events. */
const movedBy = ({ value, values }: Record<string, unknown>): bigint[] =>
  typeof value === "bigint" ? [value] : Array.isArray(values) ? values : [];

function decode({ topics, data }: RawLog): Omit<Decoded, "place" | "address"> {
  for (const event of eventsWithTopic(abi, topics[0])) {
    try {
      const { eventName, args } = decodeEventLog({ abi: [event], topics, data });
      const named = (args ?? {}) as unknown as Record<string, unknown>;
      const parties = partiesOf(eventName as string, named);
      return { eventName: eventName as string, parties, moved: movedBy(named) };
    } catch {
      // Another contract has the event with other indexed arguments.
    }
  }
  return { eventName: "", parties: new Set(), moved: [] };
}

type Page = { events: ApiEvent[]; total?: number; next_cursor: string | null; is_incomplete?: true };

/** All pages of a list. They continue by cursor, and no page repeats an event of another one. */
async function readAll(ask: Ask, path: string, pageSize = 200): Promise<ApiEvent[]> {
  const events: ApiEvent[] = [];
  let cursor: string | null = null;
  const totals = new Set<number | undefined>();
  const query = `${path}${path.includes("?") ? "&" : "?"}page_size=${pageSize}`;
  do {
    const { status, body }: { status: number; body: Page } = await ask<Page>(
      cursor === null ? query : `${query}&cursor=${cursor}`,
    );
    expect(status, `${query}: ${JSON.stringify(body).slice(0, 300)}`).toBe(200);
    events.push(...body.events);
    totals.add(body.total);
    cursor = body.next_cursor;
  } while (cursor !== null);
  expect([...totals], query).toEqual([events.length]);
  expect(new Set(events.map(({ id }) => id)).size, query).toBe(events.length);
  return events;
}

const keyOf = ({ id, block_timestamp }: ApiEvent) => [block_timestamp, ...id.split("-").map(Number)];

function compare(one: ApiEvent, other: ApiEvent): number {
  const [a, b] = [keyOf(one), keyOf(other)];
  const at = a.findIndex((value, i) => value !== b[i]);
  return at < 0 ? 0 : (a[at] as number) - (b[at] as number);
}

/** Reads a list in both directions, by pages of different sizes: it must be the same, in order. */
async function readBothWays(ask: Ask, path: string, pageSize = 97): Promise<ApiEvent[]> {
  const newest = await readAll(ask, path);
  const join = path.includes("?") ? "&" : "?";
  const oldest = await readAll(ask, `${path}${join}sort_dir=asc`, pageSize);
  expect(oldest, path).toEqual(newest.toReversed());
  expect(oldest, path).toEqual(oldest.toSorted(compare));
  return newest;
}

const told = ({ place, eventName }: Decoded): string => `${place} ${eventName}`;

const placesOf = (events: readonly ApiEvent[]) =>
  [...new Set(events.map((one) => `${placeOf(one)} ${one.event_type}`))].sort();

type Plan = {
  ask: Ask;
  chains: readonly JudgedChain[];
  /** Addresses whose lists are compared; those with the most logs by default. */
  addresses?: readonly Address[];
};

/**
 * Compares every list of events with the chains' logs: of each contract, of addresses, of all, with each filter. The newest
 * blocks must be indexed. Returns how many events were compared.
 */
export async function expectEventsAsLogged({ ask, chains, addresses }: Plan): Promise<number> {
  const all = await readBothWays(ask, "/events", 23);
  const heads = new Map<string, number>();
  for (const { chain, block_number } of all) heads.set(chain, Math.max(heads.get(chain) ?? 0, block_number));
  const logs = (await Promise.all(chains.map((chain) => readLogs(chain, heads.get(chain.name) ?? 0)))).flat();
  const known = new Map(logs.map((log) => [log.place, log]));
  for (const one of all) {
    const log = known.get(placeOf(one));
    expect([log?.address, log?.eventName], placeOf(one)).toEqual([
      one.contract_address.toLowerCase(),
      one.event_type,
    ]);
  }
  await expectContracts({ ask, all, logs });
  await expectFilters({ ask, all });
  const busiest = addresses?.map((one) => one.toLowerCase()) ?? busiestOf(logs);
  const judged = { ask, all, logs, ofName: ofEachName(ask) };
  for (const address of busiest) await expectAddress(judged, address);
  return all.length;
}

/** Lists by name, each read once: several addresses had the same names. */
function ofEachName(ask: Ask): (namehash: string) => Promise<ApiEvent[]> {
  const lists = new Map<string, Promise<ApiEvent[]>>();
  return (namehash) => {
    const list = lists.get(namehash) ?? readAll(ask, `/domain/[namehash:${namehash.slice(2)}]/events`);
    lists.set(namehash, list);
    return list;
  };
}

type Judged = { ask: Ask; all: readonly ApiEvent[]; logs: readonly Decoded[] };
type JudgedByName = Judged & { ofName: ReturnType<typeof ofEachName> };

/** A contract's list has each of its logs that is an event of its kind of contract. */
async function expectContracts({ ask, all, logs }: Judged): Promise<void> {
  const contracts = [...new Set(all.map((one) => one.contract_address))];
  for (const contract of contracts) {
    const events = await readBothWays(ask, `/contract/${contract}/events`);
    expect(events, contract).toEqual(all.filter((one) => one.contract_address === contract));
    const followed = new Set(events.map(({ event_type }) => event_type));
    const isFollowed = ({ address, eventName }: Decoded) =>
      address === contract.toLowerCase() && followed.has(eventName);
    // Of the agent registries, only the adapter's agents are followed.
    if (events.some((one) => one.contract === "AGENT_REGISTRY")) continue;
    expect(placesOf(events), contract).toEqual(logs.filter(isFollowed).map(told).sort());
  }
}

/** Each filter omits exactly what it should. */
async function expectFilters({ ask, all }: Omit<Judged, "logs">): Promise<void> {
  const types = [...new Set(all.flatMap(({ type }) => type ?? []))];
  expect(types.length).toBeGreaterThan(5);
  const expectSame = async (query: string, isIn: (one: ApiEvent) => boolean) =>
    expect(await readAll(ask, `/events?${query}`), query).toEqual(all.filter(isIn));
  for (const type of types) await expectSame(`type=${type}`, (one) => one.type === type);
  await expectSame(`type=${types.join(",")}`, (one) => one.type !== undefined);
  for (const chain of new Set(all.map((one) => one.chain))) {
    await expectSame(`chain=${chain}`, (one) => one.chain === chain);
    const blocks = all.filter((one) => one.chain === chain).map((one) => one.block_number);
    const [from, to] = [
      blocks[Math.floor(blocks.length * 0.6)] ?? 0,
      blocks[Math.floor(blocks.length * 0.3)] ?? 0,
    ];
    await expectSame(
      `chain=${chain}&block_from=${from}&block_to=${to}&type=transfer,authority`,
      (one) =>
        one.chain === chain &&
        one.block_number >= from &&
        one.block_number <= to &&
        (one.type === "transfer" || one.type === "authority"),
    );
  }
  const times = all.map((one) => one.block_timestamp);
  const [from, to] = [times[Math.floor(times.length * 0.7)] ?? 0, times[Math.floor(times.length * 0.2)] ?? 0];
  await expectSame(
    `time_from=${from}&time_to=${to}`,
    (one) => one.block_timestamp >= from && one.block_timestamp <= to,
  );
}

/** The addresses named by most logs. */
function busiestOf(logs: readonly Decoded[], count = isSlow() ? 6 : 1): string[] {
  const counts = new Map<string, number>();
  for (const party of logs.flatMap(({ parties }) => [...parties]))
    counts.set(party, (counts.get(party) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([address]) => address);
}

/** An address has the logs that name it, and all events of the names on which it appeared as receiver or owner. */
async function expectAddress({ ask, all, logs, ofName }: JudgedByName, address: string): Promise<void> {
  const path = `/address/${getAddress(address)}/events`;
  const byParty = await readBothWays(ask, `${path}?relation=party`);
  const indexed = new Set(all.map(placeOf));
  const named = logs.filter(({ parties, place }) => parties.has(address) && indexed.has(place));
  expect(placesOf(byParty), address).toEqual(named.map(told).sort());
  const byName = await readBothWays(ask, `${path}?relation=name`);
  await expectNames({ all, logs, ofName }, byName, address);
  const both = await readBothWays(ask, path);
  const isIn = new Set([...byParty, ...byName].map(({ id }) => id));
  expect(both, address).toEqual(all.filter(({ id }) => isIn.has(id)));
  for (const type of new Set(both.flatMap(({ type }) => type ?? []))) {
    const ofType = await readAll(ask, `${path}?type=${type}`);
    expect(ofType, `${address} ${type}`).toEqual(both.filter((one) => one.type === type));
  }
}

/** The events of an address's names equal those of each name. */
async function expectNames(
  { all, logs, ofName }: Omit<JudgedByName, "ask">,
  events: readonly ApiEvent[],
  address: string,
) {
  const moved = new Map(logs.map((log) => [log.place, log.moved]));
  // The last part of an id counts the tokens of a log. A receiver of zero tokens is not a holder.
  const isOfNone = (one: ApiEvent) =>
    one.event_type.startsWith("Transfer") && moved.get(placeOf(one))?.[Number(one.id.split("-")[3])] === 0n;
  const isHolder = (one: ApiEvent) =>
    [one.to_address, one.new_owner_address, one.owner_address].some(
      (held) => held?.toLowerCase() === address,
    );
  // Reverse nodes do not count as names of their owners.
  const isName = ({ domain }: ApiEvent) => !domain?.endsWith(".addr.reverse");
  const held = new Set(
    all
      .filter((one) => isHolder(one) && !isOfNone(one) && !isGiven(one) && isName(one))
      .flatMap(({ namehash }) => namehash ?? []),
  );
  const shown = new Set(events.map(({ id }) => id));
  for (const namehash of held) {
    const own = await ofName(namehash);
    const missing = own.filter(({ id, namehash: of }) => of === namehash && !shown.has(id));
    expect(
      missing.map(({ id, event_type }) => `${id} ${event_type}`),
      `${address} ${namehash}`,
    ).toEqual([]);
  }
}

/** Approvals name the owner that gave them, which need not have received the name by a log. */
const isGiven = ({ is_approved, account_address, operator_address, event_type }: ApiEvent): boolean =>
  (is_approved ?? account_address ?? operator_address) !== undefined && event_type.startsWith("App");
