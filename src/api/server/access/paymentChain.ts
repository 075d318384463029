import { BaseError, createClient, HttpRequestError, http, LimitExceededRpcError, TimeoutError } from "viem";
import { tempo as tempoChain } from "viem/chains";
import type { PaymentSettings } from "../../../../settings/payments.ts";

/** The client of the chain that payments are made on. viem's own, because the payment library takes one. */
export type PaymentClient = ReturnType<typeof clientOf>;

const RPC_TIMEOUT_MS = 8_000;

/** A client of the node of payments. It tries nothing twice: the payer can repeat the request. */
export function clientOf({ chainId, rpcUrl }: PaymentSettings) {
  const chain = { ...tempoChain, id: chainId, rpcUrls: { default: { http: [rpcUrl] } } };
  return createClient({ chain, transport: http(rpcUrl, { timeout: RPC_TIMEOUT_MS, retryCount: 0 }) });
}

/** Whether the node gave no answer at all, not even an error. */
export const isChainAway = (error: BaseError): boolean =>
  error.walk((cause) =>
    [HttpRequestError, TimeoutError, LimitExceededRpcError].some((kind) => cause instanceof kind),
  ) !== null;

/** The name of an error, for the log: messages of viem contain the node's URL and the transaction. */
export function nameOfError(thrown: unknown): string {
  if (thrown instanceof BaseError) return (thrown.walk() as { name?: string }).name ?? thrown.name;
  if (!(thrown instanceof Error)) return typeof thrown;
  return "code" in thrown ? `${thrown.name} ${thrown.code}` : thrown.name;
}
