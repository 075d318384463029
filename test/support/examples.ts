import { type Endpoint, nameOf } from "../../src/api/server/http/endpoint.ts";
import { openApiDocument } from "../../src/api/server/http/openapi.ts";
import { operations } from "./operations.ts";

type Schema = { example?: unknown };
type Described = {
  parameters?: { name: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: { properties: Record<string, Schema> } }> };
};

/** An operation as it is asked with the examples of its declaration. */
export type Example = {
  operation: Endpoint;
  /** What is asked, by the parameters' names. */
  asked: Record<string, unknown>;
  path: string;
  body?: Record<string, unknown>;
};

const document = openApiDocument(operations);

/** The request that the parameters and the body of an operation give as their examples. Optional parameters are left out. */
export function exampleOf(operation: Endpoint): Example {
  const paths = document.paths as Record<string, Record<string, Described>>;
  const { parameters = [], requestBody } = paths[operation.path]?.[operation.method] ?? {};
  const required = parameters.filter((one) => one.required);
  const inPath = Object.fromEntries(required.map(({ name, schema }) => [name, schema.example]));
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (inPath[name] === undefined) throw new Error(`${nameOf(operation)} has no example of ${name}`);
    return encodeURIComponent(String(inPath[name]));
  });
  const fields = requestBody?.content["application/json"]?.schema.properties;
  if (fields === undefined) return { operation, asked: inPath, path };
  const body = Object.fromEntries(Object.entries(fields).map(([name, { example }]) => [name, example]));
  return { operation, asked: { ...inPath, ...body }, path, body };
}

/** Fields of a body whose items are what an operation on many answers; other fields say how. */
const itemFields = ["names", "namehashes", "addresses", "inputs"];

/** Those fields of a request that hold items. */
export const itemsIn = (asked: Record<string, unknown>): Record<string, unknown[]> =>
  Object.fromEntries(
    Object.entries(asked).flatMap(([name, items]) =>
      itemFields.includes(name) && Array.isArray(items) ? [[name, items]] : [],
    ),
  );

/** Every operation of the API with its example. */
export const examples: readonly Example[] = operations.map(exampleOf);
