import { agent, agentBinding, domain, event, resolverNode, textRecord } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, desc, eq, inArray, isNotNull, isNull, like, or, sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../context.ts";
import type { AgentHome } from "../contracts.ts";
import { offsetOf, PAGE_SIZE } from "./page.ts";
import { prepared } from "./prepared.ts";

/** A binding with what the registry says of the agent; null where the index does not follow it. */
export type BindingRow = typeof agentBinding.$inferSelect & { uri: string | null; owner: Address | null };

/** Agents of one token are as many as its owner likes: answers hold the newest. */
export const MAX_AGENTS_OF_NAME = 100;

/** The newest bindings to a name's tokens, newest first. */
export const listBindingsOfName = (
  db: Db,
  { chainId, adapter, registry }: AgentHome,
  node: Hex,
): Promise<BindingRow[]> => bindingsOfName(db).execute({ chainId, adapter, registry, node });

/** Bindings of these agents, in no order; agents that are not bound are left out. */
export async function listBindings(
  db: Db,
  { chainId, adapter, registry }: AgentHome,
  agentIds: readonly bigint[],
): Promise<BindingRow[]> {
  if (agentIds.length === 0) return [];
  return bindingsOfAgents(db).execute({ chainId, adapter, registry, agentIds: agentIds.map(String) });
}

const { placeholder } = sql;

/** What the registry says of an agent holds while the adapter owns it: after that the index does not follow it. */
const bindings = (db: Db, where: SQL) =>
  db
    .select({
      chainId: agentBinding.chainId,
      adapter: agentBinding.adapter,
      agentId: agentBinding.agentId,
      tokenStandard: agentBinding.tokenStandard,
      tokenContract: agentBinding.tokenContract,
      tokenId: agentBinding.tokenId,
      node: agentBinding.node,
      registeredBy: agentBinding.registeredBy,
      blockNumber: agentBinding.blockNumber,
      logIndex: agentBinding.logIndex,
      transactionHash: agentBinding.transactionHash,
      blockTimestamp: agentBinding.blockTimestamp,
      uri: agent.uri,
      owner: agent.owner,
    })
    .from(agentBinding)
    .leftJoin(
      agent,
      and(
        eq(agent.chainId, agentBinding.chainId),
        eq(agent.registry, placeholder("registry")),
        eq(agent.agentId, agentBinding.agentId),
        eq(agent.owner, agentBinding.adapter),
      ),
    )
    .where(
      and(
        eq(agentBinding.chainId, placeholder("chainId")),
        eq(agentBinding.adapter, placeholder("adapter")),
        where,
      ),
    );

const bindingsOfName = prepared((db) =>
  bindings(db, eq(agentBinding.node, placeholder("node")))
    .orderBy(desc(agentBinding.blockTimestamp), desc(agentBinding.blockNumber), desc(agentBinding.logIndex))
    .limit(MAX_AGENTS_OF_NAME)
    .prepare("bindings_of_name"),
);

const bindingsOfAgents = prepared((db) =>
  bindings(db, sql`${agentBinding.agentId} = any(${placeholder("agentIds")}::numeric[])`).prepare(
    "bindings_of_agents",
  ),
);

/** A text record in force. */
export type AgentTextRow = Pick<
  typeof textRecord.$inferSelect,
  "node" | "key" | "value" | "isValueKnown" | "blockNumber" | "transactionHash"
>;

/** What makes up an agent's profile besides its endpoints (ENSIP-26, ENSIP-5, ENSIP-12). */
export const profileKeys = ["avatar", "description", "agent-context"] as const;

const isProfileText = or(
  inArray(textRecord.key, [...profileKeys]),
  like(textRecord.key, "agent-endpoint[%"),
) as SQL;
const isClaimText = like(textRecord.key, "agent-registration[%");

/** Records in force of names at their current resolver: those of their agents' profiles. */
export const listProfileTexts = (
  db: Db,
  names: { chainId: number; nodes: readonly Hex[] },
): Promise<AgentTextRow[]> => listTextsOf(db, names, profileTexts);

