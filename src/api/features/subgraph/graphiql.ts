import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Hono } from "hono";
import { html } from "hono/html";
import { ApiError, errorResponse } from "../../server/errors/errors.ts";
import { toAsset } from "../../server/http/asset.ts";
import { assets } from "../explorer/assets.ts";
import { mountFiles, SCRIPT, SHEET } from "../pages/files.ts";
import { type FramedPage, framed } from "../pages/frame.tsx";
import { sendPage } from "../pages/html.ts";

const require = createRequire(import.meta.url);

/** GraphiQL and React are dependencies, and served from here, so that the page needs no other host. */
const fileOf = (library: string, file: string): Buffer<ArrayBuffer> =>
  readFileSync(join(dirname(require.resolve(`${library}/package.json`)), file));

const example = `# Namedex answers the queries of the ENS subgraph.
# Ctrl+Enter sends the one below; Ctrl+Space says what may stand at a place.
{
  _meta { block { number hash timestamp } }
  registrations(first: 5, orderBy: registrationDate, orderDirection: desc) {
    registrationDate
    expiryDate
    registrant { id }
    domain { name owner { id } resolver { texts coinTypes } }
  }
}
`;

/** A key, where one is needed, goes among the headers; it is not stored by the browser. */
const start = `window.addEventListener("load", () => {
  const url = new URL("subgraph", document.baseURI).href;
  ReactDOM.createRoot(document.getElementById("graphiql")).render(
    React.createElement(GraphiQL, {
      fetcher: GraphiQL.createFetcher({ url }),
      defaultQuery: ${JSON.stringify(example)},
      isHeadersEditorEnabled: true,
      shouldPersistHeaders: false,
    }),
  );
});
`;

/**
 * The style of the house around GraphiQL, which has one of its own: rules of ours for buttons and fields are not for it. Inside a
 * scope its root has another name.
 */
function houseStyle(): string {
  const rules = new TextDecoder().decode(assets["explorer.css"]?.body);
  return `@scope (:root) to (#graphiql) {\n${rules.replaceAll(/:root\b|^html(?= \{)/gm, ":scope")}\n}\n`;
}

const style = `
html, body { height: 100%; }
body { display: flex; flex-direction: column; margin: 0; }
body > main { flex: 1 0 32rem; position: relative; width: 100%; max-width: none; margin: 0; padding: 0; }
#graphiql { position: absolute; inset: 0; overflow: hidden; }
#graphiql noscript { display: block; padding: 1.25rem; font: 15px/1.4 system-ui, sans-serif; }
`;

const page: FramedPage = {
  title: "The subgraph's queries",
  description: "Write and send queries in the language of the ENS subgraph.",
  path: "subgraph",
  houseStyles: ["subgraph/house.css"],
  styles: ["subgraph/graphiql.css", "subgraph/page.css"],
  deferred: ["react.js", "react-dom.js", "graphiql.js", "page.js"].map((file) => `subgraph/${file}`),
  body: html`<h1 class="unseen">Queries of the ENS subgraph</h1>
<div id="graphiql"><noscript>This page needs JavaScript. Without it, send queries by POST to this address.</noscript></div>`,
};

/** Programs that send queries with GET ask for JSON, and not for HTML as browsers do. */
const wantsJson = (accept = ""): boolean => accept.includes("json") && !accept.includes("text/html");

/** Serves GraphiQL at `GET /subgraph`, where queries are sent by POST. */
export function mountGraphiql(app: Hono, hasExplorer: boolean): void {
  let text: Promise<string> | undefined;
  app.get("/subgraph", async (c) => {
    if (wantsJson(c.req.header("accept"))) {
      c.header("Allow", "POST, OPTIONS");
      return errorResponse(c, new ApiError("METHOD_NOT_ALLOWED", "Send queries to this path with POST."));
    }
    text ??= framed(page, hasExplorer);
    return sendPage(c, await text, "graphiql");
  });
  app.get("/subgraph/", (c) => c.redirect("../subgraph", 308));
  mountFiles(app, "/subgraph", {
    "graphiql.js": () => toAsset(fileOf("graphiql", "graphiql.min.js"), SCRIPT),
    "graphiql.css": () => toAsset(fileOf("graphiql", "graphiql.min.css"), SHEET),
    "react.js": () => toAsset(fileOf("react", "umd/react.production.min.js"), SCRIPT),
    "react-dom.js": () => toAsset(fileOf("react-dom", "umd/react-dom.production.min.js"), SCRIPT),
    "page.js": () => toAsset(start, SCRIPT),
    "house.css": () => toAsset(houseStyle(), SHEET),
    "page.css": () => toAsset(style, SHEET),
  });
}
