import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { compressed } from "../../server/http/compression.ts";
import { type LayoutProps, layout } from "./layout.tsx";

/** Everything is the service's own, pictures of names as well. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'self'",
  "frame-ancestors 'none'",
].join("; ");

type Plan = Omit<LayoutProps, "root" | "path" | "origin"> & {
  publicUrl: string | undefined;
  compresses: boolean;
};

const withoutMount = (pathname: string): string => pathname.replace(/^\/api(?=\/|$)/, "").slice(1);

/** Path and query of a request, from the root of the service. */
export function pathIn(c: Context): string {
  const { pathname, search } = new URL(c.req.url);
  return `${withoutMount(pathname)}${search}`;
}

/** Answers with a page in the layout, compressed if the client accepts that. */
export async function sendPage(c: Context, { publicUrl, compresses, ...plan }: Plan): Promise<Response> {
  const { origin, pathname } = new URL(c.req.url);
  const path = withoutMount(pathname);
  const html = await layout({
    ...plan,
    root: path.includes("/") ? "../".repeat(path.split("/").length - 1) : "./",
    path: pathIn(c),
    origin: publicUrl ?? origin,
  });
  c.status((plan.page.status ?? 200) as ContentfulStatusCode);
  c.header("Content-Type", "text/html; charset=utf-8");
  c.header("Content-Security-Policy", policy);
  // With `no-referrer` browsers would hide the origin of our own forms, too.
  c.header("Referrer-Policy", "same-origin");
  c.header("Cache-Control", "no-cache");
  c.header("Vary", "Accept");
  return c.body(compresses ? await compressed(c, html) : html);
}
