import { getIntrospectionQuery, type IntrospectionQuery } from "graphql";
import { ask } from "./stage.ts";

/*
 * The whole subgraph in memory, as the endpoint returns it entity by entity, and a plain evaluation of lists over it:
 * graph-node's conventions without any SQL.
 */

type Plain = string | number | boolean;
export type Value = Plain | null | readonly Plain[];
export type Entity = {
  id: string;
  type: string;
  values: Record<string, Value>;
  below: Record<string, string[]>;
};

export type ModelField = {
  name: string;
  kind: "scalar" | "list" | "one" | "many";
  type: string;
  /** Whether it has its own filters: it is not the reverse of another field. */
  isStored: boolean;
};
export type ModelType = {
  name: string;
  members: readonly string[];
  fields: readonly ModelField[];
  orders: readonly string[];
};
export type Model = { types: ReadonlyMap<string, ModelType>; rows: ReadonlyMap<string, readonly Entity[]> };

type TypeRef = { kind: string; name?: string | null; ofType?: TypeRef | null };

const baseOf = (type: TypeRef): { name: string; isList: boolean; kind: string } => {
  if (!type.ofType) return { name: type.name ?? "", isList: false, kind: type.kind };
  const inner = baseOf(type.ofType);
  return { ...inner, isList: inner.isList || type.kind === "LIST" };
};

const kindOf = ({ kind, isList }: ReturnType<typeof baseOf>): ModelField["kind"] => {
  if (kind === "SCALAR") return isList ? "list" : "scalar";
  return isList ? "many" : "one";
};

const PAGE = 200;

const rootOf = (type: string) => `${type.charAt(0).toLowerCase()}${type.slice(1)}s`;

/** Reads the schema, and every entity. */
export async function readModel(): Promise<Model> {
  const { __schema } = (await ask(getIntrospectionQuery())) as unknown as IntrospectionQuery;
  const enums = new Map(
    __schema.types.flatMap((type) =>
      type.kind === "ENUM" ? [[type.name, type.enumValues.map(({ name }) => name)]] : [],
    ),
  );
  const filters = new Map(
    __schema.types.flatMap((type) =>
      type.kind === "INPUT_OBJECT" ? [[type.name, type.inputFields.map(({ name }) => name)] as const] : [],
    ),
  );
  const types = new Map<string, ModelType>();
  for (const type of __schema.types) {
    if (type.kind !== "OBJECT" && type.kind !== "INTERFACE") continue;
    const orders = enums.get(`${type.name}_orderBy`);
    if (orders === undefined) continue;
    types.set(type.name, {
      name: type.name,
      members: type.kind === "INTERFACE" ? type.possibleTypes.map(({ name }) => name) : [type.name],
      fields: type.fields.map((field) => {
        const base = baseOf(field.type as TypeRef);
        const isStored = filters.get(`${type.name}_filter`)?.includes(field.name) ?? false;
        return { name: field.name, kind: kindOf(base), type: base.name, isStored };
      }),
      orders: orders as string[],
    });
  }
  const rows = new Map<string, readonly Entity[]>();
  for (const type of types.values()) if (type.members.length === 1) rows.set(type.name, await readRows(type));
  for (const type of types.values())
    if (type.members.length > 1)
      rows.set(
        type.name,
        type.members.flatMap((name) => rows.get(name) ?? []),
      );
  return { types, rows };
}

type Raw = Record<string, Value | { id: string } | { id: string }[]>;

