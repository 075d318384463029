import { block, domain, ensv2Proxy, event } from "ponder:schema";
import { sql } from "ponder";
import type { Hex } from "viem";
import { sqlOf } from "../../../names/query/scope.ts";
import { MAX_CHANGES } from "../bounds.ts";
import type { QueryError } from "../queryError.ts";
import { type Entity, idOf, type Relation, type ScalarField } from "../table/entity.ts";
import { eventAs } from "../table/rowNames.ts";
import type { Key } from "./columns.ts";
import { type Filter, partsOf } from "./filter.ts";
import type { ListArguments } from "./listArguments.ts";
import { changedStatement, isFixed } from "./pastSql.ts";
import type { EntityPlan, Selection } from "./plan.ts";
import type { Reader } from "./reader.ts";

/*
 * Answers of a past block. The tables have today's state, so it has to be shown that nothing an answer is made of has changed
 * since: no entity that it shows, none that a filter met then, and none that it meets now. Entities that are younger than the
 * block are left out. Else the query is refused: today's data are never given for a past block.
 */

/** A past block, and what changed after it. */
export type Past = {
  block: number;
  /** The nodes that logs named since. */
  nodes: readonly Hex[];
  /** True if contracts of ENSv2 logged since: names below others change there without a log of their own. */
  isEnsv2Changed: boolean;
  refuse: () => Promise<QueryError>;
};

/** What changed after a block. */
type Changes = Pick<Past, "nodes" | "isEnsv2Changed"> & {
  /** How many logs there were: of more than are looked through, one more than these. */
  logs: number;
  /** The newest of all blocks; null without any. */
  newest: number | null;
  /** The time of the block: of one that the journal does not have, that of the block before it there; null without one. */
  time: number | null;
};

/** What changed after a block, and up to which one the index is: one statement says both. */
export async function changesAfter({ rows, env }: Reader, number: number): Promise<Changes> {
  const log = eventAs("log");
  const { holds } = sqlOf(env.chains);
  const [since = {}] = await rows(sql`select
      (select max(${block.number}) from ${block} where ${holds(block.chainId)}) as newest,
      (select ${block.timestamp} from ${block} where ${holds(block.chainId)} and ${block.number} <= ${number}::int8
        order by ${block.number} desc limit 1) as time,
      count(*)::int as logs, bool_or(is_ensv2) as is_ensv2,
      array_agg(distinct node) filter (where node is not null) as nodes
    from (select ${log.node} as node, ${log.contract} like 'ENSV2%' as is_ensv2 from ${event} as log
      where ${holds(log.chainId)} and ${log.blockNumber} > ${number}::int8
      order by ${log.blockNumber} limit ${sql.raw(String(MAX_CHANGES + 1))}) as since`);
  const { newest, time, logs, nodes, is_ensv2 } = since;
  return {
    newest: newest === null ? null : Number(newest),
    time: time === null ? null : Number(time),
    logs: Number(logs),
    nodes: (nodes ?? []) as Hex[],
    isEnsv2Changed: is_ensv2 === true,
  };
}

/** The block of the newest log. */
export async function lastChange({ rows, env }: Reader): Promise<number> {
  const newest = sql`select max(${event.blockNumber})::int as number from ${event} where ${sqlOf(env.chains).holds(event.chainId)}`;
  return Number((await rows(newest))[0]?.number ?? 0);
}

/** Lists of events have those up to the block, lists of names those that were there. */
export const listAt = (list: ListArguments, past: Past | null): ListArguments =>
  past === null
    ? list
    : { ...list, filter: { kind: "and", of: [{ kind: "existed", block: past.block }, list.filter] } };

/** @throws QueryError unless a list is what it was */
export async function requireListUnchanged(
  reader: Reader,
  plan: EntityPlan,
  { filter, order }: Pick<ListArguments, "filter" | "order">,
): Promise<void> {
  const { past } = reader;
  if (past === null) return;
  const isKnown =
    plan.types.every(({ selections }) => selections.every((one) => isKnownAt(past, one))) &&
    isFilterKnown(past, filter) &&
    (order === null || order.kind === "own"
      ? isFieldKnown(past, order?.field)
      : isFixed(order.field) && isFixed(order.of));
  if (!isKnown) throw await past.refuse();
  await requireNone(reader, past, { entity: plan.entity, filter, isYoungerLeftOut: true });
  await requireChildrenUnchanged(reader, past, filter);
}

