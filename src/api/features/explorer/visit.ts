import type { Context } from "hono";
import type { Caller } from "../../server/access/access.ts";
import { ApiError, toLoggedError } from "../../server/errors/errors.ts";
import type { Endpoint } from "../../server/http/endpoint.ts";
import { type AccessMode, accessInWords } from "../../server/http/openapi.ts";
import type { ExecuteOperation } from "../../server/http/pipeline.ts";
import { readInput } from "../../server/http/readInput.ts";
import { keyIn } from "./keyCookie.ts";
import type { Given, Visit } from "./page.ts";
import type { Named, ReadNames } from "./parts/called.tsx";
import type { Outside } from "./parts/outside.ts";
import type { IndexingStatus } from "./replies.ts";

/** An operation called by a page: the URL of the same answer as JSON, and the answer's source. */
export type Asked = {
  url: string;
  source: string | null;
  /** The chain in the answer, if it is not the registry's. */
  chain: string | null;
  error: ApiError | null;
};

/** Dependencies of pages: the operations, and their caller. */
export type Service = {
  operations: readonly Endpoint[];
  executeOperation: ExecuteOperation;
  callerOf: (c: Context) => Caller;
  access: AccessMode;
  /** Returns the verified primary names of `addresses` as `names`. It costs nothing. */
  primaryNames: Endpoint;
  /** Whether avatars are shown, from `avatar/{name}`. */
  hasAvatars: boolean;
  /** Whether pages are compressed for browsers that accept it. */
  compresses?: boolean;
  /** Whether agents have tools at `/mcp`. */
  hasMcp: boolean;
  /** Links to other sites. */
  outside: Outside;
};

/** A visit, with the facts that the layout shows: the operations called, and their block. */
export type RecordedVisit = {
  visit: Visit;
  asked: readonly Asked[];
  /** Null if the index's progress is unknown. */
  status: Promise<IndexingStatus | null>;
  readNames: ReadNames;
};

const STATUS = "/indexing-status";

/** Begins a visit. Each operation counts as the visitor's own request, and is charged as over HTTP. */
export function beginVisit(c: Context, service: Service): RecordedVisit {
  const caller = callerOf(c, service);
  const asked: Asked[] = [];
  const answerBy = async <Reply>(operation: Endpoint, given: Given, body = {}): Promise<Reply> => {
    const entry: Asked = { url: urlOf(operation, given), source: null, chain: null, error: null };
    if (operation.path !== STATUS && operation.method === "get") asked.push(entry);
    try {
      const input = readInput(operation, { ...withoutUndefined(given), ...body });
      const reply = JSON.parse((await service.executeOperation({ operation, input, caller })).reply);
      entry.source = typeof reply.source === "string" ? reply.source : null;
      entry.chain = typeof reply.chain === "string" ? reply.chain : null;
      return reply as Reply;
    } catch (thrown) {
      entry.error = toLoggedError(thrown, c);
      throw entry.error;
    }
  };
  const answer = <Reply>(path: string, given: Given = {}) =>
    answerBy<Reply>(operationAt(service.operations, path, "get"), given);
  const askMany = <Reply>(path: string, body: Record<string, unknown>) =>
    answerBy<Reply>(operationAt(service.operations, path, "post"), {}, body).catch(orApiError);
  const tryAsk = <Reply>(path: string, given?: Given) => answer<Reply>(path, given).catch(orApiError);
  const status = answer<IndexingStatus>(STATUS).catch(() => null);
  const visit: Visit = {
    param: (name) => (c.req.param(name) ?? "").trim(),
    query: (name) => c.req.query(name) || undefined,
    ask: answer,
    askMany,
    tryAsk,
    access: accessInWords[service.access],
    hasAvatars: service.hasAvatars,
    hasMcp: service.hasMcp,
    isMetered: service.access === "metered",
    hasKey: keyIn(c) !== undefined,
    hasSignup: service.operations.some(({ path }) => path === "/signup"),
    now: async () => (await status)?.chains[0]?.indexed_block_timestamp || Math.floor(Date.now() / 1_000),
    chains: async () => (await status)?.chains.map(({ chain }) => chain) ?? [],
    network: async () => (await status)?.network ?? null,
  };
  return { visit, asked, status, readNames: (addresses) => readNames(service, { addresses, caller, c }) };
}

type NamesAsked = { addresses: readonly string[]; caller: Caller; c: Context };

/** Pages work without names: an error is logged, and no names are shown. */
async function readNames(
  { primaryNames: operation, executeOperation, hasAvatars }: Service,
  { addresses, caller, c }: NamesAsked,
): Promise<ReadonlyMap<string, Named>> {
  try {
    const input = readInput(operation, { addresses });
    const { reply } = await executeOperation({ operation, input, caller });
    const { names } = JSON.parse(reply) as { names: Record<string, { name: string; has_avatar: boolean }> };
    return new Map(
      Object.entries(names).map(([address, { name, has_avatar: has }]) => [
        address,
        { name, hasAvatar: has && hasAvatars },
      ]),
    );
  } catch (thrown) {
    toLoggedError(thrown, c);
    return new Map();
  }
}

/**
 * Leaves out `Authorization`: a proxy's credential, or a single payment, is not meant for the several operations of a page. A
 * browser sends the visitor's key as a cookie.
 */
function callerOf(c: Context, service: Service): Caller {
  const { address, header } = service.callerOf(c);
  const of = (name: string) => (name === "x-api-key" ? (header(name) ?? keyIn(c)) : header(name));
  return { address, header: (name) => (name === "authorization" ? undefined : of(name)) };
}

function operationAt(operations: readonly Endpoint[], path: string, method: Endpoint["method"]): Endpoint {
  const operation = operations.find((one) => one.method === method && one.path === path);
  if (operation === undefined)
    throw new Error(`Invariant(pages of the explorer): no operation ${method} ${path}`);
  return operation;
}

const withoutUndefined = (given: Given): Record<string, string> =>
  Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** The URL of the same answer as JSON, from the root of the service. */
function urlOf({ path, params }: Endpoint, given: Given): string {
  const all = Object.entries(withoutUndefined(given));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(given[name] ?? ""));
  const query = new URLSearchParams(all.filter(([name]) => !Object.hasOwn(params.shape, name)))
    .toString()
    .replaceAll("%2C", ",");
  return `${filled.slice(1)}${query === "" ? "" : `?${query}`}`;
}

function orApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
