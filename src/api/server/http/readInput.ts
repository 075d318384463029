import type { z } from "@hono/zod-openapi";
import { ApiError, type ErrorCode } from "../errors/errors.ts";
import type { Endpoint } from "./endpoint.ts";

type Given = Record<string, unknown>;

/**
 * Reads the input of an operation from values by their names, by the declaration that reads the same over HTTP. In the
 * same order (query, path, body), so that both report the same one of several faults. Values that no part declares are
 * left out.
 *
 * @throws ApiError with the code that HTTP would give
 */
export function readInput({ params, query, body, emptyParam }: Endpoint, asked: Given): Given {
  const inPath = pick(asked, params.shape);
  const input = {
    ...parseQuery(query, asWords(pick(asked, query.shape)), emptyParam),
    ...parseFields(params, asWords(inPath)),
    ...parseFields(body, pick(asked, body.shape)),
  };
  const empty = Object.keys(inPath).find((name) => inPath[name] === "" && name !== emptyParam);
  if (empty !== undefined) throw new ApiError("INVALID_PARAMETER", `\`${empty}\` is empty.`);
  return input;
}

/** @throws ApiError with the code of the first fault */
export const parseQuery = (query: Endpoint["query"], data: Given, emptyParam?: string): Given =>
  parseFields(query, withoutEmpty(data, emptyParam));

/** Forms send empty parameters, which count as left out, unless the empty text is a value. */
export const withoutEmpty = (data: Given, emptyParam?: string): Given =>
  Object.fromEntries(Object.entries(data).filter(([name, value]) => value !== "" || name === emptyParam));

/** @throws ApiError with the code of the first fault */
export function parseFields(fields: Endpoint["params"], data: Given): Record<string, unknown> {
  const checked = fields.safeParse(data);
  if (checked.success) return checked.data;
  throw inputError(checked.error, data);
}

const pick = (asked: Given, fields: object): Given =>
  Object.fromEntries(Object.entries(asked).filter(([name]) => Object.hasOwn(fields, name)));

/** Paths and queries are text: numbers and booleans are read as written there. */
const asWords = (asked: Given): Given =>
  Object.fromEntries(
    Object.entries(asked).map(([name, value]) => [
      name,
      typeof value === "number" || typeof value === "boolean" ? String(value) : value,
    ]),
  );

/** The error for the first fault that the validator found in an input. */
export function inputError(error: z.ZodError, data: unknown): ApiError {
  const [issue] = error.issues;
  if (!issue) return new ApiError("INVALID_PARAMETER", "The request is invalid.");
  const code = issue.code === "custom" ? (issue.params?.code as ErrorCode | undefined) : undefined;
  if (code) return new ApiError(code, issue.message);
  const field = issue.path.join(".");
  if (field === "") return new ApiError("INVALID_PARAMETER", "The body must be a JSON object.");
  const value = valueAt(data, issue.path);
  if (value === undefined) return new ApiError("MISSING_PARAMETER", `\`${field}\` is required.`);
  if (issue.code === "invalid_type" && Array.isArray(value)) {
    return new ApiError("INVALID_PARAMETER", `\`${field}\` must be given once.`);
  }
  return new ApiError("INVALID_PARAMETER", explain(field, issue.message));
}

/** Our own messages name the field; the validator's messages do not. */
const explain = (field: string, message: string): string =>
  message.startsWith("`") ? message : `\`${field}\`: ${message}.`;

const valueAt = (data: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    data,
  );
