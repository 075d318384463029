import type { Address, Hex } from "viem";
import type { z } from "zod";
import { nameByNode } from "../../../ens/name.ts";
import type { Migration, NamedPurchase, TokenPurchase, Transfer } from "../query/activity.ts";
import type { ClaimRow } from "../query/claims.ts";
import type { EventFacts } from "../query/eventRows.ts";
import type * as schemas from "../schemas/answers.ts";
import { toAddress, toHappened } from "./hex.ts";
import { toClaimedName } from "./toAddress.ts";
import { chainOf, type SerializeContext } from "./toDomain.ts";
import { toCost, toMerged } from "./toHistory.ts";
import { toPaymentToken } from "./toPayment.ts";

export type Activity = z.infer<typeof schemas.activity>;

/** The context of an entry besides its rows. A node without an indexed name is shown by its hash. */
type ActivityContext = SerializeContext & {
  nameOf: (row: { chainId: number; node: Hex | null }) => string | undefined;
};

/** Durations are shown in full years. */
const SECONDS_OF_YEAR = 31_536_000n;

/** A registration or renewal of one name. */
export function toPurchase(
  type: "registration" | "renewal",
  row: NamedPurchase,
  at: ActivityContext,
): Activity {
  const { cost_wei, ...cost } = toCost(row);
  return {
    type,
    ...named(row, at),
    ...toMerged(row),
    ...cost,
    years: row.durationSeconds === null ? null : Number(row.durationSeconds / SECONDS_OF_YEAR),
    ...toHappened(row),
  };
}

/** A registration or renewal paid in a token. */
export const toTokenPurchase = (
  type: "registration" | "renewal",
  row: TokenPurchase,
  at: ActivityContext,
): Activity => ({
  type,
  ...named(row, at),
  cost_eth: null,
  payment: { ...toPaymentToken(row.paymentToken, at.contracts), amount: row.amount.toString() },
  years: Number(row.durationSeconds / SECONDS_OF_YEAR),
  ...toHappened(row),
});

/** A name migrated from ENSv1. */
export const toMigration = (row: Migration, at: ActivityContext): Activity => ({
  type: "migration",
  ...named(row, at),
  owner_address: row.owner && toAddress(row.owner),
  ...toHappened(row),
});

/** A transfer of a name to another owner. */
export const toTransfer = (row: Transfer, at: ActivityContext): Activity => ({
  type: "transfer",
  ...named(row, at),
  from_address: toAddress(row.from),
  to_address: toAddress(row.to),
  ...toHappened(row),
});

/** A name that was wrapped or unwrapped, with its new owner. Logs without an owner or name produce no entry. */
export function toWrapping(type: "wrap" | "unwrap", row: EventFacts, at: ActivityContext): Activity[] {
  const owner: Address | null = type === "wrap" ? row.ownerAddress : row.newOwnerAddress;
  if (owner === null || row.node === null) return [];
  return [{ type, ...named(row, at), owner_address: toAddress(owner), ...toHappened(row) }];
}

/** A change of an address's claimed name. */
export const toClaim = (row: ClaimRow, { contracts }: SerializeContext): Activity => ({
  type: "primary_name",
  address: toAddress(row.address),
  ...toClaimedName(row),
  chain: contracts.chainName(row.chainId),
  ...toHappened(row),
});

/** The name of an entry, with its chain unless that is the main one. */
const named = (
  row: { chainId: number; node: Hex | null },
  { nameOf, contracts }: ActivityContext,
): { name: string; chain?: string } => ({
  name: row.node === null ? "" : (nameOf(row) ?? nameByNode(row.node)),
  ...chainOf(row.chainId, contracts),
});
