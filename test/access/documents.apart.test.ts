import { existsSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { Validator } from "@seriousme/openapi-schema-validator";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiDocument } from "../../src/api/server/http/openapi.ts";
import { operations } from "../support/operations.ts";
import { type Wired, wireService } from "./wired.ts";

let wired: Wired;
let server: Server;
let origin: string;

beforeAll(async () => {
  wired = await wireService({ ACCESS: "metered" });
  server = serve({ fetch: wired.app.fetch, port: 0, hostname: "127.0.0.1" }) as Server;
  if (!server.listening) await new Promise((resolve) => server.once("listening", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await wired?.close();
});

const textOf = async (path: string) => (await fetch(`${origin}${path}`)).text();

type Operation = { security?: unknown };
type Document = {
  info: { description: string };
  components: { securitySchemes?: Record<string, unknown> };
  paths: Record<string, Record<string, Operation>>;
};

describe("the documents of a metered service", () => {
  test("openapi.json says where a key goes, and which operations take one", async () => {
    const document = JSON.parse(await textOf("/openapi.json")) as Document;
    expect((await new Validator().validate(document)).errors ?? []).toEqual([]);
    expect(document.components.securitySchemes?.ApiKey).toMatchObject({
      type: "apiKey",
      in: "header",
      name: "X-API-Key",
    });
    for (const { method, path, cost } of operations) {
      // None requires one: the free requests remain.
      const expected = cost === 0 ? undefined : [{ ApiKey: [] }, {}];
      expect(document.paths[path]?.[method]?.security, path).toEqual(expected);
    }
  });

  test.each(["/llms.txt", "/llms-full.txt", "/", "/openapi.json"])(
    "%s mentions keys and limits",
    async (path) => {
      const text = await textOf(path);
      for (const word of ["X-API-Key", "5 requests a minute"]) expect(text).toContain(word);
    },
  );

  test("the first page tells it to people too", async () => {
    const page = await fetch(origin, { headers: { accept: "text/html" } });
    const text = await page.text();
    expect(text).toContain("X-API-Key");
    // Each suggestion would use one of the visitor's requests.
    expect(text).not.toContain("data-suggests");
  });
});

test("an open service asks for no key", () => {
  const document = JSON.parse(JSON.stringify(openApiDocument(operations))) as Document;
  expect(document.components.securitySchemes).toBeUndefined();
  expect(document.paths["/whois/{name}"]?.get?.security).toBeUndefined();
  expect(document.info.description).toContain("Access is open: no key is needed.");
});

const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium"].find((path) => path && existsSync(path));

test.runIf(executablePath)("a key entered in the reference page is sent and charged", async () => {
  const { key } = await wired.keys.create({ label: "docs", owner: null, credits: 10, reason: "for a test" });
  const browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${origin}/docs/get_whois_by_name`, { waitUntil: "networkidle" });
    await page.getByLabel("Your key").fill(key);
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("#try-answer").waitFor();
    expect(await page.locator("#try-status").textContent()).toContain("x-credits-remaining: 9");
    expect(await wired.keys.find(key)).toMatchObject({ credits: 9 });
  } finally {
    await browser.close();
  }
});
