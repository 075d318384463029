import { gzipSync } from "node:zlib";
import type { Context } from "hono";
import { turnFor } from "../scheduling/turns.ts";
import { takesGzip } from "./compression.ts";
import { entityTagOf } from "./entityTag.ts";

/** A static file, kept in memory uncompressed and compressed: the script of the reference page has 1.7 MB. */
export type Asset = {
  body: Uint8Array<ArrayBuffer>;
  compressed: Uint8Array<ArrayBuffer>;
  etag: string;
  type: string;
};

/** Prepares a file for serving. */
export function toAsset(body: string | Uint8Array<ArrayBuffer>, type: string): Asset {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return { body: bytes, compressed: gzipSync(bytes), etag: entityTagOf(bytes), type };
}

const HOUR = 3_600;

/**
 * Sends the file, compressed if the client accepts that, or 304 if the client already has it. A large one has a turn of its own,
 * because a hundred callers may ask for it at once. Answers share its bytes.
 */
export async function sendAsset(c: Context, asset: Asset): Promise<Response> {
  c.header("Content-Type", asset.type);
  c.header("ETag", asset.etag);
  c.header("Cache-Control", `public, max-age=${HOUR}`);
  c.header("Vary", "Accept-Encoding");
  if (c.req.header("if-none-match") === asset.etag) return c.body(null, 304);
  const isCompressed = takesGzip(c);
  const bytes = isCompressed ? asset.compressed : asset.body;
  await turnFor(bytes.length);
  if (isCompressed) c.header("Content-Encoding", "gzip");
  return c.body(bytes);
}
