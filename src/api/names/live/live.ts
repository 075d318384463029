import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import type { Address, Hex } from "viem";
import { limiter } from "../../server/scheduling/bounded.ts";
import { fairPlaces, type Places } from "../../server/scheduling/places.ts";
import { nextTurn } from "../../server/scheduling/turns.ts";
import type { Block, LiveAnswers } from "../../server/serviceDb/liveAnswers.ts";
import { type AgentContracts, type LiveBinding, readBindings } from "./binding.ts";
import {
  type AnswerCache,
  type ChainResult,
  createAnswerCache,
  type LiveObserver,
  recallAnswers,
} from "./cache.ts";
import { newBudget } from "./ccip/budget.ts";
import type { Gateways } from "./ccip/gatewayClient.ts";
import { type EntryPlace, type LiveEntry, readEntries } from "./entries.ts";
import { LiveFailure } from "./failure.ts";
import { type LiveOwners, type OwnerContracts, readOwners } from "./liveOwners.ts";
import {
  type LiveRecords,
  type RecordSelection,
  type ResolvableName,
  type ResolverReach,
  readPrimaryName,
  resolveRecords,
} from "./liveRecords.ts";
import type { ContractReach } from "./multicall.ts";
import type { Rpc } from "./rpc.ts";

const folder = new URL("./", import.meta.url);

/** A hash of this folder's files, which define the form of answers. Answers stored by another version are not read. */
const LIVE_VERSION: string = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .sort()
  .reduce((hash, file) => hash.update(readFileSync(new URL(file, folder))), createHash("sha256"))
  .digest("hex");

/** Everything to read from the chain about one name. */
export type NameQuestion = ResolvableName & {
  /** Labelhash of a .eth second-level name, its ID at the registrar; null for other names. */
  ethLabelhash: Hex | null;
  /** Place of the name's ENSv2 entry; null without an entry, undefined for an ENSv1 name. */
  place?: EntryPlace | null | undefined;
  wanted: RecordSelection;
};

/** The chain's answer about a name at a block. */
export type LiveName = {
  owners: LiveOwners;
  records: LiveRecords;
  /** The ENSv2 registry's entry; absent for an ENSv1 name, null if no registry has one. */
  entry?: LiveEntry | null;
};

/** Answers from the chain at request time, never from before the given block. */
export type Live = {
  /** False if no node is configured: every question then fails. */
  isConfigured: boolean;
  /** Number of the chain's newest block, from the live nodes. @throws LiveFailure */
  newestBlock: () => Promise<number>;
  /** Names with owners and records, in the order of the questions: one resolver call per name, and one call for all owners. */
  names: (block: Block, questions: readonly NameQuestion[]) => Promise<ChainResult<LiveName>[]>;
  /** Records of names, without owners. */
  records: (
    block: Block,
    questions: readonly Omit<NameQuestion, "ethLabelhash">[],
  ) => Promise<ChainResult<LiveRecords>[]>;
  /** Primary names of addresses by their reverse records, verified by forward resolution (ENSIP-19); null for none. */
  primaryNames: (
    block: Block,
    questions: readonly { address: Address; coinType: bigint }[],
  ) => Promise<ChainResult<string | null>[]>;
  /**
   * Answers of `primaryNames` within the last minutes, at any block; undefined without one. Calls no node, and may be outdated:
   * check that a name still resolves to the address before showing it.
   */
  recentPrimaryNames: (
    questions: readonly { address: Address; coinType: bigint }[],
  ) => Promise<(string | null | undefined)[]>;
  /** Bindings of agents from the adapter, in one call, in the order of the IDs; null for an agent that was never bound. */
  bindings: (block: Block, agentIds: readonly bigint[]) => Promise<ChainResult<LiveBinding | null>[]>;
  /** For single contract calls: they use the caller's places, and share one time limit. */
  reach: () => ContractReach;
};

/** The contracts that give live answers. Without a Universal Resolver, nothing can be resolved on chain. */
export type LiveContracts = OwnerContracts & {
  universalResolver: Address | undefined;
  /** ENSv2's UniversalHelper, if there is one. */
  helper?: Address | undefined;
  /** Undefined if the chain has no agent adapter. */
  agents: AgentContracts | undefined;
};

export type LivePlan = {
  rpc: Rpc;
  gateways: Gateways;
  answers: LiveAnswers;
  contracts: LiveContracts;
  observer?: LiveObserver;
  /** For everything that one request reads from the chain. Defaults to 10 s. */
  timeLimitMs?: number;
};

const TIME_LIMIT_MS = 10_000;
/** Names resolved concurrently: in total, and per caller. Most of the time they wait for a gateway. */
export const MAX_QUESTIONS = { most: 100, each: 30 };
/** Names resolved concurrently per request: a bulk request leaves room for the caller's other requests. */
export const MAX_QUESTIONS_OF_REQUEST = 20;
/** Concurrent calls to the nodes: in total, and per caller. */
export const MAX_CALLS = { most: 30, each: 20 };
/** Waiting questions: in total, and per caller. */
export const MAX_WAITING = { most: 2_000, each: 200 };

/** Creates the part of the API that reads the chain. Each request gets its own, for its caller. */
export function createLive(plan: LivePlan): (caller: string) => Live {
  const shared: Shared = {
    plan,
    settle: createAnswerCache(plan.answers, plan.observer),
    questions: fairPlaces({ running: MAX_QUESTIONS, waiting: MAX_WAITING, refuse: tooManyWait }),
    calls: fairPlaces({ running: MAX_CALLS, waiting: MAX_WAITING, refuse: tooManyWait }),
  };
  return (caller) => liveOf(shared, caller);
}

