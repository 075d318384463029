import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  type Abi,
  type Address,
  type Client,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  type RpcTransactionReceipt,
} from "viem";
import type { ChainDeployment, ContractEntry } from "../abis/deployments.ts";

/** Below the limit of one transaction (2^24), enough for the largest contract; given, it spares an estimate. */
const DEPLOY_GAS = 16_000_000n;
/** Multicall3's address on every chain that has it. */
const MULTICALL3 = "0xcA11bde05977b3631167028862bE2a173976CA11";

/** A contract of the chain with its whole ABI. */
export type DeployedContract = { address: Address; abi: Abi };

export type Artifact = { abi: Abi; bytecode: Hex };

type Place = DeployedContract & { startBlock: number };

/** Which entries of the deployment a contract makes; the others are for tests only, or emit nothing to index. */
export type Entries = Record<string, Pick<ContractEntry, "role" | "generation" | "static" | "title">>;

/** Puts contracts on one chain, and knows where each of them stands. */
export type Deployer = {
  client: Client;
  account: Address;
  chainId: number;
  /** Time of the block before the first contract. */
  startTime: bigint;
  places: Map<string, Place>;
};

/** The first account deploys and owns all. */
export async function startDeployment(client: Client): Promise<Deployer> {
  const [account] = await rpc<Address[]>(client, "eth_accounts");
  if (account === undefined)
    throw new Error("The chain has no unlocked account: it is not a local test chain.");
  const latest = await rpc<{ timestamp: Hex }>(client, "eth_getBlockByNumber", ["latest", false]);
  const chainId = Number(await rpc<Hex>(client, "eth_chainId"));
  return { client, account, chainId, startTime: BigInt(latest.timestamp), places: new Map() };
}

/** Gives the next contract an address that no other chain's contract has, though one account deploys all. */
export async function skipAddresses({ client, account, chainId }: Deployer): Promise<void> {
  await rpc(client, "anvil_setNonce", [account, numberToHex(chainId)]);
}

/** The index's configuration for the chain. */
export function toChainDeployment(
  name: string,
  { chainId, places }: Deployer,
  entries: Entries,
): ChainDeployment {
  const contracts = [...places].flatMap(([contract, { address, startBlock }]) => {
    const entry = entries[contract];
    return entry === undefined ? [] : [{ ...entry, address, startBlock }];
  });
  const multicall3 = places.get("multicall3")?.address;
  const universalResolver = places.get("universalResolver")?.address;
  return {
    name,
    chainId,
    contracts,
    ...(multicall3 !== undefined && { multicall3 }),
    ...(universalResolver !== undefined && { universalResolver }),
  };
}

/** What acts and tests call by name. */
export function toContracts({ places }: Deployer): Record<string, DeployedContract> {
  return Object.fromEntries([...places].map(([name, { address, abi }]) => [name, { address, abi }]));
}

export function addressOf(deployer: Deployer, name: string): Address {
  return placeOf(deployer, name).address;
}

function placeOf({ places }: Deployer, name: string): Place {
  const place = places.get(name);
  if (place === undefined) throw new Error(`${name} is not deployed yet`);
  return place;
}

export async function create(
  deployer: Deployer,
  name: string,
  { abi, bytecode }: Artifact,
  args: readonly unknown[] = [],
): Promise<void> {
  const receipt = await transact(deployer, name, { data: encodeDeployData({ abi, bytecode, args }) });
  if (!receipt.contractAddress) throw new Error(`${name} was not created`);
  const address = getAddress(receipt.contractAddress);
  deployer.places.set(name, { address, abi, startBlock: Number(receipt.blockNumber) });
}

export async function call(
  deployer: Deployer,
  name: string,
  functionName: string,
  args: readonly unknown[],
): Promise<void> {
  const { address, abi } = placeOf(deployer, name);
  const data = encodeFunctionData({ abi, functionName, args });
  await transact(deployer, `${name}.${functionName}`, { to: address, data });
}

async function transact(
  { client, account }: Pick<Deployer, "client" | "account">,
  what: string,
  transaction: { to?: Address; data: Hex },
): Promise<RpcTransactionReceipt> {
  const gas = numberToHex(DEPLOY_GAS);
  const receipt = await rpc<RpcTransactionReceipt>(client, "eth_sendTransactionSync", [
    { from: account, gas, ...transaction },
  ]);
  if (receipt.status !== "0x1") throw new Error(`${what} reverted in ${receipt.transactionHash}`);
  return receipt;
}

async function rpc<Result>(client: Client, method: string, params: readonly unknown[] = []): Promise<Result> {
  const request = client.request as (args: {
    method: string;
    params: readonly unknown[];
  }) => Promise<unknown>;
  return (await request({ method, params })) as Result;
}

/** Deploys Multicall3 at its usual address. */
export async function placeMulticall3(deployer: Deployer): Promise<void> {
  const { client } = deployer;
  const { multicall3Bytecode, multicall3Abi } = multicall3Code();
  // Run as a call, the creation code returns the code for the address.
  const code = await rpc<Hex>(client, "eth_call", [{ data: multicall3Bytecode }, "latest"]);
  await rpc(client, "anvil_setCode", [MULTICALL3, code]);
  deployer.places.set("multicall3", { address: MULTICALL3, abi: multicall3Abi, startBlock: 0 });
}

const require = createRequire(import.meta.url);

/** A real contract of 2017 to 2020. */
export function archived(name: string): Artifact {
  return readArtifact(require.resolve(`@ensdomains/ens-archived-contracts/abis/${name}.json`));
}

/** A contract of ours, as `compile.ts` left it. */
export function double(name: string): Artifact {
  return readArtifact(join(import.meta.dirname, "contracts", "compiled", `${name}.json`));
}

export function readArtifact(file: string): Artifact {
  const { abi, bytecode } = JSON.parse(readFileSync(file, "utf8")) as Artifact;
  return { abi, bytecode };
}

/** viem carries the contract's creation code, but does not export it. */
function multicall3Code(): { multicall3Bytecode: Hex; multicall3Abi: Abi } {
  const viem = dirname(require.resolve("viem"));
  const { multicall3Bytecode } = require(join(viem, "constants", "contracts.js")) as {
    multicall3Bytecode: Hex;
  };
  const { multicall3Abi } = require(join(viem, "constants", "abis.js")) as { multicall3Abi: Abi };
  return { multicall3Bytecode, multicall3Abi };
}
