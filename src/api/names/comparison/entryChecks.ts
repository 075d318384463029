import { type Address, encodeFunctionData, type Hex } from "viem";
import { ensv2RegistryReads } from "../../../../abis/ensv2.ts";
import { addressIn, type Check, type Column, NotComparable } from "./check.ts";
import { expiryIn, ownerIn, stateCall, stateIn, UNREADABLE } from "./entryColumns.ts";

/** The part of an `ensv2_entries` row that its registry can confirm. */
export type StoredEntry = {
  registry: Address;
  labelhash: Hex;
  label: string;
  tokenId: bigint;
  owner: Address | null;
  expiry: bigint;
  subregistry: Address | null;
  resolver: Address | null;
  isRegistered: boolean;
};

/** What a registry of ENSv2 stores of a label. */
export const entryChecks = (entry: StoredEntry, now: bigint): Check[] =>
  [...stateColumns(entry), ...linkColumns(entry, now)].map(({ calls = [], ...column }) => ({
    table: "ensv2_entries",
    kind: "entry",
    calls,
    ...column,
    of: `${entry.label} in the registry ${entry.registry}`,
    path: `/registry/${entry.registry}/labels`,
  }));

/** The last holder stays after the expiry. No log gives the number of the next token once the last one was burnt. */
function stateColumns({ registry: target, labelhash, ...entry }: StoredEntry): Column[] {
  const calls = [stateCall(target, labelhash)];
  const isBurnt = entry.owner === null && entry.isRegistered;
  return [
    { column: "owner", stored: entry.owner, calls, read: ([answer]) => ownerIn(answer) },
    { column: "expiry", stored: entry.expiry.toString(), calls, read: ([answer]) => expiryIn(answer) },
    {
      column: "token_id",
      stored: entry.tokenId.toString(),
      calls,
      read: ([answer]) =>
        isBurnt
          ? new NotComparable("the token was burnt, and no log tells the number of the next one")
          : (stateIn(answer)?.tokenId.toString() ?? UNREADABLE),
    },
  ];
}

/** A registry returns these by the label's text, until the expiry. */
function linkColumns(
  { registry: target, label, labelhash, expiry, subregistry, resolver }: StoredEntry,
  now: bigint,
): Column[] {
  const links = [
    { column: "subregistry", stored: subregistry, functionName: "getSubregistry" },
    { column: "resolver", stored: resolver, functionName: "getResolver" },
  ] as const;
  return links.map(({ functionName, ...column }): Column => {
    const cannot = (why: string): Column => ({ ...column, read: () => new NotComparable(why) });
    if (expiry <= now) return cannot("a registry of ENSv2 tells nothing of a label after its expiry");
    if (label === `[${labelhash.slice(2)}]`) return cannot("the label's text is unknown");
    const callData = encodeFunctionData({ abi: ensv2RegistryReads, functionName, args: [label] });
    return { ...column, calls: [{ target, callData }], read: ([answer]) => addressIn(answer) };
  });
}
