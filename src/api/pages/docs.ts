import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Hono } from "hono";
import { type Asset, sendAsset, toAsset } from "../http/asset.ts";
import { sendPage } from "./html.ts";

const require = createRequire(import.meta.url);

/** Swagger UI is a dependency and served from here, so that the page needs no other host. */
const fromSwagger = (file: string): Buffer => readFileSync(require.resolve(`swagger-ui-dist/${file}`));

const start = `window.addEventListener("load", () => {
  window.ui = SwaggerUIBundle({
    url: new URL("openapi.json", document.baseURI).href,
    dom_id: "#reference",
    deepLinking: true,
    validatorUrl: null,
    docExpansion: "list",
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
    tryItOutEnabled: true,
    requestSnippetsEnabled: true,
    syntaxHighlight: { activated: true, theme: "nord" },
  });
});
`;

const style = `
body { margin: 0; background: #fff; }
.bar { display: flex; flex-wrap: wrap; gap: 0.5rem 1.5rem; align-items: baseline; padding: 0.9rem 1.25rem;
  font: 15px/1.4 system-ui, sans-serif; background: #14213d; color: #fff; }
.bar strong { font-size: 1.1rem; margin-right: auto; }
.bar a { color: #cfe0ff; }
.bar a:focus-visible { outline: 2px solid #fff; outline-offset: 3px; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .opblock .opblock-summary-path { word-break: break-word; }
@media (max-width: 640px) {
  .bar strong { flex-basis: 100%; }
  .swagger-ui .wrapper { padding: 0 0.6rem; }
  .swagger-ui .opblock .opblock-summary-description { display: none; }
  .swagger-ui table.parameters, .swagger-ui table.parameters tbody, .swagger-ui table.parameters tr,
  .swagger-ui table.parameters td { display: block; width: auto; }
  .swagger-ui table.parameters thead { display: none; }
  .swagger-ui .parameters-col_description input[type=text], .swagger-ui .parameters-col_description select { max-width: 100%; }
}
`;

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Namedex: API reference</title>
<link rel="icon" href="docs/favicon.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/reference.css">
</head>
<body>
<header class="bar"><strong>Namedex</strong> <a href="/">About</a> <a href="openapi.json">openapi.json</a> <a href="llms.txt">llms.txt</a></header>
<main id="reference"><noscript><p>This page needs JavaScript; <a href="llms-full.txt">llms-full.txt</a> has the same as text.</p></noscript></main>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/reference.js"></script>
</body>
</html>
`;

const script = "text/javascript; charset=utf-8";
const sheet = "text/css; charset=utf-8";

/** The files of the reference page, each read and compressed at its first request. */
const files: Record<string, () => Asset> = {
  "swagger-ui-bundle.js": () => toAsset(fromSwagger("swagger-ui-bundle.js"), script),
  "swagger-ui.css": () => toAsset(fromSwagger("swagger-ui.css"), sheet),
  "favicon.png": () => toAsset(fromSwagger("favicon-32x32.png"), "image/png"),
  "reference.js": () => toAsset(start, script),
  "reference.css": () => toAsset(style, sheet),
};

/** Serves the interactive reference at /docs. */
export function mountDocs(app: Hono): void {
  const ready = new Map<string, Asset>();
  app.get("/docs", (c) => sendPage(c, page));
  for (const [name, make] of Object.entries(files)) {
    app.get(`/docs/${name}`, (c) => {
      const asset = ready.get(name) ?? make();
      ready.set(name, asset);
      return sendAsset(c, asset);
    });
  }
}
