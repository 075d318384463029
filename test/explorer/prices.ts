import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import type { namePrice } from "../../src/api/names/schemas/answers.ts";
import type { Stage } from "../chain/stage.ts";
import { chromiumPath } from "../client/browser.ts";

type NamePrice = z.infer<typeof namePrice>;

type Width = [screen: string, width: number];
const widths: Width[] = [
  ["phone", 390],
  ["desktop", 1_200],
];

/** Questions of a person about prices and drops: on a phone and at a desk, by the search box and links, each step counted. */
export function describePrices(stageOf: () => Stage): void {
  describe("the files of drops", () => {
    const file = (path: string) => fetch(`${stageOf().stack.url}/explore/${path}`);

    test("are a CSV, a calendar and a feed of the same names", async () => {
      const [csv, calendar, feed] = await Promise.all(
        ["drops.csv", "drops.ics", "drops.atom"].map((name) => file(`${name}?kind=in_premium`)),
      );
      expect(csv?.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      const [, ...rows] = ((await csv?.text()) ?? "").trim().split("\r\n");
      expect(rows.map((row) => row.split(",").slice(0, 4))).toEqual([
        ['"falling.eth"', '""', '"7"', '"premium"'],
        ['"premium.eth"', '""', '"7"', '"premium"'],
      ]);
      expect(calendar?.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
      expect(await calendar?.text()).toContain("SUMMARY:Premium of premium.eth ends");
      expect(feed?.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
      const text = (await feed?.text()) ?? "";
      expect(text).toContain("<title>premium.eth has no premium left: ");
      expect(text.match(/<entry>/g)).toHaveLength(2);
      // A reader asks again and again: the same name is the same entry.
      expect(await (await file("drops.atom?kind=in_premium")).text()).toBe(text);
    });

    test("have no entries if no name drops, and the filters apply to them", async () => {
      expect(await (await file("drops.atom?max_length=3")).text()).not.toContain("<entry>");
      expect(await (await file("drops.csv?kind=in_premium&max_length=6")).text()).not.toContain(
        "premium.eth",
      );
    });

    test("report an error as the operation does", async () => {
      expect((await file("drops.csv?min_length=x")).status).toBe(400);
    });
  });

  describe.runIf(chromiumPath).each(widths)("on a %s", (_, width) => {
    let browser: Browser;
    let page: Page;
    let url: string;
    beforeAll(async () => {
      url = stageOf().stack.url;
      browser = await chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
      const context = await browser.newContext({
        viewport: { width, height: 844 },
        javaScriptEnabled: false,
      });
      page = await context.newPage();
    });
    afterAll(() => browser?.close());

    /** One step: a text in the search box of the home page. */
    const search = async (text: string) => {
      await page.goto(`${url}/`);
      await page.getByRole("searchbox").first().fill(text);
      await page.keyboard.press("Enter");
      await page.waitForURL(/explore\/(name|search)/);
    };

    const priceOf = async (name: string): Promise<NamePrice> =>
      (await stageOf().stack.api<NamePrice>(`/domain/${name}/price?years=1,2,3,5,10`)).body;

    const card = (title: RegExp) =>
      page.locator(".card", { has: page.getByRole("heading", { name: title }) });

    const rowsOf = async (title: RegExp) =>
      card(title)
        .locator("tbody tr")
        .evaluateAll((rows) =>
          rows.map((row) =>
            [...(row as unknown as { cells: Iterable<{ textContent: string | null }> }).cells].map((cell) =>
              cell.textContent?.trim(),
            ),
          ),
        );

    test("is `fresh-word` free: one step to its state, and the price of each length", async () => {
      await search("fresh-word");
      expect(page.url()).toBe(`${url}/explore/name/fresh-word.eth`);
      expect(await page.locator(".badge").first().textContent()).toBe("Available");
      expect(await rowsOf(/Registration price/)).toEqual([
        ["1 year", "0.003125 ETH$5.00"],
        ["2 years", "0.00625 ETH$10.00"],
        ["3 years", "0.009375 ETH$15.00"],
        ["5 years", "0.015625 ETH$25.00"],
        ["10 years", "0.03125 ETH$50.00"],
      ]);
      const similar = await rowsOf(/Similar names/);
      expect(similar).toContainEqual(["fresh-words.eth", "Available0.003125 ETH a year"]);
    });

    test("a name of two characters says why it is not sold, and which others are taken or free", async () => {
      await search("ab");
      expect(await page.locator("main").textContent()).toContain("Names need at least 3 characters.");
      expect(await rowsOf(/Similar names/)).toContainEqual(["abs.eth", "Available0.4 ETH a year"]);
    });

    test("the renewal price: one step, on a registered name", async () => {
      await search("alice.eth");
      expect((await rowsOf(/Renewal price/))[0]).toEqual(["1 year", "0.003125 ETH$5.00"]);
    });

    test("in grace: until when it can be renewed, at which price, and that day as a calendar", async () => {
      await search("grace");
      const notice = page.locator(".notice", { hasText: "Renew until" });
      expect(await notice.textContent()).toContain("One year costs 0.003125 ETH ($5.00).");
      expect(await page.locator("figure.curve").count()).toBe(0);
      const link = await notice.getByRole("link", { name: "calendar" }).getAttribute("href");
      expect(await (await fetch(`${url}/${link}`)).text()).toContain("SUMMARY:Grace of grace.eth ends");
    });

    test("in premium: ether, dollars, total, and when it is below $1,000", async () => {
      await search("premium");
      const { registration } = await priceOf("premium.eth");
      const caption = (await page.locator("figure.curve figcaption").textContent()) ?? "";
      const dollars = Math.round(Number(registration?.prices[0]?.usd?.premium)).toLocaleString("en");
      expect(caption).toContain(`$${dollars}`);
      expect(caption).toMatch(/Total for one year: [\d,.]+ ETH \(\$[\d,]+\)/);
      expect(caption).toMatch(/below \$1,000 on \d{4}-\d\d-\d\d, zero from \d{4}-\d\d-\d\d/);
      const [first] = await rowsOf(/Registration price/);
      expect(first?.[1]).toMatch(/^[\d,.]+ ETH\$[\d,]+\$5\.00 base \+ \$[\d,]+ premium$/);
    });

    test("a search for names in premium names the last holder, and until when", async () => {
      await page.goto(`${url}/explore/search?availability_status=premium`);
      const row = (await rowsOf(/Results/)).find(([name]) => name?.startsWith("premium.eth"));
      expect(row?.[3]).toMatch(/^last held by multi-one\.eth.*until \d{4}-\d\d-\d\d$/);
    });

    test("which names drop: two steps from the first page", async () => {
      await page.goto(`${url}/`);
      await page.getByRole("link", { name: "Drops" }).click();
      await page.getByRole("link", { name: "All in premium" }).click();
      await page.waitForURL(/kind=in_premium/);
      const row = (await rowsOf(/All in premium/)).find(([name]) => name?.startsWith("premium.eth"));
      expect(row?.[0]).toMatch(/^premium\.eth7 characterslast held by multi-one\.eth/);
      expect(row?.[1]).toMatch(/^\d{4}-\d\d-\d\din \d+ days\$[\d,.]+ premium now$/);
    });
  });
}
