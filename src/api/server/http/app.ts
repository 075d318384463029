import { OpenAPIHono } from "@hono/zod-openapi";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { requestId } from "hono/request-id";
import type { Access } from "../access/access.ts";
import { ApiError, answerError, errorResponse } from "../errors/errors.ts";
import type { Endpoint } from "./endpoint.ts";
import { boundBody, fromCaller } from "./jsonBounds.ts";
import { matches, namePrefixesOf, ownErrorOf, partsOf, requestedParts } from "./paths.ts";
import { requireReadablePath } from "./readablePath.ts";
import { type OperationServer, routesOf } from "./routes.ts";
import { answerOneByOne, answerUnreadable, endSlowReaders, endSlowRequests } from "./slowClients.ts";

/** Admits every valid batch: 500 names of 1,024 bytes are half of it. */
const MAX_BODY_BYTES = 1_048_576;

const exposedHeaders =
  "WWW-Authenticate, Payment-Receipt, RateLimit, RateLimit-Policy, Retry-After, X-Credits-Remaining, X-Ignored-Parameters, X-Request-Id, ETag";

/** What the application is made of. */
export type AppPlan = OperationServer & {
  operations: readonly Endpoint[];
  countRequests: Access["count"];
  /** Stands around every request: logs and metrics. */
  observe: MiddlewareHandler;
  /** Routes other than operations: pages, documentation, MCP. */
  otherRoutes: readonly Hono[];
};

/** The whole API, each path at `/x` and at `/api/x`. Hono copies routes: all are registered before they are mounted. */
export function createApp({ operations, observe, otherRoutes, ...server }: AppPlan): Hono {
  const routes = new OpenAPIHono();
  for (const others of otherRoutes) routes.route("/", others);
  routes.route("/", routesOf(operations, server));

  const app = new Hono();
  app.onError(answerError);
  app.use(answerOneByOne());
  app.use(requestId());
  app.use(observe);
  app.use(endSlowRequests());
  app.use(answerUnreadable(namePrefixesOf(operations)));
  app.use(endSlowReaders());
  app.use(setHeaders);
  app.use(countRequest(server));
  app.use(requireReadablePath(operations));
  app.use(limitBody);
  app.use(boundBody);
  // A router of Hono's mounts `/` at `/api` alone.
  app.get("/api/", (c) => routes.fetch(new Request(new URL("/", c.req.url), c.req.raw), c.env as object));
  app.route("/", routes);
  app.route("/api", routes);
  const otherPaths = otherRoutes.flatMap((others) => others.routes);
  const paths = pathsOf(operations, otherPaths);
  app.all("*", (c) => answerUnrouted(c, paths)); // Ponder's own notFound would win over app.notFound.
  return app;
}

/** Every request counts, the invalid ones too; one that is paid for is taken off again. */
const countRequest =
  ({ callerOf, countRequests }: Pick<AppPlan, "callerOf" | "countRequests">): MiddlewareHandler =>
  async (c, next) => {
    countRequests(callerOf(c));
    await next();
  };

/** Browsers may read our headers, and must not guess the type of an answer. */
async function setHeaders(c: Context, next: () => Promise<void>): Promise<void> {
  await next();
  c.res.headers.set("X-Content-Type-Options", "nosniff");
  c.res.headers.set("Access-Control-Expose-Headers", exposedHeaders);
}

const limit = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: tooLarge });

/** The body of a GET is never read; a check of its size would create a stream for nothing. */
const limitBody: MiddlewareHandler = async (c, next) => {
  if (c.req.method === "GET" || c.req.method === "HEAD") return next();
  const refused = await fromCaller(c, () => limit(c, async () => {}));
  return refused ?? next();
};

/** The connection ends, because the rest of the body is not read: callers must not send their next request over it. */
function tooLarge(c: Context): Response {
  const message = `The body is larger than ${MAX_BODY_BYTES} bytes.`;
  return errorResponse(c, new ApiError("LIMIT_EXCEEDED", message, { headers: { Connection: "close" } }));
}

type Path = { method: string; parts: string[]; operation?: Endpoint };

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

/** Answers requests that match no route: an empty parameter, a wrong method, or a path that does not exist. */
function answerUnrouted(c: Context, paths: Path[]): Response {
  const requested = requestedParts(c.req.path);
  const matching = paths.filter(({ parts }) => matches(parts, requested));
  if (matching.length === 0) {
    return errorResponse(
      c,
      new ApiError("NOT_FOUND", "No operation has this path; see /docs for all operations."),
    );
  }
  const sameMethod = matching.find(
    ({ method }) => method === c.req.method || (method === "GET" && c.req.method === "HEAD"),
  );
  if (sameMethod?.operation) return errorResponse(c, emptyParameterError(sameMethod.operation, requested));
  return answerMethod(c, allowedMethods(matching));
}

/** A path of the right form that its route did not match has an empty parameter: the error names the first. */
function emptyParameterError(operation: Endpoint, requested: string[]): ApiError {
  const part = partsOf(operation.path).find((part, i) => part.startsWith("{") && requested[i] === "");
  const name = part?.slice(1, -1) ?? "";
  const hint = name === operation.emptyParam ? " In a path it cannot be empty, `.` or `..`." : "";
  return (
    ownErrorOf(operation, name, "") ??
    new ApiError("INVALID_PARAMETER", `\`${name}\` is empty: the path ends too early.${hint}`)
  );
}

const allowedMethods = (paths: Path[]): string[] => [
  ...new Set([...paths.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method])), "OPTIONS"]),
];

function answerMethod(c: Context, allowed: string[]): Response {
  c.header("Allow", allowed.join(", "));
  if (c.req.method === "OPTIONS") return c.body(null, 204);
  const message = `${c.req.method} is not allowed here; allowed: ${allowed.join(", ")}.`;
  return errorResponse(c, new ApiError("METHOD_NOT_ALLOWED", message));
}
