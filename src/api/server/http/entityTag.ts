import { createHash } from "node:crypto";
import type { Context } from "hono";

/** Characters of a tag: 132 bits, so that two answers never have the same. */
const LENGTH = 22;

/** Names an answer by its content. */
export const entityTagOf = (body: string | Uint8Array): string =>
  `"${createHash("sha256").update(body).digest("base64url").slice(0, LENGTH)}"`;

/** Whether the header `If-None-Match` names a tag. It compares weakly: a proxy that compresses makes a tag weak. */
export const namesTag = (header: string, tag: string): boolean =>
  header.trim() === "*" || header.split(",").some((one) => one.trim().replace(/^W\//, "") === tag);

/**
 * Sets the answer's tag, and returns whether the caller already has the same answer: then reply 304 without a body (RFC 9110,
 * 13.1.2). It costs the same, because the answer was computed. Answers to a POST have no tag: conditional requests do not apply
 * to them, and bulk answers are long.
 */
export function isUnchanged(c: Context, body: string): boolean {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") return false;
  const tag = entityTagOf(body);
  c.header("ETag", tag);
  const known = c.req.header("If-None-Match");
  return known !== undefined && namesTag(known, tag);
}
