import type {
  Abi,
  AbiFunction,
  AbiParameter,
  Address,
  Hex,
  PublicActions,
  RpcTransactionReceipt,
  TestClient,
  TransactionReceipt,
  WalletActions,
} from "viem";
import {
  BaseError,
  bytesToHex,
  concat,
  decodeAbiParameters,
  decodeErrorResult,
  encodeAbiParameters,
  formatTransactionReceipt,
  getAbiItem,
  hexToBytes,
  numberToHex,
  toFunctionSelector,
} from "viem";

/** Seconds between two blocks of the devnet that no act asks to be further apart. */
export const BLOCK_SECONDS = 12;

/** Gas of every act: enough for the largest registration, below the limit of one transaction. */
const ACT_GAS = 12_000_000n;

/** A viem client of a local anvil chain: reads, unlocked accounts, and the test methods. */
export type DevnetClient = TestClient<"anvil"> & PublicActions & WalletActions;

/** One local chain with ENS on it, as the acts drive it. `accounts[0]` deployed the contracts. */
export type Chain = {
  client: DevnetClient;
  accounts: readonly Address[];
  contracts: Record<string, { address: Address; abi: Abi }>;
};

/** One contract call, by the contract's name in `chain.contracts` and the ABI's own function name. */
export type Call = {
  from: Address;
  contract: string;
  functionName: string;
  /** A `Uint8Array` is passed as it is where the ABI says `string`: labels that are not UTF-8. */
  args?: readonly unknown[];
  value?: bigint;
  /** Up to the limit of one transaction (2^24); that of every act unless told. */
  gas?: bigint;
};

/** What a contract is asked, by a transaction or by a read. */
export type Question = Pick<Call, "contract" | "functionName" | "args">;

/**
 * A contract that refused an act, in its own words. `receipt` is that of the transaction that was mined as
 * failed; null if already the read before it was refused, so that nothing was sent.
 */
export class ActReverted extends Error {
  readonly reason: string;
  readonly receipt: TransactionReceipt | null;

  constructor(question: Question, reason: string, receipt: TransactionReceipt | null) {
    const where = receipt === null ? "read" : receipt.transactionHash;
    super(`${question.contract}.${question.functionName} reverted: ${reason} (${where})`);
    this.name = "ActReverted";
    this.reason = reason;
    this.receipt = receipt;
  }
}

/** The contract of that name, or an error that lists the ones this chain has. */
export function contractOf(chain: Chain, name: string): { address: Address; abi: Abi } {
  const contract = chain.contracts[name];
  if (contract !== undefined) return contract;
  const names = Object.keys(chain.contracts).sort().join(", ");
  throw new Error(`No contract "${name}" on this chain; it has: ${names}`);
}

/** The address of the contract of that name. */
export function addressOf(chain: Chain, name: string): Address {
  return contractOf(chain, name).address;
}

/** One JSON-RPC request as it is, for the anvil methods that viem has no action for. */
export async function rpc<Result>(
  chain: Chain,
  method: string,
  params: readonly unknown[] = [],
): Promise<Result> {
  const request = chain.client.request as (args: {
    method: string;
    params: readonly unknown[];
  }) => Promise<unknown>;
  return (await request({ method, params })) as Result;
}

/** The calldata of one call. */
export function encodeCall(chain: Chain, call: Question): Hex {
  const args = call.args ?? [];
  const item = getAbiItem({
    abi: contractOf(chain, call.contract).abi,
    name: call.functionName,
    // Overloads are distinguished by their arguments; text stands in for bytes that are to pass as text.
    args: args.map((arg) => (arg instanceof Uint8Array ? "" : arg)),
  }) as AbiFunction | undefined;
  if (item === undefined || item.inputs.length !== args.length) {
    throw new Error(`${call.contract} has no function ${call.functionName} with ${args.length} arguments`);
  }
  const inputs = item.inputs.map((input, index) => toRawInput(input, args[index]));
  return concat([toFunctionSelector(item), encodeAbiParameters(inputs, args.map(toRawValue))]);
}

/** `string` and `bytes` have the same encoding: bytes that are no UTF-8 pass as the latter. */
function toRawInput(input: AbiParameter, arg: unknown): AbiParameter {
  if (arg instanceof Uint8Array && input.type === "string") return { ...input, type: "bytes" };
  if (input.type !== "tuple" || !("components" in input)) return input;
  const fields = arg as Record<string, unknown>;
  return {
    ...input,
    components: input.components.map((field) => toRawInput(field, fields[field.name ?? ""])),
  };
}

