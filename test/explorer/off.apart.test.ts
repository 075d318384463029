import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { domain } from "ponder:schema";
import { serve } from "@hono/node-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Wired, wireService } from "../access/wired.ts";
import { type GatewayProcess, startGateway } from "../gateway/gateway.ts";
import { account, registeredRow, STATIC_RESOLVER } from "../query/rows.ts";

/* `EXPLORER=off` and `AVATARS=off`: the API alone, asked directly and through the gateway. */

let wired: Wired;
let server: Server;
let gateway: GatewayProcess;
let urls: string[];

beforeAll(async () => {
  wired = await wireService({ EXPLORER: "off", AVATARS: "off", PUBLIC_URL: "https://names.example" });
  const row = registeredRow("alice.eth", account(0xa11ce), 1_800_100_000n, { resolver: STATIC_RESOLVER });
  await wired.tables.writer.insert(domain).values([row]);
  server = serve({ fetch: wired.app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  gateway = await startGateway([{ url }]);
  await gateway.until("synced");
  urls = [url, gateway.url];
});
afterAll(async () => {
  await gateway?.stop();
  server?.closeAllConnections();
  await new Promise((resolve) => server?.close(resolve));
  await wired?.close();
});

const asBrowser = { headers: { accept: "text/html" } };

test.each([
  "/explore",
  "/explore/name/alice.eth",
  "/explore/statistics",
  "/explore/status",
  "/explore/go?q=alice",
  "/explore/assets/explorer.css",
  "/avatar/alice.eth",
])("%s does not exist", async (path) => {
  for (const url of urls) {
    const reply = await fetch(`${url}${path}`, asBrowser);
    expect([reply.status, await reply.json()]).toMatchObject([404, { error: { code: "NOT_OFFERED" } }]);
  }
});

test("the first page is JSON for browsers too, and no answer names an explorer page", async () => {
  for (const url of urls) {
    const home = await fetch(`${url}/`, asBrowser);
    expect(await home.text()).not.toContain("explore");
    const calendar = await (await fetch(`${url}/domain/alice.eth/expiry.ics`)).text();
    expect(calendar.replaceAll("\r\n ", "")).toContain("https://names.example/whois/");
    expect(calendar).not.toContain("explore");
  }
});
