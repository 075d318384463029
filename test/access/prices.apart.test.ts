import type { Hono } from "hono";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { nameOf } from "../../src/api/server/http/endpoint.ts";
import { beginFeed } from "../query/tables.ts";
import { type Example, examples, itemsIn } from "../support/examples.ts";
import { type Wired, wireService } from "./wired.ts";

type Price =
  | "each query"
  | "each question"
  | "free"
  | "free, with proof"
  | "free, of a key"
  | 1
  | "each item"
  | "each call";

/** `GET /whois/{name}` as the router writes it. */
const routeOf = ({ operation }: Example): string =>
  nameOf(operation).replaceAll(/\{(\w+)\}/g, (_, name: string) => `:${name}`);

/**
 * The contract's rule, independent of declarations: statistics and the index's state are free, a
 * request on many items costs a credit for each, and every other request costs one.
 */
function ruleFor({ operation: { group, method } }: Example): Price {
  if (group === "Statistics" || group === "System") return "free";
  return method === "post" ? "each item" : 1;
}

/**
 * What each route costs: `free` asks for nothing, `free, with proof` for a signed message or a
 * key, `free, of a key` belongs to a key, a number is that many credits, `each item` is a credit
 * for each item of the body, `each call` what the operation behind the tool costs, `each query` a
 * credit for each 1,000 entities, `each question` what the operations of a page cost. A route that
 * is neither an operation nor listed here must not exist.
 */
const prices: Record<string, Price> = {
  ...Object.fromEntries(examples.map((example) => [routeOf(example), ruleFor(example)])),
  "GET /": "free",
  "GET /explore/assets/explorer.css": "free",
  "GET /explore/assets/explorer.js": "free",
  "GET /explore/assets/live.js": "free",
  "GET /explore/assets/icon.svg": "free",
  "GET /explore/assets/statistics.css": "free",
  "GET /explore/assets/statistics.js": "free",
  "GET /explore/assets/uplot.js": "free",
  "GET /explore/assets/watch.js": "free",
  "GET /explore/statistics": "free",
  "GET /explore/statistics/:file": "free",
  "GET /explore/status": "free",
  "GET /explore/go": "each question",
  "GET /explore/name/:name": "each question",
  "GET /explore/address/:address": "each question",
  "GET /explore/address/:address/names.csv": "each question",
  "GET /explore/hash/:hash": "each question",
  "GET /explore/search": "each question",
  "GET /explore/drops": "each question",
  "GET /explore/drops.csv": "each question",
  "GET /explore/drops.ics": "each question",
  "GET /explore/drops.atom": "each question",
  "GET /explore/key": "free",
  "POST /explore/key": "free",
  "GET /avatar/:name": "free",
  "GET /explore/watch": "each question",
  "GET /explore/watch.ics": "each question",
  "GET /explore/watch.atom": "each question",
  "GET /explore/agents": "each question",
  "GET /explore/agents/:id": "each question",
  "GET /docs": "free",
  "GET /docs/:operation": "free",
  "GET /docs/shapes/:shape": "free",
  "GET /docs/explorer.css": "free",
  "GET /docs/explorer.js": "free",
  "GET /docs/icon.svg": "free",
  "GET /docs/reference.js": "free",
  "GET /docs/reference.css": "free",
  // Its first minute. Each further one costs as much.
  "GET /changes/stream": 1,
  "GET /subgraph": "free",
  "GET /subgraph/": "free",
  "GET /subgraph/graphiql.js": "free",
  "GET /subgraph/graphiql.css": "free",
  "GET /subgraph/react.js": "free",
  "GET /subgraph/react-dom.js": "free",
  "GET /subgraph/page.js": "free",
  "GET /subgraph/page.css": "free",
  "GET /subgraph/house.css": "free",
  "GET /openapi.json": "free",
  "GET /llms.txt": "free",
  "GET /llms-full.txt": "free",
  "POST /mcp": "each call",
  ...Object.fromEntries(
    ["/subgraph", "/subgraphs/id/:id", "/subgraphs/name/:name", "/subgraphs/name/:owner/:name"].flatMap(
      (path) => [
        ...[path, `${path}/`].map((one) => [`POST ${one}`, "each query"]),
        ...(path === "/subgraph"
          ? []
          : [path, `${path}/`].map((one) => [`POST /:apiKey${one}`, "each query"])),
      ],
    ),
  ),
  // A delivery costs a credit once it has arrived.
  ...Object.fromEntries(
    ["GET /webhooks", "POST /webhooks", "POST /webhooks/:id/replay", "GET /webhooks/:id/deliveries"].map(
      (route) => [route, "free, of a key"],
    ),
  ),
  "GET /webhooks/:id": "free, of a key",
  "PATCH /webhooks/:id": "free, of a key",
  "DELETE /webhooks/:id": "free, of a key",
  "POST /webhooks/:id/test": 1,
  "GET /signup": "free",
  "GET /signup/signup.js": "free",
  "GET /signup/signup.css": "free",
  "POST /signup/nonce": "free",
  "POST /signup": "free, with proof",
  "GET /signup/usage": "free, with proof",
};

