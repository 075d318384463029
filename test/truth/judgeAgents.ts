import { type Hex, parseAbi } from "viem";
import { shownText } from "./chainLogs.ts";
import { ask } from "./chainReads.ts";
import { ethNodeOf, hashOfId, storedText } from "./names.ts";
import { compare, contractOf, type Evidence, type Row, type Trial } from "./oracle.ts";

const adapterAbi = parseAbi([
  "function bindingOf(uint256 agentId) view returns ((uint8 standard, address tokenContract, uint256 tokenId))",
]);
const registryAbi = parseAbi([
  "function ownerOf(uint256 agentId) view returns (address)",
  "function tokenURI(uint256 agentId) view returns (bytes)",
]);

/** The adapter's answer about an agent. */
export type Binding = { standard: number; tokenContract: Hex; tokenId: bigint };

/** The name that the token belongs to; null for another token. */
export function nodeOfToken(
  trial: Pick<Trial, "deployment">,
  { tokenContract, tokenId }: Pick<Binding, "tokenContract" | "tokenId">,
): Hex | null {
  const isAt = (address: string | undefined) => address?.toLowerCase() === tokenContract.toLowerCase();
  if (isAt(contractOf(trial, "registrar", 2)?.address)) return ethNodeOf(hashOfId(tokenId));
  return isAt(contractOf(trial, "wrapper")?.address) ? hashOfId(tokenId) : null;
}

/** Number of agents read at once, until one is not registered. */
const BATCH = 100;

/** Every agent of the registry with the answers of registry and adapter; a missing binding is null. */
export async function readAgents(
  trial: Pick<Trial, "rpcUrl" | "deployment">,
): Promise<{ owner: Hex; uri: string | null; binding: Binding | null }[]> {
  const [adapter, registry] = [contractOf(trial, "agent-adapter"), contractOf(trial, "agent-registry")];
  if (adapter === undefined || registry === undefined) return [];
  const agents: { owner: Hex; uri: string | null; binding: Binding | null }[] = [];
  for (;;) {
    const ids = Array.from({ length: BATCH }, (_, i) => BigInt(agents.length + i));
    const asked = (to: Hex, abi: typeof adapterAbi | typeof registryAbi, functionName: string) =>
      ids.map((agentId) => ({ to, abi, functionName, args: [agentId] }));
    const owners = await ask<Hex>(trial.rpcUrl, asked(registry.address, registryAbi, "ownerOf"));
    const uris = await ask<Hex>(trial.rpcUrl, asked(registry.address, registryAbi, "tokenURI"));
    const bindings = await ask<Binding>(trial.rpcUrl, asked(adapter.address, adapterAbi, "bindingOf"));
    const registered = owners.filter((owner) => owner !== null);
    agents.push(
      ...registered.map((owner, i) => ({ owner, uri: toUri(uris[i]), binding: bindings[i] ?? null })),
    );
    if (registered.length < BATCH) return agents;
  }
}

const toUri = (bytes: Hex | null | undefined): string | null => (bytes ? shownText({ bytes }) : null);

/** Bindings must match the adapter; owner and URI of its agents must match the registry for as long as it owns them. */
export async function judgeAgents(evidence: Evidence): Promise<void> {
  const { query, deployment, differ, count } = evidence;
  const adapter = contractOf(evidence, "agent-adapter")?.address.toLowerCase();
  const rowsOf = async (table: string) => {
    const rows = await query(`select * from ${table} where chain_id = ${deployment.chainId}`);
    return new Map(rows.map((row) => [String(row.agent_id), row]));
  };
  const [bindings, agents] = [await rowsOf("agent_bindings"), await rowsOf("agents")];
  for (const [id, { owner, uri, binding }] of (await readAgents(evidence)).entries()) {
    count("agents");
    const agentId = String(id);
    const [bound, agent] = [bindings.get(agentId), agents.get(agentId)];
    bindings.delete(agentId);
    agents.delete(agentId);
    if ((binding === null) !== (bound === undefined)) {
      differ(`agent_bindings ${agentId}: ${bound ? "a row" : "no row"}, the adapter says otherwise`);
      continue;
    }
    if (binding !== null && bound !== undefined) {
      compare(evidence, `agent_bindings ${agentId}`, bound, {
        adapter,
        token_standard: binding.standard,
        token_contract: binding.tokenContract,
        token_id: binding.tokenId,
        node: nodeOfToken(evidence, binding),
      });
    }
    judgeAgent(evidence, agentId, agent, { isBound: binding !== null, owner, uri, adapter });
  }
  for (const id of bindings.keys()) differ(`agent_bindings ${id}: no such agent`);
  for (const id of agents.keys()) differ(`agents ${id}: no such agent`);
}

type Registered = { isBound: boolean; owner: Hex; uri: string | null; adapter: string | undefined };

function judgeAgent(evidence: Evidence, agentId: string, row: Row | undefined, is: Registered): void {
  if (is.isBound !== (row !== undefined)) {
    evidence.differ(`agents ${agentId}: ${row ? "a row" : "no row"}, but only the adapter's are followed`);
  }
  if (row === undefined) return;
  const left = is.owner.toLowerCase() !== is.adapter;
  if (left) {
    if (row.owner === is.adapter) evidence.differ(`agents ${agentId}: left the adapter, and no row says so`);
    return;
  }
  compare(evidence, `agents ${agentId}`, row, { owner: is.owner });
  const uri = storedText(is.uri ?? "");
  if (row.uri !== uri) evidence.differ(`agents ${agentId}: uri is not what the registry answers`);
}
