import { isDeepStrictEqual } from "node:util";
import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import { MAX_FIELDS } from "../bounds.ts";
import { QueryError } from "../queryError.ts";
import { isObject, type Value, type Variables, valueIn } from "./values.ts";

/** A query with what its parts refer to. */
export type Query = {
  operation: OperationDefinitionNode;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The arguments of a field by their names. */
  argumentsOf: (field: FieldNode) => Readonly<Record<string, Value>>;
  /** The same with a placeholder for each variable: fields are compared as written, not by long values. */
  writtenArgumentsOf: (field: FieldNode) => Readonly<Record<string, Value>>;
  /** Whether `@skip` and `@include` leave it in the answer; others mean nothing here. */
  isIncluded: (one: SelectionNode) => boolean;
  /** Fields that were looked at so far: fragments count at each place. */
  count: { fields: number };
};

/** The fields under one name of the answer: they are one field, with what all of them select. */
export type Selected = { key: string; field: FieldNode; sets: SelectionSetNode[]; same: Set<FieldNode> };

/** Fragments bring one part of a query to many places: what it comes to is computed once. */
function remembered<Part, Result>(compute: (part: Part) => Result): (part: Part) => Result {
  const known = new Map<Part, Result>();
  return (part) => {
    if (!known.has(part)) known.set(part, compute(part));
    return known.get(part) as Result;
  };
}

/** Chooses the operation, and reads its variables. @throws QueryError */
export function queryOf(
  document: DocumentNode,
  { variables, operationName }: { variables: Value | undefined; operationName: string | null },
): Query {
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const named = operations.filter((one) => operationName === null || one.name?.value === operationName);
  const [operation, ...more] = named;
  if (operation === undefined) throw new QueryError("The document has no operation with this name");
  if (more.length > 0)
    throw new QueryError("The document has several operations: `operationName` is required");
  if (operation.operation !== "query") throw new QueryError("Only queries are supported");
  const fragments = document.definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  const values = variablesOf(operation, isObject(variables) ? variables : {});
  const signs = Object.fromEntries(Object.keys(values).map((name) => [name, Symbol(name)]));
  return {
    operation,
    fragments: new Map(fragments.map((one) => [one.name.value, one])),
    argumentsOf: remembered((field) => argumentsOf(field, values)),
    writtenArgumentsOf: remembered((field) => argumentsOf(field, signs as unknown as Variables)),
    isIncluded: remembered((one) => isIncluded(one.directives ?? [], values)),
    count: { fields: 0 },
  };
}

const variablesOf = (operation: OperationDefinitionNode, given: Variables): Variables => ({
  ...Object.fromEntries(
    (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueIn(defaultValue, {})]],
    ),
  ),
  ...given,
});

/** Whether a fragment on a type has fields of this one. */
export type Matches = (typeName: string) => boolean;

/** The fields that are selected of a type, in the order of the answer. @throws QueryError */
export function fieldsOf(query: Query, sets: readonly SelectionSetNode[], matches: Matches): Selected[] {
  const selected = new Map<string, Selected>();
  for (const set of sets) addFields(query, { set, matches, selected, within: [] });
  return [...selected.values()];
}

type Adding = {
  set: SelectionSetNode;
  matches: Matches;
  selected: Map<string, Selected>;
  within: readonly string[];
};

function addFields(query: Query, { set, ...adding }: Adding): void {
  for (const one of set.selections) {
    query.count.fields++;
    if (query.count.fields > MAX_FIELDS)
      throw new QueryError(
        `A query has at most ${MAX_FIELDS} fields, counting fragments each time they are used`,
      );
    if (!query.isIncluded(one)) continue;
    if (one.kind === Kind.FIELD) addField(query, one, adding.selected);
    else if (one.kind === Kind.INLINE_FRAGMENT) {
      if (one.typeCondition && !adding.matches(one.typeCondition.name.value)) continue;
      addFields(query, { ...adding, set: one.selectionSet });
    } else {
      const name = one.name.value;
      const fragment = query.fragments.get(name);
      if (fragment === undefined) throw new QueryError(`There is no fragment \`${name}\``);
      if (adding.within.includes(name)) throw new QueryError(`The fragment \`${name}\` contains itself`);
      if (!adding.matches(fragment.typeCondition.name.value)) continue;
      addFields(query, { ...adding, set: fragment.selectionSet, within: [...adding.within, name] });
    }
  }
}

function addField({ writtenArgumentsOf }: Query, field: FieldNode, selected: Map<string, Selected>): void {
  const key = field.alias?.value ?? field.name.value;
  const sets = field.selectionSet ? [field.selectionSet] : [];
  const known = selected.get(key);
  if (known === undefined) {
    selected.set(key, { key, field, sets, same: new Set([field]) });
    return;
  }
  const isSame =
    known.same.has(field) ||
    (known.field.name.value === field.name.value &&
      isDeepStrictEqual(writtenArgumentsOf(known.field), writtenArgumentsOf(field)));
  if (!isSame) throw new QueryError(`\`${key}\` is selected twice for different fields: use an alias`);
  known.same.add(field);
  known.sets.push(...sets);
}

const isIncluded = (directives: readonly DirectiveNode[], variables: Variables): boolean =>
  directives.every(({ name, arguments: given = [] }) => {
    const condition = given.find((one) => one.name.value === "if");
    const holds = condition !== undefined && isTrue(valueIn(condition.value, variables));
    return name.value === "skip" ? !holds : name.value !== "include" || holds;
  });

const isTrue = (value: Value): boolean => value === true || value === "true";

const argumentsOf = ({ arguments: given = [] }: FieldNode, variables: Variables): Record<string, Value> =>
  Object.fromEntries(given.map(({ name, value }) => [name.value, valueIn(value, variables)]));