/** @throws QueryError unless entities that others lead to are what they were */
export async function requireKeysUnchanged(
  reader: Reader,
  { entity, types }: EntityPlan,
  { field, keys }: { field: Relation; keys: readonly Key[] },
): Promise<void> {
  const { past, env } = reader;
  if (past === null || entity.isBare || entity.isLog) return;
  if (!types.every(({ selections }) => selections.every((one) => isKnownAt(past, one))))
    throw await past.refuse();
  if (isFixed(field) && types.every(({ selections }) => selections.every(isFixedSelection))) return;
  const isResolver = entity.key.types.length > 1;
  const nodes = keys.map((key) => nodeIn(entity, key));
  const changed = new Set(past.nodes);
  if (nodes.some((node) => changed.has(node))) throw await past.refuse();
  if (!past.isEnsv2Changed) return;
  const { holds } = sqlOf(env.chains);
  const found = isResolver
    ? sql`select from ${ensv2Proxy} where ${holds(ensv2Proxy.chainId)}
        and ${ensv2Proxy.address} = any(${sql.param(keys.map(([resolver]) => resolver))}::text[]) limit 1`
    : sql`select from ${domain} where ${holds(domain.chainId)} and ${domain.registry} is not null
        and ${domain.node} = any(${sql.param(nodes)}::text[]) limit 1`;
  if ((await reader.rows(found)).length > 0) throw await past.refuse();
}

/** @throws QueryError unless the lists below entities are what they were */
export const requireBelowUnchanged = (
  reader: Reader,
  plan: EntityPlan,
  { list, via, parent, keys }: { list: ListArguments; via: Relation; parent: Entity; keys: readonly Key[] },
): Promise<void> => {
  const ids = keys.map((key) => (parent.key.write ?? String)(key as never));
  const below: Filter = { kind: "field", field: via, suffix: "in", values: ids };
  const filter: Filter = plan.entity.isLog ? list.filter : { kind: "and", of: [below, list.filter] };
  return requireListUnchanged(reader, plan, { ...list, filter });
};

/** The node in a key of an entity that changes with its node: of a resolver it is the second part. */
const nodeIn = ({ key: { types } }: Entity, key: Key): Hex => key[types.length - 1] as Hex;

type Candidates = { entity: Entity; filter: Filter; isYoungerLeftOut: boolean };

async function requireNone(reader: Reader, past: Past, candidates: Candidates): Promise<void> {
  const { entity } = candidates;
  // Events of a list are those up to the block: there is no other change.
  if (entity.isLog && candidates.isYoungerLeftOut) return;
  if (entity.nodeOf === undefined && !isOneId(candidates)) throw await past.refuse();
  if (entity.rowOf !== undefined && past.isEnsv2Changed) throw await past.refuse();
  if (isUntouched(past, candidates)) return;
  const { env, rows } = reader;
  const found = await rows(changedStatement(candidates, past, env));
  if (found.length > 0) throw await past.refuse();
}

/** The filter for one entity by its id: of accounts the logs that name an address are found by it. */
const isOneId = ({ entity, filter }: Candidates): boolean => isId(filter, entity);

const isId = (filter: Filter, entity: Entity): boolean =>
  filter.kind === "field" && filter.field === idOf(entity) && filter.suffix === "";

/** Whether it is seen without a statement that none of the entities changed: no log named the node of the only one. */
function isUntouched({ nodes, isEnsv2Changed }: Past, { entity, filter }: Candidates): boolean {
  if (entity.nodeOf === undefined || isEnsv2Changed) return false;
  const only = partsOf(filter).find((one) => isId(one, entity));
  const key = only?.kind === "field" ? entity.key.read(String(only.values[0])) : undefined;
  return key !== undefined && (key === null || !nodes.includes(nodeIn(entity, key)));
}

async function requireChildrenUnchanged(reader: Reader, past: Past, filter: Filter): Promise<void> {
  if (filter.kind === "and" || filter.kind === "or")
    for (const one of filter.of) await requireChildrenUnchanged(reader, past, one);
  if (filter.kind !== "child") return;
  if (!filter.entity.isBare)
    await requireNone(reader, past, { entity: filter.entity, filter: filter.of, isYoungerLeftOut: false });
  await requireChildrenUnchanged(reader, past, filter.of);
}

/**
 * Whether a field changes by logs of the entity alone: counts do by names below, records at a resolver of ENSv2 by logs of their
 * number.
 */
const isFieldKnown = ({ isEnsv2Changed }: Past, field: ScalarField | Relation | undefined): boolean => {
  if (field?.kind === "scalar") return field.count === undefined;
  return !(isEnsv2Changed && field?.isOfRecords);
};

function isFilterKnown(past: Past, filter: Filter): boolean {
  if (filter.kind === "and" || filter.kind === "or")
    return filter.of.every((one) => isFilterKnown(past, one));
  if (filter.kind === "child") return isFilterKnown(past, filter.of);
  return filter.kind !== "field" || isFieldKnown(past, filter.field);
}

const isKnownAt = (past: Past, one: Selection): boolean =>
  (one.kind !== "scalar" && one.kind !== "relation") || isFieldKnown(past, one.field);

const isFixedSelection = (one: Selection): boolean =>
  one.kind === "typename" || (one.kind === "scalar" && isFixed(one.field));
