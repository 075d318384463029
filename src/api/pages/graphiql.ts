import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Hono } from "hono";
import { toAsset } from "../http/asset.ts";
import { bar, barStyle } from "./bar.ts";
import { mountFiles, SCRIPT, SHEET } from "./files.ts";
import { sendPage } from "./html.ts";

const require = createRequire(import.meta.url);

/** GraphiQL and React are dependencies, and served from here, so that the page needs no other host. */
const fileOf = (library: string, file: string): Buffer =>
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

const style = `
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; }
main { flex: 1; min-height: 0; }
main noscript { font: 15px/1.4 system-ui, sans-serif; padding: 1.25rem; display: block; }
${barStyle}`;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Namedex: the subgraph's queries</title>
<link rel="icon" href="docs/icon.svg">
<link rel="stylesheet" href="subgraph/graphiql.css">
<link rel="stylesheet" href="subgraph/page.css">
</head>
<body>
${bar({ About: "./", Reference: "docs" })}
<main id="graphiql"><noscript>This page needs JavaScript. Without it, send queries by POST to this address.</noscript></main>
<script src="subgraph/react.js"></script>
<script src="subgraph/react-dom.js"></script>
<script src="subgraph/graphiql.js"></script>
<script src="subgraph/page.js"></script>
</body>
</html>
`;

/** Serves GraphiQL at `GET /subgraph`, where queries are sent by POST. */
export function mountGraphiql(app: Hono): void {
  app.get("/subgraph", (c) => sendPage(c, page, "graphiql"));
  mountFiles(app, "/subgraph", {
    "graphiql.js": () => toAsset(fileOf("graphiql", "graphiql.min.js"), SCRIPT),
    "graphiql.css": () => toAsset(fileOf("graphiql", "graphiql.min.css"), SHEET),
    "react.js": () => toAsset(fileOf("react", "umd/react.production.min.js"), SCRIPT),
    "react-dom.js": () => toAsset(fileOf("react-dom", "umd/react-dom.production.min.js"), SCRIPT),
    "page.js": () => toAsset(start, SCRIPT),
    "page.css": () => toAsset(style, SHEET),
  });
}
