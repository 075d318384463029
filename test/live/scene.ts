import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type Address, createPublicClient, type Hex, http, namehash, type PublicClient } from "viem";
import type { Chain } from "../../devnet/acts.ts";
import {
  addressOf,
  claimReverseWithResolver,
  ethNode,
  FUSES,
  registerReferred,
  registerWrapped,
  send,
  setFuses,
  setResolver,
  setReverseName,
  setSubnodeOwner,
  setWrappedResolver,
  writeRecord,
  YEAR,
} from "../../devnet/acts.ts";
import { deployLiveResolvers } from "../../devnet/deploy.ts";
import { type DevnetGateway, startGateway } from "../../devnet/gateway.ts";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { type RpcProxy, startRpcProxy } from "./rpcProxy.ts";

/**
 * A chain with names that no index can answer for, a Namedex on it, and everything between it and
 * the chain.
 */
export type Scene = {
  local: LocalChain;
  chain: Chain;
  stack: Stack;
  /** What Namedex uses as its node for live answers. */
  rpc: RpcProxy;
  gateway: DevnetGateway;
  stranger: Stranger;
  /**
   * viem on the chain itself, with the Universal Resolver's address. Answers are compared with its
   * resolution.
   */
  oracle: Oracle;
  alice: Address;
  bob: Address;
  close: () => Promise<void>;
};

/** viem's own resolution. Throws if it could not find out. */
export type Oracle = {
  client: PublicClient;
  text: (name: string, key: string) => Promise<string | null>;
  address: (name: string, coinType?: bigint) => Promise<Address | null>;
  primaryName: (address: Address) => Promise<string | null>;
};

/** Names in the scene, by the kind of their resolver. */
export const names = {
  indexed: "indexed.eth",
  bare: "bare.eth",
  offchain: "offchain.eth",
  wildcard: "wild.eth",
  ownedBelowWildcard: "owned.wild.eth",
  changeable: "changeable.eth",
  wrapped: "boxed.eth",
  noContract: "nocontract.eth",
  reverting: "reverting.eth",
  garbage: "garbage.eth",
  hanging: "hanging.eth",
  endless: "endless.eth",
  silent: "silent.eth",
  hostile: "hostile.eth",
} as const;

/**
 * A strangers' gateway: `/yes/…` answers no bytes, `/junk/…` one byte, everything else never.
 * `asked` counts requests.
 */
export type Stranger = { url: string; asked: number; server: Server };

async function startStranger(): Promise<Stranger> {
  const stranger: Stranger = {
    url: "",
    asked: 0,
    server: createServer((request, response) => {
      stranger.asked++;
      if (request.url?.startsWith("/yes/")) response.end('{"data":"0x"}');
      if (request.url?.startsWith("/junk/")) response.end('{"data":"0xff"}');
    }),
  };
  await new Promise<void>((resolve) => stranger.server.listen(0, "127.0.0.1", resolve));
  stranger.url = `http://127.0.0.1:${(stranger.server.address() as AddressInfo).port}`;
  return stranger;
}

/** Opens a scene. `env` extends the settings of Namedex. */
export async function openScene(env: Record<string, string> = {}): Promise<Scene> {
  const gateway = await startGateway();
  const stranger = await startStranger();
  const local = await startLocalChain({ contracts: { gatewayUrl: gateway.url } });
  const resolvers = await deployLiveResolvers(local.chain.client);
  const chain = { ...local.chain, contracts: { ...local.chain.contracts, ...resolvers } };
  const [, alice, bob] = chain.accounts as [Address, Address, Address];
  await playNames(chain, { alice, bob, strangerUrl: stranger.url });
  const rpc = await startRpcProxy(local.anvil.url);
  const plan = { rpcUrl: local.anvil.url, deployment: local.deployment };
  const stack = await startStack({ ...plan, env: { LIVE_RPC_URL: rpc.url, ...env } });
  return {
    local,
    chain,
    stack,
    rpc,
    gateway,
    stranger,
    alice,
    bob,
    oracle: oracleOf(local),
    close: async () => {
      await stack.destroy();
      await rpc.kill();
      await gateway.stop();
      stranger.server.closeAllConnections();
      stranger.server.close();
      await local.anvil.stop();
    },
  };
}

type Cast = { alice: Address; bob: Address; strangerUrl: string };

