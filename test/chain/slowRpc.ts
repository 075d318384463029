import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A JSON-RPC endpoint before another one, whose answers can be held back. */
export type SlowRpc = {
  url: string;
  /** Requests that were let through so far. */
  served: () => number;
  /** From now on requests of this method are held. */
  hold: (method: string) => void;
  /** From now on everything passes. */
  release: () => void;
  close: () => Promise<void>;
};

/** Lets the first `allowed` requests pass to `target`, all unless told, and holds the others until they are released. */
export async function startSlowRpc(
  target: string,
  { allowed = Number.POSITIVE_INFINITY } = {},
): Promise<SlowRpc> {
  let served = 0;
  let isHeld = (_method: string) => served >= allowed;
  const waiting: (() => void)[] = [];
  const turn = (method: string) =>
    new Promise<void>((resolve) => {
      if (isHeld(method)) waiting.push(resolve);
      else resolve();
    });
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    await turn((JSON.parse(body.toString()) as { method: string }).method);
    served++;
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
    served: () => served,
    release,
    hold: (method) => {
      isHeld = (asked) => asked === method;
    },
    close: async () => {
      release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