const ITEMS = 3;
const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const hash = `0x${"11".repeat(32)}`;

/**
 * Valid requests of routes that are not operations: their parameters, and what follows the path.
 */
const values: Record<string, string> = {
  name: "alice.eth",
  address,
  hash,
  id: "7",
  operation: "get_whois_by_name",
  shape: "AsOf",
  file: "states.csv",
  owner: "ensdomains",
  apiKey: "ens_none",
};
const queries: Record<string, string> = {
  "GET /explore/go": "?q=%C3%9Cn%20%E2%98%83.eth",
  "GET /explore/watch": "?names=alice.eth",
  "GET /explore/watch.ics": "?names=alice.eth",
  "GET /explore/watch.atom": "?names=alice.eth",
  "POST /webhooks/:id/replay": "?after=oldest",
};
/** Asks for up to 1,000 names and 10 below each. */
const graphql = { query: "{ domains(first: 1000) { subdomains(first: 10) { id } } }" };
const bodies: Record<string, unknown> = {
  "POST /signup/nonce": { address },
  "POST /webhooks": { url: "https://receiver.example.org/" },
  "PATCH /webhooks/:id": {},
  "POST /mcp": toolCall("get_primary_names", { addresses: Array(ITEMS).fill(address) }),
};

type Question = { path: string; body?: unknown };

const ofOperations = new Map<string, Example>(examples.map((example) => [routeOf(example), example]));

/** A valid request of a route: that of the operation's examples if it is an operation. */
function questionOf(route: string): Question {
  const [, path = ""] = route.split(" ");
  const isQuery = prices[route] === "each query";
  const filled = path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? "");
  return (
    ofOperations.get(route) ?? {
      path: `${filled}${queries[route] ?? ""}`,
      body: isQuery ? graphql : bodies[route],
    }
  );
}

function toolCall(name: string, input: unknown) {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } };
}

let wired: Wired;
let app: Hono;
/** A key that cannot pay: the refusal tells what a request would have cost. */
let poorKey: string;
/** A key that can pay for the plan of a query, which tells what the query costs. */
let planKey: string;

beforeAll(async () => {
  wired = await wireService({ ACCESS: "metered" });
  app = wired.app;
  await beginFeed(wired.tables);
  const made = await wired.keys.create({ label: "poor", owner: null, credits: 0, reason: "for a test" });
  poorKey = made.key;
  const plans = await wired.keys.create({ label: "plans", owner: null, credits: 1, reason: "for a test" });
  planKey = plans.key;
});
afterAll(() => wired?.close());

/** Every route except catch-alls (middleware, the answer to unknown paths). */
const routesOf = (of: Hono): string[] => [
  ...new Set(
    of.routes.map(({ method, path }) => `${method} ${path}`).filter((route) => !route.includes("*")),
  ),
];

test("every route is an operation or in the table under both prefixes, and there are no others", () => {
  const listed = Object.keys(prices);
  const twice = listed.flatMap((route) => [route, route.replace(" /", " /api/").replace(/api\/$/, "api")]);
  expect(routesOf(app).sort()).toEqual([...twice, "GET /api/"].sort());
});

