import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One JSON-RPC request that passed through. */
export type Recorded = {
  method: string;
  to: string | null;
  data: string | null;
  block: unknown;
  /** The first block of a range requested for logs. */
  fromBlock?: string;
  /** The number of the requested block. */
  number?: string;
};

/** What the proxy does instead of passing a request on. */
export type Fault =
  | { hang: true }
  | { close: true }
  /** Passes the request on and drops the node's answer. */
  | { deaf: true }
  | { status: number; body?: string }
  | { error: { code: number; message: string; data?: string } }
  | { result: unknown };

/** A proxy for a node that passes requests on, records them, and fails on command. */
export type RpcProxy = {
  url: string;
  recorded: Recorded[];
  /** Decides about each request. Undefined passes it on. */
  fault: (request: Recorded) => Fault | undefined;
  /** Stops listening, like a killed node. `start` begins again at the same port. */
  kill: () => Promise<void>;
  start: () => Promise<void>;
};

/** Starts a proxy in front of a node. */
export async function startRpcProxy(target: string): Promise<RpcProxy> {
  const proxy: RpcProxy = {
    url: "",
    recorded: [],
    fault: () => undefined,
    kill: async () => {},
    start: async () => {},
  };
  let server = createServer();
  let port = 0;
  proxy.start = async () => {
    server = createServer((request, response) => {
      pass(proxy, { target, request, response }).catch(() => response.destroy()); // The caller or the node disconnected.
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
    port = (server.address() as AddressInfo).port;
    proxy.url = `http://127.0.0.1:${port}`;
  };
  proxy.kill = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await proxy.start();
  return proxy;
}

type Call = { to?: string; data?: string; fromBlock?: string };
type Passing = { target: string; request: IncomingMessage; response: ServerResponse };

async function pass(proxy: RpcProxy, { target, request, response }: Passing): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const asked = JSON.parse(body) as { id: number; method: string; params?: unknown[] };
  const [call, block] = (asked.params ?? []) as [Call | undefined, unknown];
  const range = {
    ...(call?.fromBlock !== undefined && { fromBlock: call.fromBlock }),
    ...(asked.method === "eth_getBlockByNumber" && { number: String(call) }),
  };
  const record = { method: asked.method, to: call?.to ?? null, data: call?.data ?? null, block, ...range };
  proxy.recorded.push(record);
  const fault = proxy.fault(record);
  if (fault === undefined || "deaf" in fault) {
    const reply = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const text = await reply.text();
    return fault === undefined ? answer(response, 200, text) : void response.destroy();
  }
  if ("hang" in fault) return;
  if ("close" in fault) return void response.destroy();
  if ("status" in fault) return answer(response, fault.status, fault.body ?? "", "text/plain");
  answer(response, 200, JSON.stringify({ jsonrpc: "2.0", id: asked.id, ...fault }));
}

function answer(response: ServerResponse, status: number, body: string, type = "application/json"): void {
  response.writeHead(status, { "content-type": type });
  response.end(body);
}
