import { formatEther, type Hex } from "viem";
import type { Log } from "./chainLogs.ts";
import type { Claim } from "./claims.ts";
import type { Judge } from "./judge.ts";
import { ownerOf } from "./ledger.ts";
import { hiddenName } from "./names.ts";
import type { NameNow } from "./namesNow.ts";
import { orNone, plain, type Row } from "./oracle.ts";
import { isMigration, listPurchases, type Purchase } from "./purchases.ts";

const FEED_LENGTH = 50;
const YEAR = 31_536_000n;

/** Kinds in their order within one block. */
const kinds = ["registration", "renewal", "transfer", "wrap", "unwrap", "primary_name"];

type Happened = { log: Log; item: Row };

/** The feed: everything that ever happened, computed kind by kind. The newest items must be in the answer, newest first. */
export async function judgeActivity(
  judge: Judge,
  { names, claims }: { names: Map<Hex, NameNow>; claims: readonly Claim[] },
): Promise<void> {
  const purchases = listPurchases(judge);
  const added = secondsAdded(judge.logs);
  const bounds = new Set(purchases.filter(isBound).map(({ logs: [log] }) => log.transactionHash));
  const nameOf = (node: Hex) => names.get(node)?.fullName ?? hiddenName(node);
  const all = [
    ...purchases.map((purchase) =>
      toPurchase(purchase, { name: nameOf(purchase.node), added, logs: judge.logs }),
    ),
    ...listMoves(judge, { purchases, nameOf }),
    ...claims.map(toClaim),
  ].map(({ log, item }) => withoutBound({ ...item, ...placeOf(log) }, bounds));
  const feed = await judge.getFresh("/ens-stats/recent-activity");
  if (feed === null) return;
  const answered = ((feed.events ?? []) as Row[]).map(toComparable).map((item) => withoutBound(item, bounds));
  // Items of one block and kind may be in any order, and the feed may end among those of a block.
  const expected = all.sort(inFeed);
  judge.same("activity, length", answered.length, Math.min(FEED_LENGTH, all.length));
  const isCut = all.length > FEED_LENGTH;
  const isWhole = (item: Row) => !isCut || item.block_number !== expected[FEED_LENGTH - 1]?.block_number;
  const told = answered.filter(isWhole);
  judgeOrder(judge, told);
  judgeItems(judge, told, expected.slice(0, FEED_LENGTH).filter(isWhole));
}

function judgeOrder({ same }: Judge, told: readonly Row[]): void {
  const [late] = told.filter((item, i) => i > 0 && byPlace(told[i - 1] ?? item, item) > 0);
  same("activity, first out of order", late && subjectOf(late), undefined);
}

/** Compares each item with the one about the same subject, field by field; items about one subject in a fixed order. */
function judgeItems({ same }: Judge, told: readonly Row[], wanted: readonly Row[]): void {
  const group = (items: readonly Row[]) => Map.groupBy(items.toSorted(inFeed), subjectOf);
  const [answered, expected] = [group(told), group(wanted)];
  for (const subject of new Set([...answered.keys(), ...expected.keys()])) {
    const [some, others] = [answered.get(subject) ?? [], expected.get(subject) ?? []];
    same(`activity, ${subject}: how many`, some.length, others.length);
    for (const [i, item] of others.slice(0, some.length).entries()) {
      for (const field of Object.keys({ ...item, ...some[i] })) {
        same(`activity, ${subject}: ${field}`, some[i]?.[field], item[field]);
      }
    }
  }
}

/** The subject and the place of an item. */
const subjectOf = ({ type, name, address, transaction_hash }: Row): string =>
  `${type} of ${address ?? name} in ${transaction_hash}`;

const placeOf = ({ blockNumber, blockTimestamp, transactionHash }: Log): Row => ({
  block_number: blockNumber,
  block_timestamp: blockTimestamp,
  transaction_hash: transactionHash,
});

/** Newest first, within a block in the order of the kinds. */
const byPlace = (a: Row, b: Row): number =>
  Number(b.block_timestamp) - Number(a.block_timestamp) ||
  Number(b.block_number) - Number(a.block_number) ||
  kinds.indexOf(String(a.type)) - kinds.indexOf(String(b.type));

const inFeed = (a: Row, b: Row): number => byPlace(a, b) || (spelled(a) < spelled(b) ? -1 : 1);

