import { foreignKeys, isTime, knownOf } from "../../client/src/read.ts";
import { eventFields, fieldsOfEveryEvent } from "./eventFields.ts";

/*
 * Shapes the OpenAPI document for the client's types: answers as `client/src/read.ts` makes them from the JSON. Times are bigint,
 * null fields are absent, `known` says whether the subject is known, and states and kinds of events narrow the type.
 */

/** The part of a JSON schema that is changed here. */
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  const?: unknown;
  enum?: unknown[];
  pattern?: string;
  description?: string;
  required?: string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
};

type Parameter = { name: string; schema: Schema };
type Operation = {
  parameters?: Parameter[];
  responses?: Record<string, { content?: Record<string, { schema?: Schema }> }>;
};
export type Document = {
  paths?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
};

/** Seconds in an answer; the generator writes bigint. */
const SECONDS = { type: "integer", format: "int64" } as const;
/** Seconds in a parameter: any whole number. */
export const GIVEN_SECONDS = "given-seconds";

/** A field that is never present; the generator writes undefined. */
export const ABSENT = "absent";

/** Names that a global type already has. */
const renamed: Record<string, string> = { Error: "ErrorReply" };

/** The document with the client's shapes. Schemas that request bodies use stay unchanged. */
export function shapeDocument(document: Document): Document {
  const shaped = structuredClone(document);
  const schemas = shaped.components?.schemas ?? {};
  const nullable = new Set(Object.keys(schemas).filter((name) => hasNull(schemas[name] ?? {}, new Set())));
  const at = (where: string): At => ({ where, nullable });
  if (shaped.components) {
    const entries = Object.entries(schemas).map(([name, schema]) => {
      const own = name === "Event" ? eventByType(shape(schema, at(name))) : shape(schema, at(name));
      return [renamed[name] ?? name, own] as const;
    });
    shaped.components.schemas = Object.fromEntries(entries);
  }
  for (const operation of Object.values(shaped.paths ?? {}).flatMap((methods) => Object.values(methods))) {
    for (const { name, schema } of operation.parameters ?? []) shapeParameter(name, schema);
    for (const { content = {} } of Object.values(operation.responses ?? {})) {
      for (const one of Object.values(content))
        if (one.schema) one.schema = shape(one.schema, at("an answer"));
    }
  }
  return JSON.parse(
    JSON.stringify(shaped).replaceAll('"#/components/schemas/Error"', '"#/components/schemas/ErrorReply"'),
  );
}

function shapeParameter(name: string, schema: Schema): void {
  if (/^(time|expiry)_(from|to)$/.test(name)) schema.format = GIVEN_SECONDS;
}

/** Position of a schema, and the schemas of the document that may be null. */
type At = { where: string; nullable: ReadonlySet<string> };

function shape(schema: Schema, at: At): Schema {
  const { where } = at;
  const { required = [] } = schema;
  const own: Schema = withoutNull(schema);
  if (schema.items) own.items = shape(schema.items, { ...at, where: `${where}[]` });
  for (const key of ["allOf", "anyOf", "oneOf"] as const) {
    const parts = own[key];
    if (parts) own[key] = parts.map((part) => shape(part, at));
  }
  if (typeof schema.additionalProperties === "object") {
    own.additionalProperties = shapeValues(schema.additionalProperties, at);
  }
  if (!schema.properties) return own;
  own.properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, field]) => [name, shapeField(name, field, at)]),
  );
  own.required = required.filter((name) => !hasNull(schema.properties?.[name] ?? {}, at.nullable));
  return byState(withKnown(own, { fields: Object.keys(schema.properties), required, where }));
}

function shapeField(name: string, field: Schema, at: At): Schema {
  if (foreignKeys.includes(name)) return field;
  const { description } = field;
  if (isTime(name) && !field.properties && !field.$ref)
    return { ...SECONDS, ...(description && { description }) };
  return shape(field, { ...at, where: `${at.where}.${name}` });
}

/** Values of a map may be times, by their keys. */
function shapeValues(values: Schema, at: At): Schema {
  const { anyOf, ...rest } = withoutNull(values);
  const isPlain = anyOf?.every(({ type }) => type !== undefined && type !== "object");
  return anyOf && isPlain ? { ...rest, anyOf: [...anyOf, SECONDS] } : shape(values, at);
}

