import { type Address, concat, encodeAbiParameters, type Hex, numberToHex, padHex, size } from "viem";
import { OWN_BATCH_GATEWAY } from "../../../src/api/names/live/ccip/ccip.ts";

/** `query((address,string[],bytes)[])` of ENSIP-21. */
export const QUERY: Hex = "0xa780bab6";

const word = (number: number): Hex => numberToHex(number, { size: 32 });

/** One encoded request of a batch. */
function encodeRequest(sender: Address, urls: readonly string[], data: Hex): Hex {
  const request = encodeAbiParameters(
    [{ type: "address" }, { type: "string[]" }, { type: "bytes" }],
    [sender, urls, data],
  );
  return padHex(request, { dir: "right", size: Math.ceil(size(request) / 32) * 32 });
}

/** A batch of look-ups whose `width` offsets all point to one request. */
const overlappingBatch = (width: number, request: Hex): Hex =>
  concat([QUERY, word(32), word(width), ...Array<Hex>(width).fill(word(width * 32)), request]);

/**
 * Batches nested in batches, each holding one request `width` times: `width` to the power of
 * `depth` look-ups.
 */
export function nestedBatches(sender: Address, { width, depth }: { width: number; depth: number }): Hex {
  const inner = depth === 1 ? "0x" : nestedBatches(sender, { width, depth: depth - 1 });
  const urls = depth === 1 ? [] : [OWN_BATCH_GATEWAY];
  return overlappingBatch(width, encodeRequest(sender, urls, inner));
}