async function readRows({ name, fields }: ModelType): Promise<Entity[]> {
  const plain = fields.filter(({ kind }) => kind !== "many");
  const selected = plain.map((field) => (field.kind === "one" ? `${field.name} { id }` : field.name));
  const root = rootOf(name);
  const answer = await ask<Record<string, Raw[]>>(`{ ${root}(first: ${PAGE}) { ${selected.join(" ")} } }`);
  const rows = (answer[root] ?? []).map((raw) => ({
    id: String(raw.id),
    type: name,
    below: {} as Record<string, string[]>,
    values: Object.fromEntries(plain.map((field) => [field.name, plainOf(raw[field.name] ?? null)])),
  }));
  for (const { name: list } of fields.filter(({ kind }) => kind === "many")) {
    const lists = await ask<Record<string, Record<string, { id: string }[]>[]>>(
      `{ ${root}(first: ${PAGE}) { ${list}(first: 1000) { id } } }`,
    );
    for (const [i, row] of rows.entries())
      row.below[list] = (lists[root]?.[i]?.[list] ?? []).map(({ id }) => id);
  }
  return rows;
}

const plainOf = (value: Raw[string]): Value =>
  typeof value === "object" && value !== null && "id" in value ? value.id : (value as Value);

const numbers = ["BigInt", "Int"];

/** Compares two present values of a field. */
export function compare(type: string, a: Plain, b: Plain): number {
  if (numbers.includes(type)) return Number(BigInt(a) > BigInt(b)) - Number(BigInt(a) < BigInt(b));
  if (type === "Boolean") return Number(String(a) === "true") - Number(String(b) === "true");
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

/** `%` is any text, `_` any character. */
const like = (pattern: string, flags: string): RegExp =>
  new RegExp(
    `^${[...pattern].map((one) => (one === "%" ? ".*" : one === "_" ? "." : one.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))).join("")}$`,
    `su${flags}`,
  );

const patternOf = (kind: string, value: string): string => {
  if (kind === "contains") return value.startsWith("%") || value.endsWith("%") ? value : `%${value}%`;
  return kind === "starts_with" ? `${value}%` : `%${value}`;
};

function meetsOne(type: string, suffix: string, value: Plain, given: Plain): boolean {
  const order = ["", "not", "gt", "gte", "lt", "lte"].includes(suffix) ? compare(type, value, given) : 0;
  if (suffix === "") return order === 0;
  if (suffix === "not") return order !== 0;
  if (suffix === "gt" || suffix === "gte") return order > 0 || (suffix === "gte" && order === 0);
  if (suffix === "lt" || suffix === "lte") return order < 0 || (suffix === "lte" && order === 0);
  const [, not = "", kind = "", nocase = ""] =
    /^(not_)?(contains|starts_with|ends_with)(_nocase)?$/.exec(suffix) ?? [];
  if (type === "Bytes") {
    const [bytes, part] = [
      Buffer.from(String(value).slice(2), "hex"),
      Buffer.from(String(given).slice(2), "hex"),
    ];
    return bytes.includes(part) === (not === "");
  }
  return like(patternOf(kind, String(given)), nocase ? "i" : "").test(String(value)) === (not === "");
}

/** Whether a value meets a filter. An absent value meets only equality with null. */
export function meets(field: ModelField, suffix: string, value: Value, given: Value): boolean {
  if (given === null) return (value === null) === (suffix === "");
  if (value === null) return false;
  const type = field.kind === "one" ? "String" : field.type;
  if (field.kind === "list") {
    const [own, wanted] = [value as readonly Plain[], given as readonly Plain[]].map((list) =>
      list.map((one) => (suffix.endsWith("_nocase") ? String(one).toLowerCase() : String(one))),
    );
    if (suffix === "" || suffix === "not")
      return (JSON.stringify(own) === JSON.stringify(wanted)) === (suffix === "");
    const has = (one: string) => own?.includes(one) ?? false;
    return suffix.startsWith("not_") ? !wanted?.some(has) : (wanted?.every(has) ?? true);
  }
  if (suffix === "in" || suffix === "not_in") {
    const list = given as readonly Plain[];
    const isIn = list.some((one) => compare(type, value as Plain, one) === 0);
    return list.length > 0 && isIn === (suffix === "in");
  }
  return meetsOne(type, suffix, value as Plain, given as Plain);
}
