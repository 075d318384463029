import type { Address } from "viem";
import type { Deployment } from "../../abis/deployments.ts";
import { addressOf, type Chain, registerReferred } from "../../devnet/acts.ts";
import { deployHostileContracts } from "../../devnet/deploy.ts";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { startGateway } from "../gateway/gateway.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { SPELLER, takeOver } from "./logs.ts";
import { type Operation, readOperations } from "./operations.ts";

/** Below the limit of one transaction (2^24). */
export const ATTACK_GAS = 16_700_000n;

/** A chain on which 64 blocks can be undone: Ponder treats a block of it as final after 65 more, not 30. */
export const DEEP_CHAIN_ID = 42;

/** The name that everybody else requests during an attack. */
export const VICTIM = "alice.eth";

/** A chain with an attacker on it, and the attacked Namedex. */
export type HostileStage = {
  local: LocalChain;
  chain: Chain;
  stack: Stack;
  /** The target of callers' requests: the stack, or a gateway in front of it. */
  front: string;
  operations: readonly Operation[];
  /** The attacker's account. */
  mallory: Address;
  /** The owner of a name that must still be answered. */
  alice: Address;
  close: () => Promise<void>;
};

/** Needed by a test and a benchmark in addition: a PostgreSQL server, and settings of the indexer. */
export type HostilePlan = {
  databaseServer?: string;
  env?: Record<string, string>;
  /** The id of the chain, if it is not the usual one. */
  chainId?: number;
  /** The deployment to index, where it is not the chain's own. */
  deploymentOf?: (local: LocalChain) => Deployment;
  /** Whether callers ask a gateway in front of it. */
  hasGateway?: boolean;
};

/** Starts a chain with the attacker's contracts, and a Namedex on it. */
export async function openHostileStage({
  databaseServer,
  env = {},
  chainId,
  deploymentOf = ({ deployment }) => deployment,
  hasGateway = false,
}: HostilePlan = {}): Promise<HostileStage> {
  const local = await startLocalChain({ balance: 1_000_000_000, ...(chainId !== undefined && { chainId }) });
  try {
    const registry = addressOf(local.chain, "registry");
    const hostile = await deployHostileContracts(local.chain.client, { registry });
    const chain = { ...local.chain, contracts: { ...local.chain.contracts, ...hostile } };
    const [, alice, , mallory] = chain.accounts as [Address, Address, Address, Address];
    await registerReferred(chain, { from: alice, label: "alice", resolver: "resolver5" });
    // Lets one attack come from several addresses.
    const settings = { TRUSTED_PROXIES: hasGateway ? "2" : "1", ...env };
    const plan = { rpcUrl: local.anvil.url, deployment: deploymentOf(local), env: settings };
    const stack = await startStack({ ...plan, ...(databaseServer !== undefined && { databaseServer }) });
    const gateway = hasGateway
      ? await startGateway([stack], { GATEWAY_TRUSTED_PROXIES: "1", GATEWAY_MAX_LAG_SECONDS: "1000000000" })
      : null;
    const close = async () => {
      await gateway?.stop("SIGKILL");
      await stack.destroy();
      await local.anvil.stop();
    };
    const operations = await readOperations(stack.url);
    const front = gateway?.url ?? stack.url;
    const stage = { local, chain, stack, front, operations, mallory, alice, close };
    await takeOver(stage, SPELLER);
    return stage;
  } catch (error) {
    await local.anvil.stop();
    throw error;
  }
}

/** Chains whose blocks the feed of changes does not have yet; also reports if it stands still. */
export async function feedBehind({ stack }: HostileStage): Promise<unknown[]> {
  const { body } = await stack.api<Feed>("/changes?after=newest");
  const rows = await stack.sql<{ number: number }>(
    "select max(number) as number from blocks group by chain_id",
  );
  const newest = Math.min(...body.blocks.map(({ block_number }) => block_number));
  return [
    ...rows.filter(({ number }) => number > newest),
    ...(body.gap_timestamp === null ? [] : [{ gap: body.gap_timestamp }]),
  ];
}

type Feed = { blocks: { block_number: number }[]; gap_timestamp: number | null };
