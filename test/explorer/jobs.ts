import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "../chain/stage.ts";
import { chromiumPath } from "../client/browser.ts";

type Width = [screen: string, width: number];
const widths: Width[] = [
  ["desktop", 1_200],
  ["phone", 390],
];

/** Jobs of people who look at names, each at most two steps from the home page; a step is a search, a click or a form. */
export function describeJobs(stageOf: () => Stage): void {
  describe.runIf(chromiumPath).each(widths)("jobs on a %s", (_, width) => {
    let browser: Browser;
    let page: Page;
    let url: string;
    let steps = 0;
    beforeAll(async () => {
      url = stageOf().stack.url;
      browser = await chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
      const context = await browser.newContext({ viewport: { width, height: 844 } });
      page = await context.newPage();
      page.setDefaultTimeout(60_000);
    });
    afterAll(() => browser?.close());

    const search = async (text: string) => {
      await page.goto(`${url}/`);
      await page.getByLabel("Name, address, hash or agent").first().fill(text);
      await page.keyboard.press("Enter");
      await page.waitForURL(/explore\/(name|search)/);
      steps = 1;
    };

    const click = async (role: "link" | "button", name: string) => {
      await page.getByRole(role, { name }).first().click();
      steps += 1;
    };

    test("what changed in the records in a year: old and new, two steps", async () => {
      await search("alice.eth");
      await click("link", "Last year's changes");
      await page.waitForURL(/from_day=\d{4}-\d\d-\d\d/);
      expect(steps).toBe(2);
      const { body } = await stageOf().stack.api<{ events: { key?: string; value?: string }[] }>(
        "/domain/alice.eth/events?record=text",
      );
      const keys = new Set(body.events.flatMap(({ key }) => key ?? []));
      const shown = (await page.locator(".timeline").textContent()) ?? "";
      for (const key of keys) expect(shown).toContain(key);
      expect(await page.locator(".timeline .change").count()).toBeGreaterThan(0);
      expect(await page.getByLabel("From", { exact: true }).inputValue()).toMatch(/^\d{4}-\d\d-\d\d$/);
      await page.getByLabel("To", { exact: true }).fill("1999-01-01");
      await page.locator("main").getByRole("button", { name: "Apply" }).click();
      await page.waitForURL(/to_day=1999/);
      expect(await page.locator(".timeline li").count()).toBe(0);
    });

    test("names are suggested while a word is typed, with those that begin with it first", async () => {
      await page.goto(`${url}/`);
      await page.getByLabel("Name, address, hash or agent").first().pressSequentially("alic");
      const options = page.locator("datalist option");
      await options.first().waitFor({ state: "attached" });
      const names = await options.evaluateAll((all) =>
        all.map((one) => (one as unknown as { value: string }).value),
      );
      expect(names[0]).toMatch(/^alic/);
      expect(names).toContain("alice.eth");
    });

    test("the largest registrations of a year: two steps from the first page", async () => {
      await page.goto(`${url}/`);
      steps = 0;
      await click("link", "Statistics");
      await page.waitForURL(/explore\/statistics/);
      await click("link", "A year");
      await page.waitForURL(/days=365/);
      expect(steps).toBe(2);
      const rows = page.locator("section[aria-labelledby=largest] tbody tr");
      const shown = await rows.locator("th .name bdi").allTextContents();
      const { body } = await stageOf().stack.api<{ registrations: { name: string }[] }>(
        "/ens-stats/largest-registrations?days=365",
      );
      expect(shown.length).toBeGreaterThan(0);
      // A hash and a long name are cut in a list, and invisible characters are named.
      const readable = (name: string) => (/^[a-z0-9.-]{1,48}$/.test(name) ? name : "an odd name");
      const wanted = body.registrations.slice(0, shown.length).map(({ name }) => readable(name));
      expect(shown.map(readable)).toEqual(wanted);
    });

    test("who has a name, and where they are elsewhere: one step", async () => {
      await search("alice.eth");
      expect(steps).toBe(1);
      const profile = page.getByRole("region", { name: "Profile" });
      const { body } = await stageOf().stack.api<{ records: { texts: Record<string, string> } }>(
        "/domain/alice.eth/records",
      );
      const { url: website = "" } = body.records.texts;
      expect(website).not.toBe("");
      expect(await profile.textContent()).toContain(website);
      expect(await page.locator(".heading img.picture").getAttribute("src")).toBe("avatar/alice.eth");
    });

    test("watch a name: two steps, and the list has a calendar and a feed of its own", async () => {
      await search("alice.eth");
      await click("button", "Watch");
      expect(steps).toBe(2);
      expect(await page.getByRole("button", { name: "Watched" }).getAttribute("aria-pressed")).toBe("true");
      await search("grace.eth");
      await click("button", "Watch");
      await page.getByRole("link", { name: "Watched" }).click();
      await page.waitForURL(/names=grace\.eth%2Calice\.eth/);
      const rows = page.locator("table.items tbody tr");
      expect(await rows.locator("th .name").allTextContents()).toEqual(["grace.eth", "Alice.eth"]);
      const calendar = await page.getByRole("link", { name: "Calendar" }).getAttribute("href");
      expect(await (await fetch(`${url}/${calendar}`)).text()).toContain("SUMMARY:alice.eth expires");
      const feed = await page.getByRole("link", { name: "Feed" }).getAttribute("href");
      const text = await (await fetch(`${url}/${feed}`)).text();
      expect(text).toContain("<title>grace.eth expires: ");
      await page.getByRole("textbox", { name: /One name per line/ }).fill("alice.eth");
      await page.getByRole("button", { name: "Save" }).click();
      await page.waitForURL(/names=alice\.eth$/);
      await page.goto(`${url}/explore/watch`);
      await page.waitForURL(/names=alice\.eth$/);
    });
  });
}
