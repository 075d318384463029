import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What an indexer reports at `/indexing-status`, as far as a gateway needs it. */
export type Claim = {
  ready?: boolean;
  reason?: string | null;
  network?: string;
  block?: number;
  lag?: number;
  database?: "reachable" | "unreachable";
  running?: boolean;
  /** The node's newest block, or null if the node does not answer. */
  head?: number | null;
};

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An indexer that misbehaves on command. Real ones cannot be made to break off mid-word. */
export type Upstream = {
  url: string;
  /** Method and path of every request except those for its state. */
  requests: string[];
  claim: Claim;
  /** Waits for this before reporting its state. */
  beforeClaim: () => Promise<void>;
  handle: Handler;
  /** Ends it like a crash. */
  kill: () => Promise<void>;
  start: () => Promise<void>;
};

export async function startUpstream(handle: Handler, claim: Claim = {}): Promise<Upstream> {
  let server: Server;
  let port = 0;
  const upstream: Upstream = {
    url: "",
    requests: [],
    claim,
    handle,
    beforeClaim: async () => {},
    start: async () => {
      server = createServer((request, response) => void answer(upstream, request, response));
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject).listen(port, "127.0.0.1", resolve);
      });
      port = (server.address() as AddressInfo).port;
      upstream.url = `http://127.0.0.1:${port}`;
    },
    kill: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await upstream.start();
  return upstream;
}

async function answer(upstream: Upstream, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === "/indexing-status") {
    await upstream.beforeClaim();
    const { ready = true, reason = null, network = "devnet", block = 100, lag = 0 } = upstream.claim;
    const { database = "reachable", running = true, head = block } = upstream.claim;
    const isKnown = database === "reachable"; // Its tables cannot be read, and it has just started.
    const chains = isKnown
      ? [{ indexed_block_number: block, lag_seconds: lag, head_block_number: head }]
      : [];
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ready, reason, network, database, running, chains }));
    return;
  }
  upstream.requests.push(`${request.method} ${request.url}`);
  upstream.handle(request, response);
}

/** Answers with its own name. */
export const says =
  (word: string): Handler =>
  (request, response) => {
    request.resume();
    request.on("end", () => response.end(JSON.stringify({ word })));
  };
