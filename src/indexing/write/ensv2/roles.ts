import type { Context } from "ponder:registry";
import { ensv2Role } from "ponder:schema";
import type { Address } from "viem";
import type { LogRef } from "../logRef.ts";

/** Stores the roles that an account has from here on in the emitting contract. Writes: ensv2_roles. */
export async function putRoles(
  context: Context,
  log: LogRef,
  { resource, account, roles }: { resource: bigint; account: Address; roles: bigint },
): Promise<void> {
  const { chainId, contractAddress: contract, blockNumber, logIndex, blockTimestamp, transactionHash } = log;
  const columns = { roles, blockNumber, logIndex, blockTimestamp, transactionHash };
  await context.db
    .insert(ensv2Role)
    .values({ chainId, contract, resource, account, ...columns })
    .onConflictDoUpdate(columns);
}
