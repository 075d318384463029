import { type Hex, zeroAddress } from "viem";
import type { Chain } from "../../devnet/acts.ts";
import { hashLabel } from "../../devnet/acts.ts";
import { addressAt } from "../subgraph/oracle.ts";
import type { SubgraphEvent, SubgraphLogs } from "./subgraphLogs.ts";
import { type Expected, labelOf } from "./subgraphNames.ts";

/* The parts of clients' queries, and their expected answers. */

/** A query with its expected data from the chain. */
export type ClientQuery = { query: string; variables: Record<string, unknown>; expected: unknown };

/** The known facts of the chain. */
export type Of = { all: readonly Known[]; logs: SubgraphLogs };

/** A name with the content of its logs. */
export type Known = Expected & {
  hash: Hex;
  label: string | null;
  address: string | null;
  registeredAt: bigint;
};

/** @throws if the chain cannot be read */
export async function knownOf(one: Expected, logs: SubgraphLogs, chain: Chain): Promise<Known> {
  const { registrations, timeOf } = logs;
  const text = labelOf(one);
  const unknown = /^\[([0-9a-f]{64})\]$/.exec(text)?.[1];
  const hash: Hex = unknown ? `0x${unknown}` : hashLabel(text);
  const last = registrations.filter(({ type, node }) => type === "NameRegistered" && node === hash).at(-1);
  const registeredAt = one.registration && last ? await timeOf(last.log) : 0n;
  const [set, answered] = [addressSetOf(one, logs), await addressAt(one.name, chain)];
  // If none was set, the resolver may answer with the default address.
  const address = set === null && answered === zeroAddress ? null : (answered ?? set);
  return { ...one, hash, label: unknown ? null : text, address, registeredAt };
}

/**
 * The address set last since the records were cleared; null if none was: contracts then answer zero, and one that only emits logs
 * answers nothing.
 */
function addressSetOf({ id, resolver }: Expected, { records }: SubgraphLogs): string | null {
  const events = records.get(resolver?.id.split("-")[0] ?? "") ?? [];
  const own = events.filter(({ node }) => node === id);
  const since = own.slice(own.findLastIndex(({ type }) => type === "VersionChanged") + 1);
  const set = since.findLast(
    ({ type, log }) =>
      type === "AddrChanged" || (type === "MulticoinAddrChanged" && log.args.coinType === 60n),
  );
  return set === undefined ? null : String(set.log.args.a ?? set.log.args.newAddress);
}

export type Order = (one: Known, other: Known) => number;
export const bytewise = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));
export const byId: Order = (one, other) => bytewise(one.id, other.id);
export const expiryOf = ({ registration }: Known): bigint => BigInt(registration?.expiryDate ?? 0);
/** Ties are ordered by the id of the registration, the labelhash. */
export const byHash: Order = (one, other) => bytewise(one.hash, other.hash);
export const byExpiry: Order = (one, other) => Number(expiryOf(one) - expiryOf(other)) || byHash(one, other);
export const byDate: Order = (one, other) =>
  Number(one.registeredAt - other.registeredAt) || byHash(one, other);
export const reversed =
  (order: Order): Order =>
  (one, other) =>
    order(other, one);

export const nameOf = ({ name }: Known) => ({ name });
export const isRegistered = ({ registration }: Known): boolean => registration !== null;
export const sorted = (names: readonly Known[], order: Order, isMeant: (one: Known) => boolean): Known[] =>
  names.filter(isMeant).sort(order);

/** Ordered by id, which is a text. */
export const idsOf = (events: readonly SubgraphEvent[]): SubgraphEvent[] =>
  events.toSorted((one, other) => bytewise(one.id, other.id));
