import { type Address, getAddress } from "viem";
import { expect } from "vitest";
import { GRACE, GRACE_V2 } from "../../../devnet/acts.ts";
import { story } from "../frame.ts";
import type { OnChain } from "../oracle.ts";

/** A name as lists have it, limited to what the screens of this suite read. */
export type Item = {
  name: string;
  chain?: string;
  protocol?: string;
  namehash: string;
  availability_status: string;
  expiry_timestamp: string | null;
  registered_timestamp?: number;
  created_timestamp?: number;
  grace_end_timestamp?: string;
  ownership: { owner?: string; registry?: string; is_wrapped: boolean };
  resolver?: { address: string };
  wrapper?: { fuses: number; expiry_timestamp: string };
  reservation?: { expiry_timestamp: string };
  subregistry?: string;
  subname_count?: number;
  role_holder_count?: number;
  relations?: string[];
  is_primary?: boolean | null;
};

/** Fields on which an item and the contracts must agree. */
type Row = Record<string, unknown>;

const rowOfItem = (item: Item): Row => ({
  name: item.name,
  namehash: item.namehash,
  state: item.availability_status,
  protocol: item.chain === undefined ? item.protocol : undefined,
  chain: item.chain,
  expiry: item.expiry_timestamp,
  owner: item.ownership.owner ?? null,
  resolver: item.resolver?.address ?? null,
});

const rowOnChain = (one: OnChain): Row => ({
  name: one.name,
  namehash: one.namehash,
  state: one.state,
  protocol: one.protocol,
  chain: one.chain,
  expiry: one.expiry === null ? null : String(one.expiry),
  owner: one.owner,
  resolver: one.resolver,
});

const byName = (a: Row, b: Row) => (String(a.name) < String(b.name) ? -1 : 1);

/** Expects the list to have exactly these names, each as the contracts have it. */
export function expectRows(
  items: readonly Item[],
  expected: readonly OnChain[],
  more: { item: (item: Item) => Row; chain: (one: OnChain) => Row } = { item: () => ({}), chain: () => ({}) },
): void {
  const got = items.map((item) => ({ ...rowOfItem(item), ...more.item(item) })).sort(byName);
  const want = expected.map((one) => ({ ...rowOnChain(one), ...more.chain(one) })).sort(byName);
  expect(got.map(({ name }) => name)).toEqual(want.map(({ name }) => name));
  expect(got).toEqual(want);
}

/** Still held, or in grace: the last holder can renew. */
export const isActive = ({ state }: OnChain): boolean => ["registered", "grace"].includes(state);

/** An address's relations to a name, by the contracts. */
export function relationsTo(address: Address, one: OnChain): string[] {
  const account = getAddress(address);
  return [
    ...(one.owner === account ? ["effective_owner"] : []),
    ...(one.manager === account ? ["manager"] : []),
    ...(one.roleHolders.includes(account) ? ["role_holder"] : []),
  ];
}

/** Names of the story that are not over and to which an address has one of these relations. */
export const namesOf = (address: Address, relations: readonly string[]): OnChain[] =>
  story.filter((one) => isActive(one) && relationsTo(address, one).some((word) => relations.includes(word)));

const ANY = ["effective_owner", "manager", "role_holder"];

export const namesOfAny = (address: Address): OnChain[] => namesOf(address, ANY);

/** The same for an item: only the relations that the contracts are asked about. */
export const relationsIn = (item: Item): string[] => ANY.filter((word) => item.relations?.includes(word));

/**
 * The first second after the grace in which only the last holder can renew; null for names without one. ENSv1 has 90 days
 * including the last second, ENSv2 has 28 days excluding it. Source: `available` of BaseRegistrarImplementation, `isAvailable` of
 * ETHRegistrar.
 */
export function graceEndOf(one: OnChain): string | null {
  const isLease = isRightUnderEth(one) || (one.chain !== undefined && one.name.split(".").length === 3);
  if (!isLease || one.expiry === null) return null;
  return String(one.expiry + (one.protocol === "ensv2" ? GRACE_V2 : GRACE + 1n));
}

/** Right under `.eth`. */
export const isRightUnderEth = ({ name }: { name: string }): boolean =>
  name.endsWith(".eth") && name.split(".").length === 2;

export const isSortedBy = <Value extends number | bigint | string>(values: readonly Value[]): boolean =>
  values.every((value, at) => at === 0 || (values[at - 1] as Value) <= value);
