import type { Address, Hex, TransactionReceipt } from "viem";
import { numberToHex, zeroAddress, zeroHash } from "viem";
import type { Call, Chain } from "./chain.ts";
import { addressOf, encodeCall, latestTime, read, readBytes, rpc, send, setNextTime } from "./chain.ts";
import { sendThroughMulticall } from "./multicall.ts";
import type { Label } from "./names.ts";
import { ethNode, secretOf } from "./names.ts";
import type { RecordWrite } from "./resolver.ts";
import { encodeWrite } from "./resolver.ts";

/** Seconds of a year of 365 days, the usual registration. */
export const YEAR = 31_536_000n;

/** Seconds of a day. */
export const DAY = 86_400n;

/** Time after expiry in which only a renewal is possible: 90 days. */
export const GRACE = 90n * DAY;

/** Time after grace in which the price carries a premium: 21 days. */
export const PREMIUM = 21n * DAY;

/** Between commitment and registration; every controller asks for at least 60 seconds. */
export const COMMITMENT_SECONDS = 61n;

/** Bits of `reverseRecord` of the controller of 2025. */
export const REVERSE_RECORD = { none: 0, addr: 1, default: 2, both: 3 } as const;

/** What every controller's registration has in common. */
export type Registration = {
  from: Address;
  label: Label;
  owner?: Address;
  duration?: bigint;
  /** Sent instead of the price with a tenth on top; the surplus comes back. */
  value?: bigint;
  /** Contract name of the controller. */
  controller?: string;
};

/** The price of a registration or renewal in wei, premium included, as the controller asks now. */
export async function readPrice(
  chain: Chain,
  { controller, label, duration = YEAR }: { controller: string; label: Label; duration?: bigint },
): Promise<bigint> {
  const args = [label, duration];
  const answer = await readBytes(chain, { contract: controller, functionName: "rentPrice", args });
  // One word in generations 1 to 3; later (base, premium).
  const words = answer.slice(2).match(/.{64}/g) ?? [];
  return words.reduce((sum, word) => sum + BigInt(`0x${word}`), 0n);
}

/** What an act sends: the value it names, else the price with a tenth on top, whose surplus comes back. */
async function readValue(chain: Chain, act: Registration & { controller: string }): Promise<bigint> {
  if (act.value !== undefined) return act.value;
  const price = await readPrice(chain, act);
  return price + price / 10n;
}

/** The commitment that a controller computes; it refuses a registration that it would never take. */
async function readCommitment(
  chain: Chain,
  act: { controller: string; functionName?: string; args: readonly unknown[] },
): Promise<Hex> {
  const { controller, functionName = "makeCommitment", args } = act;
  return readBytes(chain, { contract: controller, functionName, args });
}

/** Commits and, 61 seconds later, registers. The receipt is that of the registration. */
async function commitAndRegister(chain: Chain, commit: Call, register: Call): Promise<TransactionReceipt> {
  await send(chain, commit);
  await setNextTime(chain, (await latestTime(chain)) + COMMITMENT_SECONDS);
  return send(chain, register);
}

/** `register` of the controllers of generations 1 to 3: no resolver, no record. Commits first. */
export async function registerV3(chain: Chain, act: Registration): Promise<TransactionReceipt> {
  const { from, label, owner = from, duration = YEAR, controller = "controller3" } = act;
  const secret = secretOf(label, await latestTime(chain));
  const value = await readValue(chain, { ...act, controller });
  const commitment = await readCommitment(chain, { controller, args: [label, owner, secret] });
  return commitAndRegister(
    chain,
    { from, contract: controller, functionName: "commit", args: [commitment] },
    { from, contract: controller, functionName: "register", args: [label, owner, duration, secret], value },
  );
}

/** `registerWithConfig` of the same controllers: with a resolver and an ETH address. Commits first. */
export async function registerWithConfigV3(
  chain: Chain,
  act: Registration & { resolver: string; addr?: Address },
): Promise<TransactionReceipt> {
  const { from, label, owner = from, duration = YEAR, controller = "controller3" } = act;
  const secret = secretOf(label, await latestTime(chain));
  const value = await readValue(chain, { ...act, controller });
  const config = [addressOf(chain, act.resolver), act.addr ?? zeroAddress];
  const commitment = await readCommitment(chain, {
    controller,
    functionName: "makeCommitmentWithConfig",
    args: [label, owner, secret, ...config],
  });
  const args = [label, owner, duration, secret, ...config];
  return commitAndRegister(
    chain,
    { from, contract: controller, functionName: "commit", args: [commitment] },
    { from, contract: controller, functionName: "registerWithConfig", args, value },
  );
}

/** What the controllers of generations 4 and 5 can write in the same transaction. */
type RecordsAtRegistration = { resolver?: string; records?: readonly RecordWrite[] };

/** `register` of the wrapped controller (generation 4): the name is wrapped at once. Commits first. */
export async function registerWrapped(
  chain: Chain,
  act: Registration & RecordsAtRegistration & { reverseRecord?: boolean; fuses?: number },
): Promise<TransactionReceipt> {
  const { from, label, owner = from, duration = YEAR, controller = "controller4" } = act;
  const secret = secretOf(label, await latestTime(chain));
  const { resolver, data } = encodeRecords(chain, act);
  const args = [label, owner, duration, secret, resolver, data, act.reverseRecord ?? false, act.fuses ?? 0];
  const commitment = await readCommitment(chain, { controller, args });
  const value = await readValue(chain, { ...act, controller });
  return commitAndRegister(
    chain,
    { from, contract: controller, functionName: "commit", args: [commitment] },
    { from, contract: controller, functionName: "register", args, value },
  );
}

