import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A recorded request. */
export type Asked = { method: string; path: string; headers: IncomingMessage["headers"]; body: string };

/** An answer of the front itself; `silent`: it never answers; `broken`: it ends the connection. */
export type FrontAnswer =
  | { status: number; headers?: Record<string, string>; body?: string }
  | "silent"
  | "broken";

/** A server that records each request, and gives its own answer or that of the server behind it. */
export type Front = {
  url: string;
  asked: Asked[];
  /** Own answers to the next requests, in order. */
  next: (FrontAnswer | Promise<FrontAnswer>)[];
  /** How many requests were ended by their callers before the answer. */
  left: () => number;
  close: () => Promise<void>;
};

/** Opens a front; without a server behind it, it gives only its own answers. */
export async function openFront(behind?: string): Promise<Front> {
  const asked: Asked[] = [];
  const next: Front["next"] = [];
  let left = 0;
  const server = createServer(async (request, response) => {
    const { method = "", url: path = "", headers } = request;
    const body = await text(request);
    asked.push({ method, path, headers, body });
    response.once("close", () => {
      if (!response.writableFinished) left++;
    });
    const own = await next.shift();
    if (own === "silent") return;
    if (own === "broken") {
      request.socket.destroy();
      return;
    }
    const reply = own ? new Response(own.body ?? "", own) : await forward({ method, path, headers, body });
    response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(await reply.text());
  });
  const forward = ({ method, path, headers, body }: Asked) =>
    fetch(`${behind}${path}`, {
      method,
      headers: { "content-type": headers["content-type"] ?? "" },
      ...(method === "POST" && { body }),
    });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    next,
    left: () => left,
    close,
  };
}

/** An error of the API as an answer of the front. */
export const errorAnswer = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
): FrontAnswer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ error: { code, message: `This is ${code}.` } }),
});
