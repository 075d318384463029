import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { ZodObject, ZodType } from "zod";
import type { Caller } from "../access/access.ts";
import { ApiError, answerError, type ErrorCode, errorCodes, errorResponse } from "../schemas/errors.ts";
import type { Ctx } from "./context.ts";
import { executeOperation, type OperationDeps } from "./pipeline.ts";

/** Groups of operations, as the documentation shows them. */
export type Group = "Domains" | "Lookups" | "Addresses" | "Agents" | "Statistics" | "System" | "Access";

type Fields = ZodObject;
type Input<P extends Fields, Q extends Fields, B extends Fields> = z.output<P> & z.output<Q> & z.output<B>;

/** One operation of the API, declared once; routes, validation, documentation and tests all come from it. */
export type Declaration<P extends Fields, Q extends Fields, B extends Fields, R extends ZodType> = {
  method: "get" | "post";
  /** Path with parameters in braces: `/whois/{name}`. */
  path: string;
  group: Group;
  summary: string;
  description: string;
  params: P;
  query: Q;
  body: B;
  /** Shape of the answer; replies are checked against it at compile time, and parsed by it in tests. */
  reply: R;
  /** An answer as the documentation shows it. */
  example?: unknown;
  /** Errors of this operation besides those that every operation may give. */
  errors: ErrorCode[];
  /** Price in credits; operations on many items count them. 0 is free and needs no key. */
  cost: number | ((input: Input<P, Q, B>) => number);
  /** How long an answer may be kept, in seconds; undefined for answers that must be fresh. */
  cacheSeconds?: number;
  /** Name of the tool that asks it, of the tool-protocol server; one tool may ask several operations. */
  tool?: string;
  /** True if the operation answers while the index is still being built. */
  answersWhileBuilding?: boolean;
  /** True if answers are the caller's own business, or hold a secret: nobody between keeps them. */
  isPrivate?: boolean;
  /** True if it is free and yet answers only who sends a key. */
  needsKey?: boolean;
  handle: (input: Input<P, Q, B>, ctx: Ctx, caller: Caller) => Promise<z.input<R>>;
};

/** An operation whose types are checked already; what lists of operations hold. */
export type Endpoint = Declaration<Fields, Fields, Fields, ZodType>;

const none = z.object({});

type Defaults = "params" | "query" | "body" | "errors" | "description";

/** Declares an operation. What it does not take may be left out. */
export function endpoint<
  R extends ZodType,
  P extends Fields = typeof none,
  Q extends Fields = typeof none,
  B extends Fields = typeof none,
>(
  declaration: Omit<Declaration<P, Q, B, R>, Defaults> & Partial<Pick<Declaration<P, Q, B, R>, Defaults>>,
): Endpoint {
  const defaults = { params: none, query: none, body: none, errors: [], description: declaration.summary };
  return { ...defaults, ...declaration } as unknown as Endpoint;
}

/** Errors that every operation may give. */
const commonErrors: ErrorCode[] = ["INTERNAL_ERROR"];

/** Every error that an operation may give, each code once. */
export function errorsOf(operation: Endpoint): ErrorCode[] {
  const fromInput: ErrorCode[] = Object.keys(operation.query.shape).length > 0 ? ["INVALID_PARAMETER"] : [];
  const fromBody: ErrorCode[] = operation.method === "post" ? ["INVALID_PARAMETER", "MISSING_PARAMETER"] : [];
  const building: ErrorCode[] = operation.answersWhileBuilding ? [] : ["INDEX_NOT_READY"];
  const access: ErrorCode[] =
    operation.cost === 0 ? [] : ["INVALID_API_KEY", "PAYMENT_REQUIRED", "RATE_LIMITED"];
  return [
    ...new Set([...operation.errors, ...fromInput, ...fromBody, ...access, ...building, ...commonErrors]),
  ];
}

const errorShape = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(Object.keys(errorCodes) as [ErrorCode, ...ErrorCode[]]),
      message: z.string().openapi({ example: "The name cannot be normalised (ENSIP-15): empty label." }),
    }),
  })
  .openapi("Error");

