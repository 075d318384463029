import { LiveFailure } from "../../src/api/names/live/failure.ts";
import { CommandError } from "../commandLine/command.ts";
import { type Node, NodeError, readChainId } from "./node.ts";

/** Exit codes: all is equal; something differs; it could not be found out. */
const EQUAL = 0;
const DIFFERENT = 1;
export const FAILED = 2;

export const codeOf = ({ failure, differences }: { failure: string | null; differences: number }): number => {
  if (failure !== null) return FAILED;
  return differences === 0 ? EQUAL : DIFFERENT;
};

/** @throws CommandError if the node serves another chain */
export async function requireChain(
  node: Node,
  { chainId, name }: { chainId: number; name: string },
): Promise<void> {
  const served = await readChainId(node);
  if (served === chainId) return;
  throw new CommandError(`The node serves chain ${served}; expected a node of ${name} (${chainId}).`);
}

/** One sentence for what the operator can mend. @throws any other error */
export function explain(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "interrupted";
  if (error instanceof CommandError || error instanceof LiveFailure) return error.message;
  if (error instanceof NodeError) {
    return `${error.message}. Try fewer --samples, another --url, or an archive node for --at.`;
  }
  const { code, message } = error as { code?: string; message?: string };
  if (code !== undefined) return `the database or a connection failed: ${message || code}`;
  throw error;
}
