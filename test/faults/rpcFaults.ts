import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A way in which a node fails. */
export type RpcFault =
  | "drop"
  | "delay"
  | "truncate"
  | "reorder"
  | "status500"
  | "status429"
  | "error"
  | "noLogs"
  | "noBlock"
  | "staleHead";

/** A proxy of a node that fails in one way at a time, for a share of its requests. */
export type FaultyRpc = {
  url: string;
  /** From now on every `every`th eligible request fails this way; null heals. */
  set: (fault: RpcFault | null, every?: number) => void;
  /** How often each fault affected a request. */
  counts: Partial<Record<RpcFault, number>>;
  close: () => Promise<void>;
};

type Question = { id: number; method: string; params?: unknown[] };
type Answer = { result?: unknown };

const DELAY_MS = 1_500;
const blockMethods = ["eth_getBlockByNumber", "eth_getBlockByHash"];

const isNewest = ({ method, params }: Question) => method === blockMethods[0] && params?.[0] === "latest";

/** Requests that a fault can affect, with the node's answers; all requests by default. */
const canHit: Partial<Record<RpcFault, (question: Question, answer: Answer) => boolean>> = {
  reorder: ({ method }) => method === "eth_getLogs",
  noLogs: ({ method }, { result }) => method === "eth_getLogs" && Array.isArray(result) && result.length > 0,
  noBlock: ({ method }) => blockMethods.includes(method),
  staleHead: isNewest,
};

/** Starts a proxy of a node, healthy at first. */
export async function startFaultyRpc(target: string): Promise<FaultyRpc> {
  const state: { fault: RpcFault | null; every: number; asked: number; stale: unknown } = {
    fault: null,
    every: 1,
    asked: 0,
    stale: null,
  };
  const counts: FaultyRpc["counts"] = {};
  const chosen = (question: Question, answer: Answer): RpcFault | null => {
    const { fault } = state;
    if (fault === null || canHit[fault]?.(question, answer) === false) return null;
    if (state.asked++ % state.every !== 0) return null;
    counts[fault] = (counts[fault] ?? 0) + 1;
    return fault;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const question = JSON.parse(body) as Question;
    const text = await pass(target, body);
    const answer = JSON.parse(text) as Answer;
    const fault = chosen(question, answer);
    if (isNewest(question) && state.fault !== "staleHead") state.stale = answer.result;
    await reply(response, { fault, text, question, stale: state.stale });
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    set: (fault, every = 1) => Object.assign(state, { fault, every, asked: 0 }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function pass(target: string, body: string): Promise<string> {
  const headers = { "content-type": "application/json" };
  return (await fetch(target, { method: "POST", headers, body })).text();
}

type Reply = { fault: RpcFault | null; text: string; question: Question; stale: unknown };

async function reply(response: ServerResponse, { fault, text, question, stale }: Reply): Promise<void> {
  const send = (status: number, body: string) =>
    void response.writeHead(status, { "content-type": "application/json" }).end(body);
  const answer = (more: object) => send(200, JSON.stringify({ jsonrpc: "2.0", id: question.id, ...more }));
  const { result } = JSON.parse(text) as Answer;
  switch (fault) {
    case "drop":
      return void response.destroy();
    case "truncate":
      return send(200, text.slice(0, Math.floor(text.length / 2)));
    case "reorder":
      return answer({ result: Array.isArray(result) ? [...result].reverse() : result });
    case "status500":
      return send(500, "Internal Server Error");
    case "status429":
      return send(429, "Too Many Requests");
    case "error":
      return answer({ error: { code: -32603, message: "internal error" } });
    case "noLogs":
      return answer({ result: [] });
    case "noBlock":
      return answer({ result: null });
    case "staleHead":
      return answer({ result: stale ?? result });
    case "delay":
      await sleep(DELAY_MS);
      return send(200, text);
    case null:
      return send(200, text);
  }
}