async function playNames(chain: Chain, { alice, bob, strangerUrl }: Cast): Promise<void> {
  const register = async (name: string, resolver: string | Address | null) => {
    const label = name.split(".")[0] as string;
    await registerReferred(chain, { from: alice, label, duration: YEAR });
    if (resolver === null) return;
    const address = resolver.startsWith("0x") ? (resolver as Address) : addressOf(chain, resolver);
    await setResolver(chain, { from: alice, node: ethNode(label), resolver: address });
  };
  await register(names.indexed, "resolver5");
  const indexed = { from: alice, resolver: "resolver5", node: namehash(names.indexed) };
  await writeRecord(chain, { ...indexed, write: { kind: "addr", address: alice } });
  await writeRecord(chain, { ...indexed, write: { kind: "text", key: "description", value: "on chain" } });
  await register(names.bare, null);
  await register(names.offchain, "offchainResolver");
  await register(names.wildcard, "wildcardResolver");
  const wild = { from: alice, parent: namehash(names.wildcard) };
  await setSubnodeOwner(chain, { ...wild, label: "owned", owner: bob });
  await register(names.changeable, "changeableResolver");
  await tellChangeable(chain, { from: alice, address: bob, words: "what it answers" });
  const pretended = [namehash(names.changeable), "description", "what it logs", alice];
  await send(chain, {
    from: alice,
    contract: "changeableResolver",
    functionName: "pretend",
    args: pretended,
  });
  await playWrapped(chain, alice);
  await register(names.noContract, "0x00000000000000000000000000000000000abcde");
  await register(names.reverting, "revertingResolver");
  await register(names.garbage, "garbageResolver");
  await register(names.hanging, "lookupResolver");
  await setUrls(chain, { from: alice, resolver: "lookupResolver", urls: [`${strangerUrl}/{data}`] });
  await register(names.endless, "endlessResolver");
  const yes = `${strangerUrl}/yes/{data}`;
  await setUrls(chain, { from: alice, resolver: "endlessResolver", urls: [yes] });
  await register(names.hostile, "hostileResolver");
  await playReverse(chain, { alice, bob });
}

async function playWrapped(chain: Chain, alice: Address): Promise<void> {
  const node = namehash(names.wrapped);
  await registerWrapped(chain, { from: alice, label: "boxed", duration: YEAR, resolver: "resolver4" });
  const resolver = addressOf(chain, "wildcardResolver");
  await setWrappedResolver(chain, { from: alice, node, resolver });
  await setFuses(chain, { from: alice, node, fuses: FUSES.CANNOT_UNWRAP | FUSES.CANNOT_SET_TTL });
}

/**
 * alice's name uses a gateway, bob's a resolver that the index does not follow, and no event has
 * carol's claim.
 */
async function playReverse(chain: Chain, { alice, bob }: { alice: Address; bob: Address }): Promise<void> {
  const carol = chain.accounts[3] as Address;
  await registerReferred(chain, { from: carol, label: "silent", duration: YEAR });
  const silent = { from: carol, node: namehash(names.silent) };
  await setResolver(chain, { ...silent, resolver: addressOf(chain, "resolver5") });
  await writeRecord(chain, { ...silent, resolver: "resolver5", write: { kind: "addr", address: carol } });
  await setReverseName(chain, { from: alice, name: names.offchain });
  await setReverseName(chain, { from: bob, name: names.changeable });
  const resolver = addressOf(chain, "reverseResolver1");
  await claimReverseWithResolver(chain, { from: carol, owner: carol, resolver });
  const node = namehash(`${carol.slice(2).toLowerCase()}.addr.reverse`);
  await send(chain, {
    from: carol,
    contract: "reverseResolver1",
    functionName: "setName",
    args: [node, names.silent],
  });
}

/** Sets the answer of `changeable.eth` from the next block on. */
export const tellChangeable = (
  chain: Chain,
  { from, address, words }: { from: Address; address: Address; words: string },
) => send(chain, { from, contract: "changeableResolver", functionName: "say", args: [address, words] });

/** Sets where a resolver with look-ups sends its callers. */
export const setUrls = (
  chain: Chain,
  { from, resolver, urls }: { from: Address; resolver: "lookupResolver" | "endlessResolver"; urls: string[] },
) => send(chain, { from, contract: resolver, functionName: "setUrls", args: [urls] });

function oracleOf({ anvil, deployment }: LocalChain): Oracle {
  const client = createPublicClient({ transport: http(anvil.url, { retryCount: 0 }) });
  const strict = { universalResolverAddress: deployment.universalResolver as Hex, strict: true };
  return {
    client,
    text: (name, key) => client.getEnsText({ name, key, ...strict }),
    address: (name, coinType) =>
      client.getEnsAddress({ name, ...strict, ...(coinType !== undefined && { coinType }) }),
    primaryName: (address) => client.getEnsName({ address, ...strict }),
  };
}
