import { readFileSync } from "node:fs";
import type { Hono } from "hono";
import { type Asset, sendAsset, toAsset } from "../../server/http/asset.ts";

export const SCRIPT = "text/javascript; charset=utf-8";
export const SHEET = "text/css; charset=utf-8";

/** A file that the browser loads unchanged. */
export const fromBrowserFolder = (file: string, type: string): Asset =>
  toAsset(readFileSync(new URL(`./browser/${file}`, import.meta.url)), type);

/** Serves the files of a page below its path; each is read and compressed at its first request. */
export function mountFiles(app: Hono, page: string, files: Record<string, () => Asset>): void {
  const ready = new Map<string, Asset>();
  for (const [name, make] of Object.entries(files)) {
    app.get(`${page}/${name}`, (c) => {
      const asset = ready.get(name) ?? make();
      ready.set(name, asset);
      return sendAsset(c, asset);
    });
  }
}