const isNull = ({ type, const: value }: Schema): boolean => type === "null" || value === null;

const partsOf = ({ anyOf, oneOf }: Schema): Schema[] => anyOf ?? oneOf ?? [];

function hasNull(schema: Schema, nullable: ReadonlySet<string>): boolean {
  const { type, $ref = "", allOf = [] } = schema;
  return (
    (Array.isArray(type) && type.includes("null")) ||
    partsOf(schema).some(isNull) ||
    nullable.has($ref.replace("#/components/schemas/", "")) ||
    allOf.some((part) => hasNull(part, nullable))
  );
}

function withoutNull(schema: Schema): Schema {
  const own = { ...schema };
  if (Array.isArray(own.type)) {
    const types = own.type.filter((one) => one !== "null");
    own.type = types.length === 1 ? (types[0] as string) : types;
  }
  if (own.enum) own.enum = own.enum.filter((value) => value !== null);
  for (const key of ["anyOf", "oneOf"] as const) {
    const parts = own[key]?.filter((part) => !isNull(part));
    if (parts?.length === 1 && own[key]?.length !== 1) {
      delete own[key];
      const { description = parts[0]?.description, ...rest } = own;
      return { ...parts[0], ...rest, ...(description && { description }) };
    }
    if (parts) own[key] = parts;
  }
  return own;
}

type Fields = { fields: string[]; required: string[]; where: string };

/** Sets `known` where the client does. Throws if fields that may be absent would change its value. */
function withKnown(schema: Schema, { fields, required, where }: Fields): Schema {
  const known = knownOf(fields);
  if (known !== knownOf(required)) {
    throw new Error(`${where}: \`known\` would depend on fields that may be absent: ${fields.join(", ")}`);
  }
  if (known === undefined) return schema;
  return {
    ...schema,
    properties: { known: { const: known, type: "boolean" }, ...schema.properties },
    required: ["known", ...(schema.required ?? [])],
  };
}

const STATE = "availability_status";
const ends = ["expiry_timestamp", "grace_end_timestamp"];

/** A name in grace or premium has ended, and its grace has an end. */
function byState(schema: Schema): Schema {
  const { properties = {}, required = [] } = schema;
  if (!required.includes(STATE) || !required.includes("known") || !ends.every((name) => properties[name]))
    return schema;
  const own = Object.fromEntries(
    Object.entries(properties).filter(([name]) => ![STATE, ...ends].includes(name)),
  );
  const times = Object.fromEntries(ends.map((name) => [name, properties[name] as Schema]));
  const state = (values: string[], needed: string[]): Schema => ({
    type: "object",
    properties: { [STATE]: { type: "string", enum: values }, ...times },
    required: [STATE, ...needed],
  });
  return {
    ...(schema.description !== undefined && { description: schema.description }),
    allOf: [
      { type: "object", properties: own, required: required.filter((name) => own[name]) },
      {
        oneOf: [
          state(["grace"], ends),
          state(["premium"], ends),
          state(["registered", "available", "unknown"], []),
        ],
      },
    ],
  };
}

/** One member for each kind of event, with the fields that its logs have, and one with all fields for logs of no kind. */
function eventByType(schema: Schema): Schema {
  const { properties = {}, required = [] } = schema;
  const pick = (names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap((name) => (properties[name] ? [[name, properties[name]] as const] : [])),
    );
  const specific = Object.keys(properties).filter(
    (name) => name !== "type" && !fieldsOfEveryEvent.includes(name),
  );
  const unknown = Object.values(eventFields)
    .flat()
    .filter((name) => !specific.includes(name));
  if (unknown.length > 0) throw new Error(`Events have no field ${unknown.join(", ")}`);
  const members = Object.entries(eventFields).map(([type, names]) => ({
    type: "object",
    properties: { type: { type: "string", const: type }, ...pick(names) },
    required: ["type"],
  }));
  const without = {
    type: "object",
    properties: { type: { type: "string", format: ABSENT }, ...pick(specific) },
  };
  return {
    allOf: [
      {
        type: "object",
        properties: pick(fieldsOfEveryEvent),
        required: required.filter((name) => name !== "type"),
      },
      { oneOf: [...members, without] },
    ],
  };
}
