import { __Schema, __Type, type FieldNode, parse, type SelectionSetNode } from "graphql";
import {
  ENTITIES_OF_CREDIT,
  MAX_BLOCKS,
  MAX_DEPTH,
  MAX_ENTITIES,
  MAX_QUERY,
  MAX_ROOTS,
  MAX_SAME,
  MAX_STATEMENTS,
  MAX_TOKENS,
} from "../bounds.ts";
import { QueryError } from "../queryError.ts";
import { metaType } from "../schema.ts";
import { entityOf, membersOf, roots } from "../table/entities.ts";
import type { Derived, Entity, Field, Relation, ScalarField } from "../table/entity.ts";
import { type BlockArgument, readBlock } from "./block.ts";
import type { FilterCount } from "./filter.ts";
import { type DataFields, dataFields } from "./introspection.ts";
import { type Given, type ListArguments, readListArguments } from "./listArguments.ts";
import { fieldsOf, type Query, queryOf, type Selected } from "./selections.ts";
import { readValue, type Value } from "./values.ts";

/*
 * The plan of a query: which entities are read, which of their fields, and how many at most. It is made and counted before
 * anything is read. Entities of one level are read together, by one statement for each relation of the query.
 */

/** A field of an entity that is in the answer. */
export type Selection =
  | { kind: "typename"; key: string }
  | { kind: "scalar"; key: string; field: ScalarField }
  | { kind: "relation"; key: string; name: string; field: Relation; of: EntityPlan }
  | { kind: "derived"; key: string; field: Derived; list: ListArguments; of: EntityPlan };

/** What is read of an entity, by its type: an interface has several. */
export type EntityPlan = {
  entity: Entity;
  types: readonly { type: Entity; selections: readonly Selection[] }[];
};

/** A field of Query. */
export type RootPlan =
  | { kind: "typename"; key: string }
  | { kind: "one"; key: string; id: string | null; block: BlockArgument; of: EntityPlan }
  | { kind: "many"; key: string; list: ListArguments; block: BlockArgument; of: EntityPlan }
  | { kind: "meta"; key: string; block: BlockArgument; of: DataFields }
  | { kind: "schema"; key: string; typeName: string | null; of: DataFields };

/** A query that may be answered, and what it costs. */
export type QueryPlan = { roots: readonly RootPlan[]; credits: number };

/** A request, as callers send it. */
export type GraphqlRequest = { query: string; variables?: Value | undefined; operationName?: string | null };

type Planning = { query: Query; filters: FilterCount; statements: number };

/** Reads a query, and counts what it asks for. @throws QueryError */
export function planOf({ query: text, variables, operationName = null }: GraphqlRequest): QueryPlan {
  if (text.length > MAX_QUERY)
    throw new QueryError(`A query has at most ${MAX_QUERY} characters: move long values to variables`);
  const query = queryOf(parsed(text), { variables, operationName });
  const planning: Planning = {
    query,
    filters: { conditions: 0, characters: 0, relations: 0 },
    statements: 0,
  };
  const fields = fieldsOf(query, [query.operation.selectionSet], (name) => name === "Query");
  if (fields.length > MAX_ROOTS) throw new QueryError(`A query has at most ${MAX_ROOTS} fields of Query`);
  const all = fields.map((field) => rootPlan(field, planning));
  const blocks = new Set(all.map((root) => JSON.stringify("block" in root ? root.block : null)));
  if (blocks.size > MAX_BLOCKS)
    throw new QueryError(`A query names ${blocks.size} blocks; at most ${MAX_BLOCKS} are allowed`);
  const asked = all.reduce((sum, root) => sum + entitiesOf(root), 0);
  if (asked > MAX_ENTITIES)
    throw new QueryError(
      `The query requests up to ${asked} entities, the product of its \`first\` values; at most ${MAX_ENTITIES} are allowed`,
    );
  return { roots: all, credits: Math.max(1, Math.ceil(asked / ENTITIES_OF_CREDIT)) };
}

function parsed(text: string) {
  try {
    return parse(text, { noLocation: true, maxTokens: MAX_TOKENS });
  } catch (error) {
    throw new QueryError(error instanceof Error ? error.message : "The query cannot be parsed");
  }
}