function toRawValue(arg: unknown): unknown {
  if (arg instanceof Uint8Array) return bytesToHex(arg);
  if (typeof arg !== "object" || arg === null || Array.isArray(arg)) return arg;
  return Object.fromEntries(Object.entries(arg).map(([name, value]) => [name, toRawValue(value)]));
}

/** Sends one call as its own block and gives the receipt. Throws {@link ActReverted}. */
export async function send(chain: Chain, call: Call): Promise<TransactionReceipt> {
  const transaction = toTransaction(chain, call);
  const attempt = () => rpc<RpcTransactionReceipt>(chain, "eth_sendTransactionSync", [transaction]);
  const receipt = await attempt().catch(async (error: unknown) => {
    if (!String(error).includes("Transaction confirmation timeout")) throw error;
    return (await findLateReceipt(chain, transaction)) ?? attempt();
  });
  return requireSuccess(chain, call, formatTransactionReceipt(receipt) as TransactionReceipt);
}

/**
 * Now and then anvil mines a block before it waits for it, and waits in vain: the transaction is in the newest block. Or it
 * forgets to mine: then the transaction waits for the next block. Or it still counts a transaction that `evm_revert` has
 * taken back: then the number of this one is too high, and no block takes it. It is removed, and the caller sends it again.
 */
async function findLateReceipt(
  chain: Chain,
  transaction: Record<string, Hex>,
): Promise<RpcTransactionReceipt | undefined> {
  const mined = await findInNewestBlock(chain, transaction);
  if (mined === undefined) await rpc(chain, "evm_mine");
  const hash = mined ?? (await findInNewestBlock(chain, transaction));
  if (hash !== undefined) return rpc<RpcTransactionReceipt>(chain, "eth_getTransactionReceipt", [hash]);
  await rpc(chain, "anvil_dropAllTransactions");
  return undefined;
}

async function findInNewestBlock(
  chain: Chain,
  { from, data }: Record<string, Hex>,
): Promise<Hex | undefined> {
  const { transactions } = await rpc<{ transactions: { hash: Hex; from: Hex; input: Hex }[] }>(
    chain,
    "eth_getBlockByNumber",
    ["latest", true],
  );
  return transactions.find((one) => one.input === data && one.from === from?.toLowerCase())?.hash;
}

/** Sends several calls into one block, in this order. Throws {@link ActReverted} for the first that failed. */
export async function sendInOneBlock(chain: Chain, calls: readonly Call[]): Promise<TransactionReceipt[]> {
  await rpc(chain, "evm_setAutomine", [false]);
  const hashes: Hex[] = [];
  try {
    for (const call of calls) {
      hashes.push(await rpc<Hex>(chain, "eth_sendTransaction", [toTransaction(chain, call)]));
    }
    await rpc(chain, "evm_mine");
  } finally {
    await rpc(chain, "evm_setAutomine", [true]);
  }
  const receipts: TransactionReceipt[] = [];
  for (const [index, call] of calls.entries()) {
    const raw = await rpc<RpcTransactionReceipt>(chain, "eth_getTransactionReceipt", [hashes[index]]);
    receipts.push(await requireSuccess(chain, call, formatTransactionReceipt(raw) as TransactionReceipt));
  }
  return receipts;
}

function toTransaction(chain: Chain, call: Call): Record<string, Hex> {
  return {
    from: call.from,
    to: addressOf(chain, call.contract),
    data: encodeCall(chain, call),
    gas: numberToHex(call.gas ?? ACT_GAS),
    value: numberToHex(call.value ?? 0n),
  };
}

async function requireSuccess(
  chain: Chain,
  call: Call,
  receipt: TransactionReceipt,
): Promise<TransactionReceipt> {
  if (receipt.status === "success") return receipt;
  throw new ActReverted(call, await readRevertReason(chain, receipt.transactionHash), receipt);
}

/** The error of a failed transaction in the words of any known ABI, else its raw bytes. */
async function readRevertReason(chain: Chain, hash: Hex): Promise<string> {
  const trace = await rpc<{ output?: Hex; error?: string }>(chain, "debug_traceTransaction", [
    hash,
    { tracer: "callTracer" },
  ]);
  return toReason(chain, trace.output ?? "0x") ?? trace.error ?? "no reason given";
}

function toReason(chain: Chain, data: Hex): string | null {
  if (data.length < 10) return null;
  for (const { abi } of Object.values(chain.contracts)) {
    const decoded = tryDecodeError(abi, data);
    if (decoded !== null) return decoded;
  }
  return data;
}

