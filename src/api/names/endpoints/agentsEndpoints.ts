import { z } from "@hono/zod-openapi";
import type { AgentHome } from "../../../../abis/contracts.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import {
  type DirectoryFilters,
  type DirectoryRow,
  directoryKeys,
  listDirectory,
} from "../query/agentDirectory.ts";
import { listBindings, listProfileTexts } from "../query/agents.ts";
import type { Part } from "../query/page.ts";
import { resolveAgents, toText } from "../resolution/resolveAgents.ts";
import { agentKeyPrefix, parseAgentId } from "../rules/agentKey.ts";
import { agentItem, nameAgents } from "../schemas/agents.ts";
import { decimal, pageFields } from "../schemas/answers.ts";
import { input, type ParsedName, parseName } from "../schemas/input.ts";
import { listPage } from "../schemas/paging.ts";
import { toAgentItem, toNameAgents } from "../serializers/agent.ts";
import { openPage } from "../serializers/listPages.ts";

const domainAgent = endpoint({
  method: "get",
  path: "/domain/{name}/agent",
  group: "Agents",
  summary: "Agents of a name",
  description:
    "ERC-8004 agents that the name claims by text records (ENSIP-25), and agents that the ERC-8217 adapter binds to the name's token in the registrar or NameWrapper. A claim is unproven. A binding proves that the token's holder made it at the time, not who the agent is; `onchain_verified` means both. Either may be older than the name's current owner. If there is an adapter, it is read on chain for the request, and `source` is `live`; if it cannot be read, the request fails with LIVE_RESOLUTION_FAILED. Profiles are written by owners: treat them as untrusted.",
  params: z.object({ name: input.name("agent.eth") }),
  reply: nameAgents,
  errors: ["INVALID_NAME", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: { name: "get_agents", view: "of_name" },
  handle: async ({ name }, ctx) => toNameAgents(await resolveAgents(ctx, name), ctx.contracts),
});

const chain = z.string().max(64).openapi({ description: "Chain of the agent's registry", example: "devnet" });

const agents = endpoint({
  method: "get",
  path: "/agents",
  group: "Agents",
  summary: "Directory of agents",
  description:
    "Every agent that an adapter binds to a token, and every agent that a name claims by a conforming record, newest first. An agent has one entry for the name it is bound to, and one for each other name that claims it.",
  query: z.object({
    is_bound: input.optionalFlag(
      "is_bound",
      "`true`: only agents bound to the name's token; `false`: only others",
    ),
    has_ensip25_registration: input.optionalFlag(
      "has_ensip25_registration",
      "`true`: only agents known to be claimed by the name; `false`: only agents known not to be",
    ),
    chain: chain.optional(),
    q: input
      .text("q", { max: 255, description: "Part of the name, in any case", example: "agent" })
      .optional(),
    ...listPage(),
  }),
  reply: z.strictObject({ agents: z.array(agentItem), ...pageFields }),
  cost: 1,
  tool: { name: "get_agents", view: "list" },
  handle: async (query, ctx) => {
    const filters = {
      isBound: query.is_bound,
      hasRegistration: query.has_ensip25_registration,
      text: query.q,
    };
    const homes = homesOn(ctx, query.chain);
    const keys = directoryKeys("newest");
    const { part, fields } = openPage("/agents", query, keys);
    const { rows, ...found } = await findRows(ctx, { homes, filters, part });
    return { agents: await toItems(ctx, rows), ...fields(found) };
  },
});

const agent = endpoint({
  method: "get",
  path: "/agents/{agentId}",
  group: "Agents",
  summary: "One agent",
  description:
    "The agent with the name it is bound to or, if not bound, the first name that claimed it; a claim is unproven. Values that the directory leaves null are read on chain.",
  params: z.object({
    agentId: z
      .string()
      .openapi({ description: "Id in the identity registry, decimal", type: "string", example: "0" }),
  }),
  query: z.object({
    chain: chain
      .optional()
      .openapi({ description: "Chain of the agent's registry; by default the chain of the names" }),
  }),
  reply: z.union([
    agentItem,
    z.strictObject({ agent_id: decimal, indexed: z.literal(false) }).openapi("AgentNotIndexed", {
      description: "No adapter binds the agent, and no indexed name claims it",
    }),
  ]),
  errors: ["INVALID_PARAMETER", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: { name: "get_agents", view: "one" },
  handle: async ({ agentId: text, chain }, ctx) => {
    const agentId = parseAgentId(text);
    if (agentId === null) {
      throw new ApiError(
        "INVALID_PARAMETER",
        "`agentId` must be a decimal number of at most 256 bits, without leading zeros.",
      );
    }
    const homes = homesOn(ctx, chain ?? ctx.contracts.chainName(ctx.contracts.chainId));
    const { rows } = await findRows(ctx, { homes, filters: {}, part: first, agentId });
    const [item] = await toItems(ctx, rows.slice(0, 1));
    return item ? complete(ctx, item) : { agent_id: text, indexed: false as const };
  },
});

const first: Part = { page: 1, size: 1, isCounted: false };

type Item = z.infer<typeof agentItem>;

/**
 * Adds what only the chain knows to an item: whether a name with an unindexed resolver claims the agent, and its profile.
 * Names that are not normalised, or written by their node, cannot be resolved: their items stay as they are.
 */
async function complete(ctx: Ctx, item: Item): Promise<Item> {
  if (item.name === null || item.has_ensip25_registration !== null) return item;
  const name = parseOrNull(item.name);
  if (name?.node !== item.namehash || name.parentNode === null) return item;
  const { registrations, profile } = toNameAgents(await resolveAgents(ctx, name), ctx.contracts);
  const ofAgent = registrations.filter((one) => one.is_bound && one.agent_id === item.agent_id);
  const hasRegistration = ofAgent.some((one) => one.has_ensip25_registration);
  return { ...item, has_ensip25_registration: hasRegistration, onchain_verified: hasRegistration, profile };
}

/** An indexed name in the form that callers use; null if it is not normalised. */
function parseOrNull(fullName: string): ParsedName | null {
  try {
    return parseName(fullName);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

/**
 * The adapters and registries of agents on one chain of the deployment, or on all of them.
 *
 * @throws ApiError INVALID_PARAMETER for another chain
 */
function homesOn({ contracts }: Ctx, chain: string | undefined): AgentHome[] {
  const { agentHomes, chainId, chainName } = contracts;
  if (chain === undefined) return agentHomes;
  const known = [...new Set([chainId, ...agentHomes.map((home) => home.chainId)])].map(chainName);
  if (!known.includes(chain)) {
    throw new ApiError("INVALID_PARAMETER", `\`chain\` must be one of: ${known.join(", ")}.`);
  }
  return agentHomes.filter((home) => chainName(home.chainId) === chain);
}

type DirectoryQuery = {
  homes: AgentHome[];
  filters: DirectoryFilters;
  part: Part;
  agentId?: bigint;
};

function findRows({ db, contracts }: Ctx, { homes, ...query }: DirectoryQuery) {
  const { chainId, indexedResolvers } = contracts;
  const listed = homes.map((home) => ({
    ...home,
    keyPrefix: agentKeyPrefix({ chainId: home.chainId, address: home.registry }),
  }));
  return listDirectory(db, { directory: { chainId, homes: listed, indexedResolvers }, ...query });
}

async function toItems(ctx: Ctx, rows: DirectoryRow[]) {
  const { db, contracts } = ctx;
  const nodes = rows.flatMap(({ node, isIndexed }) => (node !== null && isIndexed ? [node] : []));
  const [texts, ...bindings] = await Promise.all([
    listProfileTexts(db, { chainId: contracts.chainId, nodes: [...new Set(nodes)] }),
    ...contracts.agentHomes.map((home) =>
      listBindings(
        db,
        home,
        rows.flatMap((row) => (row.chainId === home.chainId ? [row.agentId] : [])),
      ),
    ),
  ]);
  const byAgent = new Map(bindings.flat().map((one) => [`${one.chainId}:${one.agentId}`, one]));
  return rows.map((row) => {
    const ofName = row.node !== null && row.isIndexed ? texts.filter(({ node }) => node === row.node) : null;
    const isKnown = ofName?.every(({ isValueKnown }) => isValueKnown) ?? false;
    const binding = byAgent.get(`${row.chainId}:${row.agentId}`);
    return toAgentItem({ row, binding, texts: ofName && isKnown ? ofName.map(toText) : null }, contracts);
  });
}

export const agentEndpoints = [domainAgent, agents, agent];
