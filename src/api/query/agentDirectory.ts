import { agentBinding, domain, event, resolverNode, textRecord } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import type { Address, Hex } from "viem";
import type { AgentHome } from "../../../abis/contracts.ts";
import type { Db } from "../postgres/db.ts";
import { prepared } from "../postgres/prepared.ts";
import { isAtCurrentResolver, isInForce, isNodeOf } from "./currentRecords.ts";
import type { Keyset, Position } from "./keyset.ts";
import { inForms, type ListForm, orderOfPage, pageColumns, pageOf, readPage } from "./listStatements.ts";
import type { Page, Part } from "./page.ts";

const { placeholder } = sql;

/** A registry whose agents the directory lists, with the prefix of keys that claim its agents, in lower case. */
export type ListedHome = AgentHome & { keyPrefix: string };

/** The sources of the directory. */
export type Directory = {
  /** Chain of the names. */
  chainId: number;
  homes: readonly ListedHome[];
  /** Resolvers that the index may answer for, lower case. */
  indexedResolvers: readonly Address[];
};

/** Filters of the directory; a line has to meet each. */
export type DirectoryFilters = {
  isBound?: boolean | undefined;
  hasRegistration?: boolean | undefined;
  /** Part of the name; case does not matter. */
  text?: string | undefined;
  agentId?: bigint | undefined;
};

/** One line of the directory: an agent and a name, which it is bound to or which claims it. */
export type DirectoryRow = {
  chainId: number;
  adapter: Address;
  registry: Address;
  agentId: bigint;
  node: Hex | null;
  fullName: string | null;
  isBound: boolean;
  /** Null where only the chain knows: the index may not answer for the name's resolver. */
  hasRegistration: boolean | null;
  /** True if the index may answer for the name's records. */
  isIndexed: boolean;
  blockNumber: number;
  transactionHash: Hex;
};

/** Newest first, by the binding, else by the claim; or bound ones first, then the oldest claim. */
export type DirectoryOrder = "newest" | "bound_first";

/**
 * A page of the directory, with the total number of lines. Newest first; or bound ones first, which finds the name of
 * one agent.
 */
export async function listDirectory(
  db: Db,
  of: { directory: Directory; filters: DirectoryFilters; part: Part; order: DirectoryOrder },
): Promise<Page<DirectoryRow>> {
  const { directory, filters, part, order } = of;
  if (directory.homes.length === 0) return { rows: [], total: part.isCounted ? 0 : null, next: null };
  const values = {
    ...valuesOf(directory),
    isBound: filters.isBound ?? null,
    hasRegistration: filters.hasRegistration ?? null,
    pattern: filters.text ? `%${filters.text.replaceAll(/[\\%_]/g, "\\$&")}%` : null,
    agentId: filters.agentId?.toString() ?? null,
  };
  const { rows, ...found } = await readPage(part, order === "newest" ? "desc" : "asc", (form, slice) =>
    directories[order](form)(db).execute({ ...values, ...slice }),
  );
  return { ...found, rows: rows.map(toRow) };
}

const valuesOf = ({ chainId, homes, indexedResolvers }: Directory) => ({
  chainId,
  indexedResolvers,
  homeChainIds: homes.map((home) => home.chainId),
  adapters: homes.map(({ adapter }) => adapter),
  registries: homes.map(({ registry }) => registry),
  keyPrefixes: homes.map(({ keyPrefix }) => keyPrefix),
});

/** A condition that holds for every line if its filter is not given. */
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
 * The lines of the directory. A claim counts if it is a valid record in force with a value, at a resolver that the
 * index may answer for. It is a line of its own if the agent is not bound to the claiming name.
 */
function lines(order: DirectoryOrder): SQL {
  const chainId = placeholder("chainId");
  const rest = sql`substr(${textRecord.key}, char_length(home.prefix) + 1)`;
  const isWanted =
    order === "newest"
      ? sql`${rest} ~ ${sql.raw(`'${ID_PATTERN}'`)}`
      : sql`${rest} = ${placeholder("agentId")}::text || ']'`;
  // Said of each table by itself, so that only what can be of the agent is joined.
  const ofAgent = (one: SQL) => (order === "newest" ? sql`true` : one);
  const endsWithId = sql`right(${textRecord.key}, char_length(${placeholder("agentId")}::text) + 1) = ${placeholder("agentId")}::text || ']'`;
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
    where ${ofAgent(sql`b.agent_id = ${placeholder("agentId")}::numeric`)}
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

const column = <Name extends keyof DirectoryRow>(name: Name) =>
  sql<DirectoryRow[Name]>`page.${sql.identifier(name)}`;

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
  },
  ...pageColumns,
};

/** Bound ones before the others. */
const boundFirst = (of: string) => sql.raw(`(case when ${of}."isBound" then 0 else 1 end)`);

/** The order of the lines, by the columns of a subquery. */
export function directoryKeys(order: DirectoryOrder, of = "listed"): Keyset {
  const direction = order === "newest" ? "desc" : "asc";
  const named = (name: string) => sql.raw(`${of}.${name}`);
  const bound = { column: boundFirst(of), kind: "integer", direction: "asc" } as const;
  return [
    ...(order === "newest" ? [] : [bound]),
    { column: named("time"), kind: "bigint", direction },
    { column: named('"chainId"'), kind: "integer", direction: "asc" },
    { column: named('"blockNumber"'), kind: "integer", direction },
    { column: named('"logIndex"'), kind: "integer", direction },
    // A binding without a name comes last: "x" is after every hash.
    { column: sql.raw(`coalesce(${of}.node, 'x')`), kind: "text", direction: "asc" },
  ];
}

const preparedDirectory = (order: DirectoryOrder) =>
  inForms((form: ListForm, title) =>
    prepared((db) =>
      db
        .select(columns)
        .from(
          pageOf(
            sql`with ${lines(order)} select item.* from item where ${isFound}`,
            directoryKeys(order),
            form,
          ),
        )
        .orderBy(orderOfPage(directoryKeys(order, "page")))
        .prepare(`directory_${order}_${title}`),
    ),
  );

const directories = { newest: preparedDirectory("newest"), bound_first: preparedDirectory("bound_first") };

type Listed = Omit<DirectoryRow, "agentId"> & { agentId: unknown; total: number | null; position: Position };

const toRow = ({ total: _total, position: _position, ...row }: Listed): DirectoryRow => ({
  ...row,
  agentId: BigInt(row.agentId as string),
});
