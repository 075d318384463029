import { createHash } from "node:crypto";
import { type Context, Hono } from "hono";
import type { Caller } from "../../server/access/access.ts";
import { answerError } from "../../server/errors/errors.ts";
import type { Endpoint } from "../../server/http/endpoint.ts";
import type { ExecuteOperation } from "../../server/http/pipeline.ts";
import { readInput } from "../../server/http/readInput.ts";
import { drawingOf } from "../explorer/parts/identicon.tsx";
import type { Avatars, Found } from "./avatars.ts";
import { SHOWN_SECONDS } from "./bounds.ts";
import type { AvatarRecord } from "./findPicture.ts";

export type AvatarRoutesPlan = {
  avatars: Avatars;
  /** Answers a name by its avatar record and Ethereum address. It costs nothing. */
  record: Endpoint;
  executeOperation: ExecuteOperation;
  callerOf: (c: Context) => Caller;
  /** Among whose pictures a caller's count. */
  shareOf: (caller: Caller) => string;
};

/** The record of a name as the operation answers; without `is_known` it may have one that could not be found out. */
type Reply = { node: string; text: string | null; address: AvatarRecord["holder"]; is_known: boolean };

/**
 * `GET /avatar/{name}`: the picture of a name (ENSIP-12), or a drawing that follows from its address, or from its node where it
 * has none. A picture comes from this service: its host never learns who looks at it.
 */
export function avatarRoutes({
  avatars,
  record,
  executeOperation,
  callerOf,
  shareOf,
}: AvatarRoutesPlan): Hono {
  const app = new Hono();
  app.get("/avatar/:name", async (c) => {
    try {
      const caller = callerOf(c);
      const input = readInput(record, { name: c.req.param("name") });
      const { reply } = await executeOperation({ operation: record, input, caller });
      const { node, text, address, is_known: isKnown } = JSON.parse(reply) as Reply;
      const none = isKnown ? "none" : "unknown";
      const found = text === null ? none : await avatars.find({ text, holder: address }, shareOf(caller));
      return send(c, found, address ?? node);
    } catch (thrown) {
      return answerError(thrown, c);
    }
  });
  return app;
}

/** A picture that is opened by itself can do nothing: no script, no frame, no request. */
const POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";

const shown = `public, max-age=${SHOWN_SECONDS}`;

function send(c: Context, found: Found, drawn: string): Response {
  const [type, body] = typeof found === "string" ? drawing(drawn) : [found.type, found.content];
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  c.header("Content-Type", type);
  c.header("Content-Security-Policy", POLICY);
  c.header("Cross-Origin-Resource-Policy", "cross-origin");
  c.header("ETag", etag);
  c.header("Cache-Control", found === "busy" || found === "unknown" ? "no-store" : shown);
  if (c.req.header("if-none-match") === etag) return c.body(null, 304);
  return c.body(new Uint8Array(body));
}

function drawing(of: string): ["image/svg+xml", Uint8Array] {
  const { hue, path } = drawingOf(of);
  const fill = `hsl(${hue} 60% 50%)`;
  return [
    "image/svg+xml",
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 7 7" width="256" height="256"><path d="${path}" fill="${fill}"/></svg>`,
    ),
  ];
}
