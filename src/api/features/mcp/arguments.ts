import { DAY } from "../../names/rules/seconds.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Endpoint } from "../../server/http/endpoint.ts";
import { readInput } from "../../server/http/readInput.ts";
import type { Tool } from "./tools.ts";
import { EXPIRES_WITHIN, fixedAt, MAX_DAYS, type View } from "./views.ts";

type Given = Record<string, unknown>;

/** What a call asks for: an operation, and its input as the operation's own declaration checked it. */
export type ToolOperation = { operation: Endpoint; input: Record<string, unknown> };

/**
 * Reads the arguments of a call by the declaration that reads the same question over HTTP.
 *
 * @throws ApiError with the code that HTTP would give; INVALID_PARAMETER for what the view does not take
 */
export function readArguments({ views }: Tool, given: Given, now: number): ToolOperation {
  // Programs that fill in forms send null for what was left empty.
  const filled = Object.entries(given).filter(([, value]) => value !== null && value !== undefined);
  const { view: wanted, ...asked } = Object.fromEntries(filled);
  const view = chooseView(views, wanted, asked);
  refuseUnknown(view, asked);
  const { [EXPIRES_WITHIN]: days, ...others } = asked;
  const expiry = days === undefined ? {} : expiryWithin(days, view, now);
  const [twice] = Object.keys(expiry).filter((name) => Object.hasOwn(others, name));
  if (twice !== undefined)
    throw new ApiError("INVALID_PARAMETER", `Give \`${EXPIRES_WITHIN}\` or \`${twice}\`, not both.`);
  const whole = { ...joinLists(others, view), ...expiry, ...fixedAt(view, now) };
  return { operation: view.operation, input: readInput(view.operation, whole) };
}

/** Models give lists as arrays, also where a URL has them as one text. */
function joinLists(asked: Given, { parameters }: View): Given {
  const isList = (name: string, value: unknown) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item) => /^(string|number)$/.test(typeof item) && !String(item).includes(",")) &&
    /separated by commas/i.test(String(parameters.properties[name]?.description));
  return Object.fromEntries(
    Object.entries(asked).map(([name, value]) => [name, isList(name, value) ? String(value) : value]),
  );
}

function expiryWithin(days: unknown, { expires }: View, now: number): Record<string, string> {
  const count = Number(days);
  if (!Number.isInteger(count) || count < 1 || count > MAX_DAYS)
    throw new ApiError("INVALID_PARAMETER", `\`${EXPIRES_WITHIN}\` must be a number from 1 to ${MAX_DAYS}.`);
  const until = { expiry_to: String(now + count * DAY) };
  return expires === "from_now" ? { expiry_from: String(now), ...until } : until;
}

function chooseView(views: readonly View[], wanted: unknown, asked: Given): View {
  const [first] = views as [View];
  if (first.name === null) {
    if (wanted !== undefined) throw new ApiError("INVALID_PARAMETER", "`view` is no parameter of this tool.");
    return first;
  }
  if (wanted === undefined) return viewFor(views, asked) ?? first;
  const named = views.find(({ name }) => name === wanted);
  if (named) return named;
  const names = views.map(({ name }) => name).join(", ");
  throw new ApiError("INVALID_PARAMETER", `\`view\` must be one of: ${names}.`);
}

/**
 * The view that takes all that was given and needs the most of it: `key` is one of several filters of the events, and the
 * whole question of a text's history. The first of several.
 */
function viewFor(views: readonly View[], asked: Given): View | undefined {
  const needed = ({ parameters }: View) => parameters.required.filter((name) => Object.hasOwn(asked, name));
  return views
    .filter((view) => unknownTo(view, asked).length === 0)
    .toSorted((a, b) => needed(b).length - needed(a).length)[0];
}

const unknownTo = ({ parameters }: View, asked: Given): string[] =>
  Object.keys(asked).filter((name) => !Object.hasOwn(parameters.properties, name));

/** Refuses unknown parameters: a model that invents one would otherwise trust the answer to respect it. */
function refuseUnknown(view: View, asked: Given): void {
  const [unknown] = unknownTo(view, asked);
  if (unknown === undefined) return;
  const names = Object.keys(view.parameters.properties).map((name) => `\`${name}\``);
  const what = view.name === null ? "this tool" : `the view \`${view.name}\``;
  const taken = names.length === 0 ? "it takes none" : `it takes ${names.join(", ")}`;
  const asText = unknown.length > 40 ? `${unknown.slice(0, 40)}…` : unknown;
  throw new ApiError("INVALID_PARAMETER", `\`${asText}\` is no parameter of ${what}: ${taken}.`);
}
