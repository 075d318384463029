import type { OpenApiDocument } from "../../server/http/routes.ts";
import {
  type Content,
  formOf,
  JSON_TYPE,
  type Listed,
  listOperations,
  type Parameter,
  type Schema,
  schemaOf,
  shapesOf,
} from "./described.ts";

const titleOf = ({ method, path }: Listed) => `${method} ${path}`;

/** A guide for language models (llmstxt.org): what the service is, and one line for each operation. */
export function toLlms(document: OpenApiDocument): string {
  const operations = listOperations(document);
  const groups = (document.tags ?? []).map(({ name, description }) => {
    const lines = operations
      .filter(({ operation }) => operation.tags?.includes(name))
      .map((listed) => `- \`${titleOf(listed)}\`: ${listed.operation.summary}`);
    return [`## ${name}`, "", `${description}.`, "", ...lines].join("\n");
  });
  return [
    `# ${document.info.title}`,
    "",
    `> An open-source, self-hosted index of the Ethereum Name Service with a JSON API over HTTP, version ${document.info.version}.`,
    "",
    document.info.description,
    "",
    "## Documentation",
    "",
    "- [llms-full.txt](llms-full.txt): every operation with its parameters, answers and errors",
    "- [openapi.json](openapi.json): the same as an OpenAPI 3.1 document",
    "- [docs](docs): the same for people, a page for each operation, with examples",
    "- `namedex-client`: a typed client for TypeScript, in the folder `client` of the source, with a method for each operation (`getWhoisByName({ name })`)",
    "",
    groups.join("\n\n"),
    "",
  ].join("\n");
}

/** The whole API as one text: guide, operations, and the schemas of answers. */
export function toLlmsFull(document: OpenApiDocument): string {
  const shapes = Object.entries(shapesOf(document));
  return [
    toLlms(document),
    "# Operations",
    "",
    ...listOperations(document).map(describeOperation),
    "# Shapes",
    "",
    ...shapes.map(([name, schema]) => `## ${name}\n\n${asJson(schema)}\n`),
  ].join("\n");
}

function describeOperation(listed: Listed): string {
  const { operation } = listed;
  const { parameters = [], requestBody, responses } = operation;
  const parts = [
    `## ${titleOf(listed)}`,
    "",
    `${operation.summary}. ${operation.description ?? ""}`.trim(),
    "",
  ];
  if (parameters.length > 0) parts.push("Parameters:", "", ...parameters.map(describeParameter), "");
  if (requestBody) parts.push("Body (application/json):", "", asJson(schemaOf(requestBody)), "");
  for (const [status, response] of Object.entries(responses)) {
    if (status === "200") parts.push(answerTitle(response), "", asJson(schemaOf(response)), "");
    else parts.push(`Error (${status}): ${response.description?.replaceAll("\n\n", " ")}`, "");
  }
  return parts.join("\n");
}

function describeParameter({ name, in: place, required, description, schema = {} }: Parameter): string {
  const { type, enum: choices, default: fallback, example, minimum, maximum } = schema;
  const properties = [
    place,
    required ? "required" : "optional",
    String(type ?? "string"),
    choices && `one of ${(choices as unknown[]).join(", ")}`,
    minimum !== undefined && `at least ${minimum}`,
    maximum !== undefined && `at most ${maximum}`,
    fallback !== undefined && `default ${fallback}`,
    example !== undefined && `example \`${example}\``,
  ].filter(Boolean);
  return `- \`${name}\` (${properties.join("; ")}): ${description ?? ""}`.trimEnd();
}

const answerTitle = (response: Content): string =>
  formOf(response) === JSON_TYPE ? "Answer (200):" : `Answer (200, ${formOf(response)}):`;

const asJson = (schema: Schema): string => ["```json", JSON.stringify(schema), "```"].join("\n");
