import type { Hono } from "hono";
import { beforeAll, expect } from "vitest";
import type { Contracts } from "../../abis/contracts.ts";
import type { Live } from "../../src/api/names/live/live.ts";
import { type ErrorCode, errorCodes, toApiError } from "../../src/api/server/errors/errors.ts";
import type { Ctx } from "../../src/api/server/http/context.ts";
import { type Endpoint, errorsOf } from "../../src/api/server/http/endpoint.ts";
import { createFreshness } from "../../src/api/server/indexState/freshness.ts";
import type { ProvenLabels } from "../../src/api/server/serviceDb/provenLabels.ts";
import { createTestApp, type TestAppPlan } from "../support/app.ts";
import { withoutAsOf } from "../support/asOf.ts";
import { operations } from "../support/operations.ts";
import { noChain } from "./noChain.ts";
import { contracts as ofRows } from "./rows.ts";
import type { Tables } from "./tables.ts";

/** The API on a test's tables, at a time chosen by the test. */
export type TestApi = {
  app: Hono;
  /** One GET request. Returns the status and parsed JSON, or no body if the answer is not JSON. */
  get: (path: string) => Promise<Reply>;
  post: (path: string, body: unknown) => Promise<Reply>;
  /** The body of an answer, which has to be 200. */
  ask: <Body = Record<string, unknown>>(path: string) => Promise<Body>;
  /** The names in a list's `results`, or in another field. */
  names: (path: string, field?: string) => Promise<string[]>;
  /** Every item of a list, from cursor to cursor. Their number has to be the total. */
  walk: <Item = Record<string, unknown>>(path: string, size: number, field?: string) => Promise<Item[]>;
};

type Reply = { status: number; body: Record<string, unknown> };

/** A reply with this error, for `toMatchObject`. */
export const failure = (code: ErrorCode, message: unknown = expect.any(String)) => ({
  status: errorCodes[code].status,
  body: { error: { code, message } },
});

/** The path of an operation with values for its parameters. */
export const pathOf = ({ path }: Pick<Endpoint, "path">, values: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");

/** A path with more parameters. */
export const withQuery = (path: string, query: string): string =>
  `${path}${path.includes("?") ? "&" : "?"}${query}`;

/**
 * Checks the operation's behaviour against its own declaration: an undeclared field or error turns
 * the answer into a 500.
 */
const checked = (operation: Endpoint): Endpoint => ({
  ...operation,
  handle: async (input, ctx, caller) => {
    const reply = await operation.handle(input, ctx, caller).catch((thrown: unknown) => {
      const { code } = toApiError(thrown);
      if (code === "INTERNAL_ERROR" || errorsOf(operation).includes(code)) throw thrown;
      throw new Error(`${operation.path} does not declare ${code}`);
    });
    operation.ownReply.parse(JSON.parse(JSON.stringify(reply)));
    return reply;
  },
});

const isJson = (reply: Response): boolean =>
  reply.headers.get("content-type")?.startsWith("application/json") ?? false;

const checkedOperations = operations.map(checked);

/** What the node reports as its head, and which callers are answered. */
type TestPlan = Pick<TestAppPlan, "access" | "callerOf" | "readConsistently"> & {
  /** The deployment's contracts, if different from those of `rows.ts`. */
  contracts?: Contracts;
  chainHead?: number | null;
  provenLabels?: ProvenLabels;
  /** Queries the chain. By default no node is configured. */
  live?: Live;
  /** Creates the pages, which takes longer than everything else. None by default. */
  pagesOf?: (createContext: () => Promise<Ctx>) => Hono;
};

/** The API on the tables that all tests of a file use. */
export function useApi(tables: Tables, now: number, plan: TestPlan = {}): TestApi {
  const api = {} as TestApi;
  beforeAll(() => void Object.assign(api, openApi(tables, now, plan)));
  return api;
}

export function openApi({ db }: Tables, now: number, plan: TestPlan = {}): TestApi {
  const { chainHead = null, contracts = ofRows, provenLabels, live, pagesOf, ...asking } = plan;
  const heads = async () => (chainHead === null ? null : { number: chainHead, timestamp: now });
  const freshness = createFreshness({
    failingBlock: async () => null,
    sourceComparisons: async () => [],
    standby: async () => null,
    db,
    heads,
    completed: { add: async () => {}, has: async () => false },
    isActive: async () => false,
    lastVerification: async () => null,
    schema: "namedex_index",
    chainId: contracts.chainId,
    startBlocks: {},
    maxLagSeconds: null,
    clock: () => now,
  });
  const createContext = async () => ({
    db,
    contracts,
    now,
    ...noChain,
    ...(provenLabels && { provenLabels }),
    ...(live && { live }),
    chainHead: heads,
    freshness,
  });
  const pages = pagesOf && { pages: pagesOf(createContext) };
  const app = createTestApp({ operations: checkedOperations, db, createContext, ...pages, ...asking });
  const read = async (reply: Response) => ({
    status: reply.status,
    body: withoutAsOf(isJson(reply) ? ((await reply.json()) as Record<string, unknown>) : {}),
  });
  const get = async (path: string) => read(await app.request(path));
  const ask: TestApi["ask"] = async (path) => {
    const { status, body } = await get(path);
    expect({ path, status, error: body.error }).toEqual({ path, status: 200, error: undefined });
    return body as never;
  };
  return {
    app,
    get,
    ask,
    names: async (path, field = "results") =>
      ((await ask(path))[field] as { name: string }[]).map(({ name }) => name),
    walk: async <Item>(path: string, size: number, field = "results") => {
      const items: Item[] = [];
      for (let cursor = ""; ; ) {
        const page = await ask(withQuery(path, `page_size=${size}${cursor}`));
        items.push(...(page[field] as Item[]));
        if (page.next_cursor !== null) expect(page[field]).toHaveLength(size);
        else if (page.total !== undefined) expect(page.total, path).toBe(items.length);
        if (page.next_cursor === null) return items;
        cursor = `&cursor=${page.next_cursor}`;
      }
    },
    post: async (path, body) =>
      read(
        await app.request(path, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      ),
  };
}
