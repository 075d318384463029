import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { createHub, type Hub } from "../../src/api/features/feed/stream/hub.ts";
import { createStreamPlaces } from "../../src/api/features/feed/stream/places.ts";
import { streamRoutes } from "../../src/api/features/feed/stream/routes.ts";
import { type Access, openAccess } from "../../src/api/server/access/access.ts";
import { endSlowReaders } from "../../src/api/server/http/slowClients.ts";
import { contracts } from "../query/rows.ts";
import type { Play } from "./histories.ts";

/** Serves a feed's streams over HTTP. */
export type StreamServer = {
  url: string;
  port: number;
  server: Server;
  hub: Hub;
  /** Number of open streams. */
  count: () => number;
  close: () => Promise<void>;
};

type Plan = {
  play: Play;
  patience: { pauseMs: number; wholeMs: number };
  most: { all: number; caller: number };
  access?: Pick<Access, "admit">;
  requireReadyIndex?: () => Promise<void>;
};

export async function openStreamServer({
  play,
  patience,
  most,
  access = openAccess,
  requireReadyIndex = async () => {},
}: Plan): Promise<StreamServer> {
  const { db } = play.tables;
  const hub = createHub({ db, everyMs: 50, onError: console.error });
  const places = createStreamPlaces(most.all, most.caller);
  const app = new Hono();
  app.use(endSlowReaders(patience));
  app.route(
    "/",
    streamRoutes({
      db,
      contracts,
      hub,
      places,
      access,
      requireReadyIndex,
      callerOf: () => ({ address: "::1", header: () => undefined }),
      shareOf: () => "one",
      times: { silentMs: 300, paidMs: 600 },
    }),
  );
  const server = serve({ fetch: app.fetch, port: 0 }) as Server;
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    server,
    hub,
    count: places.count,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await hub.stop();
    },
  };
}

/** A stream being read. `text` has everything received. */
export async function openStream(
  url: string,
  {
    headers = {},
    controller = new AbortController(),
  }: { headers?: Record<string, string>; controller?: AbortController } = {},
) {
  const reply = await fetch(url, { headers, signal: controller.signal });
  const stream = { reply, text: "", isOver: false, leave: () => controller.abort() };
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of reply.body ?? []) stream.text += decoder.decode(chunk as Uint8Array);
  })()
    .catch(() => {})
    .finally(() => (stream.isOver = true));
  return stream;
}

export const typesIn = (text: string): string[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => (JSON.parse(data) as { type: string }).type);
