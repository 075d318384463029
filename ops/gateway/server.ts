import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../../src/api/server/errors/errors.ts";
import { oneByOne } from "../../src/api/server/http/oneByOne.ts";
import {
  metricsPage,
  type OperatorPages,
  startOperatorServer,
} from "../../src/api/server/http/operatorServer.ts";
import { KEEP_ALIVE_MS } from "../../src/api/server/http/slowClients.ts";
import { refuseUnreadable } from "../../src/api/server/http/unreadable.ts";
import { answerOptions, refuseTunnel, send, sendError } from "./answers.ts";
import { createCallerShares, type Forwarding, forward } from "./forward.ts";
import { type Indexer, partsDown } from "./indexers.ts";
import { refuseMetrics, targetOf } from "./target.ts";

/** While stopping: how often idle connections are closed. */
const SWEEP_MS = 1_000;
/** A caller that sends headers or a body more slowly than this is cut off. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;

/** A gateway that listens. */
export type Gateway = {
  port: number;
  /** Stops: answers every request that arrived; new ones go elsewhere. */
  stop: () => Promise<void>;
};

/** What stands before a name in the paths of operations, which the gateway does not load. */
export const NAME_PREFIXES = ["/whois/", "/domain/"];

/** Starts to listen. @throws the error of a port that cannot be used */
export async function startServer(
  forwarding: Omit<Forwarding, "isStopping" | "shares" | "streams">,
): Promise<Gateway> {
  let isStopping = false;
  const shares = createCallerShares(forwarding.indexers, forwarding.settings);
  const running: Forwarding = { ...forwarding, shares, streams: new Set(), isStopping: () => isStopping };
  const answers = new WeakMap<Duplex, ServerResponse>();
  const answer = oneByOne((request, response) => {
    answers.set(request.socket, response);
    void handle(running, request, response);
  });
  // Without the header Host Node would answer by itself, not in our form.
  const server = createServer({ requireHostHeader: false }, answer);
  server.on("checkExpectation", answer);
  server.on("clientError", (error, socket) =>
    refuseUnreadable(error, socket, { before: answers.get(socket), namePrefixes: NAME_PREFIXES }),
  );
  server.on("connect", refuseTunnel);
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  const operators = startOperatorServer(forwarding.settings.metrics, {
    pages: operatorPages(running),
    onError: (error) => console.error("The gateway's metrics failed:", error),
  });
  await operators.listening;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(forwarding.settings.port, () => resolve());
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : forwarding.settings.port,
    stop: async () => {
      isStopping = true;
      await sleep(forwarding.settings.drainSeconds * 1_000);
      for (const stream of running.streams) stream.destroy(); // Their readers connect again, elsewhere.
      await close(server);
      await forwarding.indexers.stop();
      await operators.stop();
    },
  };
}

async function handle(
  running: Forwarding,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { metrics } = running;
  const began = performance.now();
  let indexer: Indexer | null = null;
  if (running.isStopping()) response.setHeader("Connection", "close");
  try {
    if (answerOptions(request, response)) return;
    request.url = targetOf(request);
    refuseMetrics(request.url);
    if (await answerOwn(running, request, response)) return;
    indexer = await forward(request, response, running);
  } catch (error) {
    if (response.headersSent || response.destroyed || request.errored) return;
    sendError(response, error);
  } finally {
    metrics.answered({ indexer, status: response.statusCode, seconds: (performance.now() - began) / 1_000 });
  }
}

/** The gateway's own paths. */
async function answerOwn(
  forwarding: Forwarding,
  { url = "", method }: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const path = url.split("?")[0];
  if (!path?.startsWith("/gateway/")) return false;
  if (method !== "GET" && method !== "HEAD") {
    throw new ApiError("METHOD_NOT_ALLOWED", `${method} is not allowed here; allowed: GET, HEAD.`, {
      headers: { Allow: "GET, HEAD" },
    });
  }
  if (path !== "/gateway/status") throw new ApiError("NOT_FOUND", "The gateway only serves /gateway/status.");
  send(response, statusOf(forwarding, describe));
  return true;
}

/** What the operator reads at a port of its own: here indexers have their addresses. */
const operatorPages = (forwarding: Forwarding): OperatorPages => ({
  "/gateway/status": async () => statusOf(forwarding, describeWithAddress),
  "/gateway/metrics": async () => metricsPage(await forwarding.metrics.text()),
});

function statusOf({ indexers, isStopping }: Forwarding, describeOne: (indexer: Indexer) => object) {
  const synced = indexers.all.filter(({ state }) => state === "synced").length;
  const isFit = synced > 0 && !isStopping();
  const status = { synced, stopping: isStopping(), indexers: indexers.all.map(describeOne) };
  return { status: isFit ? 200 : 503, type: "application/json", text: JSON.stringify(status) };
}

const describe = ({ state, claim, inFlight }: Indexer) => ({
  state,
  network: claim?.network ?? null,
  active: claim?.active ?? null,
  indexed_block_number: claim?.chains[0]?.indexed_block_number ?? null,
  lag_seconds: claim?.chains[0]?.lag_seconds ?? null,
  requests_in_flight: inFlight,
});

/** The reason may contain an address. */
const describeWithAddress = (indexer: Indexer) => ({
  url: indexer.url,
  why: indexer.why,
  down: partsDown(indexer.claim),
  ...describe(indexer),
});

const MAX_TURNS = 1_000;

/** Takes the connections that the system has accepted already: closing the listening socket would cut them. */
async function acceptWaiting(server: Server): Promise<void> {
  let accepted = 0;
  server.on("connection", () => accepted++);
  for (let turn = 0, before = -1; turn < MAX_TURNS && before !== accepted; turn++) {
    before = accepted;
    await nextTurn();
  }
}

/**
 * Accepts no more connections, and answers every request that has begun. Node's own close would also cut connections
 * whose request has arrived but is not read yet. Here clients were asked to close since the drain began, and connections
 * that stay silent after it are closed.
 */
async function close(server: Server): Promise<void> {
  await acceptWaiting(server);
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const timer = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  await closed;
  clearInterval(timer);
}