/** Records in force of a name at its current resolver: of its agents' profile, and claims of agents. */
export const listAgentTexts = (db: Db, { chainId, node }: { chainId: number; node: Hex }) =>
  listTextsOf(db, { chainId, nodes: [node] }, agentTexts);

/** Keys of profiles and claims that any resolver ever logged for a name. */
export async function listAgentKeys(
  db: Db,
  { chainId, node }: { chainId: number; node: Hex },
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ key: textRecord.key })
    .from(textRecord)
    .where(
      and(
        eq(textRecord.chainId, chainId),
        eq(textRecord.node, node),
        isNull(textRecord.exact),
        or(isClaimText, like(textRecord.key, "agent-endpoint[%")),
        sql`char_length(${textRecord.key}) <= ${MAX_KEY_LENGTH}`,
      ),
    )
    .limit(MAX_TEXTS_OF_NAME);
  return rows.map(({ key }) => key);
}

const MAX_KEY_LENGTH = 512;

/** The newest of the wanted records come first; a name may hold any number, so there is an end to them. */
async function listTextsOf(
  db: Db,
  { chainId, nodes }: { chainId: number; nodes: readonly Hex[] },
  statement: typeof agentTexts,
): Promise<AgentTextRow[]> {
  if (nodes.length === 0) return [];
  return statement(db).execute({ chainId, nodes, most: MAX_TEXTS_OF_NAME * nodes.length });
}

const textsInForce = (name: string, wanted: SQL) =>
  prepared((db) =>
    db
      .select({
        node: textRecord.node,
        key: textRecord.key,
        value: textRecord.value,
        isValueKnown: textRecord.isValueKnown,
        blockNumber: textRecord.blockNumber,
        transactionHash: textRecord.transactionHash,
      })
      .from(textRecord)
      .innerJoin(domain, isOfCurrentResolver)
      .leftJoin(resolverNode, isOfItsNode)
      .where(
        and(
          eq(textRecord.chainId, placeholder("chainId")),
          sql`${textRecord.node} = any(${placeholder("nodes")}::text[])`,
          eq(textRecord.version, sql`coalesce(${resolverNode.version}, 0)`),
          or(isNotNull(textRecord.value), eq(textRecord.isValueKnown, false)),
          wanted,
        ),
      )
      .orderBy(desc(textRecord.blockNumber), desc(textRecord.logIndex))
      .limit(placeholder("most"))
      .prepare(name),
  );

const MAX_TEXTS_OF_NAME = 200;

const isOfCurrentResolver = and(
  eq(domain.chainId, textRecord.chainId),
  eq(domain.node, textRecord.node),
  eq(domain.resolver, textRecord.resolver),
);

const isOfItsNode = and(
  eq(resolverNode.chainId, textRecord.chainId),
  eq(resolverNode.resolver, textRecord.resolver),
  eq(resolverNode.node, textRecord.node),
);

const profileTexts = textsInForce("profile_texts", isProfileText);
const agentTexts = textsInForce("agent_texts", or(isProfileText, isClaimText) as SQL);

/** A registry whose agents the directory lists, with how keys of claims to its agents begin, in lower case. */
export type ListedHome = AgentHome & { keyPrefix: string };

/** What the directory is made from. */
export type Directory = {
  /** Chain of the names. */
  chainId: number;
  homes: readonly ListedHome[];
  /** Resolvers that the index may answer for, lower case. */
  indexedResolvers: readonly Address[];
};

/** What to look for; all that is given has to hold. */
export type DirectoryFilters = {
  isBound?: boolean | undefined;
  hasRegistration?: boolean | undefined;
  /** Part of the name; case does not matter. */
  text?: string | undefined;
  agentId?: bigint | undefined;
};

/** One line of the directory: an agent with the name to which it is bound, or which claims it. */
export type DirectoryRow = {
  chainId: number;
  adapter: Address;
  registry: Address;
  agentId: bigint;
  node: Hex | null;
  fullName: string | null;
  isBound: boolean;
  /** Null where only the chain can tell: the name's resolver is not one that the index may answer for. */
  hasRegistration: boolean | null;
  /** True if the index may answer for the name's records. */
  isIndexed: boolean;
  blockNumber: number;
  transactionHash: Hex;
};

