import {
  concat,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionResult,
  getAddress,
  type Hex,
  isAddressEqual,
  toFunctionSelector,
} from "viem";
import { batchGatewayAbi } from "../../../../../abis/universalResolver.ts";
import { textOfBytes } from "../../../../ens/utf8.ts";
import { sanitizeMessage } from "../../../server/errors/foreignText.ts";
import { nextTurn } from "../../../server/scheduling/turns.ts";
import { LiveFailure } from "../failure.ts";
import { AbiError, byteLength, readAbi, type Shape } from "../liveAbi.ts";
import { type CallAt, type CallResult, MAX_RESULT_BYTES, type Rpc } from "../rpc.ts";
import { type Budget, takeBytes, takeRound } from "./budget.ts";
import type { Gateways, Lookup } from "./gatewayClient.ts";
import { GatewayError } from "./gatewayError.ts";

/** Replaces a batch gateway's URL: we then make the look-ups of a batch ourselves, each at its own gateway. */
export const OWN_BATCH_GATEWAY = "x-batch-gateway:true";

/** Look-ups per batch: we read at most 112 records of a name at once, and each may need a look-up. */
export const MAX_BATCH = 128;
/** URLs read from one look-up. Fewer of them are called. */
const MAX_NAMED_URLS = 64;

const OFFCHAIN_LOOKUP = toFunctionSelector("OffchainLookup(address,string[],bytes,bytes4,bytes)");
const QUERY = toFunctionSelector("query((address,string[],bytes)[])");

const urlsShape = { list: "bytes", most: MAX_NAMED_URLS } as const satisfies Shape;
const lookupShape = ["word", urlsShape, "bytes", "word", "bytes"] as const satisfies Shape[];
const batchShape = {
  list: { struct: ["word", urlsShape, "bytes"] },
  most: MAX_BATCH,
} as const satisfies Shape;

type Reach = { rpc: Rpc; gateways: Gateways; budget: Budget };

/**
 * Calls a contract and makes the look-ups that it requests (ERC-3668). After each one, it calls the contract back at the same
 * block. Returns the last answer: data, or the data of an error that does not request a look-up.
 *
 * @throws LiveFailure when the node or a gateway fails, or the contract requests too much
 */
export async function callWithLookups(reach: Reach, first: CallAt): Promise<CallResult> {
  const { rpc, budget } = reach;
  let call = first;
  for (;;) {
    const result = await rpc.call(call, budget.signal);
    const data = result.ok ? result.data : result.revert;
    takeBytes(budget, byteLength(data));
    // Answers of many nodes and gateways can arrive at once. Each is read in a separate turn of the event loop.
    await nextTurn();
    if (result.ok || !data.startsWith(OFFCHAIN_LOOKUP)) return result;
    takeRound(budget);
    call = { ...call, data: await lookUp(readLookup(data), first, reach) };
  }
}

type AskedLookup = Lookup & { callback: Hex; extraData: Hex };

function readLookup(revert: Hex): AskedLookup {
  try {
    const [sender, urls, data, callback, extraData] = readAbi(lookupShape, revert, 4);
    return { ...toLookup(sender, urls, data), callback: callback.slice(0, 10) as Hex, extraData };
  } catch (error) {
    if (!(error instanceof AbiError)) throw error;
    throw new LiveFailure("resolver", "The resolver asked for a look-up that cannot be decoded.");
  }
}

const toLookup = (sender: Hex, urls: readonly Hex[], data: Hex): Lookup => ({
  sender: getAddress(`0x${sender.slice(-40)}`),
  urls: urls.map(textOfBytes),
  data,
});

/** Makes one look-up. Returns the data of the call that passes its answer to the contract. */
async function lookUp(lookup: AskedLookup, { to }: CallAt, reach: Reach): Promise<Hex> {
  // The callee passed on another contract's look-up: the callback would run in the wrong contract.
  if (!isAddressEqual(lookup.sender, to)) {
    throw new LiveFailure("resolver", "The resolver asked for a look-up on behalf of another contract.");
  }
  const isBatch = lookup.urls.includes(OWN_BATCH_GATEWAY);
  const answer = await (isBatch ? askBatch(lookup, reach) : askGateways(lookup, reach)).catch((error) => {
    if (error instanceof GatewayError) {
      throw new LiveFailure("gateway", `A gateway of the name's resolver failed: ${error.message}.`);
    }
    throw error;
  });
  if (byteLength(answer) + byteLength(lookup.extraData) > MAX_RESULT_BYTES) throw tooLargeForCall();
  return concat([
    lookup.callback,
    encodeAbiParameters([{ type: "bytes" }, { type: "bytes" }], [answer, lookup.extraData]),
  ]);
}

const tooLargeForCall = () =>
  new LiveFailure(
    "gateway",
    `The answers to the look-ups are larger than ${MAX_RESULT_BYTES} bytes, the most that a call may hold.`,
  );

async function askGateways(lookup: Lookup, { gateways, budget }: Reach): Promise<Hex> {
  takeBytes(budget, byteLength(lookup.data));
  const answer = await gateways.ask(lookup, budget);
  takeBytes(budget, byteLength(answer));
  return answer;
}

/** The answer of a batch gateway (ENSIP-21). A failed look-up is passed to the contract as `HttpError`. */
async function askBatch({ data }: Lookup, reach: Reach): Promise<Hex> {
  const answers = await Promise.all(
    readBatch(data).map((lookup) =>
      askInBatch(lookup, reach).then(
        (response) => ({ failed: false, response }),
        (error) => ({ failed: true, response: encodeFailure(error) }),
      ),
    ),
  );
  reach.budget.signal.throwIfAborted();
  return encodeFunctionResult({
    abi: batchGatewayAbi,
    functionName: "query",
    result: [answers.map(({ failed }) => failed), answers.map(({ response }) => response)],
  });
}

/**
 * We do not make a batch inside a batch: strangers could nest them without end. Its look-up goes to the other batch gateways that
 * it names, and fails if there are none.
 */
async function askInBatch(lookup: Lookup, reach: Reach): Promise<Hex> {
  const urls = lookup.urls.filter((url) => url !== OWN_BATCH_GATEWAY);
  if (urls.length === 0 && lookup.urls.length > 0) {
    throw new GatewayError("A batch of look-ups may not hold another batch");
  }
  return askGateways({ ...lookup, urls }, reach);
}

function readBatch(data: Hex): Lookup[] {
  if (!data.startsWith(QUERY)) throw new GatewayError("The resolver's batch of look-ups cannot be decoded");
  try {
    const [requests] = readAbi([batchShape], data, 4);
    return requests.map(([sender, urls, callData]) => toLookup(sender, urls, callData));
  } catch (error) {
    if (!(error instanceof AbiError)) throw error;
    throw new GatewayError(`The resolver's batch of look-ups cannot be decoded: ${error.message}`);
  }
}

function encodeFailure(error: unknown): Hex {
  if (!(error instanceof GatewayError)) throw error;
  const args = [error.status, sanitizeMessage(error.message)] as const;
  return encodeErrorResult({ abi: batchGatewayAbi, errorName: "HttpError", args });
}
