import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { ensv2RegistryReads } from "../../../../abis/ensv2.ts";
import type { CallAnswer, ContractCall } from "../live/multicall.ts";
import { addressIn, type Column, dataOf, NotComparable } from "./check.ts";
import type { DomainRow } from "./stored.ts";

/** What counts of a name of ENSv2: what its registry says, and nothing where no registry has it any more. */
export function entryColumns(row: DomainRow, now: bigint): Column[] {
  const { registry, labelhash } = row;
  const isWrapped = { column: "is_wrapped", stored: String(row.isWrapped), read: () => String(false) };
  if (registry === null || registry === zeroAddress || labelhash === null) {
    const nothing = { read: () => null };
    return [
      isWrapped,
      { column: "effective_owner_address", stored: row.effectiveOwner, ...nothing },
      { column: "expiry_timestamp", stored: row.expiry, ...nothing },
      { column: "resolver", stored: row.resolver, ...nothing },
    ];
  }
  return [isWrapped, ...stateColumns(row, { registry, labelhash }), resolverColumn(row, registry, now)];
}

export const UNREADABLE = new NotComparable("the answer of a registry of ENSv2 cannot be read");

const stateRead = { abi: ensv2RegistryReads, functionName: "getState" } as const;

/** The holder is the last one, also after the expiry. */
function stateColumns(
  { effectiveOwner, expiry }: DomainRow,
  { registry: target, labelhash }: { registry: Address; labelhash: Hex },
): Column[] {
  const calls = [stateCall(target, labelhash)];
  return [
    { column: "effective_owner_address", stored: effectiveOwner, calls, read: ([answer]) => ownerIn(answer) },
    { column: "expiry_timestamp", stored: expiry, calls, read: ([answer]) => expiryIn(answer) },
  ];
}

export const stateCall = (target: Address, labelhash: Hex): ContractCall => ({
  target,
  callData: encodeFunctionData({ ...stateRead, args: [BigInt(labelhash)] }),
});

export function ownerIn(answer: CallAnswer | undefined): string | null | NotComparable {
  const owner = stateIn(answer)?.latestOwner.toLowerCase() ?? UNREADABLE;
  return owner === zeroAddress ? null : owner;
}

export const expiryIn = (answer: CallAnswer | undefined): string | NotComparable =>
  stateIn(answer)?.expiry.toString() ?? UNREADABLE;

/** A state is five words. */
export function stateIn(answer: CallAnswer | undefined) {
  const data = dataOf(answer);
  return data?.length === 2 + 5 * 64 ? decodeFunctionResult({ ...stateRead, data }) : null;
}

function resolverColumn(
  { resolver, label, isLabelKnown, expiry }: DomainRow,
  target: Address,
  now: bigint,
): Column {
  const column = { column: "resolver", stored: resolver };
  if (BigInt(expiry ?? 0) <= now)
    return cannot(column, "a registry of ENSv2 tells no resolver after the expiry");
  if (!isLabelKnown)
    return cannot(column, "a registry of ENSv2 is asked for a resolver by the label, which is unknown");
  const read = { abi: ensv2RegistryReads, functionName: "getResolver" } as const;
  const calls = [{ target, callData: encodeFunctionData({ ...read, args: [label] }) }];
  return { ...column, calls, read: ([answer]) => addressIn(answer) };
}

const cannot = (column: Pick<Column, "column" | "stored">, why: string): Column => ({
  ...column,
  read: () => new NotComparable(why),
});
