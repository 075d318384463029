import { OpenAPIHono } from "@hono/zod-openapi";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { requestId } from "hono/request-id";
import { type Access, type Caller, openAccess } from "../access/access.ts";
import { callerBehind } from "../access/caller.ts";
import { mcpRoutes } from "../mcp/routes.ts";
import { type Observed, observeRequests } from "../observe/requests.ts";
import { ApiError, answerError, errorResponse } from "../schemas/errors.ts";
import { type Endpoint, firstFault, routesOf } from "./endpoint.ts";
import type { MakeCtx } from "./pipeline.ts";
import { endSlowRequests } from "./slowClients.ts";

/** Admits every valid batch: 500 names of 1,024 bytes are half of it. */
const MAX_BODY_BYTES = 1_048_576;

const exposedHeaders =
  "WWW-Authenticate, Payment-Receipt, RateLimit, RateLimit-Policy, Retry-After, X-Credits-Remaining, X-Request-Id, ETag";

/** What the application is made of; `pages` are the routes that are no operations (documentation, metrics). */
export type AppPlan = {
  operations: readonly Endpoint[];
  makeCtx: MakeCtx;
  /** Who is answered; without it everybody is. */
  access?: Access;
  callerOf?: (c: Context) => Caller;
  /** Where requests are counted and told; without it they are not. */
  observed?: Observed;
  pages?: Hono;
};

/** The whole API, each path at `/x` and at `/api/x`. Everything is registered before it is mounted: Hono copies routes. */
export function createApp({ operations, makeCtx, access, callerOf, observed, pages }: AppPlan): Hono {
  const routes = new OpenAPIHono();
  if (pages) routes.route("/", pages);
  const performer = { makeCtx, access: access ?? openAccess, callerOf: callerOf ?? callerBehind(0) };
  const tools = mcpRoutes(operations, performer);
  routes.route("/", tools);
  routes.route("/", routesOf(operations, performer));

  const app = new Hono();
  app.onError(answerError);
  app.use(requestId());
  if (observed) app.use(observeRequests(observed));
  app.use(endSlowRequests());
  app.use(setHeaders);
  app.use(limitBody);
  app.route("/", routes);
  app.route("/api", routes);
  const paths = pathsOf(operations, [...(pages?.routes ?? []), ...tools.routes]);
  app.all("*", (c) => answerUnrouted(c, paths)); // Ponder's own notFound would win over app.notFound.
  return app;
}

/** Browsers may read our headers, and take no answer for anything but what it says it is. */
async function setHeaders(c: Context, next: () => Promise<void>): Promise<void> {
  await next();
  c.res.headers.set("X-Content-Type-Options", "nosniff");
  c.res.headers.set("Access-Control-Expose-Headers", exposedHeaders);
}

const limit = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: tooLarge });

/** Nobody reads the body of a GET; looking whether there is one would make a whole stream for it. */
const limitBody: MiddlewareHandler = (c, next) =>
  c.req.method === "GET" || c.req.method === "HEAD" ? next() : limit(c, next);

function tooLarge(c: Context): Response {
  return errorResponse(c, new ApiError("LIMIT_EXCEEDED", `The body is larger than ${MAX_BODY_BYTES} bytes.`));
}

type Path = { method: string; parts: string[]; operation?: Endpoint };

const partsOf = (path: string): string[] => path.split("/").slice(1);

function pathsOf(operations: readonly Endpoint[], others: Hono["routes"]): Path[] {
  return [
    ...operations.map((operation) => ({
      method: operation.method.toUpperCase(),
      parts: partsOf(operation.path),
      operation,
    })),
    ...others.map(({ method, path }) => ({ method, parts: partsOf(path) })),
  ];
}

/** Answers what no route took: an empty parameter, a wrong method, or a path that does not exist. */
function answerUnrouted(c: Context, paths: Path[]): Response {
  const asked = partsOf(c.req.path.replace(/^\/api(?=\/|$)/, "") || "/");
  const matching = paths.filter(({ parts }) => matches(parts, asked));
  if (matching.length === 0) {
    return errorResponse(
      c,
      new ApiError("NOT_FOUND", "No operation has this path; see /docs for those there are."),
    );
  }
  const sameMethod = matching.find(
    ({ method }) => method === c.req.method || (method === "GET" && c.req.method === "HEAD"),
  );
  if (sameMethod?.operation) return errorResponse(c, faultOfEmpty(sameMethod.operation));
  return answerMethod(c, allowedMethods(matching));
}

const matches = (parts: string[], asked: string[]): boolean =>
  parts.length === asked.length && parts.every((part, i) => part.startsWith("{") || part === asked[i]);

/** Of the parameters of a path only empty ones get past its route. */
function faultOfEmpty({ params }: Endpoint): ApiError {
  const empty = Object.fromEntries(Object.keys(params.shape).map((name) => [name, ""]));
  const checked = params.safeParse(empty);
  return checked.success
    ? new ApiError("INVALID_PARAMETER", "A part of the path is empty.")
    : firstFault(checked.error, empty);
}

const allowedMethods = (paths: Path[]): string[] => [
  ...new Set([...paths.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])), "OPTIONS"]),
];

function answerMethod(c: Context, allowed: string[]): Response {
  c.header("Allow", allowed.join(", "));
  if (c.req.method === "OPTIONS") return c.body(null, 204);
  const message = `${c.req.method} is not possible here; allowed: ${allowed.join(", ")}.`;
  return errorResponse(c, new ApiError("METHOD_NOT_ALLOWED", message));
}
