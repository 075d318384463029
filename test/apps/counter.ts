import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as the API received it, and parameters that the API ignored. */
export type Counted = { method: string; path: string; status: number; ignored: string | null };

/** Stands between a screen and the API, and records every request. */
export type Counter = {
  /** Where a screen sends its requests. Requests of each screen are counted separately, even if made at once. */
  urlOf: (screen: string) => string;
  requestsOf: (screen: string) => readonly Counted[];
  close: () => Promise<void>;
};

const IGNORED = "x-ignored-parameters";

/** Starts a counter in front of an API. A path begins with the screen's id: `/M1/whois/alice.eth`. */
export async function startCounter(apiUrl: string): Promise<Counter> {
  const requests = new Map<string, Counted[]>();
  const server = createServer((request, response) => {
    const [, screen = "", path = "/"] = /^\/([A-Z]\d+)(\/.*)$/.exec(request.url ?? "") ?? [];
    const seen = requests.get(screen) ?? [];
    requests.set(screen, seen);
    forward(request, { response, url: `${apiUrl}${path}` }).then(
      (reply) => seen.push({ method: request.method ?? "", path, ...reply }),
      (error) => response.destroy(error),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as AddressInfo;
  return {
    urlOf: (screen) => `http://127.0.0.1:${port}/${screen}`,
    requestsOf: (screen) => requests.get(screen) ?? [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function forward(
  request: IncomingMessage,
  { response, url }: { response: ServerResponse; url: string },
): Promise<Pick<Counted, "status" | "ignored">> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = parts.length === 0 ? null : Buffer.concat(parts);
  const { method = "GET", headers } = request;
  const type = headers["content-type"];
  const reply = await fetch(url, {
    method,
    body,
    headers: type === undefined ? {} : { "content-type": type },
  });
  const answer = Buffer.from(await reply.arrayBuffer());
  response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "text/plain" });
  response.end(answer);
  return { status: reply.status, ignored: reply.headers.get(IGNORED) };
}
