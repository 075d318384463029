import type { ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";

/**
 * Aborted when the connection of a request ends, or its answer has. Hono tells a stream only if its reader leaves after the
 * answer has begun.
 */
export function leftSignal(c: Context): AbortSignal {
  const left = new AbortController();
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  const response = outgoing as ServerResponse | undefined;
  if (response?.destroyed) left.abort();
  response?.once("close", () => left.abort());
  return left.signal;
}
