import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A JSON-RPC endpoint before another one, whose answers can be held back. */
export type SlowRpc = {
  url: string;
  /** Requests that were let through so far. */
  served: () => number;
  /** From now on everything passes. */
  release: () => void;
  close: () => Promise<void>;
};

/** Lets the first `allowed` requests pass to `target` and holds the others until they are released. */
export async function startSlowRpc(target: string, { allowed }: { allowed: number }): Promise<SlowRpc> {
  let served = 0;
  let isOpen = false;
  const waiting: (() => void)[] = [];
  const turn = () =>
    new Promise<void>((resolve) => {
      if (isOpen || served < allowed) resolve();
      else waiting.push(resolve);
    });
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await turn();
    served++;
    const answer = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: Buffer.concat(chunks),
    });
    response.setHeader("content-type", "application/json").end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const release = () => {
    isOpen = true;
    for (const resolve of waiting.splice(0)) resolve();
  };
  return {
    url: `http://127.0.0.1:${port}`,
    served: () => served,
    release,
    close: async () => {
      release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
