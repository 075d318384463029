import { type Hex, zeroHash } from "viem";
import { ETH_NODE } from "../../devnet/acts/names.ts";
import type { Log } from "./chainLogs.ts";
import { ethNodeOf, hashOfId, hashOfPurchase, nodeBelowHash, type Position, positionsOf } from "./names.ts";
import { contractOf, orNone, type Trial } from "./oracle.ts";

/** A name's owner in each layer. */
export type Owners = { registry: Hex | null; registrar: Hex | null; wrapper: Hex | null };

/** A state that began with a transaction. */
export type Since<T> = { state: T; log: Log };

/** The whole history of one name, by the chain's logs alone. */
export type Ledger = {
  position: Position | null;
  /** The logs that concern the name, in order. */
  logs: Log[];
  /** Owners at the end of each transaction that concerns the name. */
  owners: Since<Owners>[];
  /** Every change of the resolver, in order. */
  resolvers: Since<Hex | null>[];
  /** Expiry by the registrar of 2020, unix seconds; null if it never registered the name. */
  registrarExpiry: bigint | null;
};

type Book = { ledger: Ledger; now: Owners; resolver: Hex | null; isMigrated: boolean };

/**
 * The history of every name by the shortest possible rules: each log is entered in order, and the state at a transaction's end is
 * the name's state from then on.
 */
export function keepLedgers(logs: readonly Log[], trial: Pick<Trial, "deployment">): Map<Hex, Ledger> {
  const registry = contractOf(trial, "registry", 2)?.address.toLowerCase();
  const positions = positionsOf(logs);
  const books = new Map<Hex, Book>();
  const bookOf = (node: Hex): Book => {
    const book = books.get(node) ?? newBook(positions.get(node) ?? null);
    books.set(node, book);
    return book;
  };
  const touched = new Set<Book>();
  for (const [index, log] of logs.entries()) {
    for (const node of nodesOf(log)) {
      const book = bookOf(node);
      book.ledger.logs.push(log);
      enter(book, log, registry);
      touched.add(book);
    }
    if (logs[index + 1]?.transactionHash === log.transactionHash) continue;
    for (const { ledger, now } of touched) ledger.owners.push({ state: { ...now }, log });
    touched.clear();
  }
  return new Map([...books].map(([node, { ledger }]) => [node, ledger]));
}

const newBook = (position: Position | null): Book => ({
  ledger: { position, logs: [], owners: [], resolvers: [], registrarExpiry: null },
  now: { registry: null, registrar: null, wrapper: null },
  resolver: null,
  isMigrated: false,
});

/** Names that a log concerns. */
function nodesOf({ role, entry, eventName, args }: Log): Hex[] {
  if (role === "registry") {
    if (eventName === "NewOwner") return [nodeBelowHash(args.node as Hex, args.label as Hex)];
    return args.node === undefined ? [] : [args.node as Hex];
  }
  if (role === "registrar" && entry?.generation === 0) {
    return eventName === "NewBid" ? [] : [ethNodeOf(args.hash as Hex)];
  }
  if (role === "controller" || role === "renewal-referrer") {
    const isSale = args.cost !== undefined || args.baseCost !== undefined;
    return isSale ? [ethNodeOf((args.labelHash as Hex | undefined) ?? hashOfPurchase(args))] : [];
  }
  if (eventName === "TransferBatch") return (args.ids as bigint[]).map(hashOfId);
  const id = args.tokenId ?? args.id;
  if (role === "registrar") return typeof id === "bigint" ? [ethNodeOf(hashOfId(id))] : [];
  if (role === "wrapper" && typeof id === "bigint") return [hashOfId(id)];
  return typeof args.node === "string" ? [args.node as Hex] : [];
}

function enter(book: Book, log: Log, registry: string | undefined): void {
  const { now, ledger } = book;
  const { role, entry, eventName, args } = log;
  if (role === "registry") enterRegistry(book, log, registry);
  if (role === "registrar" && entry?.generation === 2) {
    if (eventName === "Transfer") now.registrar = none(args.to);
    if (args.expires !== undefined) ledger.registrarExpiry = args.expires as bigint;
  }
  if (role === "wrapper" && eventName.startsWith("Transfer")) now.wrapper = none(args.to);
  if (role === "wrapper" && eventName === "NameWrapped") now.wrapper = none(args.owner);
  if (role === "wrapper" && eventName === "NameUnwrapped") now.wrapper = null;
}

/** The registry of 2020 takes a name over with its first record, and drops the old one's resolver. */
function enterRegistry(book: Book, log: Log, registry: string | undefined): void {
  const { eventName, args, entry } = log;
  if (entry?.generation === 1 && book.isMigrated) return;
  if (entry?.generation === 2 && !book.isMigrated && eventName !== "NewTTL") {
    book.isMigrated = true;
    setResolver(book, eventName === "NewResolver" ? none(args.resolver) : null, log);
  }
  if (eventName === "NewResolver") setResolver(book, none(args.resolver), log);
  if (eventName === "NewOwner" || eventName === "Transfer") {
    const owner = none(args.owner);
    book.now.registry = entry?.generation === 2 && owner === registry ? null : owner;
  }
}

function setResolver(book: Book, resolver: Hex | null, log: Log): void {
  if (resolver === book.resolver) return;
  book.resolver = resolver;
  book.ledger.resolvers.push({ state: resolver, log });
}

const none = (address: unknown): Hex | null => orNone(address as string) as Hex | null;

/** The owner of a name, and the deciding layer. */
export function ownerOf(
  { registry, registrar, wrapper }: Owners,
  { position }: Pick<Ledger, "position">,
  wrapperAddress: string | undefined,
): { owner: Hex; reason: string } | null {
  const isSecondLevel = position?.parent === ETH_NODE;
  const isWrapped =
    wrapperAddress !== undefined &&
    registry === wrapperAddress &&
    (!isSecondLevel || registrar === wrapperAddress);
  if (isWrapped && wrapper) return { owner: wrapper, reason: "wrapper" };
  if (registrar) return { owner: registrar, reason: "registrar" };
  return registry ? { owner: registry, reason: "registry" } : null;
}

/** Spans of one value, from the states of a name at the end of transactions; those without a value are omitted. */
export function spansOf<T>(
  states: readonly Since<T>[],
  pick: (state: T) => string | null,
): { value: string; from: Log; to: Log | null }[] {
  const spans: { value: string | null; from: Log; to: Log | null }[] = [];
  for (const { state, log } of states) {
    const value = pick(state);
    const last = spans.at(-1);
    if (last?.value === value) continue;
    if (last) last.to = log;
    spans.push({ value, from: log, to: null });
  }
  return spans.flatMap(({ value, from, to }) => (value === null ? [] : [{ value, from, to }]));
}

/** Path of a name that works with any labels: each by its hash; null if no log gives a parent. */
export function pathOf(node: Hex, ledgers: Map<Hex, Ledger>): string | null {
  const labels: string[] = [];
  let at = node;
  while (at !== zeroHash) {
    const position = ledgers.get(at)?.position;
    if (!position) return null;
    labels.push(`[${position.labelhash.slice(2)}]`);
    at = position.parent;
  }
  return labels.join(".");
}
