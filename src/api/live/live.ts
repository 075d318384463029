import type { Address, Hex } from "viem";
import type { Block, LiveAnswers } from "../serviceDb/liveAnswers.ts";
import { type AgentContracts, type LiveBinding, readBindings } from "./binding.ts";
import { limiter } from "./bounded.ts";
import { type AnswerCache, createAnswerCache, type LiveObserver, type Settled } from "./cache.ts";
import type { Gateways } from "./ccip/gatewayClient.ts";
import { LiveFailure } from "./failure.ts";
import { type LiveOwners, type OwnerContracts, readOwners } from "./owners.ts";
import { readPrimaryName } from "./primaryName.ts";
import {
  type LiveRecords,
  type RecordSelection,
  type ResolvableName,
  type ResolverReach,
  resolveRecords,
} from "./records.ts";
import type { Rpc } from "./rpc.ts";

/** Everything that is asked of the chain for one name. */
export type NameQuestion = ResolvableName & {
  /** Hash of the label of a .eth second-level name, by which the registrar knows it; null for others. */
  ethLabelhash: Hex | null;
  wanted: RecordSelection;
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
  observer?: LiveObserver;
  /** For everything that one request asks of the chain; 10 s unless told. */
  timeLimitMs?: number;
};

const TIME_LIMIT_MS = 10_000;
/** Names that are resolved at the same time, over all requests. */
const MAX_CONCURRENT = 20;
/** Part of every remembered question: another number when answers get another form. */
const FORM = 1;

/** Makes the part of the API that asks the chain. */
export function createLive(plan: LivePlan): Live {
  const settle: AnswerCache = createAnswerCache(plan.answers, plan.observer);
  const inTurn = limiter(MAX_CONCURRENT);
  const { rpc } = plan;
  const newSignal = () => AbortSignal.timeout(plan.timeLimitMs ?? TIME_LIMIT_MS);
  /** Resolves each question by calls of its own, within one time limit. */
  const each = <Ask, Answer>(block: Block, resolve: (reach: ResolverReach, ask: Ask) => Promise<Answer>) => {
    const reach = { ...reachOf(plan), blockNumber: block.number, signal: newSignal() };
    return (asks: readonly Ask[]) => asks.map((ask) => inTurn(reach.signal, () => resolve(reach, ask)));
  };

  return {
    isConfigured: rpc.isConfigured,
    newestBlock: () => rpc.newestBlock(newSignal()),
    names: (block, questions) => {
      const asked = questions.map((ask) =>
        questionOf(plan, "name", ask, ask.name, ask.node, ask.ethLabelhash, ask.wanted),
      );
      return settle(block, asked, (asks) => {
        if (asks.length === 0) return [];
        const reach = { ...reachOf(plan), signal: newSignal() };
        const owners = readOwners(reach, { names: asks, blockNumber: block.number });
        const records = each(block, resolveWanted)(asks);
        return asks.map(async (ask, i) => {
          const [ofName, all] = await Promise.all([records[i], owners]);
          return requireSameResolver(ask, { records: ofName as LiveRecords, owners: all[i] as LiveOwners });
        });
      });
    },
    records: (block, questions) => {
      const asked = questions.map((ask) => questionOf(plan, "records", ask, ask.name, ask.node, ask.wanted));
      return settle(block, asked, each(block, resolveWanted));
    },
    primaryNames: (block, questions) => {
      const asked = questions.map((ask) => questionOf(plan, "primary", ask, ask.address, ask.coinType));
      return settle(block, asked, each(block, readPrimaryName));
    },
    bindings: (block, agentIds) => {
      const { agents } = plan.contracts;
      const asked = agentIds.map((id) =>
        questionOf(plan, "binding", id, id.toString(), agents?.adapter, agents?.registry),
      );
      return settle(block, asked, (asks) => {
        if (asks.length === 0) return [];
        const of = { agentIds: asks, blockNumber: block.number };
        const read = readBindings({ rpc, contracts: requireAgents(agents), signal: newSignal() }, of);
        return asks.map(async (_, i) => (await read)[i] ?? null);
      });
    },
  };
}

const reachOf = ({ rpc, gateways, contracts }: LivePlan) => ({
  ...{ rpc, gateways, contracts },
  universalResolver: contracts.universalResolver,
});

const resolveWanted = (reach: ResolverReach, ask: ResolvableName & { wanted: RecordSelection }) =>
  resolveRecords(reach, { name: ask, wanted: ask.wanted });

/** A question with all that its answer depends on but the block. */
function questionOf<Ask>(
  plan: LivePlan,
  kind: string,
  ask: Ask,
  subject: string,
  ...rest: readonly unknown[]
) {
  const parts = [FORM, kind, plan.contracts.universalResolver ?? null, subject, ...rest];
  const text = JSON.stringify(parts, (_, part) => (typeof part === "bigint" ? part.toString() : part));
  return { question: { text, subject }, ask };
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
