import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLEnumValueConfigMap,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLFieldConfigMap,
  GraphQLID,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
} from "graphql";
import { FIRST } from "./bounds.ts";
import { orderNamesOf } from "./query/listArguments.ts";
import { type FilterName, filtersOf } from "./query/suffixes.ts";
import { entities, entityOf, entityTypes } from "./table/entities.ts";
import { type Entity, type Field, rootOf, type Scalar } from "./table/entity.ts";

/*
 * The schema as clients and code generators see it by introspection. It follows from the table of types; queries are answered
 * by their plan, which is less strict than the schema, as graph-node is.
 */

const scalarOf = (name: string) => new GraphQLScalarType({ name });

const scalars: Record<Scalar, GraphQLScalarType> = {
  ID: GraphQLID,
  String: GraphQLString,
  Int: GraphQLInt,
  Boolean: GraphQLBoolean,
  Bytes: scalarOf("Bytes"),
  BigInt: scalarOf("BigInt"),
};

const direction = enumOf("OrderDirection", ["asc", "desc"]);
const errorPolicy = enumOf("_SubgraphErrorPolicy_", ["allow", "deny"]);

function enumOf(name: string, values: readonly string[]): GraphQLEnumType {
  const entries: GraphQLEnumValueConfigMap = Object.fromEntries(values.map((value) => [value, {}]));
  return new GraphQLEnumType({ name, values: entries });
}

const blockHeight = new GraphQLInputObjectType({
  name: "Block_height",
  fields: {
    hash: { type: scalars.Bytes },
    number: { type: GraphQLInt },
    number_gte: { type: GraphQLInt },
  },
});

const blockChanged = new GraphQLInputObjectType({
  name: "BlockChangedFilter",
  fields: { number_gte: { type: new GraphQLNonNull(GraphQLInt) } },
});

const made = <Made>(make: (entity: Entity) => Made): ((entity: Entity) => Made) => {
  const known = new Map<Entity, Made>();
  return (entity) => {
    const one = known.get(entity) ?? make(entity);
    known.set(entity, one);
    return one;
  };
};

const outputOf = made((entity) => {
  const { name, description } = entity;
  const fields = () => fieldsOf(entity);
  if (entity.members) return new GraphQLInterfaceType({ name, description, fields });
  const interfaces = entity.implements
    ? () => [outputOf(entityOf(entity.implements ?? "")) as GraphQLInterfaceType]
    : [];
  return new GraphQLObjectType({ name, description, fields, interfaces });
}) as (entity: Entity) => GraphQLObjectType | GraphQLInterfaceType;

const filterOf: (entity: Entity) => GraphQLInputObjectType = made(
  (entity) => new GraphQLInputObjectType({ name: `${entity.name}_filter`, fields: () => inputsOf(entity) }),
);

const orderOf = made((entity) => enumOf(`${entity.name}_orderBy`, orderNamesOf(entity)));

function inputsOf(entity: Entity): GraphQLInputFieldConfigMap {
  const own = [...filtersOf(entity).values()].map((one) => [one.name, { type: inputOf(one) }]);
  const several = { type: new GraphQLList(filterOf(entity)) };
  return { ...Object.fromEntries(own), _change_block: { type: blockChanged }, and: several, or: several };
}

function inputOf(filter: FilterName): GraphQLInputType {
  const { field } = filter;
  if (filter.isChild) return filterOf(entityOf(field.kind === "scalar" ? "" : field.type));
  const type = field.kind === "scalar" ? scalars[field.type] : GraphQLString;
  const isList =
    filter.suffix === "in" || filter.suffix === "not_in" || (field.kind === "scalar" && field.isList);
  return isList ? new GraphQLList(new GraphQLNonNull(type)) : type;
}

const listArguments = (entity: Entity): GraphQLFieldConfigArgumentMap => ({
  skip: { type: GraphQLInt, defaultValue: 0 },
  first: { type: GraphQLInt, defaultValue: FIRST.byDefault },
  orderBy: { type: orderOf(entity) },
  orderDirection: { type: direction },
  where: { type: filterOf(entity) },
});

const fieldsOf = (entity: Entity): GraphQLFieldConfigMap<unknown, unknown> =>
  Object.fromEntries(Object.entries(entity.fields).map(([name, field]) => [name, fieldOf(field)]));

function fieldOf(field: Field) {
  const description = field.source;
  const required = (type: GraphQLOutputType) =>
    field.isRequired && !(type instanceof GraphQLNonNull) ? new GraphQLNonNull(type) : type;
  if (field.kind === "scalar") {
    const type = scalars[field.type];
    return { description, type: required(field.isList ? new GraphQLList(new GraphQLNonNull(type)) : type) };
  }
  const target = entityOf(field.type);
  const type = outputOf(target);
  if (field.kind === "relation" || !field.isList) return { description, type: required(type) };
  const list = new GraphQLList(new GraphQLNonNull(type));
  return { description, type: required(list), args: listArguments(target) };
}

const rootArguments: GraphQLFieldConfigArgumentMap = {
  block: { type: blockHeight },
  subgraphError: { type: new GraphQLNonNull(errorPolicy), defaultValue: "deny" },
};

function rootsOf(entity: Entity): GraphQLFieldConfigMap<unknown, unknown> {
  const { one, many } = rootOf(entity);
  const type = outputOf(entity);
  return {
    [one]: { type, args: { id: { type: new GraphQLNonNull(GraphQLID) }, ...rootArguments } },
    [many]: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type))),
      args: { ...listArguments(entity), ...rootArguments },
    },
  };
}

const metaBlock = new GraphQLObjectType({
  name: "_Block_",
  fields: {
    hash: { type: scalars.Bytes },
    number: { type: new GraphQLNonNull(GraphQLInt) },
    timestamp: { type: GraphQLInt },
    parentHash: { type: scalars.Bytes },
  },
});

export const metaType = new GraphQLObjectType({
  name: "_Meta_",
  fields: {
    block: { type: new GraphQLNonNull(metaBlock) },
    deployment: { type: new GraphQLNonNull(GraphQLString) },
    hasIndexingErrors: { type: new GraphQLNonNull(GraphQLBoolean) },
  },
});

const query = (): GraphQLObjectType =>
  new GraphQLObjectType({
    name: "Query",
    fields: () => ({
      ...Object.assign({}, ...entities.map(rootsOf)),
      _meta: { type: metaType, args: { block: { type: blockHeight } } },
    }),
  });

let built: GraphQLSchema | undefined;

/** The whole schema. It is made when it is first asked for. */
export function subgraphSchema(): GraphQLSchema {
  built ??= new GraphQLSchema({ query: query(), types: entityTypes.map(outputOf) });
  return built;
}
