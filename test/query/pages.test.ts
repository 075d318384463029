import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { domain } from "ponder:schema";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../src/api/endpoints/index.ts";
import { createTestPages } from "../support/app.ts";
import { openApi, type TestApi } from "./api.ts";
import { account, CHAIN_ID, registeredRow, STATIC_RESOLVER } from "./rows.ts";
import { createTables, setProgress, type Tables } from "./tables.ts";

const NOW = 1_800_000_000;
const PATIENCE_MS = 120_000;
let tables: Tables;
let api: TestApi;

beforeAll(async () => {
  tables = await createTables();
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

afterAll(() => tables.drop());

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

  test("is JSON for browsers too: the page for them is the explorer's", async () => {
    const reply = await api.app.request("/", asBrowser);
    expect(reply.headers.get("vary")).toContain("Accept");
    expect(await reply.json()).toMatchObject({ name: "Namedex" });
  });
});

describe("the documentation's files", () => {
  test("pages load nothing from elsewhere and run no inline script", async () => {
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
    "/subgraph/react-dom.js",
    "/docs/swagger-ui-bundle.js",
    "/docs/swagger-ui.css",
  ])("%s comes compressed, is known by its tag, and is the same under /api", async (path) => {
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

/** Debian's Chromium, or the one that CHROMIUM names. */
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
      ...{ executablePath: executablePath ?? "", args: ["--no-sandbox"], timeout: PATIENCE_MS },
    });
  });

  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
  });

  /** Opens a page and notes what it asked of other hosts, and what went wrong in it. */
  async function open(path: string, width: number): Promise<{ page: Page; faults: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
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

  test.each([
    ["desktop", 1_280],
    ["phone", 390],
  ])("reference and sign-up fit a %s, load nothing from elsewhere and raise no error", async (_, width) => {
    for (const path of ["/signup", "/docs", "/api/docs"]) {
      const { page, faults } = await open(path, width);
      expect(faults, path).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBe(width);
      await page.close();
    }
  });

  test.each([
    ["desktop", 1_280],
    ["phone", 390],
  ])("a call can be tried from the reference on a %s", async (_, width) => {
    const { page, faults } = await open("/docs", width);
    const operation = page.locator("#operations-Domains-get_whois_by_name");
    await operation.locator(".opblock-summary-control").click();
    await operation.locator("button.execute").click();
    const answer = operation.locator(".live-responses-table .response");
    await answer.waitFor();
    expect(await answer.textContent()).toContain('"availability_status": "registered"');
    expect(faults).toEqual([]);
    await page.close();
  });
});

/** Hands a request of Node's server to the application. */
async function answer({ app }: TestApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, String(value)] as [string, string],
  );
  const reply = await app.request(`http://${request.headers.host}${request.url}`, { headers });
  response.writeHead(reply.status, Object.fromEntries(reply.headers));
  response.end(Buffer.from(await reply.arrayBuffer()));
}
