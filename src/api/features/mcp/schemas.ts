import type { Endpoint } from "../../server/http/endpoint.ts";
import type { OpenApiDocument } from "../../server/http/routes.ts";

/** A JSON Schema of draft 2020-12. */
export type Schema = Record<string, unknown>;

/** A schema as clients accept it: an object at the top, without references to other documents. */
export type ObjectSchema = Schema & { type: "object"; properties?: Record<string, Schema> };

type Described = {
  parameters?: { name: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Content };
};
type Content = { "application/json"?: { schema: Schema } };

const operationIn = (document: OpenApiDocument, { path, method }: Endpoint): Described =>
  (document.paths as Record<string, Record<string, Described>>)[path]?.[method] as Described;

/** The parameters of an operation by their names, and which of them are required. */
export type Parameters = { properties: Record<string, Schema>; required: string[] };

/** The parameters of an operation as JSON values: numbers and booleans are not text. */
export function parametersOf(operation: Endpoint, document: OpenApiDocument): Parameters {
  const { parameters = [], requestBody } = operationIn(document, operation);
  const body = (requestBody?.content["application/json"]?.schema ?? {}) as Partial<Parameters>;
  const named = parameters.map(({ name, schema }) => [name, asJson(schema)]);
  const ofBody = Object.entries(body.properties ?? {}).map(([name, schema]) => [name, asJson(schema)]);
  return {
    properties: Object.fromEntries([...named, ...ofBody]),
    required: [
      ...parameters.filter(({ required }) => required).map(({ name }) => name),
      ...(body.required ?? []),
    ],
  };
}

/** A URL holds `true` as text; a tool's argument is a boolean. */
function asJson(schema: Schema): Schema {
  const { enum: choices, default: fallback, ...rest } = withExamples(schema) as Schema;
  if (String(choices) !== "true,false") return withExamples(schema) as Schema;
  return { ...rest, type: "boolean", ...(fallback !== undefined && { default: fallback === "true" }) };
}

/** OpenAPI's keywords as those of JSON Schema: `examples` is a list. */
function withExamples(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withExamples);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(translate));
}

function translate([word, value]: [string, unknown]): [string, unknown] {
  if (word === "example") return ["examples", [value]];
  if (word === "default" || word === "enum" || word === "required") return [word, value];
  if (word !== "properties") return [word, withExamples(value)];
  const fields = Object.entries(value as Schema).map(([name, field]) => [name, withExamples(field)]);
  return ["properties", Object.fromEntries(fields)]; // Inside `properties` are names of fields, not keywords.
}
