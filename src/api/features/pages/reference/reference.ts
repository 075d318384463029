import type { Context, Hono } from "hono";
import { ApiError } from "../../../server/errors/errors.ts";
import { type Endpoint, nameOf } from "../../../server/http/endpoint.ts";
import type { AccessMode } from "../../../server/http/openapi.ts";
import type { OpenApiDocument } from "../../../server/http/routes.ts";
import { assets } from "../../explorer/assets.ts";
import { type Listed, listOperations, shapesOf } from "../described.ts";
import { fromBrowserFolder, mountFiles, SCRIPT, SHEET } from "../files.ts";
import { type FramedPage, framed } from "../frame.tsx";
import type { Offers } from "../home.ts";
import { sendPage } from "../html.ts";
import { ORIGIN } from "./examples.ts";
import { referenceIndex, shapePage } from "./indexPage.tsx";
import { operationPage } from "./operationPage.tsx";

export type ReferencePlan = {
  document: OpenApiDocument;
  operations: readonly Endpoint[];
  access: AccessMode;
  hasSignup: boolean;
  offers: Offers;
  /** Where callers reach the service, for examples; without one the address of the request. */
  publicUrl: string | undefined;
};

/** Serves the reference at /docs: a page for each operation and each shape, made from the document at its first request. */
export function mountReference(app: Hono, plan: ReferencePlan): void {
  mountFiles(app, "/docs", {
    ...Object.fromEntries(
      ["explorer.css", "explorer.js", "icon.svg"].map((file) => [file, () => assetOf(file)]),
    ),
    "reference.css": () => fromBrowserFolder("reference.css", SHEET),
    "reference.js": () => fromBrowserFolder("reference.js", SCRIPT),
  });
  const pages = new Map(Object.entries(pagesOf(plan)));
  const ready = new Map<string, Promise<string>>();
  const answer = async (c: Context, path: string) => {
    const make = pages.get(path);
    if (make === undefined)
      throw new ApiError("NOT_FOUND", "The reference has no page at this address; see /docs.");
    const html = ready.get(path) ?? framed(make(), plan.offers.explorer);
    ready.set(path, html);
    const origin = plan.publicUrl ?? new URL(c.req.url).origin;
    return sendPage(
      c,
      (await html).replaceAll(ORIGIN, () => origin),
    );
  };
  app.get("/docs", (c) => answer(c, "docs"));
  app.get("/docs/:operation", (c) => answer(c, `docs/${c.req.param("operation")}`));
  app.get("/docs/shapes/:shape", (c) => answer(c, `docs/shapes/${c.req.param("shape")}`));
}

function assetOf(file: string) {
  const asset = assets[file];
  if (asset === undefined) throw new Error(`Invariant(files of the explorer): no ${file}`);
  return asset;
}

/** Every page of the reference by its path, from the root of the service. */
function pagesOf(plan: ReferencePlan): Record<string, () => FramedPage> {
  const { document } = plan;
  const shapes = Object.keys(shapesOf(document));
  return {
    docs: () => referenceIndex(plan),
    ...Object.fromEntries(shapes.map((name) => [`docs/shapes/${name}`, () => shapePage(document, name)])),
    ...Object.fromEntries(
      listOperations(document).map((listed) => [
        `docs/${listed.operation.operationId}`,
        () => operationPage(partsOf(plan, listed)),
      ]),
    ),
  };
}

function partsOf({ operations, access, offers }: ReferencePlan, listed: Listed) {
  const name = `${listed.method} ${listed.path}`;
  const endpoint = operations.find((one) => nameOf(one) === name);
  if (endpoint === undefined) throw new Error(`Invariant(operations of the document): no ${name}`);
  return { listed, endpoint, isMetered: access === "metered", hasMcp: offers.mcp };
}
