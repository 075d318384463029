import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  type TransactionReceipt,
} from "viem";
import { knownDeployments, type Layer2Deployment, type Role } from "../../abis/deployments.ts";
import { addressOf, type Chain, contractOf as contractOfChain, rpc, send } from "../../devnet/acts.ts";
import { type Anvil, startAnvil } from "../../devnet/anvil.ts";
import { connect, type LocalChain } from "../../devnet/localChain.ts";

/** A log of any shape. */
export type Log = { topics: Hex[]; data: Hex };

/** A log by its ABI. */
export function logOf(signature: string, args: Record<string, unknown>): Log {
  const abi = parseAbi([signature]) as Abi;
  const [item] = abi;
  if (item?.type !== "event") throw new Error(`${signature} is no event`);
  const plain = item.inputs.filter((input) => !input.indexed);
  const topics = encodeEventTopics({ abi, eventName: item.name, args }) as Hex[];
  const values = plain.map((input) => args[input.name ?? ""]);
  return { topics, data: encodeAbiParameters(plain, values) };
}

/** A log for a contract to emit. */
export type Emission = { by: Address; log: Log };

/** A layer 2 of mainnet's deployment, followed from its first block on; a local chain has no others. */
export function layer2Of(name: string): Layer2Deployment {
  const found = knownDeployments.mainnet().layer2.find((chain) => chain.name === name);
  if (found === undefined) throw new Error(`mainnet has no layer 2 ${name}`);
  const contracts = found.contracts.filter(({ role }) => !role.startsWith("agent"));
  return { ...found, contracts: contracts.map((entry) => ({ ...entry, startBlock: 0 })) };
}

/** The contract of a role; the first one by default. */
export function contractOf(chain: Layer2Deployment, role: Role, index = 0): Address {
  const entry = chain.contracts.filter((one) => one.role === role)[index];
  if (entry === undefined) throw new Error(`${chain.name} has no ${role} ${index}`);
  return entry.address;
}

/** Makes logs of the contract of a role. */
export const by = (chain: Layer2Deployment, role: Role, index = 0) => {
  const address = contractOf(chain, role, index);
  return (signature: string, args: Record<string, unknown>): Emission => ({
    by: address,
    log: logOf(signature, args),
  });
};

/** Emits logs of any contracts, in order, in one transaction. */
export type Emit = (...logs: Emission[]) => Promise<TransactionReceipt>;

/** Makes logs on a chain: each address that ever emits becomes an emitter. `main` has the emitter's code. */
export async function emitterOn(chain: Chain, { chain: main }: Pick<LocalChain, "chain">): Promise<Emit> {
  const codeOf = (contract: string) => rpc<Hex>(main, "eth_getCode", [addressOf(main, contract), "latest"]);
  const [emitterCode, callsCode] = await Promise.all([codeOf("logEmitter"), codeOf("multicall3")]);
  const multicall3 = contractOfChain(main, "multicall3");
  if (chain !== main) await rpc(chain, "anvil_setCode", [multicall3.address, callsCode]);
  const emitters = new Set<Address>();
  const { abi } = contractOfChain(main, "logEmitter");
  return async (...logs) => {
    for (const { by } of logs) {
      if (!emitters.has(by)) await rpc(chain, "anvil_setCode", [by, emitterCode]);
      emitters.add(by);
    }
    const calls = logs.map(({ by, log }) => ({
      target: by,
      allowFailure: false,
      callData: encodeFunctionData({ abi, functionName: "emitLogs", args: [[log]] }),
    }));
    const [from] = chain.accounts;
    if (from === undefined) throw new Error("anvil has no accounts");
    const call = { contract: "multicall3", functionName: "aggregate3", args: [calls] };
    return send({ ...chain, contracts: { multicall3 } }, { from, ...call });
  };
}

/** A chain of its own, whose contracts log what they are told to. */
export type EmitterChain = {
  anvil: Anvil;
  emit: Emit;
  height: () => Promise<number>;
  /** Adds blocks without logs. */
  mine: (blocks: number) => Promise<void>;
  /** Removes the last blocks. */
  rollback: (blocks: number) => Promise<void>;
};

/** Starts a chain with the numbers of a layer 2, where each address that ever emits becomes an emitter. */
export async function startEmitterChain(
  { chainId }: Pick<Layer2Deployment, "chainId">,
  main: Pick<LocalChain, "chain">,
): Promise<EmitterChain> {
  const anvil = await startAnvil({ chainId });
  const client = connect(anvil.url);
  const chain = { client, accounts: await client.getAddresses(), contracts: {} };
  return {
    anvil,
    emit: await emitterOn(chain, main),
    height: async () => Number(await rpc<string>(chain, "eth_blockNumber")),
    mine: (blocks) => rpc(chain, "anvil_mine", [numberToHex(blocks)]),
    rollback: (blocks) => rpc(chain, "anvil_rollback", [blocks]),
  };
}