const tooManyWait = () =>
  new LiveFailure("deadline", "Too many requests to the chain are waiting: try again in a moment.");

type Shared = { plan: LivePlan; settle: AnswerCache; questions: Places; calls: Places };

function liveOf({ plan, settle, questions: places, calls }: Shared, caller: string): Live {
  const inTurn = limiter(MAX_QUESTIONS_OF_REQUEST);
  const question = questionOf(plan, caller);
  const primaryQuestion = (ask: { address: Address; coinType: bigint }) =>
    question("primary", ask, ask.address, ask.coinType);
  const rpc: Rpc = {
    ...plan.rpc,
    call: (call, signal) => calls(caller, signal, () => plan.rpc.call(call, signal)),
    block: (number, signal) => calls(caller, signal, () => plan.rpc.block(number, signal)),
  };
  const newSignal = () => AbortSignal.timeout(plan.timeLimitMs ?? TIME_LIMIT_MS);
  /** Resolves each question with separate calls, within one time limit. */
  const each = <Ask, Answer>(block: Block, resolve: (reach: ResolverReach, ask: Ask) => Promise<Answer>) => {
    const signal = newSignal();
    const answer = async (ask: Ask) => {
      // Many questions get a place at once, and each encodes a call with all records.
      await nextTurn();
      const budget = newBudget(caller, signal);
      return resolve({ ...reachOf(plan), rpc, blockNumber: block.number, budget }, ask);
    };
    return (asks: readonly Ask[]) =>
      asks.map((ask) => inTurn(signal, () => places(caller, signal, () => answer(ask))));
  };

  return {
    isConfigured: rpc.isConfigured,
    reach: () => ({ rpc, multicall3: plan.contracts.multicall3, signal: newSignal() }),
    newestBlock: () => rpc.newestBlock(newSignal()),
    names: (block, questions) => {
      const asked = questions.map((ask) =>
        question("name", ask, ask.name, ask.node, ask.ethLabelhash, ask.wanted, ...placeOf(ask)),
      );
      return settle(block, asked, (asks) => {
        if (asks.length === 0) return [];
        const reach = { ...reachOf(plan), rpc, signal: newSignal() };
        const owners = readOwners(reach, { names: asks, blockNumber: block.number });
        const records = each(block, resolveWanted)(asks);
        const { multicall3, helper } = plan.contracts;
        const entries = readEntries({ rpc, multicall3, helper, signal: reach.signal }, ofEnsv2(asks, block));
        return asks.map(async (ask, i) => {
          const [ofName, all, entry] = await Promise.all([records[i], owners, entries[i]]);
          const found = { records: ofName as LiveRecords, owners: all[i] as LiveOwners };
          return requireSameResolver(
            ask,
            ask.place === undefined ? found : { ...found, entry: entry ?? null },
          );
        });
      });
    },
    records: (block, questions) => {
      const asked = questions.map((ask) => question("records", ask, ask.name, ask.node, ask.wanted));
      return settle(block, asked, each(block, resolveWanted));
    },
    primaryNames: (block, questions) =>
      settle(block, questions.map(primaryQuestion), each(block, readPrimaryName)),
    recentPrimaryNames: (questions) => {
      const asked = questions.map((ask) => primaryQuestion(ask).question);
      return recallAnswers<string | null>(plan.answers, asked);
    },
    bindings: (block, agentIds) => {
      const { agents } = plan.contracts;
      const asked = agentIds.map((id) =>
        question("binding", id, id.toString(), agents?.adapter, agents?.registry),
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

const placeOf = ({ place }: NameQuestion) => (place === undefined ? [] : [place]);

const ofEnsv2 = (asks: readonly NameQuestion[], { number }: Block) => ({
  asks: asks.map(({ name, place = null }) => ({ name, place })),
  blockNumber: number,
});

const reachOf = ({ gateways, contracts }: LivePlan) => ({
  gateways,
  contracts,
  universalResolver: contracts.universalResolver,
});

const resolveWanted = (reach: ResolverReach, ask: ResolvableName & { wanted: RecordSelection }) =>
  resolveRecords(reach, { name: ask, wanted: ask.wanted });

/** A question with everything that its answer depends on, except the block. */
const questionOf =
  ({ contracts }: LivePlan, caller: string) =>
  <Ask>(kind: string, ask: Ask, subject: string, ...rest: readonly unknown[]) => {
    const parts = [LIVE_VERSION, kind, contracts.universalResolver ?? null, subject, ...rest];
    const text = JSON.stringify(parts, (_, part) => (typeof part === "bigint" ? part.toString() : part));
    return { question: { text, subject, caller }, ask };
  };

function requireAgents(contracts: AgentContracts | undefined): AgentContracts {
  if (contracts !== undefined) return contracts;
  throw new LiveFailure("rpc", "This deployment has no agent adapter.");
}

const HASHED_LABEL = /(^|\.)\[[0-9a-f]{64}\](\.|$)/;

/**
 * The Universal Resolver finds a resolver by the name's text. If a label is unknown, the text is not the name, so it may have
 * used another node, and its answer then belongs to another name.
 */
function requireSameResolver({ name }: ResolvableName, found: LiveName): LiveName {
  const { resolver } = found.entry ?? found.owners;
  if (resolver !== null && resolver !== found.records.answeredBy && HASHED_LABEL.test(name)) {
    throw new LiveFailure(
      "resolver",
      "Only the hash of a label of this name is known, and the Universal Resolver finds names by their text.",
    );
  }
  return found;
}
