import { type Address, encodeFunctionData, type Hex } from "viem";
import { dnsTokenReads } from "../../../../abis/dnsToken.ts";
import { nameWrapperReads } from "../../../../abis/nameWrapper.ts";
import { registrarReads } from "../../../../abis/registrar.ts";
import { registryReads } from "../../../../abis/registry.ts";
import { childNode, labelhash, ROOT_NODE } from "../../../ens/name.ts";
import { effectiveOwner, isWrapped } from "../../../ens/owner.ts";
import { fusesAt, isLapsed } from "../../../ens/wrapper.ts";
import { readAbi } from "../live/liveAbi.ts";
import type { OwnerContracts } from "../live/liveOwners.ts";
import type { CallAnswer } from "../live/multicall.ts";
import { addressIn, type Check, type Column, dataOf, NotComparable } from "./check.ts";
import { entryColumns } from "./entryColumns.ts";
import type { DomainRow, StoredDomain } from "./stored.ts";

export type DomainSetting = {
  contracts: OwnerContracts;
  /** Node right under which the registrar registers names. */
  registrarNode: Hex;
  /** Whether names are tokens of 3DNS: the registry knows their expiry. */
  hasTokens: boolean;
  /** Time of the block at which contracts are read. */
  now: bigint;
};

const registryCall = (target: Address, functionName: "owner" | "resolver" | "recordExists", node: Hex) => ({
  target,
  callData: encodeFunctionData({ abi: registryReads, functionName, args: [node] }),
});

const registrarCall = (target: Address, functionName: "ownerOf" | "nameExpires", id: Hex) => ({
  target,
  callData: encodeFunctionData({ abi: registrarReads, functionName, args: [BigInt(id)] }),
});

/** What a name that is not in the index has by it: nothing. */
const noRow: DomainRow = {
  parentNode: null,
  labelhash: null,
  label: "",
  isLabelKnown: false,
  fullName: "",
  registryOwner: null,
  isMigrated: false,
  resolver: null,
  registrarOwner: null,
  registrarExpiry: null,
  wrapperOwner: null,
  wrapperFuses: null,
  wrapperExpiry: null,
  isWrapped: false,
  expiry: null,
  unexplainedRenewals: null,
  effectiveOwner: null,
  registry: null,
};

/** Everything that contracts store of a name, and what follows from that within the row. */
export function domainChecks({ node, kind, row }: StoredDomain, setting: DomainSetting): Check[] {
  const own = row ?? noRow;
  const shown =
    own.fullName === "" || own.fullName.startsWith("[namehash:") ? node : `${own.fullName} (${node})`;
  const columns = [
    ...(setting.hasTokens ? tokenColumns(node, own, setting) : registryColumns(node, own, setting)),
    ...registrarColumns(own, setting),
    ...wrapperColumns(node, own, setting),
    ...(own.registry === null ? [] : entryColumns(own, setting.now)),
    ...(row === null ? [] : derivedColumns(node, own, setting)),
  ];
  return columns.map(({ calls = [], ...column }) => ({
    table: "domains",
    kind,
    calls,
    ...column,
    path: `/lookup-namehash/${node}`,
    of: row === null ? `${shown}, which the index does not have` : shown,
  }));
}

function registryColumns(node: Hex, row: DomainRow, { contracts: { registry } }: DomainSetting): Column[] {
  return [
    {
      column: "registry_owner",
      stored: row.registryOwner,
      calls: [registryCall(registry, "owner", node)],
      read: ([owner]) => addressIn(owner),
    },
    ...(row.registry === null ? [resolverColumn(node, row, registry)] : []),
    {
      column: "is_migrated",
      stored: String(row.isMigrated),
      calls: [registryCall(registry, "recordExists", node)],
      read: ([exists]) => {
        const data = dataOf(exists);
        return data === null
          ? new NotComparable("the registry's answer cannot be read")
          : String(BigInt(data) !== 0n);
      },
    },
  ];
}

const resolverColumn = (node: Hex, { resolver }: DomainRow, registry: Address): Column => ({
  column: "resolver",
  stored: resolver,
  calls: [registryCall(registry, "resolver", node)],
  read: ([answer]) => addressIn(answer),
});

/** Reads an answer of three words: owner, fuses or the like, expiry. */
const fromThreeWords =
  (fault: string) => (read: (words: readonly Hex[]) => string | null) => (answers: readonly CallAnswer[]) => {
    const data = dataOf(answers[0]);
    if (data?.length !== 2 + 3 * 64) return new NotComparable(fault);
    return read(readAbi(["word", "word", "word"], data));
  };

/** The address in a word, lower case; null for zero. */
const addressOfWord = (word: Hex): string | null =>
  BigInt(word) === 0n ? null : `0x${word.slice(-40).toLowerCase()}`;

