import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "@hono/zod-openapi";
import type { Address, Hex, TransactionReceipt } from "viem";
import { expect } from "vitest";
import type { Chain } from "../../devnet/acts.ts";
import type { AnvilOptions } from "../../devnet/anvil.ts";
import { type LocalChain, startLocalChain } from "../../devnet/localChain.ts";
import { lookupEndpoints } from "../../src/api/names/endpoints/lookupsEndpoints.ts";
import { askedDomain, domain, event, unknownDomain } from "../../src/api/names/schemas/answers.ts";
import { withoutAsOf } from "../support/asOf.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { openIndexOnly } from "./indexOnly.ts";

const NODE_TIMEOUT_MS = 180_000;

/** Full answer of `GET /whois/:name` for a name of the index. */
export type Whois = z.infer<typeof askedDomain>;

/** The index's own knowledge of a name: `GET /lookup-namehash/:hash?partial=true` without a node to ask. */
export type DomainRecord = z.infer<typeof domain>;

/** One event of `GET /domain/:name/events`. */
export type ApiEvent = z.infer<typeof event>;

/** The actors. `deployer` owns the contracts. */
export const roles = ["deployer", "alice", "bob", "carol", "dave", "erin", "frank"] as const;

export type Cast = Record<(typeof roles)[number], Address>;

/** A local chain, and a Namedex that indexes it: shared by the stories of one file. */
export type Stage = {
  local: LocalChain;
  chain: Chain;
  stack: Stack;
  cast: Cast;
  /** Answer of `GET /whois/:name`, parsed by the specification, once everything mined is indexed. */
  whois: (name: string) => Promise<Whois>;
  /** The same for a name that the index does not have. */
  whoisAbsent: (name: string) => Promise<z.infer<typeof unknownDomain>>;
  /** The index's row of a node, even if whois would ask the chain. */
  record: (node: Hex) => Promise<DomainRecord>;
  /** Answers `GET /domain/:name/events`. */
  events: (name: string) => Promise<ApiEvent[]>;
  /** Rows of a query, once everything mined is indexed. */
  sql: Stack["sql"];
  close: () => Promise<void>;
};

/** What differs between stages: the chain, and settings of the indexer. */
export type StagePlan = {
  anvil?: AnvilOptions;
  layer2ReverseRegistrar?: boolean;
  ensv2?: boolean;
  env?: Record<string, string>;
  /** Acts indexed by the backfill; all later ones arrive live. */
  before?: (chain: Chain, cast: Cast) => Promise<unknown>;
};

/** Deploys ENS on a chain of its own and starts Namedex on it. */
export async function openStage(plan: StagePlan = {}): Promise<Stage> {
  const { layer2ReverseRegistrar = true, ensv2 = false, anvil = {}, ...rest } = plan;
  const local = await startLocalChain({ ...anvil, contracts: { layer2ReverseRegistrar, ensv2 } });
  try {
    return await stageOf(local, rest);
  } catch (error) {
    await local.anvil.stop();
    throw error;
  }
}

/** Starts Namedex on an existing chain; `close` ends both. */
export async function stageOf(
  local: LocalChain,
  { env = {}, before }: Pick<StagePlan, "env" | "before"> = {},
): Promise<Stage> {
  const { anvil, chain, deployment } = local;
  const cast = castOf(chain);
  await before?.(chain, cast);
  const stack = await startStack({ rpcUrl: anvil.url, deployment, env });
  const index = openIndexOnly(lookupEndpoints, { stack, local });
  const ask = asking(stack);
  return {
    local,
    chain,
    stack,
    cast,
    whois: async (name) => askedDomain.parse(await ask(`/whois/${encodeURIComponent(name)}`)),
    whoisAbsent: async (name) => unknownDomain.parse(await ask(`/whois/${encodeURIComponent(name)}`)),
    record: async (node) => {
      await stack.waitForHead();
      const reply = await index.app.request(`/lookup-namehash/${node}?partial=true`);
      const { live: _, unresolved: __, ...record } = domain.parse(withoutAsOf(await reply.json()));
      return record;
    },
    events: async (name) => {
      const body = await ask(`/domain/${encodeURIComponent(name)}/events`);
      return event.array().parse((body as { events: unknown }).events);
    },
    sql: async (text, values) => {
      await stack.waitForHead();
      return stack.sql(text, values);
    },
    close: async () => {
      await index.close();
      await stack.destroy();
      await anvil.stop();
    },
  };
}

export function castOf(chain: Chain): Cast {
  return Object.fromEntries(roles.map((role, index) => [role, chain.accounts[index]])) as Cast;
}

/** Waits for the newest block, then asks. If the node was slow because the machine stood still, it asks again. */
export async function askInTime(stack: Stack, path: string): ReturnType<Stack["api"]> {
  await stack.waitForHead();
  for (const deadline = Date.now() + NODE_TIMEOUT_MS; ; await sleep(500)) {
    const { status, body } = await stack.api<{ error?: { code: string; message: string } }>(path);
    const isLate =
      body.error?.code === "LIVE_RESOLUTION_FAILED" && body.error.message.includes("did not answer in time");
    if (!isLate || Date.now() > deadline) return { status, body };
  }
}

/** Asks under each prefix in turn. */
function asking(stack: Stack): (path: string) => Promise<unknown> {
  let prefix = "";
  return async (path) => {
    prefix = prefix === "" ? "/api" : "";
    const { status, body } = await askInTime(stack, `${prefix}${path}`);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  };
}

/** The events of a transaction, from a name's history. */
export const eventsOf = (history: readonly ApiEvent[], { transactionHash }: TransactionReceipt): ApiEvent[] =>
  history.filter((one) => one.transaction_hash === transactionHash);

/** `EVENT_TYPE by CONTRACT` of events in order, without the deployment block. */
export const namesOf = (history: readonly ApiEvent[]): string[] =>
  history.map((one) => `${one.contract.replace(/_\d+$/, "")} ${one.event_type}`);

/** A row's columns as in SQL: addresses in lower case. */
export const lower = (address: Address): Hex => address.toLowerCase() as Hex;
