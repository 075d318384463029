// Also runs as: long
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { catalogue } from "../../src/api/features/mcp/catalogue.ts";
import { toolViewsOf } from "../../src/api/server/http/endpoint.ts";
import { operations } from "../support/operations.ts";
import { isLong } from "../support/size.ts";
import { answerIn, withoutAdded } from "./brief.ts";
import { type AnyClient, clients } from "./clients.ts";
import { pairs } from "./questions.ts";
import { carol, openScene, type Scene } from "./scene.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

const names = Object.keys(catalogue);

const overHttp = (path: string, body?: unknown) =>
  body === undefined ? scene.api.get(path) : scene.api.post(path, body);

test("every tool has operations, and each of several has a view of its own", () => {
  const told = operations.flatMap(toolViewsOf);
  expect([...new Set(told.map(({ name }) => name))].sort()).toEqual([...names].sort());
  const views = told.map(({ name, view }) => `${name}: ${view}`);
  expect(new Set(views).size).toBe(views.length);
  const several = names.filter((one) => told.filter(({ name }) => name === one).length > 1);
  expect(told.filter(({ name, view }) => several.includes(name) === (view === null))).toEqual([]);
  for (const [name, { usual }] of Object.entries(catalogue)) {
    if (usual !== undefined) expect(views).toContain(`${name}: ${usual}`);
  }
});

const kinds = Object.entries(clients).map(([kind, connect], number) => ({ kind, connect, number }));

describe.each(kinds)("$kind", ({ kind, connect, number }) => {
  /** In `npm test` the clients share the questions. */
  const asked = pairs.filter((_, i) => isLong() || i % kinds.length === number);

  let client: AnyClient;
  beforeAll(async () => {
    client = await connect(`${scene.url}/mcp`);
    await client.tools();
  });
  afterAll(() => client.close());

  test("negotiates its own revision of the protocol", () => {
    expect(client.version()).toBe(kind.includes("discovery") ? "2026-07-28" : "2025-11-25");
  });

  test("learns once what all tools share", () => {
    expect(client.instructions()).toContain("untrusted");
    expect(client.instructions()).toContain("isError");
  });

  test("lists the tools, each with what an agent needs", async () => {
    const tools = await client.tools();
    expect(tools.map(({ name }) => name)).toEqual(names);
    for (const { name, description = "", inputSchema, annotations } of tools) {
      expect(description, name).toMatch(/^Use it/);
      expect(description, name).toMatch(/Price: .*(credit|free)/);
      expect(description, name).toContain("Untrusted content");
      expect(inputSchema, name).toMatchObject({ type: "object", additionalProperties: false });
      expect(annotations, name).toEqual({ readOnlyHint: true });
    }
  });

  test.each(asked)("%s %j answers as HTTP does", async (tool, args, path, body) => {
    const { status, body: expected } = await overHttp(path, body);
    expect(status).toBe(200);
    const result = await client.call(tool, args);
    expect(result.isError ?? false, result.content[0]?.text).toBe(false);
    expect(expected).toMatchObject(withoutAdded(answerIn(result)) as object);
    expect([result.content.length, result]).toEqual([
      1,
      expect.not.objectContaining({ structuredContent: expect.anything() }),
    ]);
  });

  test("gives the portfolio of an address whose primary name cannot be determined, and says so", async () => {
    expect((await overHttp(`/address/${carol}/summary`)).status).toBe(502);
    const result = await client.call("get_address_portfolio", {
      address: carol,
      view: "summary",
    });
    expect(answerIn(result)).toMatchObject({ domain_count: 0, unresolved: [{ part: "primary_name" }] });
    expect(answerIn(result)).not.toHaveProperty("primary_name");
  });

  test("reads the documents and the prompts", async () => {
    const uris = (await client.resources()).map(({ uri }) => uri);
    expect(uris).toEqual(["namedex://docs/states", "namedex://docs/trust"]);
    expect(await client.read("namedex://docs/states")).toMatch(/grace.*90 days[\s\S]*unindexed[\s\S]*live/);
    expect(await client.read("namedex://docs/trust")).toMatch(/claim[\s\S]*untrusted[\s\S]*\*\*Sources/);
    expect((await client.prompts()).map(({ name }) => name)).toEqual(["explain_name", "review_portfolio"]);
    expect(await client.prompt("explain_name", { name: 'a".eth' })).toContain('"a\\".eth"');
  });
});

test("the tools are under /api too", async () => {
  for (const connect of Object.values(clients)) {
    const client = await connect(`${scene.url}/api/mcp`);
    expect((await client.tools()).length).toBe(names.length);
    await client.close();
  }
});