/** 3DNS answers no owner after the expiry, and says of no node that it was migrated. */
function tokenColumns(node: Hex, row: DomainRow, { contracts: { registry }, now }: DomainSetting): Column[] {
  const isOver = row.registrarExpiry !== null && BigInt(row.registrarExpiry) < now;
  const callData = encodeFunctionData({
    abi: dnsTokenReads,
    functionName: "tokenData",
    args: [BigInt(node)],
  });
  const calls = [{ target: registry, callData }];
  const of = fromThreeWords("the token's answer cannot be read");
  return [
    {
      column: "registry_owner",
      stored: isOver ? null : row.registryOwner,
      calls,
      read: of(([owner = "0x"]) => addressOfWord(owner)),
    },
    {
      column: "registrar_expiry_timestamp",
      stored: row.registrarExpiry,
      calls,
      read: of(([, , expiry = "0x0"]) => endOf(BigInt(expiry))),
    },
    {
      column: "resolver",
      stored: row.resolver,
      calls: [registryCall(registry, "resolver", node)],
      read: ([resolver]) => (row.resolver === null ? null : addressIn(resolver)),
    },
  ];
}

/** Top-level names never end and have the greatest expiry. No log gives it. */
const endOf = (expiry: bigint): string | null =>
  expiry === 0n || expiry === 2n ** 64n - 1n ? null : expiry.toString();

function registrarColumns(
  row: DomainRow,
  { contracts: { registrar }, registrarNode, now }: DomainSetting,
): Column[] {
  if (row.parentNode !== registrarNode || row.labelhash === null) return [];
  const { labelhash: id, registrarExpiry } = row;
  const isOver = registrarExpiry !== null && BigInt(registrarExpiry) <= now;
  return [
    {
      column: "registrar_expiry_timestamp",
      stored: registrarExpiry,
      calls: [registrarCall(registrar, "nameExpires", id)],
      read: ([expires]) => {
        const data = dataOf(expires);
        if (data === null) return new NotComparable("the registrar's answer cannot be read");
        return BigInt(data) === 0n ? null : BigInt(data).toString();
      },
    },
    {
      column: "registrar_owner",
      stored: row.registrarOwner,
      calls: [registrarCall(registrar, "ownerOf", id)],
      read: ([owner]) => {
        if (isOver) return new NotComparable("the registrar tells no owner of an expired name");
        return dataOf(owner) === null ? null : addressIn(owner);
      },
    },
  ];
}

/**
 * `getData` hides what has expired, so the stored values are brought to that form first. Where a renewal may have moved the
 * expiry, the index says that it does not know it.
 */
function wrapperColumns(
  node: Hex,
  row: DomainRow,
  { contracts: { wrapper }, registrarNode, now }: DomainSetting,
): Column[] {
  // The wrapper's constructor stores fuses of the root and of the registrar's own name, and logs nothing.
  if (wrapper === undefined || node === ROOT_NODE || node === registrarNode) return [];
  if (row.unexplainedRenewals !== null) return [];
  const token = {
    wrapperFuses: Number(row.wrapperFuses ?? 0),
    wrapperExpiryTimestamp: BigInt(row.wrapperExpiry ?? 0),
  };
  const callData = encodeFunctionData({
    abi: nameWrapperReads,
    functionName: "getData",
    args: [BigInt(node)],
  });
  const calls = [{ target: wrapper, callData }];
  const of = fromThreeWords("the wrapper's answer cannot be read");
  return [
    {
      column: "wrapper_owner",
      stored: isLapsed(token, now) ? null : row.wrapperOwner,
      calls,
      read: of(([owner = "0x"]) => addressOfWord(owner)),
    },
    {
      column: "wrapper_fuses",
      stored: String(fusesAt(token, now)),
      calls,
      read: of(([, fuses = "0x0"]) => BigInt(fuses).toString()),
    },
    {
      column: "wrapper_expiry_timestamp",
      stored: String(token.wrapperExpiryTimestamp),
      calls,
      read: of(([, , expiry = "0x0"]) => BigInt(expiry).toString()),
    },
  ];
}

/** Columns that follow from others: hashes of labels, and what counts of the three layers of ENSv1. */
function derivedColumns(node: Hex, row: DomainRow, setting: DomainSetting): Column[] {
  const columns = row.registry === null ? countedColumns(row, setting) : [];
  const { parentNode, labelhash: hash, label } = row;
  if (parentNode === null || hash === null) return columns;
  columns.push({ column: "labelhash", stored: node, read: () => childNode(parentNode, hash) });
  if (row.isLabelKnown) columns.push({ column: "label", stored: hash, read: () => labelhash(label) });
  return columns;
}

function countedColumns(
  row: DomainRow,
  { contracts: { wrapper }, registrarNode, hasTokens }: DomainSetting,
): Column[] {
  const isSold = hasTokens || row.parentNode === registrarNode;
  const wrapperAddress = wrapper?.toLowerCase() as Address | undefined;
  const wrapped = isWrapped(row, wrapperAddress, isSold);
  const endOfToken = row.wrapperExpiry === "0" ? null : row.wrapperExpiry;
  return [
    { column: "is_wrapped", stored: String(row.isWrapped), read: () => String(wrapped) },
    {
      column: "effective_owner_address",
      stored: row.effectiveOwner,
      read: () => effectiveOwner({ ...row, isWrapped: wrapped })?.address ?? null,
    },
    {
      column: "expiry_timestamp",
      stored: row.expiry,
      read: () => (isSold ? row.registrarExpiry : wrapped ? endOfToken : null),
    },
  ];
}