/** Answers of one status share one entry of the document, which names each code. */
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

const hasFields = (fields: Fields): boolean => Object.keys(fields.shape).length > 0;

function routeOf(operation: Endpoint) {
  const { method, path, group, summary, description, params, query, body, reply, example } = operation;
  return createRoute({
    method,
    path,
    tags: [group],
    operationId: operationId(operation),
    summary,
    description,
    request: {
      ...(hasFields(params) && { params }),
      ...(hasFields(query) && { query }),
      ...(method === "post" && {
        body: { required: true, content: { "application/json": { schema: body } } },
      }),
    },
    responses: {
      200: {
        description: "The answer.",
        content: { "application/json": { schema: reply, ...(example !== undefined && { example }) } },
      },
      ...errorResponses(operation),
    },
  });
}

/** `GET /domain/{name}/events` is `get_domain_events`, `GET /agents/{agentId}` is `get_agents_by_agentId`. */
function operationId({ method, path }: Endpoint): string {
  const parts = path.split("/").slice(1);
  const words = parts.map((part, i) => {
    if (!part.startsWith("{")) return part;
    return i === parts.length - 1 ? `by_${part.slice(1, -1)}` : "";
  });
  return [method, ...words.filter((word) => word !== "")].join("_").replaceAll("-", "_");
}

/** An application that answers the operations, each validated by its own declaration. */
export function routesOf(
  operations: readonly Endpoint[],
  { callerOf, ...performer }: OperationDeps & { callerOf: (c: Context) => Caller },
): OpenAPIHono {
  const app = new OpenAPIHono({ defaultHook: answerInvalid });
  app.onError(answerError);
  for (const operation of operations) {
    app.openapi(routeOf(operation), async (c) => {
      const input = Object.assign({}, ...(["param", "query", "json"] as const).map((part) => valid(c, part)));
      const { reply, headers } = await executeOperation(operation, { input, caller: callerOf(c) }, performer);
      c.header("Cache-Control", cacheControlOf(operation));
      for (const [name, value] of Object.entries(headers)) c.header(name, value);
      return c.json(reply as never, 200);
    });
  }
  return app;
}

const cacheControlOf = ({ cacheSeconds, isPrivate }: Endpoint): string => {
  if (isPrivate) return "private, no-store";
  return cacheSeconds ? `public, max-age=${cacheSeconds}` : "no-cache";
};

const valid = (c: Context, part: "param" | "query" | "json"): unknown => c.req.valid(part as never);

type Checked = { success: true } | { success: false; data: unknown; error: z.ZodError };

/** Turns what the validator found into the contract's codes: the first fault is told. */
function answerInvalid(checked: unknown, c: Context): Response | undefined {
  const result = checked as Checked;
  if (result.success) return undefined;
  return errorResponse(c, firstFault(result.error, result.data));
}

/** The error for the first fault of an input. */
export function firstFault(error: z.ZodError, data: unknown): ApiError {
  const [issue] = error.issues;
  if (!issue) return new ApiError("INVALID_PARAMETER", "The request is invalid.");
  const code = issue.code === "custom" ? (issue.params?.code as ErrorCode | undefined) : undefined;
  if (code) return new ApiError(code, issue.message);
  const field = issue.path.join(".");
  const value = valueAt(data, issue.path);
  if (value === undefined && field !== "")
    return new ApiError("MISSING_PARAMETER", `\`${field}\` is required.`);
  if (issue.code === "invalid_type" && Array.isArray(value)) {
    return new ApiError("INVALID_PARAMETER", `\`${field}\` must be given once.`);
  }
  return new ApiError(
    "INVALID_PARAMETER",
    field === "" ? "The body must be a JSON object." : explain(field, issue.message),
  );
}

/** Our own messages name the field; those of the validator do not. */
const explain = (field: string, message: string): string =>
  message.startsWith("`") ? message : `\`${field}\`: ${message}.`;

const valueAt = (data: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    data,
  );
