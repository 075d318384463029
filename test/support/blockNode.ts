import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const hashOf = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`;

/** A node that knows blocks by their number, and nothing else: for programs that ask for the hash of a block. */
export async function startBlockNode(): Promise<{ url: string; close: () => void }> {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { id, params } = JSON.parse(text) as { id: number; params: [string] };
    const result = { hash: hashOf(Number(params[0])), timestamp: params[0] };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
