import { type Settings, SettingsError } from "../../settings/settings.ts";
import { callNode, NoReply } from "../../src/api/names/live/jsonRpc.ts";
import { UnavailableError } from "../commandLine/exitCodes.ts";
import { onOneLine } from "../commandLine/foreignText.ts";

const TIMEOUT_MS = 10_000;

/**
 * Asks every RPC URL of the indexer for its chain. Ponder only warns about a wrong chain and indexes it, and reports an
 * unreachable URL with stack traces.
 *
 * @throws SettingsError for a URL of another chain, UnavailableError for a chain of which no URL answers
 */
export async function checkRpcUrls({
  deployment,
  rpcUrls,
}: Pick<Settings, "deployment" | "rpcUrls">): Promise<void> {
  const chains = [deployment, ...deployment.layer2];
  await Promise.all(
    chains.map(({ chainId, name }) => checkChain({ chainId, name, urls: rpcUrls[chainId] ?? [] })),
  );
}

/**
 * Asks the nodes of live answers for their chain: a node of another chain would answer about other names. A node that
 * does not answer now does not stop the start.
 *
 * @throws SettingsError for a URL of another chain
 */
export async function checkLiveUrls({
  deployment,
  rpcUrls,
  liveRpcUrls,
}: Pick<Settings, "deployment" | "rpcUrls" | "liveRpcUrls">): Promise<void> {
  const answers = await Promise.all(liveRpcUrls.map(askForChain));
  const wrong = answers.find(({ chainId }) => chainId !== undefined && chainId !== deployment.chainId);
  if (wrong === undefined) return;
  const isIndexers = rpcUrls[deployment.chainId] === liveRpcUrls;
  throw new SettingsError(
    `${isIndexers ? `RPC_URL_${deployment.chainId}` : "LIVE_RPC_URL"}: ${wrong.host} serves chain ${wrong.chainId}; expected a node of ${deployment.name} (${deployment.chainId})`,
  );
}

/** The call `decimals()`, and its answer for every token that payments are made in. */
const DECIMALS_CALL = "0x313ce567";
const SIX = 6n;

/**
 * Asks the payment node for its chain, and whether the currency is a token there: clients could not pay otherwise. An
 * unreachable node does not prevent startup.
 *
 * @throws SettingsError for a node of another chain, and for an address that is not such a token
 */
export async function checkPayments({ payments }: Pick<Settings, "payments">): Promise<void> {
  if (payments === null) return;
  const { chainId, currency, rpcUrl } = payments;
  const chain = await askForChain(rpcUrl);
  if (chain.chainId === undefined) return;
  if (chain.chainId !== chainId) {
    throw new SettingsError(
      `MPP_RPC_URL: ${chain.host} serves chain ${chain.chainId}; expected a node of MPP_CHAIN_ID, ${chainId}`,
    );
  }
  const { result, reason = "" } = await ask(rpcUrl, "eth_call", [
    { to: currency, data: DECIMALS_CALL },
    "latest",
  ]);
  const isToken =
    result === undefined
      ? !/revert/i.test(reason)
      : /^0x[0-9a-f]{64}$/.test(result) && BigInt(result) === SIX;
  if (isToken) return;
  throw new SettingsError(`MPP_CURRENCY: ${currency} is not a TIP-20 token on chain ${chainId}`);
}

type Chain = { chainId: number; name: string; urls: readonly string[] };

async function checkChain({ chainId, name, urls }: Chain): Promise<void> {
  const answers = await Promise.all(urls.map(askForChain));
  const wrong = answers.find((answer) => answer.chainId !== undefined && answer.chainId !== chainId);
  if (wrong) {
    throw new SettingsError(
      `RPC_URL_${chainId}: ${wrong.host} serves chain ${wrong.chainId}; expected a node of ${name} (${chainId})`,
    );
  }
  if (answers.some((answer) => answer.chainId === chainId)) return;
  // Several URLs of one host differ in their keys, which are not shown.
  const reasons = [...new Set(answers.map(({ host, reason }) => `${host}: ${onOneLine(reason ?? "")}`))].join(
    "; ",
  );
  throw new UnavailableError(`RPC_URL_${chainId}: no node of ${name} answers (${reasons})`);
}

type Answer = { host: string; chainId?: number; reason?: string };

async function askForChain(url: string): Promise<Answer> {
  const { result, ...answer } = await ask(url, "eth_chainId", []);
  return result === undefined ? answer : { ...answer, chainId: Number(result) };
}

/** Names the host only: many URLs contain a key in their path. */
async function ask(
  url: string,
  method: string,
  params: unknown[],
): Promise<{ host: string; result?: string; reason?: string }> {
  const { host } = new URL(url);
  try {
    const { result, error } = await callNode(url, { method, params }, AbortSignal.timeout(TIMEOUT_MS));
    return typeof result === "string" ? { host, result } : { host, reason: error?.message ?? "no result" };
  } catch (error) {
    if (error instanceof NoReply) return { host, reason: error.code ?? error.message };
    throw error;
  }
}
