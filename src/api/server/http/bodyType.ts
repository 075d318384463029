import type { Context } from "hono";
import { ApiError } from "../errors/errors.ts";

/** @throws ApiError INVALID_PARAMETER unless the body is sent as this type */
export function requireBodyType(c: Context, type: string): void {
  if (c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase() === type) return;
  throw new ApiError("INVALID_PARAMETER", `The body must be sent with Content-Type: ${type}.`);
}
