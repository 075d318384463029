import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Hono } from "hono";
import { toAsset } from "../http/asset.ts";
import { bar, barStyle } from "./bar.ts";
import { mountFiles, SCRIPT, SHEET } from "./files.ts";
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
${barStyle}.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .opblock .opblock-summary-path { word-break: break-word; }
@media (max-width: 640px) {
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
${bar({ About: "/", "openapi.json": "openapi.json", "llms.txt": "llms.txt", GraphiQL: "subgraph" })}
<main id="reference"><noscript><p>This page needs JavaScript; <a href="llms-full.txt">llms-full.txt</a> has the same as text.</p></noscript></main>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/reference.js"></script>
</body>
</html>
`;

/** Serves the interactive reference at /docs. */
export function mountDocs(app: Hono): void {
  app.get("/docs", (c) => sendPage(c, page));
  mountFiles(app, "/docs", {
    "swagger-ui-bundle.js": () => toAsset(fromSwagger("swagger-ui-bundle.js"), SCRIPT),
    "swagger-ui.css": () => toAsset(fromSwagger("swagger-ui.css"), SHEET),
    "favicon.png": () => toAsset(fromSwagger("favicon-32x32.png"), "image/png"),
    "reference.js": () => toAsset(start, SCRIPT),
    "reference.css": () => toAsset(style, SHEET),
  });
}
