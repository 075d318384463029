import { callNode, NoReply } from "../../src/api/names/live/jsonRpc.ts";
import { CommandError } from "../commandLine/command.ts";
import { onOneLine } from "../commandLine/foreignText.ts";

const TIMEOUT_MS = 30_000;

/** Where a chain can be asked. */
export type Nodes = { chainId: number; chainName: string; urls: readonly string[] };

/**
 * The hash of a block, from the first node that has it.
 *
 * @throws CommandError if no node tells it
 */
export async function readBlockHash({ chainId, chainName, urls }: Nodes, block: number): Promise<string> {
  const reasons: string[] = [];
  for (const url of urls) {
    const answer = await ask(url, block);
    if (answer.hash !== undefined) return answer.hash;
    reasons.push(`${new URL(url).host}: ${onOneLine(answer.reason ?? "")}`);
  }
  throw new CommandError(
    `RPC_URL_${chainId}: no node of ${chainName} returns block ${block} (${reasons.join("; ")}). Use a node that has it.`,
  );
}

async function ask(url: string, block: number): Promise<{ hash?: string; reason?: string }> {
  const call = { method: "eth_getBlockByNumber", params: [`0x${block.toString(16)}`, false] };
  try {
    const { result, error } = await callNode(url, call, AbortSignal.timeout(TIMEOUT_MS));
    const { hash } = Object(result) as { hash?: unknown };
    if (typeof hash === "string") return { hash };
    return { reason: error?.message ?? "it does not have this block yet" };
  } catch (error) {
    if (error instanceof NoReply) return { reason: error.code ?? error.message };
    throw error;
  }
}