/** Newest first, by the binding, else by the claim; or bound ones first, then the oldest claim. */
export type DirectoryOrder = "newest" | "bound_first";

/**
 * A page of the directory and how many lines there are in all. Newest first; or, of one agent, bound ones first, which
 * is how its name is found.
 */
export async function listDirectory(
  db: Db,
  asked: { directory: Directory; filters: DirectoryFilters; page: number; order: DirectoryOrder },
): Promise<{ rows: DirectoryRow[]; total: number }> {
  const { directory, filters, page, order } = asked;
  if (directory.homes.length === 0) return { rows: [], total: 0 };
  const listed = await directories[order](db).execute({
    ...valuesOf(directory),
    isBound: filters.isBound ?? null,
    hasRegistration: filters.hasRegistration ?? null,
    pattern: filters.text ? `%${filters.text.replaceAll(/[\\%_]/g, "\\$&")}%` : null,
    agentId: filters.agentId?.toString() ?? null,
    offset: offsetOf(page),
  });
  if (listed[0] === undefined && page > 1) {
    // Behind the last page no row tells how many there are.
    const { total } = await listDirectory(db, { ...asked, page: 1 });
    return { rows: [], total };
  }
  return { rows: listed.map(toRow), total: listed[0]?.total ?? 0 };
}

const valuesOf = ({ chainId, homes, indexedResolvers }: Directory) => ({
  chainId,
  indexedResolvers,
  homeChainIds: homes.map((home) => home.chainId),
  adapters: homes.map(({ adapter }) => adapter),
  registries: homes.map(({ registry }) => registry),
  keyPrefixes: homes.map(({ keyPrefix }) => keyPrefix),
});

/** A condition that holds of every line where nothing is asked. */
const isAsked = (value: SQL, condition: SQL): SQL => sql`(${value} is null or ${condition})`;

const isFound = sql.join(
  [
    isAsked(sql`${placeholder("isBound")}::boolean`, sql`"isBound" = ${placeholder("isBound")}`),
    isAsked(
      sql`${placeholder("hasRegistration")}::boolean`,
      sql`"hasRegistration" = ${placeholder("hasRegistration")}`,
    ),
    isAsked(sql`${placeholder("pattern")}::text`, sql`"fullName" ilike ${placeholder("pattern")}`),
    isAsked(sql`${placeholder("agentId")}::numeric`, sql`"agentId" = ${placeholder("agentId")}::numeric`),
  ],
  sql` and `,
);

/** An agent's id and the last bracket, after the prefix of a key. */
const ID_PATTERN = "^(0|[1-9][0-9]{0,77})\\]$";

/**
 * The lines of the directory. A claim counts if it is a conforming record in force with a value, at a resolver that
 * the index may answer for; it makes a line of its own where the agent is not bound to the claiming name.
 */
