import { buildSchema, type GraphQLObjectType, type GraphQLSchema } from "graphql";
import { FIRST } from "./bounds.ts";
import { orderNamesOf } from "./query/listArguments.ts";
import { type FilterName, filtersOf } from "./query/suffixes.ts";
import { entities } from "./table/entities.ts";
import { type Entity, type Field, rootOf } from "./table/entity.ts";

/*
 * The schema as clients and code generators see it by introspection. It follows from the table of types; queries are answered
 * by their plan, which is less strict than the schema, as graph-node is.
 */

const META = `
scalar Bytes
type _Block_ { hash: Bytes number: Int! timestamp: Int parentHash: Bytes }
type _Meta_ { block: _Block_! deployment: String! hasIndexingErrors: Boolean! }
`;

const ARGUMENTS = `
scalar BigInt
enum OrderDirection { asc desc }
enum _SubgraphErrorPolicy_ { allow deny }
input Block_height { hash: Bytes number: Int number_gte: Int }
input BlockChangedFilter { number_gte: Int! }
`;

export const metaType = buildSchema(META).getType("_Meta_") as GraphQLObjectType;

const braced = (head: string, parts: readonly string[]): string => `${head} {\n${parts.join("\n")}\n}`;

const described = (description: string, text: string): string => `${JSON.stringify(description)}\n${text}`;

function typeOf({ name, description, members, implements: of, fields }: Entity): string {
  const head = `${members ? "interface" : "type"} ${name}${of ? ` implements ${of}` : ""}`;
  return described(description, braced(head, Object.entries(fields).map(fieldOf)));
}

function fieldOf([name, field]: [string, Field]): string {
  const isList = field.kind !== "relation" && field.isList === true;
  const args = field.kind === "derived" && isList ? `(${listArguments(field.type)})` : "";
  const type = isList ? `[${field.type}!]` : field.type;
  return described(field.source, `${name}${args}: ${type}${field.isRequired ? "!" : ""}`);
}

const listArguments = (type: string): string =>
  `skip: Int = 0, first: Int = ${FIRST.byDefault}, orderBy: ${type}_orderBy, orderDirection: OrderDirection, where: ${type}_filter`;

const orderOf = (entity: Entity): string => braced(`enum ${entity.name}_orderBy`, orderNamesOf(entity));

function filterOf(entity: Entity): string {
  const filter = `${entity.name}_filter`;
  const own = [...filtersOf(entity).values()].map((one) => `${one.name}: ${inputOf(one)}`);
  const others = ["_change_block: BlockChangedFilter", `and: [${filter}]`, `or: [${filter}]`];
  return braced(`input ${filter}`, [...own, ...others]);
}

function inputOf(filter: FilterName): string {
  const { field } = filter;
  if (filter.isChild) return `${field.type}_filter`;
  const type = field.kind === "scalar" ? field.type : "String";
  const isList =
    filter.suffix === "in" || filter.suffix === "not_in" || (field.kind === "scalar" && field.isList);
  return isList ? `[${type}!]` : type;
}

const ROOT_ARGUMENTS = "block: Block_height, subgraphError: _SubgraphErrorPolicy_! = deny";

function rootsOf(entity: Entity): string[] {
  const { one, many } = rootOf(entity);
  return [
    `${one}(id: ID!, ${ROOT_ARGUMENTS}): ${entity.name}`,
    `${many}(${listArguments(entity.name)}, ${ROOT_ARGUMENTS}): [${entity.name}!]!`,
  ];
}

let built: GraphQLSchema | undefined;

/** The whole schema. It is made when it is first asked for. */
export function subgraphSchema(): GraphQLSchema {
  built ??= buildSchema(schemaText(), { assumeValidSDL: true, noLocation: true });
  return built;
}

function schemaText(): string {
  const query = braced("type Query", [...entities.flatMap(rootsOf), "_meta(block: Block_height): _Meta_"]);
  const parts = entities.flatMap((entity) => [typeOf(entity), orderOf(entity), filterOf(entity)]);
  return [...parts, query, META, ARGUMENTS].join("\n");
}
