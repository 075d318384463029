import { Hono } from "hono";
import { sendAsset, toAsset } from "../../server/http/asset.ts";
import type { Ctx } from "../../server/http/context.ts";
import type { Endpoint } from "../../server/http/endpoint.ts";
import { type AccessMode, openApiDocument } from "../../server/http/openapi.ts";
import type { PriceOf } from "../../server/http/prices.ts";
import { type IndexStatus, type Offers, toHomeJson } from "./home.ts";
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
  /** Which features are there, to which pages lead. */
  offers: Offers;
  /** Where callers reach the service, for examples; without one the address of the request. */
  publicUrl: string | undefined;
};

/** Routes other than operations: the first page, documentation. They also answer while the index is built. */
export function createPages({
  operations,
  createContext,
  access,
  priceOf,
  offers,
  publicUrl,
}: PagesPlan): Hono {
  const document = openApiDocument(operations, access, priceOf);
  document.info.description += linesFor(offers);
  const texts = {
    "/openapi.json": toAsset(JSON.stringify(document), "application/json; charset=utf-8"),
    "/llms.txt": toAsset(toLlms(document), "text/plain; charset=utf-8"),
    "/llms-full.txt": toAsset(toLlmsFull(document), "text/plain; charset=utf-8"),
  };
  const signup = signupState(operations, access);
  const app = new Hono();
  app.get("/", async (c) => {
    c.header("Vary", "Accept"); // The explorer sends a page to browsers.
    return c.json(toHomeJson({ ...(await readStatus(await createContext())), access, signup, offers }));
  });
  for (const [path, asset] of Object.entries(texts)) app.get(path, (c) => sendAsset(c, asset));
  const hasSignup = signup === "open";
  const hasExplorer = offers.explorer;
  mountReference(app, { document, operations, access, hasSignup, offers, publicUrl });
  mountSignup(app, { state: signup, hasExplorer, publicUrl });
  return app;
}

/** What the document says of interfaces that are not operations. */
function linesFor({ mcp, subgraph }: Offers): string {
  const lines = [
    mcp && "**Agents** have the same as tools over MCP (streamable HTTP) at `/mcp`.",
    subgraph &&
      "**GraphQL.** Programs written for the ENS subgraph have its schema and query language at `POST /subgraph`.",
  ];
  return lines.flatMap((line) => (line ? [`\n- ${line}`] : [])).join("");
}

function signupState(operations: readonly Endpoint[], access: AccessMode): SignupState {
  if (access === "open") return "needless";
  return operations.some(({ path }) => path === "/signup") ? "open" : "closed";
}

async function readStatus({
  freshness,
  contracts,
}: Ctx): Promise<Omit<IndexStatus, "access" | "signup" | "offers">> {
  const { unfit, chains } = await freshness.report();
  const [chain] = chains;
  return {
    network: contracts.chainName(contracts.chainId),
    unfit,
    indexedBlock: chain?.indexed.blockNumber ?? 0,
  };
}