/** Sends a request to a route with a key. */
function ask(route: string, key: string, given?: unknown): Response | Promise<Response> {
  const { path, body: usual } = questionOf(route);
  const body = given ?? usual;
  const type = route === "POST /explore/key" ? "application/x-www-form-urlencoded" : "application/json";
  const headers = { "X-API-Key": key, "Content-Type": type };
  return app.request(path, {
    method: route.split(" ")[0] ?? "",
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
}

/** The status and text of the answer to a request whose key cannot pay. */
async function refused(route: string, key = poorKey): Promise<[number, string]> {
  const reply = await ask(route, key);
  return [reply.status, await reply.text()];
}

const routesAt = (price: Price): string[] => Object.keys(prices).filter((route) => prices[route] === price);

test.each(routesAt("free"))("%s is free", async (route) => {
  const { status, headers } = await ask(route, "wrong");
  // A form leads back to its page, and one page is at the path without a slash.
  expect(status).toBe({ "POST /explore/key": 303, "GET /subgraph/": 308 }[route] ?? 200);
  for (const header of ["ratelimit", "x-credits-remaining"]) expect(headers.get(header)).toBeNull();
});

/** A message signed by a wallet for sign-up. */
async function signed() {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const reply = await ask("POST /signup/nonce", "wrong", { address: wallet.address });
  const { message } = (await reply.json()) as { message: string };
  return { message, signature: await wallet.signMessage({ message }) };
}

test.each(routesAt("free, with proof"))("%s is free with a signed message or a key", async (route) => {
  const { status, headers } = await ask(
    route,
    poorKey,
    route === "POST /signup" ? await signed() : undefined,
  );
  expect(status).toBe(200);
  for (const header of ["ratelimit", "x-credits-remaining"]) expect(headers.get(header)).toBeNull();
});

test.each(routesAt("free, of a key"))("%s costs a key nothing", async (route) => {
  const reply = await ask(route, poorKey);
  // This service has no WEBHOOK_SECRET_KEY.
  expect([reply.status, await reply.text()]).toEqual([404, expect.stringContaining("NOT_OFFERED")]);
  for (const header of ["ratelimit", "x-credits-remaining"]) expect(reply.headers.get(header)).toBeNull();
});

test.each(routesAt(1))("%s costs a credit", async (route) => {
  expect(await refused(route)).toEqual([402, expect.stringContaining("this request costs 1.")]);
});

test.each(routesAt("each question"))(
  "%s costs what it asks for, and reports an empty balance",
  async (route) => {
    const [status, text] = await refused(route);
    expect([status, text]).toEqual([402, expect.stringContaining("this request costs 1.")]);
    expect(text).toContain("Your requests are used up");
  },
);

test.each(routesAt("each query"))("%s costs a credit for each 1,000 entities requested", async (route) => {
  expect(await refused(route)).toEqual([402, expect.stringContaining("this request costs 1.")]);
  const priced = [402, expect.stringContaining("The key has 1 credit left and this request costs 11.")];
  for (let time = 0; time < 2; time++) expect(await refused(route, planKey)).toEqual(priced);
});

test("a query's key may also be a bearer token or in the path, as for hosted subgraphs", async () => {
  const post = (path: string, headers: Record<string, string> = {}) =>
    app.request(path, { method: "POST", headers, body: JSON.stringify(graphql) });
  for (const reply of [
    await post("/subgraphs/id/5XqPm", { Authorization: `Bearer ${planKey}` }),
    await post(`/api/${planKey}/subgraphs/id/5XqPm`),
  ]) {
    expect(reply.status).toBe(402);
    expect(await reply.json()).toEqual({
      errors: [{ message: expect.stringContaining("this request costs 11.") }],
    });
  }
  const wrong = await post("/api/0123456789abcdef/subgraphs/id/5XqPm");
  expect(wrong.status).toBe(401);
  const withoutKey = await Promise.all(
    ["/subgraphs/id/5XqPm", "/api/subgraphs/id/5XqPm"].map((path) => post(path)),
  );
  expect(withoutKey[1]?.status).toBe(withoutKey[0]?.status);
});

test.each(routesAt("each item"))("%s costs a credit for each item", async (route) => {
  const { body = {} } = ofOperations.get(route) as Example;
  const threeTimes = Object.fromEntries(
    Object.entries(itemsIn(body)).map(([name, items]) => [name, Array(3).fill(items).flat()]),
  );
  const items = Object.values(threeTimes).flat().length;
  expect(items).toBeGreaterThan(2);
  const reply = await ask(route, poorKey, { ...body, ...threeTimes });
  expect([reply.status, await reply.text()]).toEqual([
    402,
    expect.stringContaining(`this request costs ${items}.`),
  ]);
});

test.each(routesAt("each call"))(
  "%s costs what the tool costs, and listing the tools is free",
  async (route) => {
    expect(await refused(route)).toEqual([200, expect.stringContaining(`this request costs ${ITEMS}.`)]);
    const free = await ask(route, "wrong", toolCall("get_statistics", {}));
    expect(await free.text()).not.toContain("INVALID_API_KEY");
    const tools = await ask(route, "wrong", { jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(await tools.text()).toContain("whois_bulk");
  },
);

test.each(["/changes?after=oldest", "/changes?after=bbbbbbbbbbbb-1&resync=true", "/changes/stream"])(
  "%s refuses a wrong key before it reads the feed",
  async (path) => {
    const reply = await wired.app.request(path, { headers: { "x-api-key": "wrong" } });
    expect([reply.status, await reply.text()]).toEqual([401, expect.stringContaining("INVALID_API_KEY")]);
  },
);
