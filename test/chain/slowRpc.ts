import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Call = { method: string; params?: { toBlock?: string }[] };

/** A JSON-RPC proxy whose answers can be held back. */
export type SlowRpc = {
  url: string;
  /** Requests held now. */
  held: () => number;
  /** Holds requests of this method from now on. */
  hold: (method: string) => void;
  /** Passes some of the held requests, in order. */
  pass: (count: number) => void;
  /** How many requests of a method came. */
  asked: (method: string) => number;
  /** Passes everything from now on. */
  release: () => void;
  close: () => Promise<void>;
};

/** Passes requests to `target`, but holds those for logs of blocks from `logsFrom` on until they are released. */
export async function startSlowRpc(
  target: string,
  { logsFrom = Number.POSITIVE_INFINITY } = {},
): Promise<SlowRpc> {
  let isHeld = ({ method, params }: Call) =>
    method === "eth_getLogs" && Number(params?.[0]?.toBlock) >= logsFrom;
  const waiting: (() => void)[] = [];
  const asked = new Map<string, number>();
  const turn = (call: Call, response: ServerResponse) =>
    new Promise<void>((resolve) => {
      if (!isHeld(call)) return resolve();
      waiting.push(resolve);
      // A caller that stopped waiting is skipped, so that it takes no other's place.
      response.on("close", () => {
        const place = waiting.indexOf(resolve);
        if (place >= 0) waiting.splice(place, 1);
      });
    });
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const call = JSON.parse(body.toString()) as Call;
    asked.set(call.method, (asked.get(call.method) ?? 0) + 1);
    await turn(call, response);
    const answer = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    response.setHeader("content-type", "application/json").end(Buffer.from(await answer.arrayBuffer()));
  };
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const release = () => {
    isHeld = () => false;
    for (const resolve of waiting.splice(0)) resolve();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    held: () => waiting.length,
    release,
    pass: (count) => {
      for (const resolve of waiting.splice(0, count)) resolve();
    },
    asked: (method) => asked.get(method) ?? 0,
    hold: (method) => {
      isHeld = (call) => call.method === method;
    },
    close: async () => {
      release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
