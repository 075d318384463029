import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../../client/browser.ts";
import { isLong } from "../../support/size.ts";
import { stage } from "../stage.ts";

const widths: [screen: string, width: number][] = [
  ["desktop", 1_280],
  ["phone", 390],
];

describe.runIf(chromiumPath)("in a real browser", () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());

  test.each(isLong() ? widths : widths.slice(0, 1))(
    "GraphiQL reads the schema, sends a query, and contacts no other host, on a %s",
    async (_, width) => {
      const { url } = stage.stack;
      const page = await browser.newPage({ viewport: { width, height: 900 } });
      page.setDefaultTimeout(60_000);
      const faults: string[] = [];
      const asked: string[] = [];
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      page.on("request", (request) => {
        if (request.url().startsWith("data:")) return;
        (request.url().startsWith(url) ? asked : faults).push(request.url());
      });
      await page.goto(`${url}/subgraph`, { waitUntil: "networkidle" });
      await page.locator("button.graphiql-execute-button").click();
      const answer = page.locator("section.result-window");
      await answer.getByText('"expiryDate"').first().waitFor();
      expect(await answer.textContent()).toContain('"registrant"');
      await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
      await page.getByRole("link", { name: "Query", exact: true }).click();
      await page.getByText("wrappedDomains", { exact: true }).first().waitFor();
      const root = "document.documentElement";
      expect(await page.evaluate(`${root}.scrollWidth > ${root}.clientWidth`), "is wider than the page").toBe(
        false,
      );
      const [editor, foot] = [page.locator("#graphiql .graphiql-container"), page.locator("footer").last()];
      const [box, below] = [await editor.boundingBox(), await foot.boundingBox()];
      expect((box?.y ?? 0) + (box?.height ?? 0), "ends above the foot").toBeLessThanOrEqual(below?.y ?? 0);
      // The head of the house, in its colours.
      const head = page.locator("header.top");
      expect(await head.getByRole("link", { name: "API" }).getAttribute("aria-current")).toBe("page");
      const ground = await page.evaluate(
        "getComputedStyle(document.documentElement).getPropertyValue('--ground')",
      );
      expect(ground).toMatch(/^\s*#/);
      expect(faults).toEqual([]);
      expect(asked.filter((one) => one === `${url}/subgraph`).length).toBeGreaterThanOrEqual(3);
      await page.close();
    },
  );
});
