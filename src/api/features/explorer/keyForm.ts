import type { Context } from "hono";
import { ApiError } from "../../server/errors/errors.ts";
import { requireBodyType } from "../../server/http/bodyType.ts";

/** Bytes of the form: a key, and a page to go back to. */
export const MAX_FORM_BYTES = 16_384;

/**
 * Reads the fields of a form. Its size is checked before it is parsed: each field of a long one would become objects.
 *
 * @throws ApiError
 */
export async function readForm(c: Context): Promise<URLSearchParams> {
  requireBodyType(c, "application/x-www-form-urlencoded");
  const body = await c.req.arrayBuffer();
  if (body.byteLength > MAX_FORM_BYTES)
    throw new ApiError("LIMIT_EXCEEDED", `The form is larger than ${MAX_FORM_BYTES} bytes.`);
  return new URLSearchParams(new TextDecoder().decode(body));
}

/**
 * Refuses forms on other sites' pages, which could replace or remove the visitor's key. Browsers say where a form comes
 * from; a client that does not is not a browser.
 *
 * @throws ApiError FORBIDDEN_ORIGIN
 */
export function requireOwnPage(c: Context, publicUrl: string | undefined): void {
  const site = c.req.header("sec-fetch-site");
  const origin = c.req.header("origin");
  const isOwn = site === undefined ? isOwnOrigin(origin, c, publicUrl) : site === "same-origin";
  if (!isOwn) throw new ApiError("FORBIDDEN_ORIGIN", "The form was sent by a page of another site.");
}

function isOwnOrigin(origin: string | undefined, c: Context, publicUrl: string | undefined): boolean {
  if (origin === undefined || origin === publicUrl) return true;
  return URL.canParse(origin) && new URL(origin).host === new URL(c.req.url).host;
}
