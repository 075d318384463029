import {
  concat,
  decodeErrorResult,
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  isAddressEqual,
  slice,
  toFunctionSelector,
} from "viem";
import { batchGatewayAbi, offchainLookupAbi } from "../../../../abis/universalResolver.ts";
import { LiveFailure, sanitizeMessage } from "../failure.ts";
import type { CallAt, CallResult, Rpc } from "../rpc.ts";
import { GatewayError, type Gateways, type Lookup } from "./gatewayClient.ts";

/** Used instead of a batch gateway's URL: we then make the look-ups of a batch ourselves, each at its own gateway. */
export const OWN_BATCH_GATEWAY = "x-batch-gateway:true";

/** How many rounds of look-ups a contract may ask for before it has to answer. */
const MAX_ROUNDS = 4;
/** How many requests to gateways one resolution may send. */
const MAX_FETCHES = 50;

const OFFCHAIN_LOOKUP = toFunctionSelector("OffchainLookup(address,string[],bytes,bytes4,bytes)");

type Reach = { rpc: Rpc; gateways: Gateways; signal: AbortSignal };
type Limits = { gateways: Gateways; signal: AbortSignal; fetches: { left: number } };

/**
 * Calls a contract and makes the look-ups that it asks for (ERC-3668); after each it calls the contract back at the same
 * block. Gives the last answer: data, or the data of an error that does not ask for a look-up.
 *
 * @throws LiveFailure when the node or a gateway fails, or the contract asks for too much
 */
export async function callWithLookups({ rpc, ...reach }: Reach, first: CallAt): Promise<CallResult> {
  const limits = { ...reach, fetches: { left: MAX_FETCHES } };
  let call = first;
  for (let round = 0; ; round++) {
    const result = await rpc.call(call, limits.signal);
    if (result.ok || slice4(result.revert) !== OFFCHAIN_LOOKUP) return result;
    if (round === MAX_ROUNDS) {
      throw new LiveFailure("gateway", `The resolver asked for more than ${MAX_ROUNDS} rounds of look-ups.`);
    }
    call = { ...call, data: await lookUp(decodeLookup(result.revert), first, limits) };
  }
}

/** First four bytes: the selector of a function or error. */
const slice4 = (data: Hex): Hex => (data.length < 10 ? data : slice(data, 0, 4));

type AskedLookup = Lookup & { callback: Hex; extraData: Hex };

function decodeLookup(revert: Hex): AskedLookup {
  try {
    const { args } = decodeErrorResult({ abi: offchainLookupAbi, data: revert });
    const [sender, urls, data, callback, extraData] = args;
    return { sender, urls, data, callback, extraData };
  } catch {
    throw new LiveFailure("resolver", "The resolver asked for a look-up that cannot be decoded.");
  }
}

/** Makes one look-up. Gives the data of the call that passes its answer to the contract. */
async function lookUp(lookup: AskedLookup, { to }: CallAt, limits: Limits): Promise<Hex> {
  // A look-up of another contract, passed on by the callee: its callback would run in the wrong contract.
  if (!isAddressEqual(lookup.sender, to)) {
    throw new LiveFailure("resolver", "The resolver asked for a look-up on behalf of another contract.");
  }
  const answer = await askOrBatch(lookup, limits).catch((error) => {
    if (error instanceof GatewayError) {
      throw new LiveFailure("gateway", `A gateway of the name's resolver failed: ${error.message}.`);
    }
    throw error;
  });
  return concat([
    lookup.callback,
    encodeAbiParameters([{ type: "bytes" }, { type: "bytes" }], [answer, lookup.extraData]),
  ]);
}

const askOrBatch = (lookup: Lookup, limits: Limits): Promise<Hex> =>
  lookup.urls.includes(OWN_BATCH_GATEWAY) ? askBatch(lookup, limits) : limits.gateways.ask(lookup, limits);

/** What a batch gateway would answer (ENSIP-21). A failed look-up is passed to the contract as `HttpError`. */
async function askBatch({ data }: Lookup, limits: Limits): Promise<Hex> {
  const requests = decodeBatch(data);
  const answers = await Promise.all(
    requests.map((request) =>
      askOrBatch(request, limits).then(
        (response) => ({ failed: false, response }),
        (error) => ({ failed: true, response: encodeFailure(error) }),
      ),
    ),
  );
  limits.signal.throwIfAborted();
  return encodeFunctionResult({
    abi: batchGatewayAbi,
    functionName: "query",
    result: [answers.map(({ failed }) => failed), answers.map(({ response }) => response)],
  });
}

function decodeBatch(data: Hex): readonly Lookup[] {
  try {
    return decodeFunctionData({ abi: batchGatewayAbi, data }).args[0];
  } catch {
    throw new GatewayError("The resolver's batch of look-ups cannot be decoded");
  }
}

function encodeFailure(error: unknown): Hex {
  if (!(error instanceof GatewayError)) throw error;
  const args = [error.status, sanitizeMessage(error.message)] as const;
  return encodeErrorResult({ abi: batchGatewayAbi, errorName: "HttpError", args });
}
