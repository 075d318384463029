import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Caller } from "./access.ts";
import { clientAddress, networkOf } from "./address.ts";

/** The caller of a request that came through this number of the operator's own proxies. */
export function callerBehind(trustedProxies: number): (c: Context) => Caller {
  return (c) => {
    const { incoming } = (c.env ?? {}) as Partial<HttpBindings>;
    const forwardedFor = c.req.header("x-forwarded-for");
    const connection = incoming?.socket.remoteAddress;
    const address = clientAddress({ forwardedFor, connection }, trustedProxies);
    return { address, header: (name) => c.req.header(name) };
  };
}

/**
 * Whose share of common resources a caller uses: that of its key, where keys are checked before anything is done; else
 * that of its network.
 */
export function shareOf({ address, header }: Caller, access: "open" | "metered"): string {
  const key = access === "metered" ? header("x-api-key") : undefined;
  return key === undefined ? networkOf(address) : `key ${key}`;
}

/**
 * Where people reach the service: at its first public URL, else at the host that the caller named, who gets the answer.
 * Nothing is decided by it.
 */
export function originFor(caller: Caller | undefined, [publicUrl]: readonly string[]): string | null {
  if (publicUrl !== undefined) return publicUrl;
  const named = `http://${caller?.header("host") ?? ""}`;
  return URL.canParse(named) ? new URL(named).origin : null;
}
