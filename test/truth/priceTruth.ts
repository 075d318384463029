import { type Hex, toFunctionSelector } from "viem";
import { requestMany } from "./chainReads.ts";

const RENEW = toFunctionSelector("renew(string,uint256)");

type Frame = { from: Hex; to?: Hex; input?: Hex; value?: Hex; error?: string; calls?: Frame[] };

/**
 * The amounts that a controller kept for the renewals of each transaction, in order: the received value minus what it returned to
 * the sender. They come from a trace of every call, and so from the moment of each renewal, whatever else its block has.
 */
export async function tracedPrices(
  rpcUrl: string,
  controller: Hex,
  hashes: readonly Hex[],
): Promise<Map<Hex, bigint[]>> {
  const traces = await requestMany<Frame>(
    rpcUrl,
    hashes.map((hash) => ({ method: "debug_traceTransaction", params: [hash, { tracer: "callTracer" }] })),
  );
  return new Map(
    traces.map((trace, i) => {
      if ("error" in trace) throw new Error(`no trace of ${hashes[i]}`);
      return [hashes[i] as Hex, keptIn(trace.result, controller.toLowerCase())];
    }),
  );
}

/** Calls that reverted kept nothing. */
function keptIn(frame: Frame, controller: string): bigint[] {
  if (frame.error !== undefined) return [];
  const calls = frame.calls ?? [];
  const within = calls.flatMap((call) => keptIn(call, controller));
  if (frame.to?.toLowerCase() !== controller || !frame.input?.startsWith(RENEW)) return within;
  const back = calls.filter(({ to }) => to?.toLowerCase() === frame.from.toLowerCase());
  return [
    back.reduce((kept, { value = "0x0" }) => kept - BigInt(value), BigInt(frame.value ?? 0)),
    ...within,
  ];
}
