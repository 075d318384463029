import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Caller } from "../access/access.ts";
import { answerError, type ErrorCode, errorCodes, errorResponse } from "../errors/errors.ts";
import { type Endpoint, errorsOf } from "./endpoint.ts";
import { isUnchanged } from "./entityTag.ts";
import { common, ignoredParameters } from "./ignoredParameters.ts";
import { inputError } from "./inputError.ts";
import type { ExecuteOperation } from "./pipeline.ts";

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
      query: query.extend(common),
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

/** The path of an operation without one of its parameters. The router takes no empty part of a path for a parameter. */
function emptyRouteOf(operation: Endpoint, name: string) {
  const { [name]: _, ...others } = operation.params.shape;
  const path = operation.path.replace(`{${name}}`, "");
  return Object.assign(routeOf({ ...operation, path, params: z.object(others) }), { hide: true });
}

/** `GET /domain/{name}/events` is `get_domain_events`, `GET /agents/{agentId}` is `get_agents_by_agentId`. */
function operationId({ method, path }: Endpoint): string {
  const parts = path.split("/").slice(1);
  const words = parts.map((part, i) => {
    if (!part.startsWith("{")) return part;
    return i === parts.length - 1 ? `by_${part.slice(1, -1)}` : "";
  });
  return [method, ...words.filter((word) => word !== "")].join("_").replaceAll(/[-.]/g, "_");
}

/** What answers operations, and tells who called. */
export type OperationServer = { executeOperation: ExecuteOperation; callerOf: (c: Context) => Caller };

/** The OpenAPI 3.1 document that the routes give. */
export type OpenApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

/** An application that answers the operations; each request is checked against its operation's declaration. */
export function routesOf(
  operations: readonly Endpoint[],
  { executeOperation, callerOf }: OperationServer,
): OpenAPIHono {
  const app = new OpenAPIHono({ defaultHook: answerInvalid });
  app.onError(answerError);
  const answer = (route: ReturnType<typeof routeOf>, operation: Endpoint, given: Record<string, string>) =>
    app.openapi(route, async (c) => {
      const read = (["param", "query", "json"] as const).map((part) => valid(c, part));
      const { strict, ...input } = Object.assign({ strict: false }, given, ...read);
      const ignored = ignoredParameters(c, operation, { strict });
      const { reply, headers } = await executeOperation({ operation, input, caller: callerOf(c) });
      c.header("Cache-Control", cacheControlOf(operation));
      for (const [name, value] of Object.entries({ ...headers, ...ignored })) {
        c.header(name, value);
      }
      if (operation.isPrivate !== true && isUnchanged(c, reply)) return c.body(null, 304) as never;
      // Already written, which the types of the route cannot know.
      return c.body(reply, 200, { "Content-Type": contentTypeOf(operation) }) as never;
    });
  for (const operation of operations) {
    answer(routeOf(operation), operation, {});
    const { emptyParam } = operation;
    if (emptyParam !== undefined) {
      answer(emptyRouteOf(operation, emptyParam), operation, { [emptyParam]: "" });
    }
  }
  return app;
}

const contentTypeOf = ({ mediaType }: Endpoint): string =>
  mediaType === undefined ? JSON_TYPE : `${mediaType}; charset=utf-8`;

const cacheControlOf = ({ cacheSeconds, isPrivate }: Endpoint): string => {
  if (isPrivate) return "private, no-store";
  return cacheSeconds ? `public, max-age=${cacheSeconds}` : "no-cache";
};

const valid = (c: Context, part: "param" | "query" | "json"): unknown => c.req.valid(part as never);

type Checked = { success: true } | { success: false; data: unknown; error: z.ZodError };

/** The answer for an invalid request: the error of its first fault. */
function answerInvalid(checked: unknown, c: Context): Response | undefined {
  const result = checked as Checked;
  if (result.success) return undefined;
  return errorResponse(c, inputError(result.error, result.data));
}
