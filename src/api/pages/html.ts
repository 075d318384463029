import type { Context } from "hono";

const signs: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Text as HTML shows it. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => signs[sign] ?? sign);

/** Nothing from elsewhere, no inline scripts, no frames. Swagger UI sets styles on its elements. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Answers with a page that loads nothing from elsewhere. */
export function sendPage(c: Context, html: string): Response {
  c.header("Content-Security-Policy", policy);
  c.header("Referrer-Policy", "no-referrer");
  c.header("Cache-Control", "no-cache");
  return c.html(html);
}
