import { domain } from "ponder:schema";
import type { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readSettings } from "../../settings/settings.ts";
import type { Feature } from "../../src/api/core/feature.ts";
import { operations as coreOperations } from "../../src/api/names/endpoints/index.ts";
import { type Wired, wireService } from "../access/wired.ts";
import { account, registeredRow, STATIC_RESOLVER } from "../query/rows.ts";
import { examples } from "../support/examples.ts";

/* The core with every feature switched off, and each feature by itself on top of the core. */

const switches = ["EXPLORER", "AVATARS", "MCP", "SUBGRAPH", "FEED", "WEBHOOKS"] as const;
const allOf = (value: "on" | "off") => Object.fromEntries(switches.map((name) => [name, value]));

let wired: Wired;
let features: readonly Feature[];
let serveOnly: (names: readonly string[]) => Promise<Hono>;
beforeAll(async () => {
  wired = await wireService(allOf("off"));
  const row = registeredRow("alice.eth", account(0xa11ce), 1_800_100_000n, { resolver: STATIC_RESOLVER });
  await wired.tables.writer.insert(domain).values([row]);
  ({ features } = await import("../../src/api/features.ts"));
  const { createCore } = await import("../../src/api/core/core.ts");
  const { settingsWith } = await import("../../src/api/core/feature.ts");
  const { serve } = await import("../../src/api/core/serve.ts");
  serveOnly = async (names) => {
    const listed = features.filter(({ name }) => names.includes(name));
    const settings = settingsWith(listed, readSettings({ ...process.env, ...allOf("on") }));
    return serve(await createCore(settings, wired.tables.db), listed);
  };
});
afterAll(() => wired?.close());

const ask = async (app: Hono, { path, body }: { path: string; body?: unknown }) => {
  const request = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const reply = await app.request(path, body === undefined ? {} : request);
  return { status: reply.status, text: await reply.text() };
};

describe("without any feature", () => {
  test("every operation of the core answers as it does beside all features", async () => {
    const whole = await serveOnly(features.map(({ name }) => name));
    const own = examples.filter(({ operation }) => coreOperations.includes(operation));
    expect(own.length).toBe(coreOperations.length);
    for (const example of own) {
      const beside = await ask(whole, example);
      // People are led to a page of the explorer where there is one.
      const text = beside.text.replaceAll("explore/name/", "whois/");
      expect([example.path, await ask(wired.app, example)]).toEqual([example.path, { ...beside, text }]);
    }
  });

  test("the picture of a name is documented where there are pictures", async () => {
    const everything = features.map(({ name }) => name);
    const without = everything.filter((name) => name !== "avatars");
    for (const [names, isThere] of [[everything, true] as const, [without, false] as const]) {
      const app = await serveOnly(names);
      const document = JSON.parse((await ask(app, { path: "/openapi.json" })).text);
      const content = document.paths["/avatar/{name}"]?.get.responses["200"].content;
      expect(content && Object.keys(content)).toEqual(isThere ? ["image/*"] : undefined);
      expect((await ask(app, { path: "/llms.txt" })).text.includes("GET /avatar/{name}")).toBe(isThere);
    }
  });

  test("what a feature would answer is not offered", async () => {
    for (const path of [
      "/explore",
      "/explore/name/alice.eth",
      "/avatar/alice.eth",
      "/mcp",
      "/changes",
      "/changes/stream",
      "/subgraph",
      "/subgraph/graphiql.js",
      "/webhooks",
      "/webhooks/1/test",
      "/api/changes",
    ])
      expect([path, await ask(wired.app, { path })]).toMatchObject([
        path,
        { status: 404, text: expect.stringContaining('"NOT_OFFERED"') },
      ]);
  });

  test("the documentation names none of it", async () => {
    for (const path of ["/", "/openapi.json", "/llms.txt", "/docs"]) {
      const { text } = await ask(wired.app, { path });
      const named = text.match(
        /.{0,80}((?<!agent\.example)\/mcp|subgraph|\/webhooks|\/changes).{0,80}/i,
      )?.[0];
      expect([path, named]).toEqual([path, undefined]);
    }
  });

  test("no write of the index is noted for the feed", async () => {
    const triggers = "select tgname from pg_trigger where tgname like 'feed\\_%'";
    expect((await wired.tables.pool.query(triggers)).rows).toEqual([]);
  });
});

const html = { headers: { accept: "text/html" } };
const post = (body: unknown) => ({
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: JSON.stringify(body),
});

describe("features whose lines are removed, though their settings are on", () => {
  type Trace = [path: string, request: RequestInit, trace: string];
  const ofLinked: Trace[] = [
    ["/explore/name/alice.eth", html, '"avatar/'],
    ["/mcp", post({ jsonrpc: "2.0", id: 1, method: "tools/list" }), "/avatar/"],
    ["/", {}, "/subgraph"],
  ];
  const ofMcp: Trace[] = [["/", html, "/mcp"]];
  const ofExplorer: Trace[] = [
    ["/docs", html, "explore/status"],
    ["/domain/alice.eth/expiry.ics", {}, "explore"],
  ];
  test.each([
    [["avatars", "the subgraph"], ofLinked],
    [["MCP"], ofMcp],
    [["the explorer"], ofExplorer],
  ])("nothing leads to %j", async (removed, traces) => {
    const everything = features.map(({ name }) => name);
    const whole = await serveOnly(everything);
    const without = await serveOnly(everything.filter((name) => !removed.includes(name)));
    for (const [path, request, trace] of traces) {
      const [there, gone] = await Promise.all(
        [whole, without].map(async (app) => (await app.request(path, request)).text()),
      );
      expect([path, there?.includes(trace), gone?.includes(trace)]).toEqual([path, true, false]);
    }
  });
});

describe("each feature on top of the core alone", () => {
  test.each<[name: string, path: string, request: RequestInit, status: number, says: string]>([
    ["the explorer", "/explore/name/alice.eth", html, 200, "alice.eth"],
    ["avatars", "/avatar/alice.eth", {}, 200, "<svg"],
    ["the documentation", "/docs/get_whois_by_name", html, 200, "whois"],
    ["MCP", "/mcp", post({ jsonrpc: "2.0", id: 1, method: "tools/list" }), 200, "whois"],
    ["the feed of changes", "/changes?after=newest", {}, 503, "INDEX_NOT_READY"],
    ["the subgraph", "/subgraph", post({ query: "{ __schema { queryType { name } } }" }), 200, "Query"],
    ["webhooks", "/webhooks", {}, 404, "WEBHOOK_SECRET_KEY"],
  ])("%s answers %s", async (name, path, request, status, says) => {
    expect(features.map((one) => one.name)).toContain(name);
    const app = await serveOnly([name]);
    const reply = await app.request(path, request);
    const text = await reply.text();
    expect([reply.status, text]).toEqual([status, expect.stringContaining(says)]);
    expect((await ask(app, { path: "/whois/alice.eth" })).status).toBe(200);
  });
});
