// Also runs as: long
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { domain } from "ponder:schema";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toolsOf } from "../../src/api/features/mcp/tools.ts";
import { listOperations } from "../../src/api/features/pages/described.ts";
import { methodOf, toolCallOf } from "../../src/api/features/pages/reference/examples.ts";
import type { Endpoint } from "../../src/api/server/http/endpoint.ts";
import { openApiDocument } from "../../src/api/server/http/openapi.ts";
import { createTestPages } from "../support/app.ts";
import { exampleOf } from "../support/examples.ts";
import { operations } from "../support/operations.ts";
import { isLong } from "../support/size.ts";
import { openApi, type TestApi } from "./api.ts";
import { account, CHAIN_ID, registeredRow, STATIC_RESOLVER } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

const NOW = 1_800_000_000;

/** WCAG 2.2 AA rules, and what axe calls best practice. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const IS_TOO_WIDE = "document.documentElement.scrollWidth > window.innerWidth";

/** Pages of the reference: the first, those of methods and shapes, and the one for keys. */
const accessible = [
  "/docs",
  "/docs/get_search_domains",
  "/docs/post_whois_bulk",
  "/docs/shapes/Domain",
  "/signup",
];

/** Size limit for one page of the reference, in bytes. */
const MAX_PAGE = 60 * 1_024;

const document = openApiDocument(operations);
const paths = document.paths as Record<string, Record<string, { operationId: string }>>;
const idOf = ({ method, path }: Endpoint): string => paths[path]?.[method]?.operationId ?? "";
const PATIENCE_MS = 120_000;
const tables = useTables();
let api: TestApi;

beforeAll(async () => {
  api = openApi(tables, NOW, {
    pagesOf: (createContext) => createTestPages({ operations, createContext }),
  });
  await setProgress(tables, { chainId: CHAIN_ID, block: 22_764_821, time: NOW });
  await tables.writer
    .insert(domain)
    .values([
      registeredRow("alice.eth", account(0xa11ce), BigInt(NOW + 1_000), { resolver: STATIC_RESOLVER }),
    ]);
});

const asBrowser = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };

describe("GET /", () => {
  test("is JSON for programs", async () => {
    for (const path of ["/", "/api"]) {
      const { status, body } = await api.get(path);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        name: "Namedex",
        network: "devnet",
        index: { ready: true, block: 22_764_821 },
        mcp: "/mcp",
      });
      for (const link of [...Object.values(body.links as object), ...(body.examples as string[])]) {
        expect((await api.app.request(link)).status, link).toBe(200);
      }
    }
  });

  test("is JSON for browsers too: the page for browsers is the explorer's", async () => {
    const reply = await api.app.request("/", asBrowser);
    expect(reply.headers.get("vary")).toContain("Accept");
    expect(await reply.json()).toMatchObject({ name: "Namedex" });
  });
});

describe("the documentation's files", () => {
  test("pages load nothing from elsewhere and run no inline scripts", async () => {
    for (const path of ["/docs", "/signup", "/subgraph"]) {
      const reply = await api.app.request(path, asBrowser);
      const policy = reply.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toMatch(/https?:|\*/);
      expect(await reply.text()).not.toMatch(/(src|href)="(https?:)?\/\//);
    }
  });

  test.each([
    "/openapi.json",
    "/llms.txt",
    "/llms-full.txt",
    "/subgraph/graphiql.js",
    "/subgraph/graphiql.css",
    "/subgraph/house.css",
    "/subgraph/react-dom.js",
    "/docs/explorer.css",
    "/docs/reference.js",
  ])("%s is compressed, has a tag, and is the same under /api", async (path) => {
    const plain = await api.app.request(path);
    const body = Buffer.from(await plain.arrayBuffer());
    const packed = await api.app.request(`/api${path}`, { headers: { "accept-encoding": "gzip, br" } });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).equals(body)).toBe(true);
    const etag = plain.headers.get("etag") ?? "";
    const again = await api.app.request(path, { headers: { "if-none-match": etag } });
    expect([again.status, await again.text()]).toEqual([304, ""]);
  });
});

