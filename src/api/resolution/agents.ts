import type { Hex } from "viem";
import type { AgentHome } from "../../../abis/contracts.ts";
import type { Ctx } from "../http/context.ts";
import { LiveFailure } from "../live/failure.ts";
import {
  type AgentTextRow,
  type BindingRow,
  listAgentKeys,
  listAgentTexts,
  listBindings,
  listBindingsOfName,
  profileKeys,
} from "../query/agents.ts";
import type { ParsedName } from "../schemas/input.ts";
import { type AgentFacts, type BindingFacts, claimedAgent, claimsOf } from "../serializers/agent.ts";
import { buildAgentKey } from "../serializers/agentKey.ts";
import type { Text } from "../serializers/agentProfile.ts";
import {
  failureOrThrow,
  listIndexedDomains,
  type RecordSelector,
  type ResolvedDomain,
  resolveDomain,
  resolveLive,
  toApiError,
} from "./domains.ts";

/**
 * What is known of a name's agents: its claims by its records, and the bindings of the agents it claims or has. With a
 * node configured the adapter itself is asked. Throws LIVE_RESOLUTION_FAILED if the chain has to be asked and does not
 * answer: that is no "not bound".
 */
export async function resolveAgents(ctx: Ctx, name: ParsedName): Promise<AgentFacts> {
  const { contracts } = ctx;
  const home = contracts.agentHomes.find(({ chainId }) => chainId === contracts.chainId);
  const listed = home ? listBindingsOfName(ctx.db, home, name.node) : Promise.resolve([]);
  const [ofName, { found, texts }] = await Promise.all([
    listed,
    findTexts(ctx, name, async () => candidateKeys(ctx, home, name.node, await listed)),
  ]);
  const known = home ? await findBindings(ctx, { home, texts, ofName }) : NO_BINDINGS;
  return {
    ...{ name: name.name, node: name.node, home, texts, bindings: known.bindings },
    isIndexed: await isIndexed(ctx, found, name),
    source: found.source === "live" || known.isLive ? "live" : "indexed",
  };
}

const isIndexed = async (ctx: Ctx, found: ResolvedDomain, { node }: ParsedName): Promise<boolean> =>
  found.source === "indexed" ? found.facts !== null : (await listIndexedDomains(ctx, [node])).has(node);

const NO_BINDINGS = { bindings: [] as BindingFacts[], isLive: false };

/** Records of the name that concern agents, by the index where it knows them all, else by the chain. */
async function findTexts(
  ctx: Ctx,
  name: ParsedName,
  listKeys: () => Promise<string[]>,
): Promise<{ found: ResolvedDomain; texts: Text[] }> {
  const wanting: RecordSelector = async () => ({
    coinTypes: [],
    contenthash: false,
    texts: await listKeys(),
  });
  const [found, rows] = await Promise.all([
    resolveDomain(ctx, name, wanting),
    listAgentTexts(ctx.db, { chainId: ctx.contracts.chainId, node: name.node }),
  ]);
  if (found.source === "live") return { found, texts: liveTexts(found.records.texts) };
  if (rows.every(({ isValueKnown }) => isValueKnown)) return { found, texts: rows.map(toText) };
  const asked = await resolveLive(ctx, name, wanting);
  return { found: asked, texts: liveTexts(asked.records.texts) };
}

const liveTexts = (texts: readonly { key: string; value: string | null }[]): Text[] =>
  texts.flatMap(({ key, value }) => (value === null ? [] : [{ key, value }]));

/** A text record of the index. */
export const toText = ({ key, value }: AgentTextRow): Text => ({ key, value: value ?? "" });

/** Protocols that ENSIP-26 and its discussion name. */
const PROTOCOLS = ["mcp", "a2a", "web", "oasf"];

/**
 * Keys to ask a resolver for that is not indexed, since keys cannot be listed on chain: the profile's, those of the
 * agents bound to the name, and those that any resolver ever logged for it. What they hold, the resolver decides.
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

/** More make the call to the resolver too large. */
const MAX_KEYS = 100;

type BindingQuery = { home: AgentHome; texts: readonly Text[]; ofName: readonly BindingRow[] };

/** Bindings of the agents that the name claims, and of those that the index knows to be bound to its tokens. */
async function findBindings(ctx: Ctx, { home, texts, ofName }: BindingQuery): Promise<typeof NO_BINDINGS> {
  const claimed = claimsOf(texts)
    .map((claim) => claimedAgent(claim, home))
    .filter((agentId) => agentId !== null);
  const agentIds = [...new Set([...ofName.map(({ agentId }) => agentId), ...claimed])];
  if (agentIds.length === 0) return NO_BINDINGS;
  if (ctx.live.isConfigured) return { bindings: await askAdapter(ctx, agentIds), isLive: true };
  const ofClaims = await listBindings(ctx.db, home, claimed);
  const byAgent = new Map([...ofName, ...ofClaims].map((binding) => [binding.agentId, binding]));
  return { bindings: [...byAgent.values()], isLive: false };
}

async function askAdapter(ctx: Ctx, agentIds: readonly bigint[]): Promise<BindingFacts[]> {
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
