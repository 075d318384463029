import { type Endpoint, type Fixed, type ToolView, toolViewsOf } from "../../server/http/endpoint.ts";
import type { OpenApiDocument } from "../../server/http/routes.ts";
import { type Parameters, parametersOf, type Schema } from "./schemas.ts";

/** One answer of a tool. */
export type View = {
  /** Value of the parameter `view`; null for a tool with one view only, which has no such parameter. */
  name: string | null;
  operation: Endpoint;
  /** Parameters that the caller may give, and those of them that are needed. */
  parameters: Parameters;
  /** Parameters that the view gives itself. */
  fixed: Fixed;
  /** The meaning of `expires_within_days`; undefined if the view does not take it. */
  expires: ToolView["expires"];
};

/** The answers of a tool, the usual one first. */
export function viewsOf(
  tool: string,
  usual: string | undefined,
  operations: readonly Endpoint[],
  document: OpenApiDocument,
): View[] {
  const views = operations.flatMap((operation) =>
    toolViewsOf(operation)
      .filter(({ name }) => name === tool)
      .map(({ view: name, fixed = {}, expires }) => toView({ name, operation, fixed, expires }, document)),
  );
  return [...views.filter(({ name }) => name === usual), ...views.filter(({ name }) => name !== usual)];
}

/** A parameter of tools alone: models do not know the time. */
export const EXPIRES_WITHIN = "expires_within_days";

/** Most days that it takes: ten years. */
export const MAX_DAYS = 3_650;

const daysSchema: Schema = {
  type: "integer",
  minimum: 1,
  maximum: MAX_DAYS,
  description: "Expiry within so many days from now",
};

/** The parameters that a view gives itself at a second. */
export const fixedAt = ({ fixed }: Pick<View, "fixed">, now: number): Record<string, string> =>
  typeof fixed === "function" ? fixed(now) : fixed;

/** HTTP-only parameters: each would take space in every agent's context, for questions that agents do not ask. */
const forPrograms = [
  ...(["block_from", "block_to", "expiry_of", "expiry_windows", "include", "resync"] as const),
  ...(["total", "unknown_labels"] as const),
] as readonly string[];

/** Many models cannot fill in objects inside of arguments: those are for HTTP alone. */
const isFlat = ({ type }: Schema): boolean => typeof type === "string" && type !== "object";

function toView(view: Omit<View, "parameters">, document: OpenApiDocument): View {
  const { properties, required } = parametersOf(view.operation, document);
  // A tool refuses what it does not have, as `strict` does over HTTP.
  const fixed = fixedAt(view, 0);
  const open = Object.entries(properties).filter(
    ([name, schema]) =>
      !(name in fixed) && name !== "strict" && !forPrograms.includes(name) && isFlat(schema),
  );
  const days = view.expires === undefined ? [] : [[EXPIRES_WITHIN, daysSchema] as const];
  return { ...view, parameters: { properties: Object.fromEntries([...open, ...days]), required } };
}
