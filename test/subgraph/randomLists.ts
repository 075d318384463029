import type { Chance } from "../../bench/api/chance.ts";
import {
  compare,
  type Entity,
  type Model,
  type ModelField,
  type ModelType,
  meets,
  readModel,
  type Value,
} from "./model.ts";

/* Random lists within the schema, with the results of a plain evaluation over all entities in memory. */

let model: Model;

/** Reads all entities, as they are now. */
export async function loadModel(): Promise<void> {
  model = await readModel();
}

type Condition = { where: Record<string, unknown>; holds: (entity: Entity) => boolean };

const typeAt = (name: string): ModelType => model.types.get(name) as ModelType;
const rowsOf = (name: string): readonly Entity[] => model.rows.get(name) ?? [];
const pick = <Item>(chance: Chance, items: readonly Item[]): Item =>
  items[chance.below(items.length)] as Item;

const comparisons = ["", "not", "gt", "gte", "lt", "lte", "in", "not_in"];
const patterns = ["contains", "starts_with", "ends_with"].flatMap((one) =>
  ["", "not_"].flatMap((not) => [`${not}${one}`, `${not}${one}_nocase`]),
);
const suffixesOf = ({ kind, type }: ModelField): string[] => {
  if (kind === "list")
    return ["", "not", "contains", "not_contains", "contains_nocase", "not_contains_nocase"];
  if (type === "Boolean") return ["", "not", "in", "not_in"];
  if (kind === "one" || type === "String") return [...comparisons, ...patterns];
  return type === "Bytes" ? [...comparisons, "contains", "not_contains"] : comparisons;
};

/** Mostly a value of some entity's field, so that filters find something. */
function valueFor(chance: Chance, { name, kind, type }: ModelField, of: ModelType): Value {
  const known = rowsOf(of.name).flatMap(({ values }) => values[name] ?? []);
  if (known.length > 0 && chance.below(10) > 0) return pick(chance, known);
  if (kind === "one" || type === "String" || type === "ID") return "a";
  if (type === "Boolean") return true;
  return type === "Bytes" ? "0x01" : "1700000000";
}

/** A part of a text; for bytes in whole bytes. */
function pieceOf(chance: Chance, value: Value, type: string): Value {
  const text = String(value);
  const from = chance.below(Math.max(1, text.length - 3));
  if (type !== "Bytes") return text.slice(from, from + 1 + chance.below(4)).replaceAll("\\", "") || "a";
  const even = 2 + 2 * chance.below(Math.max(1, (text.length - 2) / 2));
  return `0x${text.slice(even, even + 2)}`;
}

function fieldCondition(chance: Chance, type: ModelType): Condition {
  const field = pick(
    chance,
    type.fields.filter(({ isStored }) => isStored),
  );
  const suffix = pick(chance, suffixesOf(field));
  const one = () => {
    const value = valueFor(chance, field, type);
    if (/contains|starts|ends/.test(suffix) && field.kind !== "list")
      return pieceOf(chance, value, field.kind === "one" ? "String" : field.type);
    return value;
  };
  const isList = field.kind === "list" || suffix === "in" || suffix === "not_in";
  const isNull = (suffix === "" || suffix === "not") && chance.below(4) === 0;
  const given: Value = isNull
    ? null
    : isList
      ? Array.from({ length: chance.below(3) }, one).map(String)
      : one();
  return {
    where: { [suffix === "" ? field.name : `${field.name}_${suffix}`]: given },
    holds: ({ values }) => meets(field, suffix, values[field.name] ?? null, given),
  };
}

function childCondition(chance: Chance, type: ModelType, relations: number): Condition {
  const leading = type.fields.filter(({ kind }) => kind === "one" || kind === "many");
  if (leading.length === 0 || relations === 0) return fieldCondition(chance, type);
  const field = pick(chance, leading);
  const inside = condition(chance, typeAt(field.type), { levels: 1, relations: relations - 1 });
  const byId = new Map(rowsOf(field.type).map((one) => [one.id, one]));
  const meetsAt = (id: string) => {
    const entity = byId.get(id);
    return entity !== undefined && inside.holds(entity);
  };
  return {
    where: { [`${field.name}_`]: inside.where },
    holds: ({ values, below }) =>
      field.kind === "one"
        ? typeof values[field.name] === "string" && meetsAt(String(values[field.name]))
        : (below[field.name] ?? []).some(meetsAt),
  };
}

