import type { Hex } from "viem";
import type { AgentHome } from "../../../../abis/contracts.ts";
import type { Ctx } from "../../server/http/context.ts";
import type { LiveBinding } from "../live/binding.ts";
import { LiveFailure } from "../live/failure.ts";
import {
  type AgentTextRow,
  type BindingRow,
  listAgentKeys,
  listAgentTexts,
  listBindingsOfName,
  profileKeys,
} from "../query/agents.ts";
import { findRecords } from "../query/records.ts";
import { buildAgentKey, claimedAgent, claimsOf, type Text } from "../rules/agentKey.ts";
import type { ParsedName } from "../schemas/input.ts";
import { failureOrThrow, toApiError } from "./chain.ts";
import type { DomainState } from "./domainState.ts";
import { recordsOf } from "./ensv2/ensv2Records.ts";
import { readIndexed } from "./nameFacts.ts";
import { orThrow, type ResolvedDomain, resolveNames } from "./resolveDomains.ts";

/** The adapter's and registry's facts about an agent, from the index or from the chain. */
export type BindingState = Omit<LiveBinding, "tokenId"> & { agentId: bigint; tokenId: bigint };

/** The known facts about a name's agents. */
export type AgentState = {
  name: string;
  node: Hex;
  /** True if the name is in the index. */
  isIndexed: boolean;
  home: AgentHome | undefined;
  texts: readonly Text[];
  /** Bindings of the agents that the name claims, and of the agents bound to its tokens. Each agent occurs once. */
  bindings: readonly BindingState[];
  source: "indexed" | "live";
};

/**
 * The known facts about a name's agents: the claims in its records, and the bindings of the agents that it claims or has, as read
 * from the adapter itself.
 *
 * @throws ApiError LIVE_RESOLUTION_FAILED if the chain has to be read and does not answer: that is not "not bound"
 */
export async function resolveAgents(ctx: Ctx, name: ParsedName): Promise<AgentState> {
  const { contracts } = ctx;
  const home = contracts.agentHomes.find(({ chainId }) => chainId === contracts.chainId);
  const listed = home ? listBindingsOfName(ctx.db, home, name.node) : Promise.resolve([]);
  const [ofName, { resolved, texts }] = await Promise.all([
    listed,
    findTexts(ctx, name, async () => candidateKeys(ctx, home, name.node, await listed)),
  ]);
  const { bindings, isLive } = home ? await findBindings(ctx, { home, texts, ofName }) : noBindings;
  return {
    name: name.name,
    node: name.node,
    home,
    texts,
    bindings,
    isIndexed: await isIndexed(ctx, resolved, name),
    source: resolved.source === "live" || isLive ? "live" : "indexed",
  };
}

async function isIndexed(ctx: Ctx, resolved: ResolvedDomain, name: ParsedName): Promise<boolean> {
  if (resolved.source === "indexed") return resolved.state !== null;
  return (await readIndexed(ctx, [name])).get(name.node)?.isInRegistry ?? false;
}

const noBindings = { bindings: [] as BindingState[], isLive: false };

/** The name's records that concern agents: from the index if it has all of them, otherwise from the chain. */
async function findTexts(
  ctx: Ctx,
  name: ParsedName,
  listKeys: () => Promise<string[]>,
): Promise<{ resolved: ResolvedDomain; texts: Text[] }> {
  const select = async () => [{ coinTypes: [], contenthash: false, texts: await listKeys() }];
  const resolveTexts = async (live = false) => {
    const [result] = await resolveNames(ctx, [name], { records: select, live });
    return orThrow(result);
  };
  const [resolved, rows] = await Promise.all([
    resolveTexts(),
    listAgentTexts(ctx.db, { chainId: ctx.contracts.chainId, node: name.node }),
  ]);
  if (resolved.source === "live") return { resolved, texts: liveTexts(resolved.records.texts) };
  const { state } = resolved;
  if (state && state.chainId !== ctx.contracts.chainId) {
    const ofLayer2 = await listAgentTexts(ctx.db, { chainId: state.chainId, node: name.node });
    return { resolved, texts: ofLayer2.map(toText) };
  }
  const ofEnsv2 = state?.ensv2?.protocol === "ensv2" ? await listTextsOfEnsv2(ctx, state) : null;
  const found = ofEnsv2 ?? rows;
  if (found.every(({ isValueKnown }) => isValueKnown)) return { resolved, texts: found.map(toText) };
  const live = await resolveTexts(true);
  return { resolved: live, texts: live.source === "live" ? liveTexts(live.records.texts) : [] };
}

/** The texts of an ENSv2 name, wherever its resolver stores them. A text with NUL is never an agent's record. */
async function listTextsOfEnsv2({ db }: Ctx, state: DomainState) {
  const key = recordsOf(state);
  const { texts } = key === null ? { texts: [] } : await findRecords(db, { ...key, cleared: false });
  return texts.filter(({ exact }) => exact === null);
}

const liveTexts = (texts: readonly { key: string; value: string | null }[]): Text[] =>
  texts.flatMap(({ key, value }) => (value === null ? [] : [{ key, value }]));

/** Converts an indexed text record. */
export const toText = ({ key, value }: Pick<AgentTextRow, "key" | "value">): Text => ({
  key,
  value: value ?? "",
});

/** Protocols named by ENSIP-26 and its discussion. */
const PROTOCOLS = ["mcp", "a2a", "web", "oasf"];

/**
 * Keys to read from a resolver that is not indexed. Keys cannot be listed on chain, so these are the profile keys, the keys of
 * agents bound to the name, and all keys that any resolver ever logged for it. The resolver has their values.
 */
async function candidateKeys(
  { db, contracts }: Ctx,
  home: AgentHome | undefined,
  node: Hex,
  bindings: readonly BindingRow[],
): Promise<string[]> {
  const registry = home && { chainId: home.chainId, address: home.registry };
  const ofBindings = registry ? bindings.map(({ agentId }) => buildAgentKey(registry, agentId)) : [];
  const logged = await listAgentKeys(db, { chainId: contracts.chainId, node });
  const endpoints = PROTOCOLS.map((protocol) => `agent-endpoint[${protocol}]`);
  return [...new Set([...profileKeys, ...endpoints, ...ofBindings, ...logged])].slice(0, MAX_KEYS);
}

/** With more keys the call to the resolver would be too large. */
const MAX_KEYS = 100;

type BindingQuery = { home: AgentHome; texts: readonly Text[]; ofName: readonly BindingRow[] };

/** Bindings of the agents that the name claims, and of the agents bound to its tokens according to the index. */
async function findBindings(ctx: Ctx, { home, texts, ofName }: BindingQuery): Promise<typeof noBindings> {
  const claimed = claimsOf(texts)
    .map((claim) => claimedAgent(claim, home))
    .filter((agentId) => agentId !== null);
  const agentIds = [...new Set([...ofName.map(({ agentId }) => agentId), ...claimed])];
  if (agentIds.length === 0) return noBindings;
  return { bindings: await askAdapter(ctx, agentIds), isLive: true };
}

async function askAdapter(ctx: Ctx, agentIds: readonly bigint[]): Promise<BindingState[]> {
  const block = await ctx.liveBlock().catch(failureOrThrow);
  if (block instanceof LiveFailure) throw toApiError(block);
  const settled = await ctx.live.bindings(block, agentIds);
  return settled.flatMap((one, index) => {
    if ("failure" in one) throw toApiError(one.failure);
    if (one.answer === null) return [];
    const { tokenId, ...binding } = one.answer;
    return [{ agentId: agentIds[index] as bigint, tokenId: BigInt(tokenId), ...binding }];
  });
}
