import {
  type Address,
  BaseError,
  createPublicClient,
  fallback,
  type Hex,
  hashMessage,
  http,
  RpcRequestError,
  type Transport,
  verifyMessage,
} from "viem";
import { ApiError } from "../errors/errors.ts";

/** A message (EIP-191), and the address that is said to have signed it. */
export type Signed = { address: Address; message: string; signature: Hex };

/**
 * Makes sure that the address signed the message.
 *
 * @throws ApiError INVALID_PARAMETER if it did not, LIVE_RESOLUTION_FAILED if the chain had to be asked and cannot be
 */
export type SignatureCheck = (signed: Signed) => Promise<void>;

const CALL_TIMEOUT_MS = 3_000;

/**
 * Checks signatures of accounts without the chain, and those of smart-contract wallets on the chain (ERC-1271; ERC-6492
 * for wallets that are not deployed yet), if a node is configured.
 */
export function signatureCheck({ rpcUrls }: { rpcUrls: readonly string[] }): SignatureCheck {
  return async (signed) => {
    if (await isAccounts(signed)) return;
    if (rpcUrls.length === 0) {
      throw refusal(
        "If it is a smart-contract wallet, its signature cannot be checked here: LIVE_RPC_URL is off",
      );
    }
    if (!(await isContracts(rpcUrls, signed))) throw refusal("Sign the message exactly as sent");
  };
}

/** Also false if it is not a signature of an account: contracts accept any form. */
async function isAccounts(signed: Signed): Promise<boolean> {
  try {
    return await verifyMessage(signed);
  } catch {
    return false;
  }
}

/**
 * The caller chooses the contract. So we only call it, it cannot send us elsewhere (no CCIP-Read), and it has a few
 * seconds. The client is viem's own, because viem's function verifies ERC-1271 and ERC-6492.
 */
async function isContracts(
  urls: readonly string[],
  { address, message, signature }: Signed,
): Promise<boolean> {
  const failures: unknown[] = [];
  const nodes = fallback(
    urls.map((url) => http(url, { timeout: CALL_TIMEOUT_MS, retryCount: 0 })),
    { retryCount: 0 },
  );
  const client = createPublicClient({ transport: recording(nodes, failures), ccipRead: false });
  const isValid = await client
    .verifyHash({ address, hash: hashMessage(message), signature })
    .catch((error: unknown) => {
      failures.push(error);
      return false;
    });
  if (!isValid && failures.some((failure) => !isRevert(failure))) {
    throw new ApiError(
      "LIVE_RESOLUTION_FAILED",
      "The signature of a smart-contract wallet must be checked on chain, but the chain could not be reached. Try again.",
    );
  }
  return isValid;
}

/** viem treats every failed call as "not valid". The failures are recorded, to tell a node's fault from the contract's answer. */
const recording =
  (nodes: Transport, failures: unknown[]): Transport =>
  (options) => {
    const transport = nodes(options);
    const request: typeof transport.request = async (asked) => {
      try {
        return (await transport.request(asked)) as never;
      } catch (error) {
        failures.push(error);
        throw error;
      }
    };
    return { ...transport, request };
  };

/** A revert is the contract's answer. Nodes report it by code 3, or in words. */
function isRevert(failure: unknown): boolean {
  const cause =
    failure instanceof BaseError ? failure.walk((error) => error instanceof RpcRequestError) : null;
  if (!(cause instanceof RpcRequestError)) return false;
  return cause.code === 3 || /revert/i.test(`${cause.details} ${JSON.stringify(cause.data ?? "")}`);
}

const refusal = (hint: string): ApiError =>
  new ApiError("INVALID_PARAMETER", `The signature is not from the address in the message. ${hint}.`);
