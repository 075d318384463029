import { type Endpoint, nameOf } from "../../server/http/endpoint.ts";
import { openApiDocument } from "../../server/http/openapi.ts";
import { catalogue, type ToolPlan } from "./catalogue.ts";
import { describeField, describeTool } from "./descriptions.ts";
import type { ObjectSchema, Schema } from "./schemas.ts";
import { type View, viewsOf } from "./views.ts";

/** A tool as clients list it, with the views that answer its calls. */
export type Tool = {
  definition: {
    name: string;
    title: string;
    description: string;
    inputSchema: ObjectSchema;
    annotations: Record<string, boolean>;
  };
  views: readonly View[];
  /** Whether its answers have the time of the server. */
  tellsNow: boolean;
  /** Resolves a name for a tool that accepts one instead of an address; null for other tools. */
  addressOf: Endpoint | null;
};

/** Tools only read. That what they read is changed by others is the protocol's own default. */
const annotations = { readOnlyHint: true };

/** The operation that says to which address a name points. */
const RECORDS = "GET /domain/{name}/records";

/** The tools of these operations, made from their declarations. */
export function toolsOf(operations: readonly Endpoint[]): Tool[] {
  const document = openApiDocument(operations);
  return Object.entries(catalogue).flatMap(([name, plan]) => {
    const views = viewsOf(name, plan.usual, operations, document);
    if (views.length === 0) return [];
    const addressOf = plan.takesNames ? operations.find((one) => nameOf(one) === RECORDS) : undefined;
    const mentions = operations.flatMap(({ mention }) => (mention?.tool === name ? mention.sentence : []));
    const use = [plan.use, ...mentions].join(" ");
    return [{ ...toTool(name, { ...plan, use }, views), addressOf: addressOf ?? null }];
  });
}

function toTool(name: string, plan: ToolPlan, views: View[]): Omit<Tool, "addressOf"> {
  return {
    definition: {
      name,
      title: plan.title,
      description: describeTool(plan, views),
      inputSchema: inputOf(views),
      annotations,
    },
    views,
    tellsNow: plan.tellsNow ?? false,
  };
}

/** One flat object: many language models and clients cannot handle alternatives at the top. */
function inputOf(views: readonly View[]): ObjectSchema {
  const names = [...new Set(views.flatMap(({ parameters }) => Object.keys(parameters.properties)))];
  const required = names.filter((name) =>
    views.every(({ parameters }) => parameters.required.includes(name)),
  );
  const fields = names.map((name) => [name, fieldOf(name, views)]);
  return {
    type: "object",
    properties: { ...viewField(views), ...Object.fromEntries(fields) },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function viewField(views: readonly View[]): Record<string, Schema> {
  const [usual] = views;
  if (!usual?.name) return {};
  const description = `Default: \`${usual.name}\`, or by parameters`;
  return { view: { type: "string", enum: views.map(({ name }) => name), description } };
}

/** A parameter of several views, with the keywords that are the same in all of them, in brief. */
function fieldOf(name: string, views: readonly View[]): Schema {
  const having = views.filter(({ parameters }) => name in parameters.properties);
  const [first = {}, ...others] = having.map(({ parameters }) => parameters.properties[name] as Schema);
  const agreed = Object.entries(first).filter(([word, value]) =>
    others.every((other) => JSON.stringify(other[word]) === JSON.stringify(value)),
  );
  const inList = agreed.filter(([word, value]) => !forReference.includes(word) && !isUsual(word, value));
  return { ...Object.fromEntries(inList), description: describeField(name, String(first.description ?? "")) };
}

/** Models take a flag that is left out for false. */
const isUsual = (word: string, value: unknown): boolean => word === "default" && value === false;

/** Keywords left to the reference: a call beyond such a bound fails with an error that names it. */
const forReference = [
  "examples",
  "description",
  "minimum",
  "maximum",
  "maxLength",
  "minLength",
  "maxItems",
  "minItems",
  "pattern",
  "format",
];
