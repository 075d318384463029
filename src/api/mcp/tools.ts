import type { ErrorCode } from "../errors/errors.ts";
import { type Endpoint, errorsOf } from "../http/endpoint.ts";
import { openApiDocument } from "../http/openapi.ts";
import type { OpenApiDocument } from "../http/routes.ts";
import { catalogue, type ToolPlan } from "./catalogue.ts";
import { describeTool } from "./descriptions.ts";
import { answersOf, type ObjectSchema, type Schema } from "./schemas.ts";
import { type View, viewsOf } from "./views.ts";

/** A tool as clients list it, with the views that answer its calls. */
export type Tool = {
  definition: {
    name: string;
    title: string;
    description: string;
    inputSchema: ObjectSchema;
    outputSchema: ObjectSchema;
    annotations: Record<string, boolean>;
  };
  views: readonly View[];
};

/** Tools only read, and what they read is changed by others. */
const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };

/** The tools of these operations, made from their declarations. */
export function toolsOf(operations: readonly Endpoint[]): Tool[] {
  const document = openApiDocument(operations);
  return Object.entries(catalogue).flatMap(([name, plan]) => {
    const own = operations.filter(({ tool }) => tool === name);
    return own.length === 0 ? [] : [toTool(name, plan, viewsOf(plan, own, document), document)];
  });
}

/** Errors that a tool may give even if its operation cannot: a path always has its parameters, a tool call may lack them. */
const ofArguments: ErrorCode[] = ["INVALID_PARAMETER", "MISSING_PARAMETER"];

function toTool(name: string, plan: ToolPlan, views: View[], document: OpenApiDocument): Tool {
  const operations = views.map(({ operation }) => operation);
  const errors = [...new Set([...ofArguments, ...operations.flatMap(errorsOf)])];
  return {
    definition: {
      name,
      title: plan.title,
      description: describeTool(plan, views, errors),
      inputSchema: inputOf(views),
      outputSchema: answersOf(operations, document),
      annotations,
    },
    views,
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
  const description = `Which answer. Left out: a view that takes all parameters given, the one that requires most of them; as a rule \`${usual.name}\``;
  return { view: { type: "string", enum: views.map(({ name }) => name), description } };
}

/** A parameter of several views, with the keywords that are the same in all of them. */
function fieldOf(name: string, views: readonly View[]): Schema {
  const having = views.filter(({ parameters }) => name in parameters.properties);
  const [first = {}, ...others] = having.map(({ parameters }) => parameters.properties[name] as Schema);
  const agreed = Object.entries(first).filter(([word, value]) =>
    others.every((other) => JSON.stringify(other[word]) === JSON.stringify(value)),
  );
  if (having.length === views.length) return Object.fromEntries(agreed);
  const only = `Only for view ${having.map((view) => `\`${view.name}\``).join(", ")}`;
  return {
    ...Object.fromEntries(agreed),
    description: `${String(first.description).replace(/\.$/, "")}. ${only}`,
  };
}
