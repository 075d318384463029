import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import type { Caller } from "../access/access.ts";
import { type ErrorCode, errorCodes, errorResponse } from "../errors/errors.ts";
import { compressed } from "./compression.ts";
import { type Endpoint, errorsOf } from "./endpoint.ts";
import { isUnchanged } from "./entityTag.ts";
import { commonOf, ignoredParameters } from "./ignoredParameters.ts";
import type { ExecuteOperation, OperationResult } from "./pipeline.ts";
import { inputError, parseFields, parseQuery } from "./readInput.ts";

const errorShape = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]),
      message: z.string().openapi({ example: "The name cannot be normalised (ENSIP-15): empty label." }),
    }),
  })
  .openapi("Error");

/** The document has one entry for each status, which names each error code of that status. */
function errorResponses(operation: Endpoint) {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(operation)) {
    const { status } = errorCodes[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join("\n\n"),
        content: { "application/json": { schema: errorShape } },
      },
    ]),
  );
}

const JSON_TYPE = "application/json";

const hasFields = (fields: Endpoint["params"]): boolean => Object.keys(fields.shape).length > 0;

function routeOf(operation: Endpoint) {
  const { method, path, group, summary, description, params, query, body, example } = operation;
  const { mediaType = JSON_TYPE, ownReply } = operation;
  return createRoute({
    method,
    path,
    tags: [group],
    operationId: operationId(operation),
    summary,
    description,
    request: {
      ...(hasFields(params) && { params }),
      query: query.extend(commonOf(operation)),
      ...(hasFields(body) && {
        body: { required: true, content: { "application/json": { schema: body } } },
      }),
    },
    responses: {
      200: {
        description: "The answer.",
        content: { [mediaType]: { schema: ownReply, ...(example !== undefined && { example }) } },
      },
      ...errorResponses(operation),
    },
  });
}

type Route = ReturnType<typeof routeOf>;

/** The path in the form of Hono's router. */
const routingPathOf = ({ path }: Route): string => path.replaceAll(/\/\{(.+?)\}/g, "/:$1");

/** `GET /domain/{name}/events` is `get_domain_events`, `GET /agents/{agentId}` is `get_agents_by_agentId`. */
function operationId({ method, path }: Endpoint): string {
  const parts = path.split("/").slice(1);
  const words = parts.map((part, i) => {
    if (!part.startsWith("{")) return part;
    return i === parts.length - 1 ? `by_${part.slice(1, -1)}` : "";
  });
  return [method, ...words.filter((word) => word !== "")].join("_").replaceAll(/[-.]/g, "_");
}

/** Executes operations, and identifies their caller. */
export type OperationServer = {
  executeOperation: ExecuteOperation;
  callerOf: (c: Context) => Caller;
  /** Whether long answers are compressed for callers that take it. */
  compresses?: boolean;
};

/** The OpenAPI 3.1 document that the routes give. */
export type OpenApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

/** An application that answers the operations; each request is checked against its operation's declaration. */
export function routesOf(
  operations: readonly Endpoint[],
  { executeOperation, callerOf, compresses = false }: OperationServer,
): OpenAPIHono {
  const app = new OpenAPIHono({ defaultHook: answerInvalid });
  const answer = (route: Route, operation: Endpoint) => {
    const respond = async (c: Context, read: readonly unknown[]) => {
      const { strict, ...input } = Object.assign({ strict: false }, ...read);
      const ignored = ignoredParameters(c, operation, { strict });
      const { reply, headers } = await executeOperation({ operation, input, caller: callerOf(c) });
      return send(c, operation, { reply, headers: { ...headers, ...ignored } }, compresses);
    };
    app.openAPIRegistry.registerPath(route);
    if (operation.hasOwnRoute) return;
    const { body } = route.request;
    const parts = (c: Context) => readParts(c, route.request, operation.emptyParam);
    if (body !== undefined) {
      const readFirst: MiddlewareHandler = (c, next) => {
        c.set(READ, parts(c)); // Before the body, so that HTTP and tools report the same one of several faults.
        return next();
      };
      app.openapi(
        { ...route, hide: true, middleware: readFirst, request: { body } },
        (c) => respond(c, [...(c.get(READ as never) as unknown[]), c.req.valid("json" as never)]) as never,
      );
      return;
    }
    app.on(route.method, routingPathOf(route), (c) => respond(c, parts(c)));
  };
  for (const operation of operations) answer(routeOf(operation), operation);
  return app;
}

const contentTypeOf = ({ mediaType }: Endpoint): string =>
  mediaType === undefined ? JSON_TYPE : `${mediaType}; charset=utf-8`;

const cacheControlOf = ({ cacheSeconds, isPrivate }: Endpoint): string => {
  if (isPrivate) return "private, no-store";
  return cacheSeconds ? `public, max-age=${cacheSeconds}` : "no-cache";
};

/** Where the parts that precede a body are kept while it is read. */
const READ = "partsBeforeBody";

/**
 * The path and the query. Without a body, one handler reads them and answers: Hono and Ponder do their work for each handler of
 * a route, and Ponder measures each.
 */
function readParts(
  c: Context,
  { params, query }: Route["request"],
  emptyParam: string | undefined,
): unknown[] {
  const readQuery = parseQuery(query, queryOf(c), emptyParam); // First, as for tools.
  return [params && parseFields(params, c.req.param()), readQuery];
}

/** A parameter that is given several times is a list, which no operation takes. */
const queryOf = (c: Context): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  );

/**
 * Sends an answer. If outer layers have set headers, Hono would copy what a handler returns and read the text back
 * through a stream. So the answer takes over those headers, and replaces the response that had them.
 */
async function send(
  c: Context,
  operation: Endpoint,
  { reply, headers }: OperationResult,
  compresses: boolean,
): Promise<Response> {
  c.header("Cache-Control", cacheControlOf(operation));
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  if (operation.isPrivate !== true && isUnchanged(c, reply)) return c.body(null, 304);
  c.header("Content-Type", contentTypeOf(operation));
  // An answer with a secret is never compressed beside what a caller wrote.
  const body = compresses && operation.isPrivate !== true ? await compressed(c, reply) : reply;
  const response = new Response(body, { headers: c.res.headers });
  c.res = undefined;
  c.res = response;
  return response;
}

type Checked = { success: true } | { success: false; data: unknown; error: z.ZodError };

/** The answer for an invalid request: the error of its first fault. */
function answerInvalid(checked: unknown, c: Context): Response | undefined {
  const result = checked as Checked;
  if (result.success) return undefined;
  return errorResponse(c, inputError(result.error, result.data));
}
