import type { Context } from "ponder:registry";
import { agent, agentBinding } from "ponder:schema";
import type { Address } from "viem";
import type { LogRef } from "./logRef.ts";

/** What a log says of a binding. */
export type Binding = Pick<
  typeof agentBinding.$inferSelect,
  "agentId" | "tokenStandard" | "tokenContract" | "tokenId" | "node" | "registeredBy"
>;

/**
 * Keeps a binding at the emitting adapter. Writes: agent_bindings.
 *
 * @returns false if the agent was bound before: the first binding holds for good
 */
export async function putBinding(context: Context, cause: LogRef, binding: Binding): Promise<boolean> {
  const { chainId, contractAddress: adapter, blockNumber, logIndex, transactionHash, blockTimestamp } = cause;
  const key = { chainId, adapter, agentId: binding.agentId };
  if ((await context.db.find(agentBinding, key)) !== null) return false;
  await context.db
    .insert(agentBinding)
    .values({ ...key, ...binding, blockNumber, logIndex, transactionHash, blockTimestamp });
  return true;
}

/** Keeps an agent that was registered at the emitting registry. Writes: agents. */
export async function putAgent(
  context: Context,
  cause: LogRef,
  { agentId, owner, uri }: { agentId: bigint; owner: Address; uri: string },
): Promise<void> {
  const { blockNumber, blockTimestamp, transactionHash } = cause;
  await context.db
    .insert(agent)
    .values({
      ...keyOf(cause, agentId),
      owner,
      uri: storable(uri),
      blockNumber,
      blockTimestamp,
      transactionHash,
    })
    .onConflictDoUpdate({ owner, uri: storable(uri) });
}

/** Says where the agent is described from now on. Writes: agents. */
export async function setAgentUri(context: Context, cause: LogRef, agentId: bigint, uri: string) {
  const key = keyOf(cause, agentId);
  if ((await context.db.find(agent, key)) === null) return; // Registered by another, and not followed.
  await context.db.update(agent, key).set({ uri: storable(uri) });
}

/** Says who got an agent that left its adapter. Writes: agents. */
export async function leaveAdapter(context: Context, cause: LogRef, agentId: bigint, owner: Address) {
  const key = keyOf(cause, agentId);
  if ((await context.db.find(agent, key)) === null) return;
  await context.db.update(agent, key).set({ owner });
}

const keyOf = ({ chainId, contractAddress }: LogRef, agentId: bigint) => ({
  chainId,
  registry: contractAddress,
  agentId,
});

/** PostgreSQL's text has no NUL; the log keeps the text as it is. */
const storable = (uri: string): string => uri.replaceAll("\0", "\u2400");
