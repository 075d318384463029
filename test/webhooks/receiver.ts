import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A message as it arrived. */
export type Arrived = {
  path: string;
  headers: Record<string, string>;
  text: string;
  id: string;
  type: string;
  data: Record<string, unknown>;
};

/** A receiver on this machine that answers as each test says. */
export type Receiver = {
  url: string;
  port: number;
  arrived: Arrived[];
  /** Its response: 200 by default. */
  answer: (response: ServerResponse, message: Arrived) => void;
  close: () => void;
};

/** A response with the given status. */
export const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(code, headers).end("{}");

/** `host`: the address it listens on. With `0.0.0.0` it has each loopback address. */
export async function openReceiver(host = "127.0.0.1"): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const message = await read(request);
    receiver.arrived.push(message);
    receiver.answer(response, message);
  });
  server.listen(0, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    port,
    arrived: [],
    answer: status(200),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return receiver;
}

async function read(request: IncomingMessage): Promise<Arrived> {
  let text = "";
  for await (const chunk of request) text += chunk;
  const headers = request.headers as Record<string, string>;
  const { type, data } = JSON.parse(text) as Pick<Arrived, "type" | "data">;
  return { path: request.url ?? "", headers, text, id: headers["webhook-id"] ?? "", type, data };
}
