import { encodeFunctionData } from "viem";
import { universalResolverAbi } from "../../abis/universalResolver.ts";
import type { Settings } from "../../settings/settings.ts";
import { liveContractsOf } from "../../src/api/names/live/deployment.ts";
import { callNode, NoReply } from "../../src/api/names/live/jsonRpc.ts";

const TIMEOUT_MS = 10_000;

/** The root: every Universal Resolver that has the function says something of it, be it an error of its own. */
const question = encodeFunctionData({
  abi: universalResolverAbi,
  functionName: "resolveWithGateways",
  args: ["0x00", "0x", []],
});

/**
 * Looks once whether the Universal Resolver of the deployment can be asked for live answers: one without
 * `resolveWithGateways` reverts without a word at every name. The index itself does not need it, so this stops no start.
 *
 * @returns what to change; null if all is well, or if no node says anything
 */
export async function lookAtUniversalResolver({
  deployment,
  liveRpcUrls,
}: Pick<Settings, "deployment" | "liveRpcUrls">): Promise<string | null> {
  const { universalResolver: to } = liveContractsOf(deployment);
  const [url] = liveRpcUrls;
  if (to === undefined || url === undefined) return null;
  const call = { method: "eth_call", params: [{ to, data: question }, "latest"] };
  try {
    const { result, error } = await callNode(url, call, AbortSignal.timeout(TIMEOUT_MS));
    const isSilent = error ? isRevert(error) && isEmpty(error.data) : isEmpty(result);
    return isSilent ? missing(to) : null;
  } catch (thrown) {
    if (thrown instanceof NoReply) return null;
    throw thrown;
  }
}

const isRevert = ({ code, message }: { code: number; message: string }): boolean =>
  code === 3 || /revert/i.test(message);

/** Nodes leave `data` out, or give `0x`, where a contract says nothing. */
const isEmpty = (data: unknown): boolean => data === undefined || data === null || data === "0x";

const missing = (address: string): string =>
  `The deployment's universalResolver ${address} has no function resolveWithGateways, so every answer that needs the chain will fail. Use a Universal Resolver of 2025 or later (ens-contracts, contracts/universalResolver/UniversalResolver.sol).`;
