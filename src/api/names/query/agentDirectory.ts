import { agentBinding, domain, event, resolverNode, textRecord } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Address, Hex } from "viem";
import type { AgentHome } from "../../../../abis/contracts.ts";
import type { Db } from "../../server/postgres/db.ts";
import { builtOnce } from "../../server/postgres/prepared.ts";
import { isAtCurrentResolver, isInForce, isNodeOf } from "./currentRecords.ts";
import type { Keyset } from "./keyset.ts";
import { orderOfPage, pageColumns, pageOf, readFound } from "./list.ts";
import { emptyPage, type Page, type Part } from "./page.ts";

/** A registry whose agents the directory lists, with the lowercase key prefix of claims to its agents. */
export type ListedHome = AgentHome & { keyPrefix: string };

/** The sources of the directory. */
export type Directory = {
  /** Chain of the names. */
  chainId: number;
  homes: readonly ListedHome[];
  /** Lowercase resolvers whose records the index may return. */
  indexedResolvers: readonly Address[];
};

/** Filters of the directory. A line must match every filter. */
export type DirectoryFilters = {
  isBound?: boolean | undefined;
  hasRegistration?: boolean | undefined;
  /** Part of the name, case-insensitive. */
  text?: string | undefined;
};

/** One line of the directory: an agent, with a name to which it is bound or which claims it. */
export type DirectoryRow = {
  chainId: number;
  adapter: Address;
  registry: Address;
  agentId: bigint;
  node: Hex | null;
  fullName: string | null;
  isBound: boolean;
  /** Null if only the chain knows, because the index may not return records of the name's resolver. */
  hasRegistration: boolean | null;
  /** True if the index may return the name's records. */
  isIndexed: boolean;
  blockNumber: number;
  transactionHash: Hex;
};

/** `newest`: newest binding, else claim, first. `bound_first`, for one agent: its bound name, then the oldest claim first. */
export type DirectoryOrder = "newest" | "bound_first";

/** A page of the directory, for one agent or all, with the total number of lines. */
export async function listDirectory(
  db: Db,
  of: { directory: Directory; filters: DirectoryFilters; part: Part; agentId?: bigint },
): Promise<Page<DirectoryRow>> {
  const { directory, filters, part, agentId } = of;
  if (directory.homes.length === 0) return emptyPage(part);
  const order: DirectoryOrder = agentId === undefined ? "newest" : "bound_first";
  const values = {
    chainId: directory.chainId,
    homes: JSON.stringify(directory.homes),
    indexedResolvers: directory.indexedResolvers,
    agentId: agentId?.toString(),
    isBound: filters.isBound ?? null,
    hasRegistration: filters.hasRegistration ?? null,
    pattern: filters.text ? `%${filters.text.replaceAll(/[\\%_]/g, "\\$&")}%` : null,
  };
  return readFound(part, directoryKeys(order), async (slice) => {
    const rows = await builtOnce(
      db,
      `directory ${order} ${slice.title}`,
      () =>
        db
          .select({ row: sql<DirectoryRow>`to_jsonb(page)`, agentId: idOfRow, ...pageColumns })
          .from(pageOf(sql`with ${lines(order)} select item.* from item where ${isListed}`, slice))
          .orderBy(orderOfPage),
      { ...values, ...slice.values },
    );
    return rows.map(({ row, agentId, ...listed }) => ({ ...row, agentId: BigInt(agentId), ...listed }));
  });
}

const { placeholder } = sql;

/** An ID has up to 78 digits, too many for a number in JSON. */
const idOfRow = sql<string>`page."agentId"::text`;

/** Each filter applies if it has a value. */
const isListed = sql.join(
  [
    sql`(${placeholder("isBound")}::boolean is null or "isBound" = ${placeholder("isBound")})`,
    sql`(${placeholder("hasRegistration")}::boolean is null or "hasRegistration" = ${placeholder("hasRegistration")})`,
    sql`(${placeholder("pattern")}::text is null or "fullName" ilike ${placeholder("pattern")})`,
  ],
  sql` and `,
);

/** The rest of a key after its prefix: an agent ID of at most 256 bits, and the closing bracket. */
const isId = (rest: SQL) => sql`(char_length(${rest}) < 80 and ${rest} ~ '^(0|[1-9][0-9]*)\\]$')`;

/**
 * The lines of the directory. A claim counts if it is a valid record in force with a value, at a resolver whose records the index
 * may return. It is a separate line if the agent is not bound to the claiming name. A sort combines bindings and claims: the
 * planner expects few of them, so a join would compare every pair.
 */
