import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** What the operator reads at one path. */
export type OperatorPage = { status?: number; type: string; text: string };

/** By path, as it is written: nothing is decoded. A page that is null does not exist. */
export type OperatorPages = Readonly<Record<string, () => Promise<OperatorPage | null>>>;

export type OperatorServer = {
  /** Rejects if the port cannot be used. */
  listening: Promise<void>;
  stop: () => Promise<void>;
};

/** Prometheus reads within milliseconds; a slower client is not Prometheus. */
const PATIENCE_MS = 10_000;
const MAX_CONNECTIONS = 50;

export const metricsPage = (text: string): OperatorPage => ({
  type: "text/plain; version=0.0.4; charset=utf-8",
  text,
});

/**
 * Answers at a port of its own what only the operator may read: metrics, and addresses of machines. No route of it is a
 * route of the port that callers reach, so no spelling of a path leads from there to here.
 */
export function startOperatorServer(
  { host, port }: { host: string; port: number },
  { pages, onError }: { pages: OperatorPages; onError: (error: unknown) => void },
): OperatorServer {
  const server = createServer((request, response) => {
    answer(pages, request)
      .catch((error: unknown) => {
        onError(error);
        return { status: 500, type: "text/plain", text: "This page could not be made; the log says why.\n" };
      })
      .then((page) => send(request, response, page));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.headersTimeout = PATIENCE_MS;
  server.requestTimeout = PATIENCE_MS;
  server.timeout = PATIENCE_MS;
  server.unref(); // A process ends although a reader could still ask.
  const listening = new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { listening, stop };
}

async function answer(pages: OperatorPages, { method, url = "" }: IncomingMessage): Promise<OperatorPage> {
  if (method !== "GET" && method !== "HEAD") {
    return { status: 405, type: "text/plain", text: "Only GET and HEAD are possible here.\n" };
  }
  const path = url.split("?", 1)[0] ?? "";
  const page = Object.hasOwn(pages, path) ? await pages[path]?.() : null;
  return page ?? { status: 404, type: "text/plain", text: `Here are ${Object.keys(pages).join(", ")}.\n` };
}

function send({ method }: IncomingMessage, response: ServerResponse, page: OperatorPage): void {
  response.writeHead(page.status ?? 200, {
    "Content-Type": page.type,
    "Content-Length": Buffer.byteLength(page.text),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
  });
  response.end(method === "HEAD" ? undefined : page.text);
}
