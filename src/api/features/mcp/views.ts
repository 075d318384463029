import { type Endpoint, nameOf } from "../../server/http/endpoint.ts";
import type { OpenApiDocument } from "../../server/http/routes.ts";
import type { ToolPlan } from "./catalogue.ts";
import { type Parameters, parametersOf, type Schema } from "./schemas.ts";

/** One answer of a tool. */
export type View = {
  /** Value of the parameter `view`; null for a tool with one view only, which has no such parameter. */
  name: string | null;
  operation: Endpoint;
  /** Parameters that the caller may give, and those of them that are needed. */
  parameters: Parameters;
  /** Parameters that the view gives itself. */
  fixed: Record<string, string>;
};

/** The answers of a tool, one for each view of its plan; a tool without views has one for its operation. */
export function viewsOf(plan: ToolPlan, own: Endpoint[], document: OpenApiDocument): View[] {
  if (!plan.views) return own.map((operation) => toView({ name: null, operation, fixed: {} }, document));
  return Object.entries(plan.views).map(([name, { operation: wanted, fixed = {} }]) => {
    const operation = own.find((one) => nameOf(one) === wanted);
    if (!operation)
      throw new Error(`Invariant(catalogue of tools): no declaration of ${wanted} names the tool`);
    return toView({ name, operation, fixed }, document);
  });
}

/** Many models cannot fill in objects inside of arguments: those are for HTTP alone. */
const isFlat = ({ type }: Schema): boolean => typeof type === "string" && type !== "object";

function toView(view: Omit<View, "parameters">, document: OpenApiDocument): View {
  const { properties, required } = parametersOf(view.operation, document);
  // A tool refuses what it does not have, as `strict` does over HTTP.
  const open = Object.entries(properties).filter(
    ([name, schema]) => !(name in view.fixed) && name !== "strict" && isFlat(schema),
  );
  return { ...view, parameters: { properties: Object.fromEntries(open), required } };
}
