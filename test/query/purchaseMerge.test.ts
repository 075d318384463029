import { domain, event } from "ponder:schema";
import { formatEther, getAddress, type Hex } from "viem";
import { beforeAll, expect, test } from "vitest";
import { sales } from "../../src/api/names/counts/dayCounts.ts";
import { mainChain } from "../../src/api/names/query/scope.ts";
import { numbers } from "../support/numbers.ts";
import { openApi, type TestApi } from "./api.ts";
import { ETH_REGISTRY, MIGRATOR, REGISTRAR, USDC, contracts as withEnsv2 } from "./ensv2.ts";
import { account, contracts, type EventRow, eventRow, registeredRow } from "./rows.ts";
import { useTables } from "./tables.ts";

/*
 * Random logs of many transactions, merged by SQL and by the plain functions below, which follow
 * the rule's wording one log at a time.
 */

const NOW = 1_800_000_000;
const PURCHASES = 250;

type Emitter = { contract: string; events: readonly [string, string]; address: Hex };

const ofEnsv1: Emitter[] = [
  { contract: "REGISTRAR", events: ["NameRegistered", "NameRenewed"], address: account(0xe0) },
  { contract: "REGISTRAR_OLD", events: ["NameRegistered", "NameRenewed"], address: account(0xe1) },
  { contract: "REGISTRAR_AUCTION", events: ["HashRegistered", "NameRenewed"], address: account(0xe2) },
  { contract: "CONTROLLER", events: ["NameRegistered", "NameRenewed"], address: account(0xe3) },
  { contract: "CONTROLLER", events: ["NameRegistered", "RenewalReferred"], address: account(0xe4) },
];

const ofEnsv2: Emitter[] = [
  { contract: "ENSV2_REGISTRY", events: ["LabelRegistered", "ExpiryUpdated"], address: ETH_REGISTRY },
  { contract: "ENSV2_REGISTRY", events: ["LabelReserved", "ExpiryUpdated"], address: ETH_REGISTRY },
  { contract: "ENSV2_REGISTRAR", events: ["NameRegistered", "NameRenewed"], address: REGISTRAR },
];

type Numbers = ReturnType<typeof numbers>;

/** One to four logs of a registration or renewal, in one transaction. */
function purchaseOf(i: number, node: Hex, emitters: readonly Emitter[], next: Numbers): EventRow[] {
  const isRenewal = next(2);
  return Array.from({ length: 1 + next(4) }, (_, log) =>
    logOf({ block: 100 + i, log: log + next(2) * 10 }, emitters[next(emitters.length)] as Emitter, {
      node,
      isRenewal,
      next,
    }),
  ).filter((row, at, rows) => rows.findIndex(({ logIndex }) => logIndex === row.logIndex) === at);
}

function logOf(
  at: { block: number; log: number },
  { contract, events, address }: Emitter,
  { node, isRenewal, next }: { node: Hex; isRenewal: number; next: Numbers },
): EventRow {
  const maybe = <Value>(value: Value): Value | null => (next(3) === 0 ? null : value);
  const isOfEnsv2 = contract.startsWith("ENSV2");
  const isSold = contract === "ENSV2_REGISTRAR";
  const sender = [MIGRATOR, ETH_REGISTRY, account(0x77)][next(3)];
  return eventRow(at, {
    contract,
    contractAddress: address,
    node,
    eventType: events[isRenewal] ?? "",
    costWei: isOfEnsv2 ? null : maybe(BigInt(next(1_000))),
    premiumWei: isOfEnsv2 ? null : maybe(BigInt(next(9))),
    exactCostWei: contract === "CONTROLLER" && next(4) === 0 ? BigInt(next(900)) : null,
    costIsUpperBound: contract === "CONTROLLER" && next(2) === 0 ? true : null,
    // Each expiry is different: a name that keeps its expiry was moved, not bought.
    expiryTimestamp: maybe(BigInt(2_000_000_000 + at.block * 100 + at.log)),
    ownerAddress: maybe(account(0x10 + next(5))),
    paymentToken: isSold ? USDC : null,
    tokenAmount: isSold ? BigInt(next(1_000)) : null,
    details: contract === "ENSV2_REGISTRY" ? JSON.stringify({ sender: maybe(sender) }) : null,
  });
}

/** The price in one log. */
function priceOf({ contract, exactCostWei, costIsUpperBound, costWei }: EventRow) {
  if (contract === "REGISTRAR_AUCTION") return { cost: null, isBound: false };
  if (exactCostWei != null) return { cost: exactCostWei, isBound: false };
  if (costWei == null) return { cost: null, isBound: false };
  return { cost: costWei, isBound: costIsUpperBound === true };
}

function costOf(rows: readonly EventRow[]) {
  const prices = rows.map(priceOf).filter(({ cost }) => cost !== null);
  if (prices.length === 0) return { cost: null, isBound: false };
  const sum = prices.reduce((total, { cost }) => total + (cost ?? 0n), 0n);
  return { cost: sum, isBound: prices.some((price) => price.isBound) };
}

const controllersOf = (rows: readonly EventRow[]) => rows.filter(({ contract }) => contract === "CONTROLLER");

/** The logs whose prices count as sales. The registrar of 2019 has one only for a claimed name. */
function sellersOf(rows: readonly EventRow[]) {
  const controllers = controllersOf(rows);
  return controllers.length > 0 ? controllers : rows.filter(({ contract }) => contract === "REGISTRAR_OLD");
}

