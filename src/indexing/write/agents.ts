import type { Context } from "ponder:registry";
import { agent, agentBinding } from "ponder:schema";
import type { Address } from "viem";
import { storable } from "../../ens/storable.ts";
import type { LogRef } from "./logRef.ts";

/** A binding, as a log has it. */
export type Binding = Pick<
  typeof agentBinding.$inferSelect,
  "agentId" | "tokenStandard" | "tokenContract" | "tokenId" | "node" | "registeredBy"
>;

/**
 * Stores a binding of the emitting adapter. Writes: agent_bindings.
 *
 * @returns false if the agent was bound before: the first binding holds for good
 */
export async function putBinding(context: Context, log: LogRef, binding: Binding): Promise<boolean> {
  const { chainId, contractAddress: adapter, blockNumber, logIndex, transactionHash, blockTimestamp } = log;
  const key = { chainId, adapter, agentId: binding.agentId };
  if ((await context.db.find(agentBinding, key)) !== null) return false;
  await context.db
    .insert(agentBinding)
    .values({ ...key, ...binding, blockNumber, logIndex, transactionHash, blockTimestamp });
  return true;
}

/** Stores an agent that was registered at the emitting registry. Writes: agents. */
export async function putAgent(
  context: Context,
  log: LogRef,
  { agentId, owner, uri }: { agentId: bigint; owner: Address; uri: string },
): Promise<void> {
  const { blockNumber, blockTimestamp, transactionHash } = log;
  await context.db
    .insert(agent)
    .values({
      ...keyOf(log, agentId),
      owner,
      uri: storable(uri),
      blockNumber,
      blockTimestamp,
      transactionHash,
    })
    .onConflictDoUpdate({ owner, uri: storable(uri) });
}

/** Stores where the agent is described from here on. Writes: agents. */
export async function setAgentUri(context: Context, log: LogRef, agentId: bigint, uri: string) {
  const key = keyOf(log, agentId);
  if ((await context.db.find(agent, key)) === null) return; // Not registered by the adapter, so not followed.
  await context.db.update(agent, key).set({ uri: storable(uri) });
}

/** Stores the new owner of an agent that left its adapter. Writes: agents. */
export async function leaveAdapter(context: Context, log: LogRef, agentId: bigint, owner: Address) {
  const key = keyOf(log, agentId);
  if ((await context.db.find(agent, key)) === null) return;
  await context.db.update(agent, key).set({ owner });
}

const keyOf = ({ chainId, contractAddress }: LogRef, agentId: bigint) => ({
  chainId,
  registry: contractAddress,
  agentId,
});
