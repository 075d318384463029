import { z } from "@hono/zod-openapi";
import { type Context, type Handler, Hono } from "hono";
import { mcpRoutes } from "../../src/api/features/mcp/routes.ts";
import { createPages } from "../../src/api/features/pages/pages.ts";
import { mountGraphiql } from "../../src/api/features/subgraph/graphiql.ts";
import { type Access, type Caller, openAccess } from "../../src/api/server/access/access.ts";
import { callerBehind } from "../../src/api/server/access/caller.ts";
import { createApp } from "../../src/api/server/http/app.ts";
import type { Ctx } from "../../src/api/server/http/context.ts";
import { type Endpoint, endpoint } from "../../src/api/server/http/endpoint.ts";
import type { AccessMode } from "../../src/api/server/http/openapi.ts";
import { createPipeline } from "../../src/api/server/http/pipeline.ts";
import type { ConsistentRead } from "../../src/api/server/indexState/consistentRead.ts";
import { observeOperations } from "../../src/api/server/observe/operations.ts";
import { observeRequests, type RequestObserver } from "../../src/api/server/observe/requests.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";

export type TestAppPlan = {
  operations: readonly Endpoint[];
  /** The database of the context; needed where operations read the index. */
  db?: Db;
  createContext?: () => Promise<Ctx>;
  /** Open unless told. */
  access?: Access;
  callerOf?: (c: Context) => Caller;
  /** Where requests and operations are counted and logged; nowhere unless told. */
  observer?: RequestObserver;
  pages?: Hono;
  /** Compares blocks; nothing does by default. */
  readConsistently?: ConsistentRead;
  publicUrls?: readonly string[];
  /** Whether long answers are compressed; they are not by default. */
  compresses?: boolean;
};

const noContext = async () => ({}) as never;

/** The application with what a test gives it. The index is always ready, and read without comparing blocks. */
export function createTestApp(plan: TestAppPlan): Hono {
  const { operations, createContext = noContext, access = openAccess, observer, pages = new Hono() } = plan;
  const server = {
    executeOperation: createPipeline({
      createContext,
      access,
      requireReadyIndex: async () => {},
      observe: observer ? observeOperations(observer.meters) : (_, run) => run(),
      readConsistently:
        plan.readConsistently ?? (async (read) => ({ result: await read(plan.db as Db), position: [] })),
    }),
    callerOf: plan.callerOf ?? callerBehind(0),
    countRequests: access.count,
    compresses: plan.compresses ?? false,
  };
  const chains = { main: 31337, nameOf: String };
  return createApp({
    operations,
    ...server,
    observe: observer ? observeRequests(observer) : (_, next) => next(),
    otherRoutes: [
      pages,
      madeWhenCalled("/mcp", () =>
        mcpRoutes(operations, server, { publicUrls: plan.publicUrls ?? [], chains }),
      ),
    ],
  });
}

/**
 * A POST route that is made by its first request: MCP's tools and documents take longer than all operations together, and most
 * tests never ask them.
 */
function madeWhenCalled(path: string, make: () => Hono): Hono {
  let handler: Handler | undefined;
  return new Hono().post(path, (c, next) => {
    handler ??= make().routes[0]?.handler as Handler;
    return handler(c, next);
  });
}

type TestPagesPlan = {
  operations: readonly Endpoint[];
  createContext?: () => Promise<Ctx>;
  access?: AccessMode;
};

/** The pages of an open service unless told. */
export const createTestPages = ({
  createContext = noContext,
  access = "open",
  operations,
}: TestPagesPlan): Hono => {
  const pages = createPages({
    operations,
    createContext,
    access,
    priceOf: undefined,
    offers: { explorer: true, mcp: true, subgraph: true },
    publicUrl: undefined,
  });
  mountGraphiql(pages, true);
  return pages;
};

/** An operation that fails by a fault of ours, with this message: callers must not see it. */
export const brokenOperation = (message: string): Endpoint =>
  endpoint({
    method: "get",
    path: "/broken",
    group: "System",
    summary: "Broken",
    reply: z.strictObject({}),
    cost: 0,
    handle: async () => {
      throw new Error(message);
    },
  });
