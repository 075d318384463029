import { Kind, type ValueNode } from "graphql";
import { QueryError } from "../queryError.ts";
import type { Scalar } from "../table/entity.ts";

/*
 * Values of a query. graph-node does not check the types of variables, and real clients send strings for ids and numbers for
 * BigInt, or leave variables out: each value is read by the field that it stands at, and one that is missing is null.
 */

export type Value = null | string | number | boolean | readonly Value[] | { readonly [name: string]: Value };

/** Variables as the caller sent them, with the defaults of those that were not sent. */
export type Variables = Readonly<Record<string, Value>>;

/** The value of a literal. Integers that JavaScript cannot hold stay digits. */
export function valueIn(node: ValueNode, variables: Variables): Value {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables[node.name.value] ?? null;
    case Kind.NULL:
      return null;
    case Kind.INT:
      return Number.isSafeInteger(Number(node.value)) ? Number(node.value) : node.value;
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.STRING:
    case Kind.BOOLEAN:
    case Kind.ENUM:
      return node.value;
    case Kind.LIST:
      return node.values.map((one) => valueIn(one, variables));
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map(({ name, value }) => [name.value, valueIn(value, variables)]),
      );
  }
}

export const isObject = (value: Value | undefined): value is { readonly [name: string]: Value } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const wrong = (type: string, value: Value): QueryError =>
  new QueryError(`Invalid value provided for type \`${type}\`: ${JSON.stringify(value)}`);

const MAX_DIGITS = 80;
const INTEGER = /^-?\d+$/;

type Plain = string | number | boolean;

const readers: Record<Scalar, (value: Value) => Plain | undefined> = {
  ID: (value) => (isText(value) ? String(value) : undefined),
  String: (value) => (isText(value) ? String(value) : undefined),
  Bytes: (value) => (typeof value === "string" ? toHex(value) : undefined),
  BigInt: toInteger,
  Int: toInteger,
  Boolean: (value) => {
    if (typeof value === "boolean") return value;
    return value === "true" || value === "false" ? value === "true" : undefined;
  },
};

const isText = (value: Value): value is Plain => ["string", "number", "boolean"].includes(typeof value);

const BYTES = /^(?:0x)?((?:[0-9a-f]{2})*)$/i;

function toHex(text: string): string | undefined {
  const digits = BYTES.exec(text)?.[1]?.toLowerCase();
  return digits === undefined ? undefined : `0x${digits}`;
}

function toInteger(value: Value): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const digits = String(value);
  return INTEGER.test(digits) && digits.length <= MAX_DIGITS ? digits : undefined;
}

/** A value as the field takes it: digits for numbers, lower case for bytes. @throws QueryError */
export function readValue(type: Scalar, value: Value): Plain | null {
  if (value === null) return null;
  const read = readers[type](value);
  if (read === undefined) throw wrong(type, value);
  return read;
}

/** A list of values; one value is a list of it. @throws QueryError */
export function readValues(type: Scalar, value: Value): (Plain | null)[] {
  const list = Array.isArray(value) ? (value as readonly Value[]) : [value];
  return list.map((one) => readValue(type, one));
}

/** A whole number within bounds; null and a missing one are the default. @throws QueryError */
export function readNumber(
  name: string,
  value: Value | undefined,
  { byDefault, least, most, beyond }: { byDefault: number; least: number; most: number; beyond?: string },
): number {
  if (value === undefined || value === null) return byDefault;
  const number = Number(toInteger(value) ?? Number.NaN);
  if (number >= least && number <= most) return number;
  throw new QueryError(
    `The value of the \`${name}\` argument must be between ${least} and ${most}, but is ${JSON.stringify(value)}${beyond ?? ""}`,
  );
}
