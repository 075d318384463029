import type { z } from "@hono/zod-openapi";
import { ApiError, type ErrorCode } from "../errors/errors.ts";

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
