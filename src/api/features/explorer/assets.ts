import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Asset, toAsset } from "../../server/http/asset.ts";

const require = createRequire(import.meta.url);

const types = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
} as const;

/** A file that the browser loads unchanged. */
function fromBrowserFolder(name: string, type: keyof typeof types): [string, Asset] {
  const file = `${name}.${type}`;
  return [file, toAsset(readFileSync(new URL(`./browser/${file}`, import.meta.url)), types[type])];
}

/** uPlot for the whole window, as a module: its own module is not minified, and three times as large. */
const uplot = `${readFileSync(require.resolve("uplot/dist/uPlot.iife.min.js"), "utf8")}\nexport default uPlot;\n`;

/** Style sheets, scripts and pictures of the pages, by their name in `explore/assets/`. */
export const assets: Record<string, Asset> = Object.fromEntries([
  fromBrowserFolder("explorer", "css"),
  fromBrowserFolder("explorer", "js"),
  fromBrowserFolder("live", "js"),
  fromBrowserFolder("statistics", "css"),
  fromBrowserFolder("statistics", "js"),
  ["uplot.js", toAsset(uplot, types.js)],
  fromBrowserFolder("watch", "js"),
  fromBrowserFolder("icon", "svg"),
]);

/** Where a page finds a file. The version makes a browser load a changed file at once. */
export function assetUrl(file: string): string {
  const version = assets[file]?.etag.slice(1, 9);
  return `explore/assets/${file}?v=${version}`;
}