describe("the reference", () => {
  const pathsIn = (html: string): string[] => [
    ...new Set([...html.matchAll(/href="(docs\/[^"#.]+)"/g)].map(([, path]) => `/${path}`)),
  ];
  const read = async (path: string) => {
    const reply = await api.app.request(path, asBrowser);
    return { status: reply.status, html: await reply.text() };
  };

  test("has a page of at most 60 KB for each operation and each shape, and every link in it works", async () => {
    const index = await read("/docs");
    const left = [...pathsIn(index.html)];
    const seen = new Set<string>(left);
    expect(left.filter((path) => !path.startsWith("/docs/shapes")).length).toBe(operations.length);
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      const { status, html } = await read(path);
      expect([path, status, Buffer.byteLength(html) < MAX_PAGE]).toEqual([path, 200, true]);
      const others = pathsIn(html).filter((other) => !seen.has(other));
      for (const other of others) seen.add(other);
      left.push(...others);
    }
    expect(seen.size).toBeGreaterThan(operations.length + 20);
    expect((await read("/docs/nothing")).status).toBe(404);
    expect((await read("/docs/shapes/nothing")).status).toBe(404);
  });

  test("says what an operation takes, answers and refuses, with valid examples", async () => {
    for (const operation of operations) {
      const { path } = exampleOf(operation);
      const { html } = await read(`/docs/${idOf(operation)}`);
      expect(html).toContain(`<span class="mono">${operation.path.replaceAll("&", "&amp;")}</span>`);
      const query = Object.keys(operation.query.shape);
      for (const name of [...query, ...Object.keys(operation.body.shape)]) {
        expect([operation.path, name, html.includes(`<code>${name}</code>`)]).toEqual([
          operation.path,
          name,
          true,
        ]);
      }
      expect(html).toContain("RESPONSE_TOO_LARGE");
      if (operation.method === "get")
        expect([path, html.includes(`http://localhost${path.replaceAll("'", "&#39;")}`)]).toEqual([
          path,
          true,
        ]);
      expect(html).toContain(`namedex.${methodOf(idOf(operation))}(`);
      expect(html.includes("tools/call")).toBe(operation.tool !== undefined);
    }
  });

  test("example tool calls match what the tools accept", async () => {
    const tools = new Map(toolsOf(operations).map(({ definition }) => [definition.name, definition]));
    for (const listed of listOperations(document)) {
      const operation = operations.find((one) => idOf(one) === listed.operation.operationId) as Endpoint;
      const made = toolCallOf(operation, listed);
      if (made === null) continue;
      const { name, arguments: given } = JSON.parse(made.call).params;
      const properties = tools.get(name)?.inputSchema.properties ?? {};
      expect([name, Object.keys(given).filter((key) => !(key in properties))]).toEqual([name, []]);
      if (given.view !== undefined) expect(JSON.stringify(properties.view)).toContain(`"${given.view}"`);
    }
  });
});

/** Debian's Chromium, or the one given by CHROMIUM. */
const executablePath = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
]
  .filter((path) => path !== undefined)
  .find(existsSync);

if (executablePath === undefined) {
  console.warn(
    "\nNOT TESTED: the pages in a real browser, because no Chromium was found. Install it, or set CHROMIUM.\n",
  );
}

describe.runIf(executablePath)("in a real browser", () => {
  let server: Server;
  let browser: Browser;
  let origin: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      answer(api, request, response).catch(() => response.destroy());
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await chromium.launch({
      executablePath: executablePath ?? "",
      args: ["--no-sandbox"],
      timeout: PATIENCE_MS,
    });
  });

  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
  });

  /** Opens a page and records requests to other hosts and errors. */
  async function open(
    path: string,
    width: number,
    colorScheme: "light" | "dark" = "light",
  ): Promise<{ page: Page; faults: string[] }> {
    // The scheme is there from the start: axe would measure colours halfway through a change.
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    page.setDefaultTimeout(PATIENCE_MS);
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
    page.on("request", (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) faults.push(request.url());
    });
    await page.goto(`${origin}${path}`, { waitUntil: "networkidle" });
    return { page, faults };
  }

  const phone = ["phone", 390] as const;
  const widths = isLong() ? [["desktop", 1_280] as const, phone] : [phone];

  test.each(widths)(
    "reference and sign-up fit a %s, load nothing from elsewhere and raise no error",
    async (_, width) => {
      for (const path of ["/signup", "/docs", "/api/docs"]) {
        const { page, faults } = await open(path, width);
        expect(faults, path).toEqual([]);
        expect(await page.evaluate(IS_TOO_WIDE), path).toBe(false);
        await page.close();
      }
    },
  );

  test.each(widths)("a call can be tried from the reference on a %s", async (_, width) => {
    const { page, faults } = await open("/docs", width);
    await page.getByRole("link", { name: "Details of a name" }).click();
    await page.waitForURL(`${origin}/docs/get_whois_by_name`);
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.locator("#try-answer");
    await answer.waitFor();
    expect(await answer.textContent()).toContain('"availability_status": "registered"');
    expect(faults).toEqual([]);
    await page.close();
  });

  test.each([
    ["light", "desktop", 1_280],
    ["dark", "phone", 390],
  ] as const)("pages of the reference are accessible: %s, on a %s", async (colorScheme, screen, width) => {
    // `npm test` opens one page on each.
    const which = accessible.filter((_, i) => isLong() || i === (screen === "phone" ? 1 : 0));
    for (const path of which) {
      const { page, faults } = await open(path, width, colorScheme);
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate(
        `axe.run({ runOnly: ${JSON.stringify(RULES)} })`,
      )) as axe.AxeResults;
      expect([path, violations.map(({ id, nodes }) => [id, nodes[0]?.html])]).toEqual([path, []]);
      expect([path, await page.evaluate(IS_TOO_WIDE)]).toEqual([path, false]);
      expect([path, faults]).toEqual([path, []]);
      await page.close();
    }
  });
});

/** Passes a request of Node's server to the application. */
async function answer({ app }: TestApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  );
  const reply = await app.request(`http://${request.headers.host}${request.url}`, { headers });
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  response.end(Buffer.from(await reply.arrayBuffer()));
}

test.each([
  ["/docs", "./"],
  ["/docs/get_whois_by_name", "../"],
  ["/docs/shapes/Domain", "../../"],
])("%s leads to the root of the service by %s, also below a prefix", async (path, root) => {
  const reply = await api.app.request(path, { headers: { accept: "text/html" } });
  expect(await reply.text()).toContain(`<base href="${root}"/>`);
});