/** An entry of a history, from the logs of a purchase in their order. */
function entryOf(rows: readonly EventRow[]) {
  const controllers = controllersOf(rows);
  const registrars = rows.filter(({ contract }) => contract.startsWith("REGISTRAR"));
  const paid = rows.findLast(({ tokenAmount }) => tokenAmount != null);
  const registry = rows.findLast(({ contract }) => contract === "ENSV2_REGISTRY");
  const telling = (paid ?? controllers.at(-1) ?? registrars.at(-1) ?? rows[0]) as EventRow;
  const { cost, isBound } = paid
    ? { cost: null, isBound: false }
    : costOf(controllers.length > 0 ? controllers : rows);
  const expiry = (registrars.at(-1) ?? registry)?.expiryTimestamp ?? telling.expiryTimestamp;
  const owner = telling.ownerAddress ?? registrars.at(-1)?.ownerAddress;
  return {
    event_type: telling.eventType,
    block_number: telling.blockNumber,
    transaction_hash: telling.transactionHash,
    cost_wei: cost?.toString() ?? null,
    cost_eth: cost === null ? null : formatEther(cost),
    ...mergedOf(registrars.length > 0 ? registrars : controllers),
    ...(isBound && { cost_is_upper_bound: true }),
    ...(paid && {
      payment: {
        token: getAddress(USDC),
        symbol: "USDC",
        decimals: 6,
        amount: paid.tokenAmount?.toString(),
      },
    }),
    ...kindOf(rows),
    expiry_timestamp: expiry?.toString() ?? null,
    owner_address: owner ? getAddress(owner) : null,
  };
}

/** How often the name was registered or renewed: each contract logs it once. */
function mergedOf(rows: readonly EventRow[]) {
  const times = Math.trunc(rows.length / new Set(rows.map(({ contractAddress }) => contractAddress)).size);
  return times > 1 ? { merged_events: times } : {};
}

function kindOf(rows: readonly EventRow[]) {
  const start = rows.findLast(({ eventType }) => ["LabelRegistered", "LabelReserved"].includes(eventType));
  if (start === undefined) return {};
  const { sender } = JSON.parse(start.details ?? "{}") as { sender: string | null };
  if (sender !== null && [MIGRATOR, ETH_REGISTRY].includes(sender as Hex)) return { kind: "migrated" };
  return { kind: start.eventType === "LabelRegistered" ? "registered" : "reserved" };
}

const isRenewal = ({ eventType }: EventRow) =>
  ["NameRenewed", "RenewalReferred", "ExpiryUpdated"].includes(eventType);

const tables = useTables();
let plain: TestApi;
let ensv2: TestApi;
const first = registeredRow("first.eth", account(1), 2_000_000_000n);
const second = registeredRow("second.eth", account(1), 2_000_000_000n);
const logs: Record<"first" | "second", EventRow[][]> = { first: [], second: [] };

beforeAll(async () => {
  plain = openApi(tables, NOW);
  ensv2 = openApi(tables, NOW, { contracts: withEnsv2 });
  const next = numbers(5);
  const make = (node: Hex, emitters: readonly Emitter[], from: number) =>
    Array.from({ length: PURCHASES }, (_, i) =>
      purchaseOf(from + i, node, emitters, next).sort((a, b) => a.logIndex - b.logIndex),
    );
  logs.first = make(first.node, ofEnsv1, 0);
  logs.second = make(second.node, [...ofEnsv1, ...ofEnsv2], PURCHASES);
  await tables.writer.insert(domain).values([first, second]);
  await tables.writer.insert(event).values([...logs.first, ...logs.second].flat());
});

const entriesOf = (purchases: readonly EventRow[][], toEntries: (rows: EventRow[]) => object[]) => ({
  registrations: purchases.filter(([row]) => row && !isRenewal(row)).flatMap(toEntries),
  renewals: purchases.filter(([row]) => row && isRenewal(row)).flatMap(toEntries),
});

test("histories show each purchase once, as its logs arrive", async () => {
  const { body } = await plain.get("/domain/first.eth/registration-history");
  expect(body).toMatchObject(entriesOf(logs.first, (rows) => [entryOf(rows)]));
});

test("purchases with ENSv2 logs are merged the same way", async () => {
  const purchases = logs.second.map((rows) => rows.filter(({ eventType }) => eventType !== "ExpiryUpdated"));
  const { body } = await ensv2.get("/domain/second.eth/registration-history");
  expect(body).toMatchObject(entriesOf(purchases, (rows) => [entryOf(rows)]));
});

test("without merging, each log is an entry of its own", async () => {
  const { body } = await plain.get("/domain/first.eth/registration-history?merged=false");
  expect(body).toMatchObject(entriesOf(logs.first, (rows) => rows.map((row) => entryOf([row]))));
});

test("sales are the sum of what controllers took in the same purchases, and of claims", async () => {
  const days = await sales.fromRows(tables.db, { chains: mainChain(contracts), now: NOW });
  const purchases = [...logs.first, ...logs.second].map((rows) =>
    rows.filter(({ contract }) => !contract.startsWith("ENSV2")),
  );
  for (const isRegistration of [true, false]) {
    const of = purchases.filter(([row]) => row && isRenewal(row) !== isRegistration);
    const sold = days.filter((day) => day.isRegistration === isRegistration);
    const expected = of.reduce((sum, rows) => sum + (costOf(sellersOf(rows)).cost ?? 0n), 0n);
    expect(sold.reduce((sum, { cost }) => sum + BigInt(cost), 0n)).toBe(expected);
  }
});
