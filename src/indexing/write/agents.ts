import type { Context } from "ponder:registry";
import { agent, agentBinding } from "ponder:schema";
import type { Address } from "viem";
import { storable } from "../../ens/storable.ts";
import { type LogRef, placeOf } from "./logRef.ts";

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
  const key = { chainId: log.chainId, adapter: log.contractAddress, agentId: binding.agentId };
  if ((await context.db.find(agentBinding, key)) !== null) return false;
  await context.db.insert(agentBinding).values({ ...key, ...binding, ...placeOf(log) });
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

/**
 * Stores where an agent is described from here on, or who owns it after it left its adapter. An agent that the adapter did not
 * register is not followed. Writes: agents.
 */
export async function patchAgent(
  context: Context,
  log: LogRef,
  agentId: bigint,
  patch: { uri: string } | { owner: Address },
): Promise<void> {
  const key = keyOf(log, agentId);
  if ((await context.db.find(agent, key)) === null) return;
  await context.db.update(agent, key).set("uri" in patch ? { uri: storable(patch.uri) } : patch);
}

const keyOf = ({ chainId, contractAddress }: LogRef, agentId: bigint) => ({
  chainId,
  registry: contractAddress,
  agentId,
});
