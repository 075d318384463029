import { type Context, Hono } from "hono";
import { sendAsset, toAsset } from "../http/asset.ts";
import type { Ctx } from "../http/context.ts";
import type { Endpoint } from "../http/endpoint.ts";
import { type AccessMode, openApiDocument } from "../http/openapi.ts";
import type { PriceOf } from "../http/prices.ts";
import { mountDocs } from "./docs.ts";
import { homeStyle, type IndexStatus, toHomeJson, toHomePage } from "./home.ts";
import { sendPage } from "./html.ts";
import { toLlms, toLlmsFull } from "./llms.ts";
import { mountSignup, type SignupState } from "./signup.ts";

/** What the pages need. */
export type PagesPlan = {
  operations: readonly Endpoint[];
  createContext: () => Promise<Ctx>;
  access: AccessMode;
  /** Undefined where payments are not accepted. */
  priceOf: PriceOf | undefined;
  /** The text of `/index-metrics`. */
  writeMetrics: (ctx: Ctx) => Promise<string>;
};

/** The routes that are no operations: the first page, documentation, metrics. They answer while the index is built, too. */
export function createPages({ operations, createContext, access, priceOf, writeMetrics }: PagesPlan): Hono {
  const document = openApiDocument(operations, access, priceOf);
  const texts = {
    "/openapi.json": toAsset(JSON.stringify(document), "application/json; charset=utf-8"),
    "/llms.txt": toAsset(toLlms(document), "text/plain; charset=utf-8"),
    "/llms-full.txt": toAsset(toLlmsFull(document), "text/plain; charset=utf-8"),
    "/home.css": toAsset(homeStyle, "text/css; charset=utf-8"),
  };
  const signup = signupState(operations, access);
  const app = new Hono();
  app.get("/", async (c) => answerHome(c, { ...(await readStatus(await createContext())), access, signup }));
  for (const [path, asset] of Object.entries(texts)) app.get(path, (c) => sendAsset(c, asset));
  app.get("/index-metrics", async (c) => c.text(await writeMetrics(await createContext())));
  mountDocs(app);
  mountSignup(app, signup);
  return app;
}

function signupState(operations: readonly Endpoint[], access: AccessMode): SignupState {
  if (access === "open") return "needless";
  return operations.some(({ path }) => path === "/signup") ? "open" : "closed";
}

async function readStatus({ freshness, contracts }: Ctx): Promise<Omit<IndexStatus, "access" | "signup">> {
  const { unfit, chains } = await freshness.report();
  const [chain] = chains;
  return {
    network: contracts.chainName(contracts.chainId),
    unfit,
    backfill: chain?.backfill ?? null,
    indexedBlock: chain?.indexed.blockNumber ?? 0,
    indexedAt: chain?.indexed.blockTimestamp ?? 0,
  };
}

/** Browsers name HTML in `Accept`; most programs accept anything, and get JSON. */
function answerHome(c: Context, status: IndexStatus): Response {
  c.header("Vary", "Accept");
  if (!c.req.header("accept")?.includes("text/html")) return c.json(toHomeJson(status));
  return sendPage(c, toHomePage(status, new URL(c.req.url).origin));
}
