import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";

/*
 * Browsers send no header of our own with a page, so a visitor's key is in a cookie. Scripts cannot read it, and it is not sent
 * with what another site asks for. Only the pages read it: the operations do not, so that no site can use it for them.
 */

const COOKIE = "namedex_key";

/** Characters of a key, as `/signup` gives them. */
const KEY = /^[\x21-\x7e]{1,200}$/;

/** Days for which a browser keeps a key. */
const DAYS = 90;

const attributesOf = (c: Context) => ({
  httpOnly: true,
  sameSite: "Strict" as const,
  path: "/",
  secure: new URL(c.req.url).protocol === "https:" || c.req.header("x-forwarded-proto") === "https",
});

/** The key that the visitor's browser keeps; undefined without one. */
export function keyIn(c: Context): string | undefined {
  const key = getCookie(c, COOKIE);
  return key !== undefined && KEY.test(key) ? key : undefined;
}

/** Stores a key in the browser, or removes the stored one if the text is not a key. */
export function keepKey(c: Context, text: string): void {
  const key = text.trim();
  if (KEY.test(key)) setCookie(c, COOKIE, key, { ...attributesOf(c), maxAge: DAYS * 86_400 });
  else deleteCookie(c, COOKIE, attributesOf(c));
}
