import type { OpenApiDocument } from "../../server/http/routes.ts";

/** A JSON Schema of the document, as far as it is read here. */
export type Schema = {
  type?: string | string[];
  $ref?: string;
  description?: string;
  example?: unknown;
  default?: unknown;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxLength?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
};

export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
};

export type Content = {
  content?: Record<string, { schema?: Schema; example?: unknown }>;
  description?: string;
};

export type Described = {
  operationId: string;
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content>;
};

export type Listed = { method: string; path: string; operation: Described };

/** The operations of a document, in its order. */
export const listOperations = ({ paths = {} }: OpenApiDocument): Listed[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Described>).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );

/** Schemas that the document names. */
export const shapesOf = ({ components }: OpenApiDocument): Record<string, Schema> =>
  (components?.schemas ?? {}) as Record<string, Schema>;

export const JSON_TYPE = "application/json";

/** The form of a body or answer: each has one. */
export const formOf = ({ content = {} }: Content): string => Object.keys(content)[0] ?? JSON_TYPE;

export const schemaOf = (content: Content): Schema => content.content?.[formOf(content)]?.schema ?? {};
