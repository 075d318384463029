import {
  type AbiEvent,
  type AbiParameter,
  bytesToHex,
  encodeAbiParameters,
  type Hex,
  isHex,
  keccak256,
  parseAbi,
  size,
  stringToBytes,
  toEventSelector,
} from "viem";
import {
  addressOf,
  type Call,
  contractOf,
  hashLabel,
  type Label,
  rpc,
  sendInOneBlock,
} from "../../devnet/acts.ts";
import { ATTACK_GAS, type HostileStage } from "./stage.ts";

/** A log of any shape. */
export type RawLog = { topics: readonly Hex[]; data: Hex };

/** A log by its ABI. Values are in the order of its arguments; texts can be any bytes. */
export function logOf(event: string | AbiEvent, ...values: readonly unknown[]): RawLog {
  const item = typeof event === "string" ? (parseAbi([event])[0] as unknown as AbiEvent) : event;
  const given = item.inputs.map((input, index) => ({ input, value: toRawValue(input, values[index]) }));
  const plain = given.filter(({ input }) => !input.indexed);
  const indexed = given.filter(({ input }) => input.indexed);
  return {
    topics: [toEventSelector(item), ...indexed.map(({ input, value }) => toTopic(input, value))],
    data: encodeAbiParameters(
      plain.map(({ input }) => toRawInput(input)),
      plain.map(({ value }) => value),
    ),
  };
}

const isText = ({ type }: AbiParameter): boolean => type === "string" || type === "bytes";

/** `string` and `bytes` are encoded alike, and bytes need not be UTF-8. */
const toRawInput = (input: AbiParameter): AbiParameter =>
  isText(input) ? { ...input, type: "bytes" } : input;

function toRawValue(input: AbiParameter, value: unknown): unknown {
  if (value instanceof Uint8Array) return bytesToHex(value);
  const isPlainText = input.type === "string" || (input.type === "bytes" && !isHex(value));
  return isPlainText ? bytesToHex(stringToBytes(String(value))) : value;
}

const toTopic = (input: AbiParameter, value: unknown): Hex =>
  isText(input) ? keccak256(value as Hex) : encodeAbiParameters([input], [value]);

/** Maximum cost of a log in gas, mostly its calldata. */
const gasOf = ({ data }: RawLog): bigint => BigInt(20_000 + 60 * size(data));

/** Transactions that emit logs from a contract's address, each with as many as its gas allows. */
function emitCalls({ mallory }: HostileStage, contract: string, logs: readonly RawLog[]): Call[] {
  const calls: Call[] = [];
  for (let next = 0; next < logs.length; ) {
    const some: RawLog[] = [];
    for (let gas = 0n; next < logs.length; some.push(logs[next++] as RawLog)) {
      gas += gasOf(logs[next] as RawLog);
      if (gas > ATTACK_GAS && some.length > 0) break;
    }
    calls.push({ from: mallory, contract, functionName: "emitLogs", args: [some], gas: ATTACK_GAS });
  }
  return calls;
}

/** Emits logs in one block. The contract must have the emitter's code. */
export async function emit(stage: HostileStage, contract: string, logs: readonly RawLog[]): Promise<void> {
  await sendInOneBlock(asEmitters(stage, [contract]), emitCalls(stage, contract, logs));
}

/** The chain, with some contracts known by the emitter's ABI. */
function asEmitters({ chain }: HostileStage, contracts: readonly string[]) {
  const { abi } = contractOf(chain, "logEmitter");
  const emitters = contracts.map((name) => [name, { address: addressOf(chain, name), abi }] as const);
  return { ...chain, contracts: { ...chain.contracts, ...Object.fromEntries(emitters) } };
}

/** Puts the emitter's code in the place of a tracked contract, so that its own address logs what it is told to. */
export async function takeOver({ chain }: HostileStage, contract: string): Promise<() => Promise<void>> {
  const read = (name: string) => rpc<Hex>(chain, "eth_getCode", [addressOf(chain, name), "latest"]);
  const [own, emitter] = [await read(contract), await read("logEmitter")];
  const setCode = (code: Hex) => rpc<void>(chain, "anvil_setCode", [addressOf(chain, contract), code]);
  await setCode(emitter);
  return () => setCode(own);
}

/** The contract that {@link spell} impersonates: a controller of 2019, which has no other use here. */
export const SPELLER = "controller1";

/** Makes labels known in one block, as a controller's renewal would, whatever their length. */
export const spell = (stage: HostileStage, labels: readonly Label[]): Promise<void> =>
  emit(
    stage,
    SPELLER,
    labels.map((label) => logOf(renewed, label, hashLabel(label), 1n, 2n)),
  );

const renewed = "event NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)";