function lines(order: DirectoryOrder): SQL {
  const chainId = placeholder("chainId");
  const rest = sql`substr(${textRecord.key}, char_length(home.prefix) + 1)`;
  const id = sql`${placeholder("agentId")}::text`;
  const isWanted = order === "newest" ? isId(rest) : sql`${rest} = ${id} || ']'`;
  // Each table has its own condition, so only rows that can belong to the agent are joined.
  const ofAgent = (one: SQL) => (order === "newest" ? sql`true` : one);
  const endsWithId = sql`right(${textRecord.key}, char_length(${id}) + 1) = ${id} || ']'`;
  const isIndexed = (resolver: SQL) =>
    sql`coalesce(${resolver} = any(${placeholder("indexedResolvers")}::text[]), false)`;
  return sql`
  home (chain_id, adapter, registry, prefix) as (
    select * from jsonb_to_recordset(${placeholder("homes")}::jsonb)
      as home ("chainId" int, adapter text, registry text, "keyPrefix" text)
  ),
  claim as materialized (
    select distinct on (home.chain_id, home.registry, ${rest}, ${textRecord.node})
      home.chain_id, home.adapter, home.registry,
      case when ${isId(rest)} then rtrim(${rest}, ']')::numeric end as agent_id, ${textRecord.node} as node,
      ${textRecord.blockNumber} as block_number, ${textRecord.logIndex} as log_index,
      ${textRecord.transactionHash} as transaction_hash, ${textRecord.isValueKnown} as is_known
    from ${textRecord}
    join ${domain} on ${isAtCurrentResolver(textRecord)}
    left join ${resolverNode} on ${isNodeOf(textRecord)}
    join home on case when lower(left(${textRecord.key}, char_length(home.prefix))) = home.prefix
      then ${isWanted} else false end
    where ${textRecord.chainId} = ${chainId} and ${textRecord.key} like 'agent-registration[%'
      and ${textRecord.key} like 'agent-registration[0x%' and ${ofAgent(endsWithId)}
      and (${textRecord.value} is not null or not ${textRecord.isValueKnown})
      and ${isInForce(textRecord)}
      and ${isIndexed(sql`${textRecord.resolver}`)}
    order by home.chain_id, home.registry, ${rest}, ${textRecord.node},
      ${textRecord.isValueKnown} desc, ${textRecord.blockNumber}
  ),
  said as (
    select b.chain_id, b.adapter, home.registry, b.agent_id, b.node, true as is_bound, b.block_timestamp as time,
      b.block_number, b.log_index, b.transaction_hash, null::boolean as is_known
    from ${agentBinding} b
    join home on home.chain_id = b.chain_id and home.adapter = b.adapter
    where ${ofAgent(sql`b.agent_id = ${id}::numeric`)}
    union all
    select claim.chain_id, claim.adapter, claim.registry, claim.agent_id, claim.node, false, null,
      claim.block_number, claim.log_index, claim.transaction_hash, claim.is_known
    from claim
  ),
  line as (
    select said.*, row_number() over of_agent_and_name as nth,
      lead(said.is_known) over of_agent_and_name as is_its_claim_known
    from said
    window of_agent_and_name as (partition by chain_id, adapter, agent_id, node order by is_bound desc)
  ),
  item as (
    select line.chain_id as "chainId", line.adapter, line.registry, line.agent_id as "agentId", line.node,
      d.full_name as "fullName", line.is_bound as "isBound",
      case when not line.is_bound then true
        when line.node is null then false
        when ${isIndexed(sql`d.resolver`)} and coalesce(line.is_its_claim_known, true)
          then line.is_its_claim_known is not null
        end as "hasRegistration",
      ${isIndexed(sql`d.resolver`)} as "isIndexed",
      coalesce(line.time, e.block_timestamp) as time, line.block_number as "blockNumber",
      line.log_index as "logIndex", line.transaction_hash as "transactionHash"
    from line
    left join ${domain} d on d.chain_id = ${chainId} and d.node = line.node
    left join ${event} e on not line.is_bound and e.chain_id = ${chainId}
      and e.block_number = line.block_number and e.log_index = line.log_index and e.ordinal = 0
    where line.nth = 1 and (line.is_bound or line.is_known)
  )`;
}

/** The order of the lines, by the columns of a subquery. */
export function directoryKeys(order: DirectoryOrder): Keyset {
  const direction = order === "newest" ? "desc" : "asc";
  // Bound names first.
  const bound = {
    column: sql`(case when listed."isBound" then 0 else 1 end)`,
    kind: "integer",
    direction: "asc",
  } as const;
  return [
    ...(order === "newest" ? [] : [bound]),
    { column: sql`listed.time`, kind: "bigint", direction },
    { column: sql`listed."chainId"`, kind: "integer", direction: "asc" },
    { column: sql`listed."blockNumber"`, kind: "integer", direction },
    { column: sql`listed."logIndex"`, kind: "integer", direction },
    // A binding without a name comes last: "x" sorts after every hash.
    { column: sql`coalesce(listed.node, 'x')`, kind: "text", direction: "asc" },
  ];
}
