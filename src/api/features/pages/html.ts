import type { Context } from "hono";

/** Nothing from elsewhere, nothing inline, no frames. */
const policyWith = (styles: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

const policies = { own: policyWith("'self'"), graphiql: policyWith("'self' 'unsafe-inline'") };

/** Answers with a page that loads nothing from elsewhere. GraphiQL sets styles on its elements; our own pages do not. */
export function sendPage(c: Context, html: string, styles: keyof typeof policies = "own"): Response {
  c.header("Content-Security-Policy", policies[styles]);
  c.header("Referrer-Policy", "no-referrer");
  c.header("Cache-Control", "no-cache");
  return c.html(html);
}