type Left = { levels: number; relations: number };

function condition(chance: Chance, type: ModelType, left: Left): Condition {
  const kind = left.levels === 0 ? 0 : chance.below(6);
  if (kind === 1) return childCondition(chance, type, left.relations);
  if (kind !== 2 && kind !== 3) return fieldCondition(chance, type);
  const parts = Array.from({ length: 1 + chance.below(3) }, () =>
    condition(chance, type, { ...left, levels: left.levels - 1 }),
  );
  const where = parts.map((one) => one.where);
  return kind === 2
    ? { where: { and: where }, holds: (entity) => parts.every(({ holds }) => holds(entity)) }
    : { where: { or: where }, holds: (entity) => parts.some(({ holds }) => holds(entity)) };
}

type Order = { name: string; type: string; plainOf: (entity: Entity) => Value };

function orderFor(chance: Chance, type: ModelType): Order {
  const fields = new Map(type.fields.map((field) => [field.name, field]));
  const name = pick(
    chance,
    type.orders.filter((one) => !/texts|coinTypes/.test(one)),
  );
  const [parent = "", child] = name.split("__");
  const field = fields.get(parent) as ModelField;
  if (child === undefined)
    return {
      name,
      type: field.kind === "one" ? "String" : field.type,
      plainOf: ({ values }) => values[name] ?? null,
    };
  const target = typeAt(field.type);
  const byId = new Map(rowsOf(target.name).map((one) => [one.id, one]));
  return {
    name,
    type: target.fields.find((one) => one.name === child)?.type ?? "String",
    plainOf: ({ values }) => byId.get(String(values[parent]))?.values[child] ?? null,
  };
}

/** Nulls are larger than every value; ties are ordered by id. */
const sorted = (rows: readonly Entity[], { type, plainOf }: Order, direction: string): Entity[] => {
  const ascending = (a: Entity, b: Entity): number => {
    const [x, y] = [plainOf(a), plainOf(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || compare("ID", a.id, b.id);
    return compare(type, x as string, y as string) || compare("ID", a.id, b.id);
  };
  return [...rows].sort((a, b) => (direction === "asc" ? ascending(a, b) : ascending(b, a)));
};

export type RandomList = {
  query: string;
  variables: { where: Record<string, unknown> };
  expected: Record<string, unknown>[];
};

/** Fields that are unknown at a past block. */
const counted = ["subdomainCount"];

/** The values of some fields, as in answers. */
function selectedOf(chance: Chance, type: ModelType) {
  const fields = type.fields.filter(
    ({ kind, name }) => kind !== "many" && name !== "id" && !counted.includes(name) && chance.below(3) === 0,
  );
  const isOne = new Set(fields.filter(({ kind }) => kind === "one").map(({ name }) => name));
  return {
    selection: ["id", ...fields.map(({ name }) => (isOne.has(name) ? `${name} { id }` : name))].join(" "),
    answerOf: ({ id, values }: Entity) => ({
      id,
      ...Object.fromEntries(
        fields.map(({ name }) => {
          const value = values[name] ?? null;
          return [name, isOne.has(name) && value !== null ? { id: value } : value];
        }),
      ),
    }),
  };
}

/** A list with filters, an order and a page, at the newest block or the given one. */
export function randomList(chance: Chance, block?: number): RandomList {
  const type = pick(chance, [...model.types.values()]);
  const { where, holds } = condition(chance, type, { levels: 3, relations: 3 });
  const order = orderFor(chance, type);
  const direction = pick(chance, ["asc", "desc"]);
  const [first, skip] = [1 + chance.below(30), chance.below(5)];
  const { selection, answerOf } = selectedOf(chance, type);
  const root = `${type.name.charAt(0).toLowerCase()}${type.name.slice(1)}s`;
  const at = block === undefined ? "" : `, block: { number: ${block} }`;
  const query = `query Q($where: ${type.name}_filter) { list: ${root}(first: ${first}, skip: ${skip}, orderBy: ${order.name}, orderDirection: ${direction}, where: $where${at}) { ${selection} } }`;
  const expected = sorted(rowsOf(type.name).filter(holds), order, direction).slice(skip, skip + first);
  return { query, variables: { where }, expected: expected.map(answerOf) };
}
