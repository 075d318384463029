import { z } from "@hono/zod-openapi";
import type { ZodObject, ZodType } from "zod";
import type { Caller } from "../access/access.ts";
import type { ErrorCode } from "../errors/errors.ts";
import { hasAsOf, withAsOf } from "./asOf.ts";
import type { Ctx } from "./context.ts";

/** Groups of operations, as the documentation shows them. */
export type Group =
  | "Domains"
  | "Lookups"
  | "Addresses"
  | "Contracts"
  | "Agents"
  | "Statistics"
  | "System"
  | "Access"
  | "Webhooks";

/** An operation's view of an MCP tool: `view` is the value of the tool's parameter of that name. */
export type ToolView = {
  name: string;
  view: string;
  /** Parameters that the view sets itself, some by the time (unix seconds); callers cannot give them. */
  fixed?: Fixed;
  /** The view takes `expires_within_days`: from now on, or including what expired before. */
  expires?: "from_now" | "until_then";
};

export type Fixed = Record<string, string> | ((now: number) => Record<string, string>);

type Fields = ZodObject;
type Input<P extends Fields, Q extends Fields, B extends Fields> = z.output<P> & z.output<Q> & z.output<B>;

/**
 * One operation of the API, declared once. Its route, validation, price, tool, documentation and contract tests all
 * come from this declaration.
 */
export type Declaration<P extends Fields, Q extends Fields, B extends Fields, R extends ZodType> = {
  method: "get" | "post" | "patch" | "delete";
  /** Path with parameters in braces: `/whois/{name}`. */
  path: string;
  group: Group;
  summary: string;
  description: string;
  params: P;
  /**
   * A parameter for which the empty text is a value. Other empty parameters of a query count as left out. In a path `.` would
   * look the same once a browser has resolved it, so it is refused; only a tool may send it.
   */
  emptyParam?: string & (keyof z.input<P> | keyof z.input<Q>);
  query: Q;
  body: B;
  /** Schema of the answer. The compiler checks replies against it, and tests parse them with it. */
  reply: R;
  /** The media type of an answer that is not JSON: the reply is its text. Tools answer in JSON, so it has no tool. */
  mediaType?: `text/${string}` | "application/graphql-response+json" | "image/*";
  /** True if a route of its feature answers, because the answer is not text: this declaration documents it. */
  hasOwnRoute?: true;
  /** An answer as the documentation shows it. */
  example?: unknown;
  /** Errors of this operation, besides those that `errorsOf` adds. */
  errors: readonly ErrorCode[];
  /** Price in credits; an operation on many items costs one credit for each. 0 is free and needs no key. */
  cost: number | ((input: Input<P, Q, B>) => number);
  /**
   * Work by which the price is known, done after admission for `cost`: it gives the input for `handle`, and the whole price.
   * Left out: `cost` is the price.
   */
  plan?: (input: Input<P, Q, B>) => Promise<{ input: Record<string, unknown>; credits: number }>;
  /** How long caches may keep an answer, in seconds. Undefined: they must not. */
  cacheSeconds?: number;
  /**
   * When the content of a reply was taken, in unix seconds, from its text: where that may be before the request. The header
   * `Age` tells caches how much of the time is over.
   */
  takenAt?: (reply: string) => number;
  /** Whether this reply, judged by its text, is free because it did not deliver what was requested. */
  isFree?: (reply: string) => boolean;
  /** The MCP tool that answers by this operation: its name, or the operation's views of a tool that has several. */
  tool?: string | ToolView | readonly ToolView[];
  /** A sentence for the description of another tool, where this operation is offered. */
  mention?: { tool: string; sentence: string };
  /**
   * The state of the index that the operation needs. By default a complete and current index, read at one block. `any
   * state`: it answers while the index is built too. `not read`: it does not read the index.
   */
  index?: "any state" | "not read";
  /** True if answers are personal or hold a secret: no cache keeps them. */
  isPrivate?: boolean;
  /** True if the operation is free but requires a key. */
  needsKey?: boolean;
  handle: (input: Input<P, Q, B>, ctx: Ctx, caller: Caller) => Promise<z.input<R>>;
};

/** A declared operation without its type parameters, for lists of operations. */
export type Endpoint = Declaration<Fields, Fields, Fields, ZodType> & {
  /** The schema of what `handle` returns. That of the answer (`reply`) has the fields that the frame adds too. */
  ownReply: ZodType;
};

const none = z.object({});

type Defaults = "params" | "query" | "body" | "errors" | "description";

/**
 * Declares an operation. The parts of the input that it does not take are left out.
 *
 * @example
 * export const greeting = endpoint({
 *   method: "get",
 *   path: "/greeting/{name}",
 *   group: "Domains",
 *   summary: "A greeting for a name",
 *   params: z.object({ name: input.name() }),
 *   reply: z.strictObject({ text: z.string() }),
 *   errors: ["INVALID_NAME"],
 *   cost: 1,
 *   handle: async ({ name }, ctx) => ({ text: `Hello ${name.name} at ${ctx.now}` }),
 * });
 */
export function endpoint<
  R extends ZodType,
  P extends Fields = typeof none,
  Q extends Fields = typeof none,
  B extends Fields = typeof none,
>(
  declaration: Omit<Declaration<P, Q, B, R>, Defaults> & Partial<Pick<Declaration<P, Q, B, R>, Defaults>>,
): Endpoint {
  const defaults = { params: none, query: none, body: none, errors: [], description: declaration.summary };
  const own = { ...defaults, ...declaration, ownReply: declaration.reply } as unknown as Endpoint;
  return hasAsOf(own) ? { ...own, reply: withAsOf(own.reply) } : own;
}

/** `GET /whois/{name}`: how prices, metrics and tools name an operation. */
export const nameOf = ({ method, path }: Pick<Endpoint, "method" | "path">): string =>
  `${method.toUpperCase()} ${path}`;

/** An operation's views of tools; null for the only view of a tool without the parameter `view`. */
export const toolViewsOf = ({ tool = [] }: Endpoint): (Omit<ToolView, "view"> & { view: string | null })[] =>
  typeof tool === "string" ? [{ name: tool, view: null }] : [tool].flat();

/** Errors that every operation may give. */
const commonErrors: ErrorCode[] = ["RESPONSE_TOO_LARGE", "INTERNAL_ERROR"];

/** Every error that an operation may give, each code once. */
export function errorsOf(operation: Endpoint): ErrorCode[] {
  const fromPage: ErrorCode[] = "page" in operation.query.shape ? ["LIMIT_EXCEEDED"] : [];
  const fromBody: ErrorCode[] = Object.keys(operation.body.shape).length > 0 ? ["MISSING_PARAMETER"] : [];
  const building: ErrorCode[] = operation.index === undefined ? ["INDEX_NOT_READY"] : [];
  const access: ErrorCode[] =
    operation.cost === 0 ? [] : ["INVALID_API_KEY", "PAYMENT_REQUIRED", "RATE_LIMITED"];
  return [
    ...new Set<ErrorCode>([
      ...operation.errors,
      // Every operation takes `strict`.
      "INVALID_PARAMETER",
      ...fromPage,
      ...fromBody,
      ...access,
      ...building,
      ...commonErrors,
    ]),
  ];
}
