import type { z } from "zod";
import type { PreviousRow } from "../query/addresses/previous.ts";
import type { ClaimRow } from "../query/claims.ts";
import type { DomainState } from "../resolution/domainState.ts";
import type { PrimaryName } from "../resolution/resolvePrimaryNames.ts";
import type * as schemas from "../schemas/answers.ts";
import { cutText, truncatedOf } from "./cut.ts";
import { type SerializeContext, toDomainItem } from "./toDomain.ts";

/** The primary name of an address; nulls if it has none. */
export function toPrimaryName(
  primary: PrimaryName | null,
  at: SerializeContext,
): z.infer<typeof schemas.primaryName> {
  if (primary === null) return { primary_name: null, registrar: null };
  const display = primary.state ? toDomainItem(primary.state, at).display : undefined;
  return {
    primary_name: primary.name,
    ...(display !== undefined && { display }),
    registrar: primary.registrar,
  };
}

/**
 * The name of a claim. A name that no event and no read revealed is marked, so that it is not mistaken for a clearing. A claimed
 * name that is too long to be a primary name is cut.
 */
export function toClaimedName({ name: beginning, isNameKnown }: ClaimRow) {
  const name = beginning === null ? null : cutText(beginning);
  return {
    name: name?.shown ?? null,
    ...(name === null && !isNameKnown && { is_name_known: false as const }),
    ...truncatedOf({ name }),
  };
}

/** A claim at the time it was made. */
export function toClaimEntry(
  row: ClaimRow,
  { contracts }: SerializeContext,
): z.infer<typeof schemas.primaryNameEntry> {
  return {
    ...toClaimedName(row),
    registrar: row.registrar,
    chain: contracts.chainName(row.chainId),
    block_number: row.blockNumber,
    transaction_hash: row.transactionHash,
  };
}

/** The current state of a name that an address held before. */
export function toPreviousItem(
  row: Omit<PreviousRow, "domain"> & { domain: DomainState },
  at: SerializeContext,
): z.infer<typeof schemas.previousDomain> {
  const state = { ...row.domain, displayText: null };
  const { name, chain, label, namehash, labelhash, availability_status, ...item } = toDomainItem(state, at);
  const { owner, is_owner_current, is_wrapped } = item.ownership;
  return {
    name,
    ...(chain !== undefined && { chain }),
    label,
    namehash,
    labelhash,
    availability_status,
    expiry_timestamp: item.expiry_timestamp,
    ownership: { ...(owner && { owner, is_owner_current }), is_wrapped },
    last_owned_block_number: row.lastOwnedBlockNumber,
    last_owned_block_timestamp: row.lastOwnedBlockTimestamp,
  };
}
