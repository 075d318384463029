import { encodeAbiParameters, type Hex, parseAbi, toEventSelector, zeroAddress } from "viem";
import {
  addressOf,
  type Call,
  type Chain,
  contractOf,
  hashLabel,
  rpc,
  sendInOneBlock,
} from "../../devnet/acts.ts";

/* A registry and a controller that log what they are told, so that one block can hold as many of their logs as needed. */

export type Log = { contract: "registry" | "controller1" | "logEmitter"; topics: Hex[]; data: Hex };

const newOwner = toEventSelector(
  "event NewOwner(bytes32 indexed node, bytes32 indexed label, address owner)",
);
const nameRenewed = toEventSelector(
  "event NameRenewed(string name, bytes32 indexed label, uint256 cost, uint256 expires)",
);
const renewal = parseAbi(["event NameRenewed(string name, uint256 cost, uint256 expires)"])[0].inputs;
/** Who owns every child. */
export const OWNER = "0x0000000000000000000000000000000000000b0b";

/** The chain with the emitter's code at the registry and at a controller. */
export async function takeContracts(chain: Chain): Promise<Chain> {
  const { address, abi } = contractOf(chain, "logEmitter");
  const code = await rpc<Hex>(chain, "eth_getCode", [address, "latest"]);
  const taken = ["registry", "controller1"].map(
    (name) => [name, { address: addressOf(chain, name), abi }] as const,
  );
  for (const [, contract] of taken) await rpc(chain, "anvil_setCode", [contract.address, code]);
  return { ...chain, contracts: { ...chain.contracts, ...Object.fromEntries(taken) } };
}

/** A parent gets a child. */
export const child = (parent: Hex, labelhash: Hex): Log => ({
  contract: "registry",
  topics: [newOwner, parent, labelhash],
  data: encodeAbiParameters([{ type: "address" }], [OWNER]),
});

/** A label is spelled out. */
export const spell = (label: string): Log => ({
  contract: "controller1",
  topics: [nameRenewed, hashLabel(label)],
  data: encodeAbiParameters(renewal, [label, 1n, 2n]),
});

/** As many as the gas of one transaction allows. */
const LOGS_IN_A_TRANSACTION = 500;

/** Emits logs in one block, in their order. */
export async function emitLogs(taken: Chain, logs: readonly Log[]): Promise<void> {
  const [from = zeroAddress] = taken.accounts;
  const calls: (Call & { args: [Omit<Log, "contract">[]] })[] = [];
  for (const { contract, ...log } of logs) {
    const last = calls.at(-1);
    if (last?.contract === contract && last.args[0].length < LOGS_IN_A_TRANSACTION) last.args[0].push(log);
    else calls.push({ from, contract, functionName: "emitLogs", args: [[log]] });
  }
  await sendInOneBlock(taken, calls);
}