/** One registration of the controller of 2025, committed and ready to be sent. */
type ReferredRegistration = Registration & RecordsAtRegistration & { reverseRecord?: number; referrer?: Hex };

/** `register` of the controller of 2025 (generation 5): unwrapped, with a referrer. Commits first. */
export async function registerReferred(chain: Chain, act: ReferredRegistration): Promise<TransactionReceipt> {
  const { from, controller = "controller5" } = act;
  const args = [await toRegistration(chain, act)];
  const commitment = await readCommitment(chain, { controller, args });
  const value = await readValue(chain, { ...act, controller });
  return commitAndRegister(
    chain,
    { from, contract: controller, functionName: "commit", args: [commitment] },
    { from, contract: controller, functionName: "register", args, value },
  );
}

/** Several names by the controller of 2025 in one transaction, sent through Multicall3. Commits first. */
export async function registerManyReferred(
  chain: Chain,
  { from, registrations }: { from: Address; registrations: readonly Omit<ReferredRegistration, "from">[] },
): Promise<TransactionReceipt> {
  const calls: Call[] = [];
  for (const registration of registrations) {
    const { controller = "controller5", label, duration = YEAR } = registration;
    const args = [await toRegistration(chain, { owner: from, ...registration, from })];
    const commitment = await readCommitment(chain, { controller, args });
    await send(chain, { from, contract: controller, functionName: "commit", args: [commitment] });
    // Multicall3 cannot take a surplus back, so the price is met exactly.
    const value = await readPrice(chain, { controller, label, duration });
    calls.push({ from, contract: controller, functionName: "register", args, value });
  }
  await setNextTime(chain, (await latestTime(chain)) + COMMITMENT_SECONDS);
  return sendThroughMulticall(chain, { from, calls });
}

async function toRegistration(chain: Chain, act: ReferredRegistration): Promise<Record<string, unknown>> {
  const { from, label, owner = from, duration = YEAR, reverseRecord = 0, referrer = zeroHash } = act;
  const secret = secretOf(label, await latestTime(chain));
  const records = encodeRecords(chain, act);
  return { label, owner, duration, secret, ...records, reverseRecord, referrer };
}

function encodeRecords(
  chain: Chain,
  { label, resolver, records = [] }: RecordsAtRegistration & { label: Label },
): { resolver: Address; data: Hex[] } {
  if (resolver === undefined) return { resolver: zeroAddress, data: [] };
  const node = ethNode(label);
  const data = records.map((write) => encodeWrite(chain, { resolver, node, write }));
  return { resolver: addressOf(chain, resolver), data };
}

/** `renew` of the controllers of generations 1 to 4; they differ only in what they emit and whom they tell. */
export async function renew(
  chain: Chain,
  act: { from: Address; label: Label; controller: string; duration?: bigint; value?: bigint },
): Promise<TransactionReceipt> {
  const { from, label, controller, duration = YEAR } = act;
  const value = await readValue(chain, act);
  return send(chain, { from, contract: controller, functionName: "renew", args: [label, duration], value });
}

/**
 * `renew` by a contract account, which pays from its own balance: the transaction that makes it do so has no value. Sends a
 * tenth too much.
 */
export async function renewFromBalance(
  chain: Chain,
  act: { from: Address; label: Label; controller: string; duration?: bigint },
): Promise<TransactionReceipt> {
  const { from, label, controller, duration = YEAR } = act;
  const value = await readValue(chain, act);
  await rpc(chain, "anvil_setBalance", [addressOf(chain, "batch"), numberToHex(value)]);
  const data = encodeCall(chain, { contract: controller, functionName: "renew", args: [label, duration] });
  const args = [[{ target: addressOf(chain, controller), value, data }]];
  return send(chain, { from, contract: "batch", functionName: "run", args });
}

/**
 * `renew` with a referrer: of the controller of 2025, or with `controller: "renewalReferrer"` of the contract
 * that renews through the wrapped controller and names the referrer itself.
 */
export async function renewReferred(
  chain: Chain,
  act: {
    from: Address;
    label: Label;
    controller?: string;
    duration?: bigint;
    referrer?: Hex;
    value?: bigint;
  },
): Promise<TransactionReceipt> {
  const { from, label, controller = "controller5", duration = YEAR, referrer = zeroHash } = act;
  const priced = controller === "renewalReferrer" ? "controller4" : controller;
  const value = await readValue(chain, { ...act, controller: priced });
  const args = [label, duration, referrer];
  return send(chain, { from, contract: controller, functionName: "renew", args, value });
}

/** `renewAll` of a bulk renewal contract: several names by one duration in one transaction. */
export async function renewAll(
  chain: Chain,
  act: { from: Address; labels: readonly string[]; duration?: bigint; contract?: string; referrer?: Hex },
): Promise<TransactionReceipt> {
  const { from, labels, duration = YEAR, contract = "bulkRenewal" } = act;
  const price = await read<bigint>(chain, { contract, functionName: "rentPrice", args: [labels, duration] });
  const referrer = act.referrer === undefined ? [] : [act.referrer];
  const args = [labels, duration, ...referrer];
  return send(chain, { from, contract, functionName: "renewAll", args, value: price + price / 10n });
}