function rootPlan({ key, field, sets }: Selected, planning: Planning): RootPlan {
  const name = field.name.value;
  if (name === "__typename") return { kind: "typename", key };
  const { query } = planning;
  const given = query.argumentsOf(field);
  if (name === "__schema")
    return { kind: "schema", key, typeName: null, of: dataFields(query, sets, __Schema) };
  if (name === "__type")
    return { kind: "schema", key, typeName: String(given.name), of: dataFields(query, sets, __Type) };
  if (name === "_meta")
    return { kind: "meta", key, block: readBlock(given.block), of: dataFields(query, sets, metaType) };
  const root = roots.get(name);
  if (root === undefined) throw new QueryError(`Type \`Query\` has no field \`${name}\``);
  const { entity, isMany } = root;
  requireKnown(field, given, isMany ? [...LIST, ...ROOT] : ["id", ...ROOT]);
  const block = readBlock(given.block);
  const of = entityPlan(entity, sets, { planning, depth: 1 });
  if (isMany) return { kind: "many", key, block, of, list: listOf(entity, given, planning) };
  return { kind: "one", key, block, of, id: idOf(given.id) };
}

const LIST = ["first", "skip", "orderBy", "orderDirection", "where"];
const ROOT = ["block", "subgraphError"];

const idOf = (value: Value | undefined): string | null => {
  const id = readValue("ID", value ?? null);
  return id === null ? null : String(id);
};

function requireKnown(field: FieldNode, given: Given, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new QueryError(
      `\`${field.name.value}\` has no argument \`${unknown}\`; it has: ${known.join(", ")}`,
    );
}

const listOf = (entity: Entity, given: Given, { filters }: Planning): ListArguments =>
  readListArguments(entity, given, filters);

type At = { planning: Planning; depth: number };

function entityPlan(entity: Entity, sets: readonly SelectionSetNode[], at: At): EntityPlan {
  if (at.depth > MAX_DEPTH) throw new QueryError(`A query has at most ${MAX_DEPTH} levels`);
  if (++at.planning.statements > MAX_STATEMENTS)
    throw new QueryError(`The query needs more than ${MAX_STATEMENTS} reads`);
  const types = membersOf(entity).map((type) => {
    const matches = (name: string) => name === type.name || name === type.implements;
    const fields = fieldsOf(at.planning.query, sets, matches);
    requireFewSame(type, fields);
    return { type, selections: fields.map((one) => selection(type, one, at)) };
  });
  if (types.every(({ selections }) => selections.length === 0))
    throw new QueryError(`Fields of \`${entity.name}\` must be selected`);
  return { entity, types };
}

/** A value that is large would be read once for each name. */
function requireFewSame({ name: type }: Entity, fields: readonly Selected[]): void {
  const counts = new Map<string, number>();
  for (const { field } of fields) {
    const { value: name } = field.name;
    const count = (counts.get(name) ?? 0) + 1;
    if (count > MAX_SAME)
      throw new QueryError(`\`${name}\` of \`${type}\` is selected under more than ${MAX_SAME} names`);
    counts.set(name, count);
  }
}

function selection(type: Entity, { key, field: node, sets }: Selected, at: At): Selection {
  const name = node.name.value;
  if (name === "__typename") return { kind: "typename", key };
  const field: Field | undefined = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined;
  if (field === undefined) throw new QueryError(`Type \`${type.name}\` has no field \`${name}\``);
  const given = at.planning.query.argumentsOf(node);
  const isList = field.kind === "derived" && field.isList;
  requireKnown(node, given, isList ? LIST : []);
  if (field.kind === "scalar") {
    if (sets.length > 0) throw new QueryError(`\`${name}\` of \`${type.name}\` has no fields`);
    return { kind: "scalar", key, field };
  }
  const of = entityPlan(entityOf(field.type), sets, { ...at, depth: at.depth + 1 });
  if (field.kind === "relation") return { kind: "relation", key, name, field, of };
  const list = listOf(of.entity, isList ? given : { first: 1 }, at.planning);
  return { kind: "derived", key, field, of, list };
}

/** Entities that a field of Query can read: a page of each list in a page, and so on. */
function entitiesOf(root: RootPlan): number {
  if (root.kind === "one") return entitiesIn(root.of, 1);
  return root.kind === "many" ? entitiesIn(root.of, root.list.first) : 0;
}

function entitiesIn({ entity, types }: EntityPlan, count: number): number {
  const below = types.map(({ selections }) =>
    selections.reduce((sum, one) => {
      if (one.kind === "relation") return sum + entitiesIn(one.of, count);
      return one.kind === "derived" ? sum + entitiesIn(one.of, count * one.list.first) : sum;
    }, 0),
  );
  // A bare entity is known by its relation: it is not read. Of an interface each entity is of one type.
  return (entity.isBare ? 0 : count) + Math.max(...below);
}
