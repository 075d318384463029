import type { Endpoint } from "../http/endpoint.ts";
import type { OpenApiDocument } from "../http/routes.ts";

/** A JSON Schema of draft 2020-12, as far as it is looked into here. */
export type Schema = Record<string, unknown>;

/** A schema that clients take: an object at the top, nothing outside it. */
export type ObjectSchema = Schema & { type: "object"; properties?: Record<string, Schema> };

type Described = {
  parameters?: { name: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};
type Content = { "application/json"?: { schema: Schema } };

const operationIn = (document: OpenApiDocument, { path, method }: Endpoint): Described =>
  (document.paths as Record<string, Record<string, Described>>)[path]?.[method] as Described;

/** What an operation is asked, each parameter under its name, and which of them it cannot do without. */
export type Parameters = { properties: Record<string, Schema>; required: string[] };

/** The parameters of an operation as JSON has them: numbers and booleans are themselves, not text. */
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

/** A URL holds `true` as a word; a tool's argument is the boolean. */
function asJson(schema: Schema): Schema {
  const { enum: choices, default: fallback, ...rest } = withExamples(schema) as Schema;
  if (String(choices) !== "true,false") return withExamples(schema) as Schema;
  return { ...rest, type: "boolean", ...(fallback !== undefined && { default: fallback === "true" }) };
}

/** The answers of operations as one schema that stands alone: what the document keeps aside comes into `$defs`. */
export function answersOf(operations: readonly Endpoint[], document: OpenApiDocument): ObjectSchema {
  const answers = operations.map((operation) => {
    const content = operationIn(document, operation).responses["200"]?.content;
    return withExamples(content?.["application/json"]?.schema ?? {}) as Schema;
  });
  const shapes = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const $defs = Object.fromEntries(
    [...namesIn(answers, shapes)].map((name) => [name, withExamples(shapes[name] ?? {})]),
  );
  const [only] = answers;
  const schema = answers.length === 1 && only ? only : { anyOf: answers };
  return { type: "object", ...schema, $defs } as ObjectSchema;
}

const SHAPES = "#/components/schemas/";

/** Every shape that schemas refer to, over any number of steps. */
function namesIn(schema: unknown, shapes: Record<string, Schema>, seen = new Set<string>()): Set<string> {
  for (const [, name = ""] of JSON.stringify(schema).matchAll(
    /"#\/(?:components\/schemas|\$defs)\/([^"]+)"/g,
  )) {
    if (seen.has(name)) continue;
    seen.add(name);
    namesIn(shapes[name] ?? {}, shapes, seen);
  }
  return seen;
}

/** OpenAPI's words in those of JSON Schema: `example` is a list there, and shapes stand in `$defs`. */
function withExamples(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withExamples);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).map(translate));
}

function translate([word, value]: [string, unknown]): [string, unknown] {
  if (word === "example") return ["examples", [value]];
  if (word === "$ref") return ["$ref", String(value).replace(SHAPES, "#/$defs/")];
  if (word === "default" || word === "enum" || word === "required") return [word, value];
  if (word !== "properties") return [word, withExamples(value)];
  const fields = Object.entries(value as Schema).map(([name, field]) => [name, withExamples(field)]);
  return ["properties", Object.fromEntries(fields)]; // Below this word stand names of fields, not words.
}
