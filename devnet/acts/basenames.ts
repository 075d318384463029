import type { Address, Hex, TransactionReceipt } from "viem";
import { namehash, zeroAddress } from "viem";
import type { Call, Chain } from "./chain.ts";
import { addressOf, encodeCall, read, send } from "./chain.ts";
import { readPrice, YEAR } from "./controllers.ts";
import { nodeBelow, tokenIdOf } from "./names.ts";
import { encodeWrite, type RecordWrite } from "./resolver.ts";

/** Node of `base.eth`. */
const BASE_ETH_NODE: Hex = namehash("base.eth");

/** Node of `<label>.base.eth`. */
export const basenameNode = (label: string): Hex => nodeBelow(BASE_ETH_NODE, label);

/** What a controller of Basenames is asked to register. `controller` is its contract name. */
export type BasenameRequest = {
  from: Address;
  label: string;
  controller: string;
  owner?: Address;
  duration?: bigint;
  resolver?: string;
  records?: readonly RecordWrite[];
  reverseRecord?: boolean;
  /** Sent instead of the price. */
  value?: bigint;
  /** Key of a discount. */
  discount?: Hex;
};

/** The exact price of a registration in wei, as the controller asks it now. */
async function readBasenamePrice(chain: Chain, request: BasenameRequest): Promise<bigint> {
  const { controller, label, duration = YEAR, discount } = request;
  if (discount === undefined) return readPrice(chain, { controller, label, duration });
  const args = [label, duration, discount];
  return read<bigint>(chain, { contract: controller, functionName: "discountedRegisterPrice", args });
}

/** `register` or `discountedRegister` as a call, with the exact price as its value unless given. */
export async function toBasenameCall(chain: Chain, request: BasenameRequest): Promise<Call> {
  const {
    from,
    label,
    controller,
    owner = from,
    duration = YEAR,
    resolver,
    records = [],
    discount,
  } = request;
  const data = records.map((write) =>
    encodeWrite(chain, { resolver: resolver ?? "", node: basenameNode(label), write }),
  );
  const at = resolver === undefined ? zeroAddress : addressOf(chain, resolver);
  const reverseRecord = request.reverseRecord ?? false;
  const asked = { name: label, owner, duration, resolver: at, data, reverseRecord };
  const value = request.value ?? (await readBasenamePrice(chain, request));
  const call = { from, contract: controller, value };
  return discount === undefined
    ? { ...call, functionName: "register", args: [asked] }
    : { ...call, functionName: "discountedRegister", args: [asked, discount, "0x"] };
}

/** Buys a Basename, which needs no commitment. */
export async function buyBasename(chain: Chain, request: BasenameRequest): Promise<TransactionReceipt> {
  return send(chain, await toBasenameCall(chain, request));
}

type BasenameRenewal = {
  from: Address;
  label: string;
  controller: string;
  duration?: bigint;
  value?: bigint;
};

/** `renew` of a controller as a call, with `value` sent; overpayment is refunded. */
export function toBasenameRenewal(act: BasenameRenewal & { value: bigint }): Call {
  const { from, label, controller, duration = YEAR, value } = act;
  return { from, contract: controller, functionName: "renew", args: [label, duration], value };
}

/** Renews a Basename, sending twice the price unless a value is given. */
export async function renewBasename(chain: Chain, act: BasenameRenewal): Promise<TransactionReceipt> {
  const value = act.value ?? 2n * (await readPrice(chain, act));
  return send(chain, toBasenameRenewal({ ...act, value }));
}

/** Several calls in one transaction, by the contract `batch` as their sender; what is left of the value comes back. */
export async function sendInBatch(
  chain: Chain,
  { from, calls, value }: { from: Address; calls: readonly Call[]; value?: bigint },
): Promise<TransactionReceipt> {
  const args = calls.map((call) => ({
    target: addressOf(chain, call.contract),
    value: call.value ?? 0n,
    data: encodeCall(chain, call),
  }));
  const sum = args.reduce((total, call) => total + call.value, 0n);
  return send(chain, { from, contract: "batch", functionName: "run", args: [args], value: value ?? sum });
}

/** A registration that mints over the lapsed token instead of burning it first, by a controller. */
export async function registerWithoutBurn(
  chain: Chain,
  {
    from,
    label,
    owner,
    duration = YEAR,
  }: { from: Address; label: string; owner: Address; duration?: bigint },
): Promise<TransactionReceipt> {
  const args = [tokenIdOf(label), owner, duration];
  return send(chain, { from, contract: "registrar", functionName: "registerWithoutBurn", args });
}

/** `removeController` of a registrar, by its owner. */
export async function removeController(
  chain: Chain,
  { from, controller }: { from: Address; controller: Address },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: "registrar", functionName: "removeController", args: [controller] });
}