function lines(order: DirectoryOrder): SQL {
  const chainId = placeholder("chainId");
  const rest = sql`substr(${textRecord.key}, char_length(home.prefix) + 1)`;
  const isWanted =
    order === "newest"
      ? sql`${rest} ~ ${sql.raw(`'${ID_PATTERN}'`)}`
      : sql`${rest} = ${placeholder("agentId")}::text || ']'`;
  const isIndexed = (resolver: SQL) =>
    sql`coalesce(${resolver} = any(${placeholder("indexedResolvers")}::text[]), false)`;
  return sql`
  home (chain_id, adapter, registry, prefix) as (
    select * from unnest(${placeholder("homeChainIds")}::int[], ${placeholder("adapters")}::text[],
      ${placeholder("registries")}::text[], ${placeholder("keyPrefixes")}::text[])
  ),
  claim as materialized (
    select distinct on (home.chain_id, home.registry, ${rest}, ${textRecord.node})
      home.chain_id, home.adapter, home.registry,
      case when ${rest} ~ ${sql.raw(`'${ID_PATTERN}'`)} then rtrim(${rest}, ']')::numeric end as agent_id,
      ${domain.node} as node, ${domain.fullName} as full_name,
      ${textRecord.blockNumber} as block_number, ${textRecord.logIndex} as log_index,
      ${textRecord.transactionHash} as transaction_hash, ${textRecord.isValueKnown} as is_known
    from ${textRecord}
    join ${domain} on ${isOfCurrentResolver}
    left join ${resolverNode} on ${isOfItsNode}
    join home on case when lower(left(${textRecord.key}, char_length(home.prefix))) = home.prefix
      then ${isWanted} else false end
    where ${textRecord.chainId} = ${chainId} and ${textRecord.key} like 'agent-registration[%'
      and ${textRecord.key} like 'agent-registration[0x%'
      and (${textRecord.value} is not null or not ${textRecord.isValueKnown})
      and ${textRecord.version} = coalesce(${resolverNode.version}, 0)
      and ${isIndexed(sql`${textRecord.resolver}`)}
    order by home.chain_id, home.registry, ${rest}, ${textRecord.node},
      ${textRecord.isValueKnown} desc, ${textRecord.blockNumber}
  ),
  item as (
    select b.chain_id as "chainId", b.adapter, home.registry, b.agent_id as "agentId", b.node,
      d.full_name as "fullName", true as "isBound",
      case when b.node is null then false
        when ${isIndexed(sql`d.resolver`)} and coalesce(claim.is_known, true) then claim.node is not null
        end as "hasRegistration",
      ${isIndexed(sql`d.resolver`)} as "isIndexed",
      b.block_timestamp as time, b.block_number as "blockNumber", b.log_index as "logIndex",
      b.transaction_hash as "transactionHash"
    from ${agentBinding} b
    join home on home.chain_id = b.chain_id and home.adapter = b.adapter
    left join ${domain} d on d.chain_id = ${chainId} and d.node = b.node
    left join claim on claim.chain_id = b.chain_id and claim.adapter = b.adapter
      and claim.agent_id = b.agent_id and claim.node = b.node
    union all
    select claim.chain_id, claim.adapter, claim.registry, claim.agent_id, claim.node, claim.full_name, false, true,
      true, e.block_timestamp, claim.block_number, claim.log_index, claim.transaction_hash
    from claim
    join ${event} e on e.chain_id = ${chainId} and e.block_number = claim.block_number
      and e.log_index = claim.log_index and e.ordinal = 0
    where claim.is_known and not exists (select from ${agentBinding} b where b.chain_id = claim.chain_id
      and b.adapter = claim.adapter and b.agent_id = claim.agent_id and b.node = claim.node)
  )`;
}

const column = <Name extends keyof DirectoryRow | "total">(name: Name) =>
  sql<(DirectoryRow & { total: number })[Name]>`${sql.identifier(name)}`;

const columns = {
  ...{ chainId: column("chainId"), adapter: column("adapter"), registry: column("registry") },
  ...{ agentId: column("agentId"), node: column("node"), fullName: column("fullName") },
  ...{
    isBound: column("isBound"),
    hasRegistration: column("hasRegistration"),
    isIndexed: column("isIndexed"),
  },
  ...{
    blockNumber: column("blockNumber"),
    transactionHash: column("transactionHash"),
    total: column("total"),
  },
};

const preparedDirectory = (order: DirectoryOrder) => {
  const direction = sql.raw(order === "newest" ? "desc" : "asc");
  const first = order === "newest" ? sql`` : sql`"isBound" desc,`;
  return prepared((db) =>
    db
      .select(columns)
      .from(
        sql`(with ${lines(order)}
          select item.*, count(*) over ()::int as total from item where ${isFound}
          order by ${first} time ${direction}, "chainId", "blockNumber" ${direction}, "logIndex" ${direction}, node
          limit ${sql.raw(String(PAGE_SIZE))} offset ${placeholder("offset")}) as listed`,
      )
      .prepare(`directory_${order}`),
  );
};

const directories = { newest: preparedDirectory("newest"), bound_first: preparedDirectory("bound_first") };

type Listed = Omit<DirectoryRow, "agentId"> & { agentId: unknown; total: number };

const toRow = ({ total: _total, ...row }: Listed): DirectoryRow => ({
  ...row,
  agentId: BigInt(row.agentId as string),
});
