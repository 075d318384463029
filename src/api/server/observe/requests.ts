import type { Context, MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import type { Log } from "./log.ts";
import type { Meters } from "./meters.ts";

/** Which requests get a line in the log. */
export type RequestLog = "all" | "failed" | "none";

/** Where requests are counted and logged. */
export type RequestObserver = { meters: Meters; log: Log; requestLog: RequestLog };

/** Measures every request, and gives it a log that names it by its id (`X-Request-Id`; a caller may send a plain word). */
export function observeRequests({ meters, log, requestLog }: RequestObserver): MiddlewareHandler {
  return async (c, next) => {
    const startedAt = performance.now();
    let child: Log | undefined;
    const own = () => {
      child ??= log.child({ request_id: c.get("requestId") });
      return child;
    };
    c.set("log", { error: (what: { error: unknown }, message: string) => own().error(what, message) });
    await next();
    const seconds = (performance.now() - startedAt) / 1_000;
    const { status } = c.res;
    const operation = routeOf(c);
    meters.requests.observe({ operation, status }, seconds);
    if (requestLog === "none" || (requestLog === "failed" && status < 500)) return;
    own()[levelOf(status)]({ operation, status, ms: Math.round(seconds * 10_000) / 10 }, "request");
  };
}

/** Only 500 is a fault of ours. What a stranger's contract does, and an index that is late, can be 502 and 503. */
const levelOf = (status: number): "error" | "warn" | "info" => {
  if (status < 500) return "info";
  return status === 500 ? "error" : "warn";
};

/** The declared route, without `/api`. Paths as sent would give endless metrics. */
function routeOf(c: Context): string {
  const route = matchedRoutes(c).findLast(({ path }) => !path.endsWith("*"));
  if (route === undefined) return "none";
  const method = c.req.method === "HEAD" ? "GET" : c.req.method;
  const path = route.path.replace(/^\/api(?=\/|$)/, "").replaceAll(/:(\w+)(\{[^}]*\})?/g, "{$1}") || "/";
  return `${method} ${path}`;
}
