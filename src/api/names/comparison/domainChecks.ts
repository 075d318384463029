import type { Address, Hex } from "viem";
import { dnsTokenReads } from "../../../../abis/dnsToken.ts";
import { nameWrapperReads } from "../../../../abis/nameWrapper.ts";
import { registrarReads } from "../../../../abis/registrar.ts";
import { registryReads } from "../../../../abis/registry.ts";
import { childNode, labelhash, ROOT_NODE } from "../../../ens/name.ts";
import { effectiveOwner, isWrapped } from "../../../ens/owner.ts";
import { fusesAt, isLapsed } from "../../../ens/wrapper.ts";
import { readAbi } from "../live/liveAbi.ts";
import type { OwnerContracts } from "../live/liveOwners.ts";
import { addressInWord, type CallAnswer, contractCall } from "../live/multicall.ts";
import {
  addressIn,
  type Check,
  type Column,
  dataOf,
  fixedColumn,
  NotComparable,
  readColumn,
} from "./check.ts";
import { entryColumns } from "./entryChecks.ts";
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

const registryCall = (target: Address, functionName: "owner" | "resolver" | "recordExists", node: Hex) =>
  contractCall(target, { abi: registryReads, functionName, args: [node] });

const registrarCall = (target: Address, functionName: "ownerOf" | "nameExpires", id: Hex) =>
  contractCall(target, { abi: registrarReads, functionName, args: [BigInt(id)] });

/** Everything that contracts store of a name, and what follows from that within the row. */
export function domainChecks({ node, kind, row, isFound }: StoredDomain, setting: DomainSetting): Check[] {
  const { fullName } = row;
  const shown = fullName === "" || fullName.startsWith("[namehash:") ? node : `${fullName} (${node})`;
  const columns = [
    ...(setting.hasTokens ? tokenColumns(node, row, setting) : registryColumns(node, row, setting)),
    ...registrarColumns(row, setting),
    ...wrapperColumns(node, row, setting),
    ...(row.registry === null ? [] : entryColumns(row, setting.now)),
    ...(isFound ? derivedColumns(node, row, setting) : []),
  ];
  return columns.map(({ calls = [], ...column }) => ({
    table: "domains",
    kind,
    calls,
    ...column,
    path: `/lookup-namehash/${node}`,
    of: isFound ? shown : `${shown}, which the index does not have`,
  }));
}

function registryColumns(node: Hex, row: DomainRow, { contracts: { registry } }: DomainSetting): Column[] {
  const read = { call: registryCall(registry, "resolver", node), read: addressIn };
  return [
    readColumn("registry_owner", row.registryOwner, {
      call: registryCall(registry, "owner", node),
      read: addressIn,
    }),
    ...(row.registry === null ? [readColumn("resolver", row.resolver, read)] : []),
    readColumn("is_migrated", String(row.isMigrated), {
      call: registryCall(registry, "recordExists", node),
      read: numberIn("registry", (exists) => String(exists !== 0n)),
    }),
  ];
}

type Words = readonly Hex[];

/** Reads an answer of three words: owner, fuses or the like, expiry. */
const fromThreeWords =
  (contract: string, read: (words: Words) => string | null) => (answer: CallAnswer | undefined) => {
    const data = dataOf(answer);
    if (data?.length !== 2 + 3 * 64) return unreadable(contract);
    return read(readAbi(["word", "word", "word"], data));
  };

const numberIn =
  (contract: string, read: (number: bigint) => string | null) => (answer: CallAnswer | undefined) => {
    const data = dataOf(answer);
    return data === null ? unreadable(contract) : read(BigInt(data));
  };

const unreadable = (contract: string) => new NotComparable(`the ${contract}'s answer cannot be read`);

const ownerIn = ([owner = "0x"]: Words) => addressInWord(owner);

/** 3DNS answers no owner after the expiry, and says of no node that it was migrated. */
function tokenColumns(node: Hex, row: DomainRow, { contracts: { registry }, now }: DomainSetting): Column[] {
  const isOver = row.registrarExpiry !== null && BigInt(row.registrarExpiry) < now;
  const call = contractCall(registry, {
    abi: dnsTokenReads,
    functionName: "tokenData",
    args: [BigInt(node)],
  });
  return [
    readColumn("registry_owner", isOver ? null : row.registryOwner, {
      call,
      read: fromThreeWords("token", ownerIn),
    }),
    readColumn("registrar_expiry_timestamp", row.registrarExpiry, {
      call,
      read: fromThreeWords("token", ([, , expiry = "0x0"]) => endOf(BigInt(expiry))),
    }),
    readColumn("resolver", row.resolver, {
      call: registryCall(registry, "resolver", node),
      read: (resolver) => (row.resolver === null ? null : addressIn(resolver)),
    }),
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
    readColumn("registrar_expiry_timestamp", registrarExpiry, {
      call: registrarCall(registrar, "nameExpires", id),
      read: numberIn("registrar", (expires) => (expires === 0n ? null : expires.toString())),
    }),
    readColumn("registrar_owner", row.registrarOwner, {
      call: registrarCall(registrar, "ownerOf", id),
      read: (owner) => {
        if (isOver) return new NotComparable("the registrar tells no owner of an expired name");
        return dataOf(owner) === null ? null : addressIn(owner);
      },
    }),
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
  const call = contractCall(wrapper, {
    abi: nameWrapperReads,
    functionName: "getData",
    args: [BigInt(node)],
  });
  const column = (name: string, stored: string | null, read: (words: Words) => string | null) =>
    readColumn(name, stored, { call, read: fromThreeWords("wrapper", read) });
  const { wrapperExpiryTimestamp: expiry } = token;
  return [
    column("wrapper_owner", isLapsed(token, now) ? null : row.wrapperOwner, ownerIn),
    column("wrapper_fuses", String(fusesAt(token, now)), ([, fuses = "0x0"]) => BigInt(fuses).toString()),
    column("wrapper_expiry_timestamp", String(expiry), ([, , end = "0x0"]) => BigInt(end).toString()),
  ];
}

/** Columns that follow from others: hashes of labels, and what counts of the three layers of ENSv1. */
function derivedColumns(node: Hex, row: DomainRow, setting: DomainSetting): Column[] {
  const columns = row.registry === null ? countedColumns(row, setting) : [];
  const { parentNode, labelhash: hash, label } = row;
  if (parentNode === null || hash === null) return columns;
  columns.push(fixedColumn("labelhash", node, childNode(parentNode, hash)));
  if (row.isLabelKnown) columns.push(fixedColumn("label", hash, labelhash(label)));
  return columns;
}

function countedColumns(
  row: DomainRow,
  { contracts: { wrapper }, registrarNode, hasTokens }: DomainSetting,
): Column[] {
  const isSold = hasTokens || row.parentNode === registrarNode;
  const wrapperAddress = wrapper?.toLowerCase() as Address | undefined;
  const wrapped = isWrapped(row, wrapperAddress, isSold);
  const owner = effectiveOwner({ ...row, isWrapped: wrapped })?.address ?? null;
  const endOfToken = wrapped && row.wrapperExpiry !== "0" ? row.wrapperExpiry : null;
  return [
    fixedColumn("is_wrapped", String(row.isWrapped), String(wrapped)),
    fixedColumn("effective_owner_address", row.effectiveOwner, owner),
    fixedColumn("expiry_timestamp", row.expiry, isSold ? row.registrarExpiry : endOfToken),
  ];
}
