import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  parseAbi,
  type TransactionReceipt,
} from "viem";
import type { Layer2Deployment } from "../../abis/deployments.ts";
import { addressOf, contractOf, rpc, send } from "../devnet/acts.ts";
import { type Anvil, startAnvil } from "../devnet/anvil.ts";
import { connect, type LocalChain } from "../devnet/localChain.ts";

/** A log of any shape. */
export type Log = { topics: Hex[]; data: Hex };

/** A log as its ABI has it. */
export function logOf(signature: string, args: Record<string, unknown>): Log {
  const abi = parseAbi([signature]) as Abi;
  const [item] = abi;
  if (item?.type !== "event") throw new Error(`${signature} is no event`);
  const plain = item.inputs.filter((input) => !input.indexed);
  const topics = encodeEventTopics({ abi, eventName: item.name, args }) as Hex[];
  const values = plain.map((input) => args[input.name ?? ""]);
  return { topics, data: encodeAbiParameters(plain, values) };
}

/** A log that a contract emits. */
export type Emission = { by: Address; log: Log };

/** A chain of its own, where contracts log what they are told. */
export type EmitterChain = {
  anvil: Anvil;
  /** Logs of any contracts, in their order, in one transaction. */
  emit: (...logs: Emission[]) => Promise<TransactionReceipt>;
  height: () => Promise<number>;
  /** Takes back the last blocks. */
  rollback: (blocks: number) => Promise<void>;
};

/** Starts a chain with the numbers of a layer 2, where each address that ever emits becomes an emitter. */
export async function startEmitterChain(
  { chainId }: Pick<Layer2Deployment, "chainId">,
  { chain: main }: Pick<LocalChain, "chain">,
): Promise<EmitterChain> {
  const anvil = await startAnvil({ chainId });
  const client = connect(anvil.url);
  const codeOf = (contract: string) => rpc<Hex>(main, "eth_getCode", [addressOf(main, contract), "latest"]);
  const [emitterCode, callsCode] = await Promise.all([codeOf("logEmitter"), codeOf("multicall3")]);
  const multicall3 = contractOf(main, "multicall3");
  const chain = { client, accounts: await client.getAddresses(), contracts: { multicall3 } };
  await rpc(chain, "anvil_setCode", [multicall3.address, callsCode]);
  const emitters = new Set<Address>();
  const { abi } = contractOf(main, "logEmitter");
  return {
    anvil,
    emit: async (...logs) => {
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
      return send(chain, { from, contract: "multicall3", functionName: "aggregate3", args: [calls] });
    },
    height: async () => Number(await rpc<string>(chain, "eth_blockNumber")),
    rollback: (blocks) => rpc(chain, "anvil_rollback", [blocks]),
  };
}
