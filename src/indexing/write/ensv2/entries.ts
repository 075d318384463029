import type { Context } from "ponder:registry";
import { ensv2Entry, ensv2Registry } from "ponder:schema";
import type { Hex } from "viem";
import { type EntryState, startedEntry, storageIdOf, storageIdOfNumber } from "../../../ens/ensv2.ts";
import { work } from "../blockQueue.ts";
import { appendEvent, appendEventAndHolders, type EventValues } from "../events.ts";
import type { LogRef } from "../logRef.ts";
import { putName } from "./mounts.ts";
import { type Entry, isCurrent, type Place, placesOf } from "./places.ts";
import { MAX_SHARED_ENTRIES } from "./reach.ts";
import { findRegistry, openRegistry, type Registry } from "./registries.ts";

/** Each token that is moved costs 10,000 gas or more, so a transaction of 16,777,216 (EIP-7825) moves no more. */
export const MAX_MOVED_TOKENS = 5_000;

/** An entry of the registry that logs, and the names that it has. */
export type Logged = { registry: Registry; entry: Entry; places: Place[] };

/** The emitting registry's entry of a token or resource; null if no log revealed its label. */
export async function findLogged(context: Context, log: LogRef, number: bigint): Promise<Logged | null> {
  const entry = await findEntry(context, log, storageIdOfNumber(number));
  const registry = entry && (await findRegistry(context, log.contractAddress));
  if (entry === null || registry === null) return null;
  return { registry, entry, places: await placesOf(context, registry, entry) };
}

export const findEntry = (context: Context, { chainId, contractAddress: registry }: LogRef, storageId: Hex) =>
  context.db.find(ensv2Entry, { chainId, registry, storageId });

/** A registration or, without an owner, a reservation. */
export type Start = {
  labelhash: Hex;
  /** The label as it is shown. */
  label: string;
  tokenId: bigint;
  owner: Hex | null;
  expiry: bigint;
  sender: Hex;
};

/**
 * Stores that an entry was registered or reserved. Its names get what it says when the log's row is written. Writes:
 * ensv2_entries, ensv2_registries.
 */
export async function startEntry(
  context: Context,
  log: LogRef,
  before: Entry | null,
  start: Start,
): Promise<Logged> {
  const registry = await openRegistry(context, log, log.contractAddress);
  const columns = { ...startedEntry(before, start), ...startColumns(log, start) };
  const entry: Entry = { ...(before ?? blankEntry(registry, log, start)), ...columns };
  if (before === null) {
    await context.db.insert(ensv2Entry).values(entry);
    await countEntry(context, registry, entry);
  } else {
    const { chainId, registry: address, storageId } = entry;
    await context.db.update(ensv2Entry, { chainId, registry: address, storageId }).set(columns);
  }
  return { registry, entry, places: await placesOf(context, registry, entry) };
}

/** When, and by whom, the entry was last registered or reserved. */
function startColumns(
  { blockNumber, blockTimestamp, transactionHash }: LogRef,
  { owner, sender }: Start,
): Partial<Entry> {
  if (owner === null)
    return {
      reservedBlockNumber: blockNumber,
      reservedTimestamp: blockTimestamp,
      reservedTransactionHash: transactionHash,
    };
  return {
    registeredBy: sender,
    registeredBlockNumber: blockNumber,
    registeredTimestamp: blockTimestamp,
    registeredTransactionHash: transactionHash,
  };
}

const blankEntry = (
  { chainId, registry, entries, firstEntry }: Registry,
  log: LogRef,
  { labelhash, label }: Start,
): Entry => ({
  chainId,
  registry,
  storageId: storageIdOf(labelhash),
  labelhash,
  label,
  tokenId: 0n,
  resource: null,
  owner: null,
  expiry: 0n,
  subregistry: null,
  resolver: null,
  isRegistered: false,
  registeredBy: null,
  registeredBlockNumber: null,
  registeredTimestamp: null,
  registeredTransactionHash: null,
  reservedBlockNumber: null,
  reservedTimestamp: null,
  reservedTransactionHash: null,
  number: entries,
  nextEntry: firstEntry,
  createdBlockNumber: log.blockNumber,
});

/** Puts a new entry at the head of its registry's entries. */
function countEntry(context: Context, { chainId, registry, entries }: Registry, { storageId }: Entry) {
  const isShared = entries < MAX_SHARED_ENTRIES;
  return context.db.update(ensv2Registry, { chainId, registry }).set({
    entries: entries + 1,
    firstEntry: storageId,
    ...(isShared && { lastShared: storageId }),
  });
}

/** Stores what a log changed of an entry. Gives it as it is then, and whether anything changed. Writes: ensv2_entries. */
export async function changeEntry(
  context: Context,
  logged: Logged,
  patch: Partial<EntryState>,
): Promise<{ logged: Logged; isChanged: boolean }> {
  const { entry } = logged;
  const columns = Object.fromEntries(
    Object.entries(patch).filter(([column, value]) => entry[column as keyof Entry] !== value),
  );
  if (Object.keys(columns).length === 0) return { logged, isChanged: false };
  const { chainId, registry, storageId } = entry;
  await context.db.update(ensv2Entry, { chainId, registry, storageId }).set(columns);
  return { logged: { ...logged, entry: { ...entry, ...columns } }, isChanged: true };
}

/** What a row of a log of an entry says, besides the name. */
type LogRow = {
  values: EventValues;
  /** Whether the names have to say what the entry says now. */
  isNews: boolean;
  /** Whether receivers and owners in `values` hold the name. */
  isHeld?: boolean;
};

/**
 * Appends a log of an entry, once for each of its names, which get what it says; without a name if it has none. Writes:
 * events, holders, domains and their changes, ensv2 mounts.
 *
 * @returns how many rows there are
 */
export async function appendEntryLog(
  context: Context,
  log: LogRef,
  { entry, places }: Logged,
  { values, isNews, isHeld = false }: LogRow,
): Promise<number> {
  const append = isHeld ? appendEventAndHolders : appendEvent;
  if (places.length === 0) await appendEvent(context, log, values);
  for (const [index, place] of places.entries()) {
    const own = { ...log, ordinal: log.ordinal + index };
    await append(context, own, { ...values, node: place.node });
    // A registry can be below itself: work on one name may have removed another.
    if (isNews && (await isCurrent(context, entry, place)))
      await work(context, own, await putName(context, own, entry, place));
  }
  return Math.max(1, places.length);
}
