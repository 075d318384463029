import type { Address, Hex } from "viem";
import type { Block, LiveAnswers } from "../store/liveAnswers.ts";
import { type AgentContracts, type LiveBinding, readBindings } from "./binding.ts";
import { limiter } from "./bounded.ts";
import { type AnswerCache, createAnswerCache, type Settled } from "./cache.ts";
import { LiveFailure } from "./failure.ts";
import type { Gateways } from "./gateway.ts";
import { type LiveOwners, type OwnerContracts, readOwners } from "./owners.ts";
import { readPrimaryName } from "./primaryName.ts";
import { type LiveRecords, type ResolvableName, resolveRecords, type WantedRecords } from "./records.ts";
import type { Rpc } from "./rpc.ts";

/** Everything that is asked of the chain for one name. */
export type NameQuestion = ResolvableName & {
  /** Hash of the label of a .eth second-level name, by which the registrar knows it; null for others. */
  ethLabelhash: Hex | null;
  wanted: WantedRecords;
};

/** What the chain says of a name at a block. */
export type LiveName = { owners: LiveOwners; records: LiveRecords };

/** Answers from the chain at request time, never from before the block that is given. */
export type Live = {
  /** False if no node is configured: then every question fails. */
  isConfigured: boolean;
  /** Number of the chain's newest block by the live nodes themselves. @throws LiveFailure */
  newestBlock: () => Promise<number>;
  /** Names with owners and records: one resolver call each, one call for all owners. In the order of the questions. */
  names: (block: Block, questions: readonly NameQuestion[]) => Promise<Settled<LiveName>[]>;
  /** Records of names alone, where their owners do not matter. */
  records: (
    block: Block,
    questions: readonly Omit<NameQuestion, "ethLabelhash">[],
  ) => Promise<Settled<LiveRecords>[]>;
  /** Primary names of addresses by their reverse records, checked forward (ENSIP-19); null for none. */
  primaryNames: (
    block: Block,
    questions: readonly { address: Address; coinType: bigint }[],
  ) => Promise<Settled<string | null>[]>;
  /** The adapter's word on agents, all by one call; null for one that it never bound. In the order of the ids. */
  bindings: (block: Block, agentIds: readonly bigint[]) => Promise<Settled<LiveBinding | null>[]>;
};

export type LivePlan = {
  rpc: Rpc;
  gateways: Gateways;
  answers: LiveAnswers;
  contracts: OwnerContracts & {
    universalResolver: Address | undefined;
    /** Undefined where the chain has no adapter of agents. */
    agents: AgentContracts | undefined;
  };
  /** For everything that one request asks of the chain; 10 s unless told. */
  timeLimitMs?: number;
};

const TIME_LIMIT_MS = 10_000;
/** Names that are resolved at the same time, over all requests. */
const MAX_CONCURRENT = 20;
/** Part of every remembered question: another number when answers get another form. */
const FORM = 1;

/** Makes the part of the API that asks the chain. */
export function createLive({
  rpc,
  gateways,
  answers,
  contracts,
  timeLimitMs = TIME_LIMIT_MS,
}: LivePlan): Live {
  const settle: AnswerCache = createAnswerCache(answers);
  const inTurn = limiter(MAX_CONCURRENT);
  const { universalResolver } = contracts;
  const reach = (block: Block, signal: AbortSignal) => ({
    ...{ rpc, gateways, universalResolver, signal },
    blockNumber: block.number,
  });
  const remembered = (kind: string, subject: string, ...rest: readonly unknown[]) => ({
    subject,
    text: JSON.stringify([FORM, kind, universalResolver ?? null, subject, ...rest], (_, value) =>
      typeof value === "bigint" ? value.toString() : value,
    ),
  });
  const newSignal = () => AbortSignal.timeout(timeLimitMs);

  return {
    isConfigured: rpc.isConfigured,
    newestBlock: () => rpc.newestBlock(newSignal()),
    names: (block, questions) =>
      settle(
        block,
        questions.map((ask) => ({
          question: remembered("name", ask.name, ask.node, ask.ethLabelhash, ask.wanted),
          ask,
        })),
        (asks) => {
          if (asks.length === 0) return [];
          const signal = newSignal();
          const owners = readOwners({ rpc, contracts, signal }, { names: asks, blockNumber: block.number });
          return asks.map(async (ask, index) => {
            const resolved = inTurn(signal, () =>
              resolveRecords(reach(block, signal), { name: ask, wanted: ask.wanted }),
            );
            const [records, all] = await Promise.all([resolved, owners]);
            return requireSameResolver(ask, { records, owners: all[index] as LiveOwners });
          });
        },
      ),
    records: (block, questions) =>
      settle(
        block,
        questions.map((ask) => ({ question: remembered("records", ask.name, ask.node, ask.wanted), ask })),
        (asks) => {
          const signal = newSignal();
          return asks.map((ask) =>
            inTurn(signal, () => resolveRecords(reach(block, signal), { name: ask, wanted: ask.wanted })),
          );
        },
      ),
    primaryNames: (block, questions) =>
      settle(
        block,
        questions.map((ask) => ({ question: remembered("primary", ask.address, ask.coinType), ask })),
        (asks) => {
          const signal = newSignal();
          return asks.map((ask) => inTurn(signal, () => readPrimaryName(reach(block, signal), ask)));
        },
      ),
    bindings: (block, agentIds) =>
      settle(
        block,
        agentIds.map((ask) => ({
          question: remembered(
            "binding",
            ask.toString(),
            contracts.agents?.adapter,
            contracts.agents?.registry,
          ),
          ask,
        })),
        (asks) => {
          if (asks.length === 0) return [];
          const of = { agentIds: asks, blockNumber: block.number };
          const read = readBindings(
            { rpc, contracts: requireAgents(contracts.agents), signal: newSignal() },
            of,
          );
          return asks.map(async (_, index) => (await read)[index] ?? null);
        },
      ),
  };
}

function requireAgents(contracts: AgentContracts | undefined): AgentContracts {
  if (contracts !== undefined) return contracts;
  throw new LiveFailure("rpc", "This deployment has no adapter of agents that could be asked.");
}

const HASHED_LABEL = /(^|\.)\[[0-9a-f]{64}\](\.|$)/;

/**
 * The Universal Resolver finds resolvers by the text of a name. Of a name with an unknown label the text is not the
 * name, so it may have looked at another node: then its answer is not this name's.
 */
function requireSameResolver({ name }: ResolvableName, found: LiveName): LiveName {
  const { resolver } = found.owners;
  if (resolver !== null && resolver !== found.records.answeredBy && HASHED_LABEL.test(name)) {
    throw new LiveFailure(
      "resolver",
      "A label of this name is known by its hash only, and the Universal Resolver finds names by their text.",
    );
  }
  return found;
}
