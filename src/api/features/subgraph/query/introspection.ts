import {
  type GraphQLObjectType,
  getNamedType,
  introspectionFromSchema,
  introspectionTypes,
  isObjectType,
  type SelectionSetNode,
} from "graphql";
import { MAX_SCHEMA_LEVELS, MAX_SCHEMA_VALUES } from "../bounds.ts";
import { QueryError } from "../queryError.ts";
import { subgraphSchema } from "../schema.ts";
import { fieldsOf, type Query } from "./selections.ts";

/*
 * What a query asks of the schema itself. The types of fields have fields, whose types have fields: a short query can ask for
 * any number of values, so they are counted as they are taken from the schema.
 */

/** A field of the schema that is in the answer, with what is asked of its value. */
export type SchemaSelection = { key: string; name: string; of: SchemaFields | null };
type SchemaFields = { type: string; fields: readonly SchemaSelection[] };

/** What a root field asks for: of the whole schema, or of the type with a name. */
export type SchemaPlan = { typeName: string | null; of: SchemaFields };

const objectTypes = new Map<string, GraphQLObjectType>(
  introspectionTypes.flatMap((type) => (isObjectType(type) ? [[type.name, type]] : [])),
);

/** Reads what is selected of the schema, or of a type. @throws QueryError */
export function schemaFields(
  query: Query,
  sets: readonly SelectionSetNode[],
  { type, level = 1 }: { type: string; level?: number },
): SchemaFields {
  if (level > MAX_SCHEMA_LEVELS)
    throw new QueryError(`A query of the schema has at most ${MAX_SCHEMA_LEVELS} levels`);
  const known = objectTypes.get(type)?.getFields() ?? {};
  const selected = fieldsOf(query, sets, (name) => name === type);
  if (selected.length === 0) throw new QueryError(`Fields of \`${type}\` must be selected`);
  const fields = selected.map(({ key, field, sets: below }) => {
    const name = field.name.value;
    if (name === "__typename") return { key, name, of: null };
    const found = Object.hasOwn(known, name) ? known[name] : undefined;
    if (found === undefined) throw new QueryError(`Type \`${type}\` has no field \`${name}\``);
    const inner = getNamedType(found.type);
    const of = isObjectType(inner)
      ? schemaFields(query, below, { type: inner.name, level: level + 1 })
      : null;
    return { key, name, of };
  });
  return { type, fields };
}

type Json = { readonly [name: string]: unknown };
type Described = { schema: Json; types: ReadonlyMap<string, Json> };

let described: Described | undefined;

/** The schema as data. Types are named where others refer to them; `types` has the whole ones. */
function describeSchema(): Described {
  if (described === undefined) {
    const { __schema } = introspectionFromSchema(subgraphSchema());
    described = {
      schema: __schema as unknown as Json,
      types: new Map(__schema.types.map((type) => [type.name, type as unknown as Json])),
    };
  }
  return described;
}

/** How many values a query may still take from the schema. */
export type SchemaBudget = { left: number };

export const schemaBudget = (): SchemaBudget => ({ left: MAX_SCHEMA_VALUES });

/** What the schema answers; null for a type that it does not have. @throws QueryError over the bound of values */
export function readSchema({ typeName, of }: SchemaPlan, budget: SchemaBudget): unknown {
  const { schema, types } = describeSchema();
  const value = typeName === null ? schema : (types.get(typeName) ?? null);
  return taken(value, of, budget);
}

function taken(value: unknown, of: SchemaFields | null, budget: SchemaBudget): unknown {
  if (--budget.left < 0)
    throw new QueryError(`A query takes at most ${MAX_SCHEMA_VALUES} values from the schema`);
  if (value === null || value === undefined) return null;
  if (of === null) return value;
  if (Array.isArray(value)) return value.map((one) => taken(one, of, budget));
  const whole = wholeOf(value as Json, of);
  return Object.fromEntries(
    of.fields.map(({ key, name, of: below }) => [
      key,
      name === "__typename" ? of.type : taken(whole[name], below, budget),
    ]),
  );
}

/** Lists and types that are never null have no name: they are whole as they are. */
const wholeOf = (value: Json, { type }: SchemaFields): Json =>
  type === "__Type" && typeof value.name === "string"
    ? (describeSchema().types.get(value.name) ?? value)
    : value;