const spelled = (item: Row): string =>
  JSON.stringify(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The controller of 2023 logs the sent value of a renewal: its price is judged with registration histories. */
const isBound = ({ kind, logs }: Purchase): boolean =>
  kind === "renewal" && logs.some(({ role, entry }) => role === "controller" && entry?.generation === 4);

const withoutBound = (item: Row, bounds: ReadonlySet<unknown>): Row =>
  item.type === "renewal" && bounds.has(item.transaction_hash)
    ? { ...item, cost_eth: "judged apart", cost_usd: "judged apart" }
    : item;

/** Addresses in lower case, without the mark of prices that are judged separately. */
function toComparable(item: Row): Row {
  const lowered = Object.entries(item).map(([field, value]) =>
    field.endsWith("address") ? [field, plain(value)] : [field, value],
  );
  const { cost_is_upper_bound, ...rest } = Object.fromEntries(lowered) as Row;
  return rest;
}

type Around = { name: string; added: Map<Log, bigint>; logs: readonly Log[] };

/** The feed's ether price just before a log, in units of 10^-8 dollars. */
function feedBefore(logs: readonly Log[], { blockNumber, logIndex }: Log): bigint | undefined {
  const isBefore = (log: Log) =>
    log.blockNumber < blockNumber || (log.blockNumber === blockNumber && log.logIndex < logIndex);
  return logs.findLast((log) => log.role === "price-feed" && isBefore(log))?.args.current as
    | bigint
    | undefined;
}

/** Wei in dollars, rounded to cents. */
function inDollars(wei: bigint, feed: bigint): string {
  const cents = (wei * feed * 2n + 10n ** 24n) / (2n * 10n ** 24n);
  return `${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`;
}

function toPurchase({ kind, logs }: Purchase, { name, added, logs: all }: Around): Happened {
  const controllers = logs.filter(({ role }) => role === "controller");
  const registrars = logs.filter(({ role }) => role === "registrar");
  const prices = (controllers.length > 0 ? controllers : logs).flatMap(({ eventName, args }) => {
    if (eventName === "HashRegistered") return [];
    if (args.baseCost !== undefined) return (args.baseCost as bigint) + (args.premium as bigint);
    return ((args.cost ?? args.value) as bigint | undefined) ?? [];
  });
  const secondsOf = (some: readonly Log[]) => some.flatMap((log) => added.get(log) ?? []);
  const durations = secondsOf(registrars).length > 0 ? secondsOf(registrars) : secondsOf(controllers);
  const ofEach = registrars.length > 0 ? registrars : controllers;
  const times = ofEach.length / new Set(ofEach.map(({ address }) => address)).size;
  const [priced] = (controllers.length > 0 ? controllers : logs).toSorted((a, b) => a.logIndex - b.logIndex);
  const feed = priced && feedBefore(all, priced);
  const item = {
    type: kind,
    name,
    ...(times > 1 && { merged_events: times }),
    cost_eth: prices.length === 0 ? null : formatEther(sum(prices)),
    ...(prices.length > 0 && feed !== undefined && { cost_usd: inDollars(sum(prices), feed) }),
    years: durations.length === 0 ? null : Number(sum(durations) / YEAR),
  };
  return { log: logs[0], item };
}

const sum = (numbers: readonly bigint[]): bigint => numbers.reduce((total, one) => total + one, 0n);

/** Seconds bought by a log: until the expiry for a registration, from the old expiry to the new one for a renewal. */
function secondsAdded(logs: readonly Log[]): Map<Log, bigint> {
  const added = new Map<Log, bigint>();
  const expiries = new Map<bigint, bigint>();
  for (const log of logs) {
    const { role, entry, eventName, blockTimestamp } = log;
    const { id, expires } = log.args as Record<string, bigint | undefined>;
    const isCurrent = role === "registrar" && entry?.generation === 2;
    if (expires === undefined || !(isCurrent || role === "controller")) continue;
    if (eventName !== "NameRenewed") added.set(log, expires - BigInt(blockTimestamp));
    if (!isCurrent || id === undefined) continue;
    const before = expiries.get(id);
    if (eventName === "NameRenewed" && before !== undefined) added.set(log, expires - before);
    expiries.set(id, expires);
  }
  return added;
}

type Naming = { purchases: readonly Purchase[]; nameOf: (node: Hex) => string };

/** Wrappings outside registrations, unwrappings, and all other changes of effective owners. */
function listMoves(
  { ledgers, present, wrapper, transactions }: Judge,
  { purchases, nameOf }: Naming,
): Happened[] {
  const registered = new Set(
    purchases
      .filter(({ kind }) => kind === "registration")
      .map(({ node, logs: [log] }) => `${node} ${log.transactionHash}`),
  );
  const moves: Happened[] = [];
  for (const [node, ledger] of ledgers) {
    const name = nameOf(node);
    const explained = new Set<Hex>();
    for (const log of ledger.logs) {
      const { eventName, transactionHash, role } = log;
      const isRegistered = registered.has(`${node} ${transactionHash}`) || isMigration(log, transactions);
      if (isRegistered || ["NameWrapped", "NameUnwrapped"].includes(eventName))
        explained.add(transactionHash);
      if (role !== "wrapper") continue;
      const owner = log.args.owner;
      if (eventName === "NameWrapped" && !isRegistered)
        moves.push({ log, item: { type: "wrap", name, owner_address: owner } });
      if (eventName === "NameUnwrapped" && orNone(owner as Hex) !== null)
        moves.push({ log, item: { type: "unwrap", name, owner_address: owner } });
    }
    if (!present.get(node)?.isCounted) continue;
    let before: Hex | null = null;
    for (const { state, log } of ledger.owners) {
      const after = ownerOf(state, ledger, wrapper)?.owner ?? null;
      const isMove = before !== null && after !== null && before !== after;
      if (isMove && !explained.has(log.transactionHash)) {
        moves.push({ log, item: { type: "transfer", name, from_address: before, to_address: after } });
      }
      before = after;
    }
  }
  return moves;
}

const toClaim = ({ address, chain, name, isKnown, log }: Claim): Happened => ({
  log,
  item: {
    type: "primary_name",
    address,
    name,
    chain,
    ...(name === null && !isKnown && { is_name_known: false }),
  },
});
