import type { Context } from "ponder:registry";
import { ensv2Role, operator as operatorTable, recordDelegate, tokenApproval } from "ponder:schema";
import type { Address, Hex } from "viem";
import { addressesOf } from "./contracts.ts";
import { appendArguments } from "./events.ts";
import { type HandlerArgs, type LogEvent, type LogRef, nullIfZero, placeOf } from "./logRef.ts";
import { put } from "./put.ts";

/** The first argument is called `account` in the NameWrapper, and `owner` elsewhere. */
type ApprovalForAll = { operator: Address; approved: boolean } & ({ owner: Address } | { account: Address });

/** An account may act for an owner in all of the emitting contract, or no longer. Writes: events, operators. */
export async function onOperator(args: HandlerArgs<LogEvent & { args: ApprovalForAll }>): Promise<void> {
  const { event, context, log } = args;
  const { operator, approved: isApproved } = event.args;
  const owner = "owner" in event.args ? event.args.owner : event.args.account;
  await appendArguments(args);
  await putOperator(context, log, { owner, operator, isApproved });
}

/** Writes: operators. */
export async function putOperator(
  context: Context,
  log: LogRef,
  { owner, operator, isApproved }: { owner: Address; operator: Address; isApproved: boolean },
): Promise<void> {
  const { chainId, contractAddress: contract } = log;
  const key = { chainId, contract, owner, operator };
  await put(context, operatorTable, key, { isApproved, ...placeOf(log) });
}

/** Stores the account that a token's holder approved in the emitting contract. Writes: token_approvals. */
export async function putTokenApproval(
  context: Context,
  log: LogRef,
  { node, owner, approved }: { node: Hex; owner: Address; approved: Address },
): Promise<void> {
  const { chainId, contractAddress: contract } = log;
  const columns = { owner, approved: nullIfZero(approved), ...placeOf(log) };
  await put(context, tokenApproval, { chainId, contract, node }, columns);
}

/**
 * Stores who may write a node's records at the emitting resolver. A contract that the deployment does not list can log anything
 * of anyone. Writes: record_delegates.
 */
export async function putRecordDelegate(
  context: Context,
  log: LogRef,
  { isApproved, ...who }: { node: Hex; owner: Address; delegate: Address; isApproved: boolean },
): Promise<void> {
  const { chainId, contractAddress: resolver } = log;
  if (!addressesOf(context, "ListedResolver").includes(resolver)) return;
  await put(context, recordDelegate, { chainId, resolver, ...who }, { isApproved, ...placeOf(log) });
}

/** Stores the roles that an account has from here on in the emitting ENSv2 contract. Writes: ensv2_roles. */
export const putRoles = (
  context: Context,
  log: LogRef,
  { roles, ...who }: { resource: bigint; account: Address; roles: bigint },
): Promise<void> => {
  const key = { chainId: log.chainId, contract: log.contractAddress, ...who };
  return put(context, ensv2Role, key, { roles, ...placeOf(log) });
};
