import { type Address, decodeFunctionResult, type Hex, zeroAddress } from "viem";
import { ensv2RegistryReads } from "../../../../abis/ensv2.ts";
import { type CallAnswer, contractCall } from "../live/multicall.ts";
import {
  addressIn,
  type Check,
  type Column,
  dataOf,
  fixedColumn,
  NotComparable,
  readColumn,
} from "./check.ts";
import type { DomainRow } from "./stored.ts";

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
export function entryChecks(entry: StoredEntry, now: bigint): Check[] {
  const { registry, labelhash, owner, expiry, subregistry, resolver } = entry;
  const text = entry.label === `[${labelhash.slice(2)}]` ? null : entry.label;
  const place = { registry, text, isOver: expiry <= now };
  const call = stateCall(registry, labelhash);
  const columns = [
    readColumn("owner", owner, { call, read: ownerIn }),
    readColumn("expiry", expiry.toString(), { call, read: expiryIn }),
    readColumn("token_id", entry.tokenId.toString(), { call, read: (answer) => tokenIn(entry, answer) }),
    linkColumn("subregistry", subregistry, { ...place, functionName: "getSubregistry" }),
    linkColumn("resolver", resolver, { ...place, functionName: "getResolver" }),
  ];
  return columns.map(({ calls = [], ...column }) => ({
    table: "ensv2_entries",
    kind: "entry",
    calls,
    ...column,
    of: `${entry.label} in the registry ${registry}`,
    path: `/registry/${registry}/labels`,
  }));
}

/** What counts of a name of ENSv2: what its registry says, and nothing where no registry has it any more. */
export function entryColumns(row: DomainRow, now: bigint): Column[] {
  const { registry, labelhash, effectiveOwner, expiry, resolver } = row;
  const isWrapped = fixedColumn("is_wrapped", String(row.isWrapped), "false");
  if (registry === null || registry === zeroAddress || labelhash === null) {
    return [
      isWrapped,
      fixedColumn("effective_owner_address", effectiveOwner, null),
      fixedColumn("expiry_timestamp", expiry, null),
      fixedColumn("resolver", resolver, null),
    ];
  }
  const call = stateCall(registry, labelhash);
  const text = row.isLabelKnown ? row.label : null;
  const isOver = BigInt(expiry ?? 0) <= now;
  return [
    isWrapped,
    readColumn("effective_owner_address", effectiveOwner, { call, read: ownerIn }),
    readColumn("expiry_timestamp", expiry, { call, read: expiryIn }),
    linkColumn("resolver", resolver, { registry, text, isOver, functionName: "getResolver" }),
  ];
}

const UNREADABLE = new NotComparable("the answer of a registry of ENSv2 cannot be read");

const stateRead = { abi: ensv2RegistryReads, functionName: "getState" } as const;

const stateCall = (target: Address, labelhash: Hex) =>
  contractCall(target, { ...stateRead, args: [BigInt(labelhash)] });

/** A state is five words. */
function stateIn(answer: CallAnswer | undefined) {
  const data = dataOf(answer);
  return data?.length === 2 + 5 * 64 ? decodeFunctionResult({ ...stateRead, data }) : null;
}

/** The holder is the last one, also after the expiry. */
function ownerIn(answer: CallAnswer | undefined): string | null | NotComparable {
  const owner = stateIn(answer)?.latestOwner.toLowerCase() ?? UNREADABLE;
  return owner === zeroAddress ? null : owner;
}

const expiryIn = (answer: CallAnswer | undefined) => stateIn(answer)?.expiry.toString() ?? UNREADABLE;

/** No log gives the number of the next token once the last one was burnt. */
const tokenIn = ({ owner, isRegistered }: StoredEntry, answer: CallAnswer | undefined) =>
  owner === null && isRegistered
    ? new NotComparable("the token was burnt, and no log tells the number of the next one")
    : (stateIn(answer)?.tokenId.toString() ?? UNREADABLE);

type Link = {
  registry: Address;
  /** Null while only the label's hash is known. */
  text: string | null;
  isOver: boolean;
  functionName: "getResolver" | "getSubregistry";
};

/** A registry returns a link by the label's text, until the expiry. */
function linkColumn(column: string, stored: string | null, { registry, text, isOver, functionName }: Link) {
  const cannot = (why: string) => fixedColumn(column, stored, new NotComparable(why));
  if (isOver) return cannot("a registry of ENSv2 tells nothing of a label after its expiry");
  if (text === null) return cannot("the label's text is unknown");
  const call = contractCall(registry, { abi: ensv2RegistryReads, functionName, args: [text] });
  return readColumn(column, stored, { call, read: addressIn });
}
