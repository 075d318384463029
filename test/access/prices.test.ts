import type { Hono } from "hono";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Wired, wireService } from "./wired.ts";

type Price = "each question" | "free" | "free, with proof" | 1 | "each item" | "each call";

/**
 * What each route costs: `free` asks for nothing, `free, with proof` for a signed message or a key, a number is that
 * many credits, `each item` is a credit for each item of the body, `each call` what the operation behind the tool costs, `each question` what the operations of a page cost. A route that is not in here must not exist.
 */
const prices: Record<string, Price> = {
  "GET /": "free",
  "GET /explore/assets/explorer.css": "free",
  "GET /explore/assets/explorer.js": "free",
  "GET /explore/assets/icon.svg": "free",
  "GET /explore/assets/statistics.css": "free",
  "GET /explore/assets/statistics.js": "free",
  "GET /explore/assets/uplot.js": "free",
  "GET /explore/statistics": "free",
  "GET /explore/statistics/:file": "free",
  "GET /explore/status": "free",
  "GET /explore/go": "each question",
  "GET /explore/name/:name": "each question",
  "GET /explore/address/:address": "each question",
  "GET /explore/address/:address/names.csv": "each question",
  "GET /explore/hash/:hash": "each question",
  "GET /explore/search": "each question",
  "GET /explore/agents": "each question",
  "GET /explore/agents/:id": "each question",
  "GET /docs": "free",
  "GET /docs/swagger-ui-bundle.js": "free",
  "GET /docs/swagger-ui.css": "free",
  "GET /docs/favicon.png": "free",
  "GET /docs/reference.js": "free",
  "GET /docs/reference.css": "free",
  "GET /openapi.json": "free",
  "GET /llms.txt": "free",
  "GET /llms-full.txt": "free",
  "GET /index-metrics": "free",
  "GET /stats": "free",
  "GET /pending-stats": "free",
  "GET /indexing-status": "free",
  "GET /ens-stats": "free",
  "GET /ens-stats/registrations": "free",
  "GET /ens-stats/distribution": "free",
  "GET /ens-stats/primary-names": "free",
  "GET /ens-stats/recent-activity": "free",
  "GET /ens-stats/purchases": "free",
  "GET /ens-stats/sellers": "free",
  "GET /ens-stats/states": "free",
  "GET /ens-stats/expiries": "free",
  "GET /ens-stats/holders": "free",
  "GET /domain/:name/expiry.ics": 1,
  "GET /address/:address/expiries.ics": 1,
  "GET /whois/:name": 1,
  "POST /whois/bulk": "each item",
  "GET /search-domains": 1,
  "GET /domain/:name/events": 1,
  "GET /domain/:name/subdomains": 1,
  "GET /domain/:name/registration-history": 1,
  "GET /domain/:name/ownership-history": 1,
  "GET /domain/:name/resolver-history": 1,
  "GET /domain/:name/records": 1,
  "GET /domain/:name/records/text/:key": 1,
  "GET /domain/:name/records/text/:key/history": 1,
  "GET /domain/:name/agent": 1,
  "GET /lookup-hash/:hash": 1,
  "GET /lookup-namehash/:hash": 1,
  "GET /lookup-labelhash/:hash": 1,
  "GET /address/:address/domains": 1,
  "GET /address/:address/domain-count": 1,
  "GET /address/:address/primary-name": 1,
  "GET /address/:address/summary": 1,
  "GET /address/:address/previous-domains": 1,
  "POST /address/primary-names/bulk": "each item",
  "GET /agents": 1,
  "GET /agents/:agentId": 1,
  "POST /mcp": "each call",
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
const values: Record<string, string> = {
  name: "alice.eth",
  address,
  hash,
  key: "url",
  agentId: "7",
  id: "7",
  file: "states.csv",
};
const queries: Record<string, string> = { "GET /search-domains": "?q=alice", "GET /explore/go": "?q=7" };
const bodies: Record<string, unknown> = {
  "POST /whois/bulk": { names: Array(ITEMS - 1).fill("alice.eth"), namehashes: [hash] },
  "POST /address/primary-names/bulk": { addresses: Array(ITEMS).fill(address) },
  "POST /signup/nonce": { address },
  "POST /mcp": toolCall("get_primary_names", { addresses: Array(ITEMS).fill(address) }),
};

function toolCall(name: string, input: unknown) {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } };
}

let wired: Wired;
let app: Hono;
/** A key that can pay for nothing: the refusal tells what a request would have cost. */
let poorKey: string;

beforeAll(async () => {
  wired = await wireService({ ACCESS: "metered" });
  app = wired.app;
  const made = await wired.keys.create({ label: "poor", owner: null, credits: 0, reason: "for a test" });
  poorKey = made.key;
});
afterAll(() => wired?.close());

/** Every route but those that stand for all paths (middleware, the answer to unknown paths). */
const routesOf = (of: Hono): string[] => [
  ...new Set(
    of.routes.map(({ method, path }) => `${method} ${path}`).filter((route) => !route.includes("*")),
  ),
];

test("every route is in the table, under both prefixes, and the table has no other", () => {
  const listed = Object.keys(prices);
  const twice = listed.flatMap((route) => [route, route.replace(" /", " /api/").replace(/\/$/, "")]);
  expect(routesOf(app).sort()).toEqual(twice.sort());
});

/** A good request of a route, with a key. */
function ask(route: string, key: string, given = bodies[route]): Response | Promise<Response> {
  const [method = "", path = ""] = route.split(" ");
  const url = path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? "") + (queries[route] ?? "");
  const body = given === undefined ? null : JSON.stringify(given);
  const headers = { "X-API-Key": key, "Content-Type": "application/json" };
  return app.request(url, { method, headers, body });
}

/** The answer to a request whose key can pay for nothing: its status, and its text. */
async function refused(route: string): Promise<[number, string]> {
  const reply = await ask(route, poorKey);
  return [reply.status, await reply.text()];
}

const routesAt = (price: Price): string[] => Object.keys(prices).filter((route) => prices[route] === price);

test.each(routesAt("free"))("%s is free", async (route) => {
  const { status, headers } = await ask(route, "wrong");
  expect(status).toBe(200);
  for (const header of ["ratelimit", "x-credits-remaining"]) expect(headers.get(header)).toBeNull();
});

/** A message that a wallet signed for sign-up. */
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

test.each(routesAt(1))("%s costs a credit", async (route) => {
  expect(await refused(route)).toEqual([402, expect.stringContaining("this request costs 1.")]);
});

test.each(routesAt("each question"))(
  "%s costs what it asks, and says that nothing is left",
  async (route) => {
    const [status, text] = await refused(route);
    expect([status, text]).toEqual([402, expect.stringContaining("this request costs 1.")]);
    expect(text).toContain("Your requests are used up");
  },
);

test.each(routesAt("each item"))("%s costs a credit for each item", async (route) => {
  expect(await refused(route)).toEqual([402, expect.stringContaining(`this request costs ${ITEMS}.`)]);
});

test.each(routesAt("each call"))(
  "%s costs what the tool costs; to ask which there are is free",
  async (route) => {
    expect(await refused(route)).toEqual([200, expect.stringContaining(`this request costs ${ITEMS}.`)]);
    const free = await ask(route, "wrong", toolCall("get_statistics", {}));
    expect(await free.text()).not.toContain("INVALID_API_KEY");
    const tools = await ask(route, "wrong", { jsonrpc: "2.0", id: 1, method: "tools/list" });
    expect(await tools.text()).toContain("whois_bulk");
  },
);
