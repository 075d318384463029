import type { Address, Hex, TransactionReceipt } from "viem";
import { namehash } from "viem";
import type { Chain } from "./chain.ts";
import { addressOf, latestTime, read, send, setNextTime } from "./chain.ts";
import { COMMITMENT_SECONDS, readPrice, YEAR } from "./controllers.ts";
import { nodeBelow, secretOf } from "./names.ts";
import { encodeWrite, type RecordWrite } from "./resolver.ts";

/** Node of `linea.eth`. */
const LINEA_ETH_NODE: Hex = namehash("linea.eth");

/** Node of `<label>.linea.eth`. */
export const lineanameNode = (label: string): Hex => nodeBelow(LINEA_ETH_NODE, label);

const CONTROLLER = "controller";
/** The only duration of a registration without payment. */
const POH_DURATION = 3n * YEAR;

export type LineanameRequest = {
  from: Address;
  label: string;
  owner?: Address;
  duration?: bigint;
  records?: readonly RecordWrite[];
  reverseRecord?: boolean;
  fuses?: number;
  /** Sent instead of the price. */
  value?: bigint;
};

function toRequest(chain: Chain, act: LineanameRequest) {
  const { from, label, owner = from, duration = YEAR, reverseRecord = false, fuses = 0 } = act;
  const node = lineanameNode(label);
  const data = (act.records ?? []).map((write) => encodeWrite(chain, { resolver: "resolver", node, write }));
  return { label, owner, duration, resolver: addressOf(chain, "resolver"), data, reverseRecord, fuses };
}

/** Commits and, 61 seconds later, calls `functionName` with the same arguments and `more`. */
async function commitAndRegister(
  chain: Chain,
  act: LineanameRequest,
  { functionName, more, value }: { functionName: string; more: readonly unknown[]; value: bigint },
): Promise<TransactionReceipt> {
  const { from } = act;
  const { label, owner, duration, resolver, data, reverseRecord, fuses } = toRequest(chain, act);
  const secret = secretOf(label, await latestTime(chain));
  const args = [label, owner, duration, secret, resolver, data, reverseRecord, fuses];
  const commitment = await read<Hex>(chain, { contract: CONTROLLER, functionName: "makeCommitment", args });
  await send(chain, { from, contract: CONTROLLER, functionName: "commit", args: [commitment] });
  await setNextTime(chain, (await latestTime(chain)) + COMMITMENT_SECONDS);
  return send(chain, { from, contract: CONTROLLER, functionName, args: [...args, ...more], value });
}

/** Buys a Lineaname, wrapped. Sends a tenth too much unless told. */
export async function buyLineaname(chain: Chain, act: LineanameRequest): Promise<TransactionReceipt> {
  const price = await readPrice(chain, { controller: CONTROLLER, ...act });
  const value = act.value ?? price + price / 10n;
  return commitAndRegister(chain, act, { functionName: "register", more: [], value });
}

/** `registerPoh`: a proved person's one free name. */
export async function registerByPerson(chain: Chain, act: LineanameRequest): Promise<TransactionReceipt> {
  const plan = { functionName: "registerPoh", more: ["0x"], value: 0n };
  return commitAndRegister(chain, { ...act, duration: POH_DURATION }, plan);
}

/** `ownerRegister`: free, and only by the owner of the controller. */
export async function registerByOwner(chain: Chain, act: LineanameRequest): Promise<TransactionReceipt> {
  const { label, owner, duration, resolver, data, reverseRecord, fuses } = toRequest(chain, act);
  const args = [label, owner, duration, resolver, data, fuses, reverseRecord];
  return send(chain, { from: act.from, contract: CONTROLLER, functionName: "ownerRegister", args });
}

type LineanameRenewal = { from: Address; label: string; duration?: bigint; value?: bigint };

/** `renew`, through the wrapper. Sends a tenth too much unless told. */
export async function renewLineaname(chain: Chain, act: LineanameRenewal): Promise<TransactionReceipt> {
  const { from, label, duration = YEAR } = act;
  const price = await readPrice(chain, { controller: CONTROLLER, label, duration });
  const value = act.value ?? price + price / 10n;
  return send(chain, {
    from,
    contract: CONTROLLER,
    functionName: "renew",
    args: [label, duration],
    value,
  });
}

/** `renewPoh`: free, by a proved person who owns the name, from 90 days before its expiry on. */
export async function renewByPerson(
  chain: Chain,
  { from, label }: { from: Address; label: string },
): Promise<TransactionReceipt> {
  return send(chain, { from, contract: CONTROLLER, functionName: "renewPoh", args: [label, "0x"] });
}
