import { type Context, Hono } from "hono";
import { ApiError, toLoggedError } from "../../server/errors/errors.ts";
import { sendAsset } from "../../server/http/asset.ts";
import { assets } from "./assets.ts";
import { errorPage } from "./errorPage.tsx";
import { statusOf } from "./errorWords.ts";
import { keepKey, keyIn } from "./keyCookie.ts";
import { readForm, requireOwnPage } from "./keyForm.ts";
import type { ExplorerPage, Page } from "./page.ts";
import { MAX_SOUGHT } from "./pages/go.ts";
import { pages } from "./pages.ts";
import { pathIn, sendPage } from "./sendPage.ts";
import { beginVisit, type RecordedVisit, type Service } from "./visit.ts";

export type ExplorerPlan = Service & {
  /** Where callers reach the service, for canonical links; without one the address of the request. */
  publicUrl: string | undefined;
};

/** The pages for browsers, at `/` and `/explore`. They ask the operations, as programs do. */
export function createExplorer(plan: ExplorerPlan): Hono {
  const app = new Hono();
  for (const [file, asset] of Object.entries(assets)) {
    app.get(`/explore/assets/${file}`, (c) => sendAsset(c, asset));
  }
  for (const page of pages) {
    app.get(page.path, (c, next) => (page.path === "/" && !wantsHtml(c) ? next() : answer(c, page, plan)));
  }
  app.post("/explore/key", (c) => takeKey(c, plan));
  app.get("/explore/*", (c) => answer(c, nowhere, plan));
  return app;
}

/** A page of ours, from the root of the service. */
const OWN_PAGE = /^explore\/[^\\\s]*$/;

/** Lets the browser keep the key, and leads back to the page that asked for it. */
async function takeKey(c: Context, { publicUrl }: ExplorerPlan): Promise<Response> {
  requireOwnPage(c, publicUrl);
  const form = await readForm(c);
  keepKey(c, form.get("key") ?? "");
  // A path below the one of this request: it leads to no other host.
  const back = form.get("back") ?? "";
  const next = OWN_PAGE.test(back) ? back : "";
  return c.redirect(`../${next}`, 303);
}

const nowhere: ExplorerPage = {
  path: "/explore/*",
  render: async () => {
    throw new ApiError("NOT_FOUND", "The explorer has no page at this address.");
  },
};

/** Browsers name HTML in `Accept`; most programs accept anything, and get JSON. */
const wantsHtml = (c: Context): boolean => c.req.header("accept")?.includes("text/html") ?? false;

async function answer(c: Context, page: ExplorerPage, plan: ExplorerPlan): Promise<Response> {
  const recorded = beginVisit(c, plan);
  const made = await page.render(recorded.visit).catch((thrown) => toErrorPage(c, recorded, thrown));
  if (made instanceof Response) return made;
  const { asked, readNames } = recorded;
  const failed = asked.find(({ error }) => error !== null && statusOf(error) === made.status);
  if (failed?.error) passOn(c, failed.error);
  return sendPage(c, {
    page: made,
    asked,
    readNames,
    outside: plan.outside,
    suggests: plan.access === "open",
    status: await recorded.status,
    publicUrl: plan.publicUrl,
    compresses: plan.compresses ?? false,
  });
}

/** Of the answer's headers, only the time to retry is passed on. */
const PASSED_ON = ["Retry-After", "RateLimit", "RateLimit-Policy"];

function toErrorPage(c: Context, { asked }: RecordedVisit, thrown: unknown): Page {
  const isLogged = asked.some(({ error }) => error === thrown);
  const error = isLogged ? (thrown as ApiError) : toLoggedError(thrown, c);
  passOn(c, error);
  return errorPage(error, { typed: soughtIn(c), path: pathIn(c), hasKey: keyIn(c) !== undefined });
}

/** What a visitor looked for, so that a page of an error has it in its search box, to be mended there. */
const soughtIn = (c: Context): string | undefined =>
  (c.req.param("name") ?? c.req.param("address") ?? c.req.param("hash") ?? c.req.query("q"))?.slice(
    0,
    MAX_SOUGHT,
  );

function passOn(c: Context, { headers }: ApiError): void {
  for (const name of PASSED_ON) {
    const value = headers[name];
    if (value !== undefined) c.header(name, value);
  }
}
