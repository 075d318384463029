import type { z } from "zod";
import type { PreviousRow } from "../query/addresses.ts";
import type { ClaimRow } from "../query/primaryNames.ts";
import type { PrimaryName } from "../resolution/primaryNames.ts";
import type * as shapes from "../schemas/answers.ts";
import { type SerializeContext, toDomainItem } from "./domain.ts";

/** The primary name of an address; nulls where it has none. */
export function toPrimaryName(
  found: PrimaryName | null,
  at: SerializeContext,
): z.infer<typeof shapes.primaryName> {
  if (found === null) return { primary_name: null, registrar: null };
  const display = found.facts ? toDomainItem(found.facts, at).display : undefined;
  return {
    primary_name: found.name,
    ...(display !== undefined && { display }),
    registrar: found.registrar,
  };
}

/** A claim as it was made; a name that no event and no read told is marked, so that it does not pass for a clearing. */
export function toClaimEntry(
  row: ClaimRow,
  { contracts }: SerializeContext,
): z.infer<typeof shapes.primaryNameEntry> {
  return {
    name: row.name,
    ...(row.name === null && !row.isNameKnown && { is_name_known: false as const }),
    registrar: row.registrar,
    chain: contracts.chainName(row.chainId),
    block_number: row.blockNumber,
    transaction_hash: row.transactionHash,
  };
}

/** A name that an address held before, as it is now. */
export function toPreviousItem(
  row: PreviousRow,
  at: SerializeContext,
): z.infer<typeof shapes.previousDomain> {
  const facts = { ...row.domain, displayText: null };
  const { name, label, expiry_timestamp, ownership } = toDomainItem(facts, at);
  const { owner, is_wrapped } = ownership;
  return {
    name,
    label,
    expiry_timestamp,
    ownership: { ...(owner && { owner }), is_wrapped },
    last_owned_block_number: row.lastOwnedBlockNumber,
    last_owned_block_timestamp: row.lastOwnedBlockTimestamp,
  };
}
