import { decodeAbiParameters, type Hex, parseAbi, toFunctionSelector } from "viem";
import type { Log, TextBytes } from "./chainLogs.ts";
import { encodeRawCall, type Question, requestMany } from "./chainReads.ts";

const SET_TEXT = toFunctionSelector("setText(bytes32,string,string)");

type Frame = { type: string; to?: Hex; input?: Hex; error?: string; calls?: Frame[] };

/** Position that identifies a log. */
export const placeOf = (log: Pick<Log, "blockNumber" | "logIndex">): string =>
  `${log.blockNumber}/${log.logIndex}`;

/** Whether a log is a text record set without its value (resolvers until 2023). */
export const isTextWithoutValue = (log: Log): boolean =>
  log.role === "resolver" && log.eventName === "TextChanged" && log.args.value === undefined;

/**
 * The values of texts whose logs lack them, from a trace of every call of their transactions. The index can only guess these by
 * calldata or by a read at the end of the block. By place of the log; logs of contracts that were never called for it (anybody
 * can emit) are missing.
 */
export async function tracedTexts(rpcUrl: string, logs: readonly Log[]): Promise<Map<string, TextBytes>> {
  const wanted = logs.filter(isTextWithoutValue);
  const hashes = [...new Set(wanted.map((log) => log.transactionHash))];
  const traces = await requestMany<Frame>(
    rpcUrl,
    hashes.map((hash) => ({ method: "debug_traceTransaction", params: [hash, { tracer: "callTracer" }] })),
  );
  const truth = new Map<string, TextBytes>();
  for (const [index, hash] of hashes.entries()) {
    const trace = traces[index];
    if (trace === undefined || "error" in trace) throw new Error(`no trace of ${hash}`);
    const calls = callsOf(trace.result);
    for (const log of wanted) {
      if (log.transactionHash !== hash) continue;
      const at = calls.findIndex((call) => call.to === log.address && isCallOf(call.input, log));
      const [call] = at < 0 ? [] : calls.splice(at, 1);
      if (call !== undefined) truth.set(placeOf(log), { bytes: call.value });
    }
  }
  return truth;
}

type SetText = { to: Hex; input: { node: Hex; key: Hex }; value: Hex };

/** Calls of `setText` in order, without those reverted together with a caller. */
function callsOf(frame: Frame): SetText[] {
  if (frame.error !== undefined) return [];
  const own = frame.input?.startsWith(SET_TEXT) && frame.to !== undefined ? [toSetText(frame)] : [];
  return [...own, ...(frame.calls ?? []).flatMap(callsOf)];
}

function toSetText(frame: Frame): SetText {
  const data = `0x${(frame.input ?? "").slice(SET_TEXT.length)}` as Hex;
  const [node, key, value] = decodeAbiParameters(
    [{ type: "bytes32" }, { type: "bytes" }, { type: "bytes" }],
    data,
  );
  return { to: (frame.to ?? "0x").toLowerCase() as Hex, input: { node, key }, value };
}

const isCallOf = (input: SetText["input"], log: Log): boolean =>
  input.node === log.args.node && input.key === (log.args.key as TextBytes).bytes;

const textAbi = parseAbi(["function text(bytes32 node, string key) view returns (bytes)"]);

/** Asks a resolver for a text, by the bytes of its key. Returns bytes. */
export function textQuestion(resolver: Hex, node: Hex, key: TextBytes): Question {
  const data = encodeRawCall("text(bytes32,string)", [
    { type: "bytes32", value: node },
    { type: "bytes", value: key.bytes },
  ]);
  return { to: resolver, abi: textAbi, functionName: "text", data };
}
