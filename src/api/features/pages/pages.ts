import { Hono } from "hono";
import { sendAsset, toAsset } from "../../server/http/asset.ts";
import type { Ctx } from "../../server/http/context.ts";
import type { Endpoint } from "../../server/http/endpoint.ts";
import { type AccessMode, openApiDocument } from "../../server/http/openapi.ts";
import type { PriceOf } from "../../server/http/prices.ts";
import { mountGraphiql } from "./graphiql.ts";
import { type IndexStatus, toHomeJson } from "./home.ts";
import { toLlms, toLlmsFull } from "./llms.ts";
import { mountReference } from "./reference/reference.ts";
import { mountSignup, type SignupState } from "./signup.tsx";

/** What the pages need. */
export type PagesPlan = {
  operations: readonly Endpoint[];
  createContext: () => Promise<Ctx>;
  access: AccessMode;
  /** Undefined where payments are not accepted. */
  priceOf: PriceOf | undefined;
  /** Whether the pages of the explorer are there, to which the head of each page leads. */
  hasExplorer: boolean;
  /** Where callers reach the service, for examples; without one the address of the request. */
  publicUrl: string | undefined;
};

/** The routes that are no operations: the first page, documentation. They answer while the index is built, too. */
export function createPages({
  operations,
  createContext,
  access,
  priceOf,
  hasExplorer,
  publicUrl,
}: PagesPlan): Hono {
  const document = openApiDocument(operations, access, priceOf);
  const texts = {
    "/openapi.json": toAsset(JSON.stringify(document), "application/json; charset=utf-8"),
    "/llms.txt": toAsset(toLlms(document), "text/plain; charset=utf-8"),
    "/llms-full.txt": toAsset(toLlmsFull(document), "text/plain; charset=utf-8"),
  };
  const signup = signupState(operations, access);
  const app = new Hono();
  app.get("/", async (c) => {
    c.header("Vary", "Accept"); // The explorer sends a page to browsers.
    return c.json(toHomeJson({ ...(await readStatus(await createContext())), access, signup }));
  });
  for (const [path, asset] of Object.entries(texts)) app.get(path, (c) => sendAsset(c, asset));
  const hasSignup = signup === "open";
  mountReference(app, { document, operations, access, hasSignup, hasExplorer, publicUrl });
  mountGraphiql(app, hasExplorer);
  mountSignup(app, { state: signup, hasExplorer, publicUrl });
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
    indexedBlock: chain?.indexed.blockNumber ?? 0,
  };
}
