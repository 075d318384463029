import { BaseError, createClient, HttpRequestError, http, LimitExceededRpcError, TimeoutError } from "viem";
import { tempo as tempoChain } from "viem/chains";
import type { PaymentSettings } from "../../../settings/payments.ts";

/** What asks the chain of payments. */
export type PaymentClient = ReturnType<typeof clientOf>;

const RPC_TIMEOUT_MS = 8_000;

/** A client of the node of payments. Nothing is tried twice: whoever pays can come again. */
export function clientOf({ chainId, rpcUrl }: PaymentSettings) {
  const chain = { ...tempoChain, id: chainId, rpcUrls: { default: { http: [rpcUrl] } } };
  return createClient({ chain, transport: http(rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 0 }) });
}

/** Whether the node did not answer, in place of answering that something is wrong. */
export const isChainAway = (error: BaseError): boolean =>
  error.walk((cause) =>
    [HttpRequestError, TimeoutError, LimitExceededRpcError].some((kind) => cause instanceof kind),
  ) !== null;

/** What a log may say of an error: messages of a chain's hold the node's URL and the transaction. */
export function nameOfError(thrown: unknown): string {
  if (thrown instanceof BaseError) return (thrown.walk() as { name?: string }).name ?? thrown.name;
  if (!(thrown instanceof Error)) return typeof thrown;
  return "code" in thrown ? `${thrown.name} ${thrown.code}` : thrown.name;
}
