import {
  type GraphQLObjectType,
  getNamedType,
  introspectionFromSchema,
  isObjectType,
  type SelectionSetNode,
} from "graphql";
import { MAX_SCHEMA_LEVELS, MAX_SCHEMA_VALUES } from "../bounds.ts";
import { QueryError } from "../queryError.ts";
import { subgraphSchema } from "../schema.ts";
import { fieldsOf, type Query } from "./selections.ts";

/*
 * What a query asks of the schema itself, and of `_meta`. The types of fields have fields, whose types have fields: a short query
 * can ask for any number of values, so they are counted as they are taken.
 */

/** What is asked of an object: by the name in the answer, a field and what is asked of its value. */
export type DataFields = {
  type: string;
  fields: readonly { key: string; name: string; of: DataFields | null }[];
};

/** Reads what is selected of an object. @throws QueryError */
export function dataFields(
  query: Query,
  sets: readonly SelectionSetNode[],
  type: GraphQLObjectType,
  level = 1,
): DataFields {
  if (level > MAX_SCHEMA_LEVELS)
    throw new QueryError(`A query of the schema has at most ${MAX_SCHEMA_LEVELS} levels`);
  const known = type.getFields();
  const selected = fieldsOf(query, sets, (name) => name === type.name);
  if (selected.length === 0) throw new QueryError(`Fields of \`${type.name}\` must be selected`);
  const fields = selected.map(({ key, field, sets: below }) => {
    const name = field.name.value;
    if (name === "__typename") return { key, name, of: null };
    const found = Object.hasOwn(known, name) ? known[name] : undefined;
    if (found === undefined) throw new QueryError(`Type \`${type.name}\` has no field \`${name}\``);
    const inner = getNamedType(found.type);
    return { key, name, of: isObjectType(inner) ? dataFields(query, below, inner, level + 1) : null };
  });
  return { type: type.name, fields };
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

/** What the schema, or the type with a name, is as data; null for a type that it does not have. */
export const schemaData = (typeName: string | null): unknown => {
  const { schema, types } = describeSchema();
  return typeName === null ? schema : types.get(typeName);
};

/** Takes what is asked of a value. @throws QueryError over the bound of values in all */
export function createTaker(): (value: unknown, of: DataFields | null) => unknown {
  let left = MAX_SCHEMA_VALUES;
  const take = (value: unknown, of: DataFields | null): unknown => {
    if (--left < 0) throw new QueryError(`A query takes at most ${MAX_SCHEMA_VALUES} values from the schema`);
    if (value === null || value === undefined) return null;
    if (of === null) return value;
    if (Array.isArray(value)) return value.map((one) => take(one, of));
    const whole = wholeOf(value as Json, of);
    return Object.fromEntries(
      of.fields.map(({ key, name, of: below }) => [
        key,
        name === "__typename" ? of.type : take(whole[name], below),
      ]),
    );
  };
  return take;
}

/** Lists and types that are never null have no name: they are whole as they are. */
const wholeOf = (value: Json, { type }: DataFields): Json =>
  type === "__Type" && typeof value.name === "string"
    ? (describeSchema().types.get(value.name) ?? value)
    : value;
