import { exampleAsOf, hasAsOf } from "./asOf.ts";
import type { Endpoint } from "./endpoint.ts";
import type { OpenApiDocument } from "./routes.ts";

type Schema = {
  $ref?: string;
  anyOf?: Schema[];
  properties?: Record<string, unknown>;
  required?: string[];
};
type Content = { schema: Schema; example?: object };

const COMPONENTS = "#/components/schemas/";
const reference = new RegExp(`"${COMPONENTS}([^"]+)"`, "g");
const asOf = { $ref: `${COMPONENTS}AsOf` };

/**
 * Adds `as_of` to the answers of a document. A schema that is also a part of others stays as it is, and the answer gets one of
 * its own, with the name `…Answer`.
 */
export function describeAsOf(document: OpenApiDocument, operations: readonly Endpoint[]): OpenApiDocument {
  const components = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const contents = operations.filter(hasAsOf).flatMap((operation) => contentOf(document, operation));
  const answers = new Set(contents.flatMap(({ schema }) => choicesOf(schema).map(nameOf)));
  const references = countReferences(document);
  for (const content of contents) {
    for (const choice of choicesOf(content.schema)) if (nameOf(choice) === "") extend(choice);
    if (content.example !== undefined) content.example = { ...content.example, as_of: exampleAsOf };
  }
  for (const name of answers) {
    const component = components[name];
    if (component === undefined) continue;
    const choices = contents
      .flatMap(({ schema }) => choicesOf(schema))
      .filter((choice) => nameOf(choice) === name);
    if (references.get(name) === choices.length) extend(component);
    else {
      components[`${name}Answer`] = extend(structuredClone(component));
      for (const choice of choices) choice.$ref = `${COMPONENTS}${name}Answer`;
    }
  }
  return document;
}

function contentOf(document: OpenApiDocument, { path, method }: Endpoint): Content[] {
  const operation = document.paths?.[path]?.[method] as
    | { responses: Record<string, { content?: Record<string, Content> }> }
    | undefined;
  const content = operation?.responses["200"]?.content?.["application/json"];
  return content === undefined ? [] : [content];
}

const choicesOf = (schema: Schema): Schema[] => schema.anyOf ?? [schema];
const nameOf = ({ $ref = "" }: Schema): string => $ref.replace(COMPONENTS, "");

function extend(schema: Schema): Schema {
  if (schema.properties === undefined) return schema;
  schema.properties = { ...schema.properties, as_of: asOf };
  schema.required = [...(schema.required ?? []), "as_of"];
  return schema;
}

/** How many times each schema is a part of the document, by its name. The document is large: it is written once. */
function countReferences(document: OpenApiDocument): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, name = ""] of JSON.stringify(document).matchAll(reference)) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