function tryDecodeError(abi: Abi, data: Hex): string | null {
  try {
    const { errorName, args } = decodeErrorResult({ abi, data });
    if (errorName === "Error") return String(args?.[0]);
    return `${errorName}(${(args ?? []).map(String).join(", ")})`;
  } catch {
    return null;
  }
}

/** What became of an act that was allowed to fail. */
export type Outcome<Result> = { outcome: "mined"; result: Result } | { outcome: "reverted"; reason: string };

/** Plays an act and reports a revert as a value. Any other error is a fault of the test and is thrown. */
export async function attempt<Result>(act: () => Promise<Result>): Promise<Outcome<Result>> {
  try {
    return { outcome: "mined", result: await act() };
  } catch (error) {
    if (error instanceof ActReverted) return { outcome: "reverted", reason: error.reason };
    throw error;
  }
}

/** Reads a view function at the head of the chain. */
export async function read<Result>(
  chain: Chain,
  call: { contract: string; functionName: string; args?: readonly unknown[] },
): Promise<Result> {
  const { address, abi } = contractOf(chain, call.contract);
  const { functionName, args } = call;
  return (await chain.client.readContract({ address, abi, functionName, args })) as Result;
}

/**
 * Reads a view function and gives its answer undecoded, for arguments that no decoder takes (labels that are
 * not UTF-8). Throws {@link ActReverted} when the contract refuses.
 */
export async function readBytes(chain: Chain, question: Question): Promise<Hex> {
  const transaction = { to: addressOf(chain, question.contract), data: encodeCall(chain, question) };
  try {
    return await rpc<Hex>(chain, "eth_call", [transaction, "latest"]);
  } catch (error) {
    const data = revertDataOf(error);
    if (data === null) throw error;
    throw new ActReverted(question, toReason(chain, data) ?? "no reason given", null);
  }
}

/** Reads a view function that answers a text, with the byte order mark that viem's decoder drops. */
export async function readString(chain: Chain, question: Question): Promise<string> {
  const [bytes] = decodeAbiParameters([{ type: "bytes" }], await readBytes(chain, question));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(hexToBytes(bytes));
}

/** The bytes that a contract reverted with, as the node's error carries them; null for any other error. */
function revertDataOf(error: unknown): Hex | null {
  if (!(error instanceof BaseError)) return null;
  const cause = error.walk((inner) => "data" in (inner as object)) as { data?: unknown } | null;
  return typeof cause?.data === "string" ? (cause.data as Hex) : null;
}

/** Unix seconds of the newest block. */
export async function latestTime(chain: Chain): Promise<bigint> {
  const block = await rpc<{ timestamp: Hex }>(chain, "eth_getBlockByNumber", ["latest", false]);
  return BigInt(block.timestamp);
}

/** Fixes the distance of blocks, so that times do not follow the wall clock. Call it once per chain. */
export async function fixBlockTimes(chain: Chain): Promise<void> {
  await rpc(chain, "anvil_setBlockTimestampInterval", [BLOCK_SECONDS]);
}

/** Sets the time of the next block, in Unix seconds, without mining one. */
export async function setNextTime(chain: Chain, timestamp: bigint): Promise<void> {
  await rpc(chain, "evm_setNextBlockTimestamp", [numberToHex(timestamp)]);
}

/** Lets time pass: mines one empty block that many seconds after the newest one. */
export async function warp(chain: Chain, { seconds }: { seconds: bigint }): Promise<void> {
  await warpTo(chain, { timestamp: (await latestTime(chain)) + seconds });
}

/** Mines one empty block at that Unix time, which must be later than the newest block. */
export async function warpTo(chain: Chain, { timestamp }: { timestamp: bigint }): Promise<void> {
  await setNextTime(chain, timestamp);
  await rpc(chain, "evm_mine");
}

/** Mines that many empty blocks. */
export async function mineBlocks(chain: Chain, { count }: { count: number }): Promise<void> {
  for (let mined = 0; mined < count; mined++) await rpc(chain, "evm_mine");
}

/** Remembers the present state of the chain; pass the id to {@link revertTo} once. */
export async function takeSnapshot(chain: Chain): Promise<Hex> {
  return rpc<Hex>(chain, "evm_snapshot");
}

/** Sets the chain back: blocks after the snapshot vanish, and the next ones replace them. */
export async function revertTo(chain: Chain, { snapshot }: { snapshot: Hex }): Promise<void> {
  const done = await rpc<boolean>(chain, "evm_revert", [snapshot]);
  if (!done) throw new Error(`Snapshot ${snapshot} is unknown or was already used`);
}
