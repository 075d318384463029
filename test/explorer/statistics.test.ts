// Also runs as: long
import { existsSync, readFileSync } from "node:fs";
import { get } from "node:http";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTables, type Tables } from "../query/tables.ts";
import { isLong } from "../support/size.ts";
import { fillWithSales, serveExplorer } from "./statisticsPages.ts";

const NOW = Date.UTC(2027, 0, 15, 12) / 1_000;
const PAGE = "/explore/statistics";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

let tables: Tables;
let served: Awaited<ReturnType<typeof serveExplorer>>;
beforeAll(async () => {
  tables = await createTables();
  await fillWithSales(tables, NOW);
  served = await serveExplorer(tables, NOW);
});
afterAll(async () => {
  await served?.close();
  await tables?.drop();
});

const read = async (path: string) => {
  const reply = await fetch(`${served.url}${path}`);
  return { status: reply.status, type: reply.headers.get("content-type"), text: await reply.text() };
};

/** Bytes of a reply as they arrive, which fetch would decompress. */
const compressedSize = (path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    get(`${served.url}${path}`, { headers: { "accept-encoding": "gzip" } }, (reply) => {
      let size = 0;
      reply.on("data", (chunk: Buffer) => {
        size += chunk.length;
      });
      reply.on("end", () => resolve(size));
    }).on("error", reject);
  });
const json = async (path: string) => JSON.parse((await read(path)).text);
const linesOf = (csv: string) => csv.split("\r\n").map((line) => line.slice(1, -1).split('","'));

describe("the statistics page", () => {
  test("names the operation and the file for each picture", async () => {
    const { status, text } = await read(PAGE);
    expect(status).toBe(200);
    const files = [...text.matchAll(/href="(explore\/statistics\/[^"]+\.csv[^"]*)"/g)].map(([, url]) => url);
    expect(files.length).toBe(11);
    for (const file of files) {
      const csv = await read(`/${file}`);
      expect(csv, file).toMatchObject({ status: 200, type: "text/csv; charset=utf-8" });
      expect(linesOf(csv.text).length, file).toBeGreaterThan(2);
    }
    for (const word of [
      "purchases",
      "states",
      "distribution",
      "sellers",
      "expiries",
      "primary-names",
      "holders",
    ])
      expect(text).toContain(`href="ens-stats/${word}`);
  });

  test.each(["day", "week", "month", "quarter", "year"])(
    "has the operation's numbers by %s, in its file and its table",
    async (interval) => {
      const { periods } = await json(`/ens-stats/purchases?interval=${interval}`);
      const { text: csv } = await read(`${PAGE}/sales.csv?interval=${interval}`);
      const [, ...lines] = linesOf(csv).slice(0, -1);
      const wanted = (periods as { start: string; registrations: number; renewals: number }[]).map(
        ({ start, registrations, renewals }) => [start, String(registrations), String(renewals)],
      );
      expect(lines).toEqual(wanted);
      const { text: html } = await read(`${PAGE}?interval=${interval}`);
      const [, sheet = ""] = html.split('id="sales-table"');
      const [table = ""] = sheet.split("</table>");
      const cells = [...table.matchAll(/<t[hd] (?:scope="row"|class="number")>([^<]*)</g)].map(
        ([, text = ""]) => text.replaceAll(",", ""),
      );
      expect(cells).toEqual(wanted.flat());
    },
  );

  test("has the operation's dollar amounts, and those of referrers", async () => {
    const { periods } = (await json("/ens-stats/purchases?interval=quarter")) as {
      periods: Record<"start" | "registration_cost_usd" | "renewal_cost_usd" | "premium_usd", string>[];
    };
    expect(periods.length).toBeGreaterThan(10);
    const numbers = (...amounts: string[]) => amounts.map((amount) => String(Number(amount)));
    const { text: csv } = await read(`${PAGE}/dollars.csv?interval=quarter`);
    expect(linesOf(csv).slice(1, -1)).toEqual(
      periods.map((one) => [
        one.start,
        ...numbers(one.registration_cost_usd, one.renewal_cost_usd, one.premium_usd),
      ]),
    );
    expect(Number(periods.at(-2)?.registration_cost_usd)).toBeGreaterThan(0);
    const { referrers } = (await json("/ens-stats/referrers")) as {
      referrers: { referrer: string; address?: string; renewals: number }[];
    };
    const { text: list } = await read(`${PAGE}/referrers.csv`);
    expect(
      linesOf(list)
        .slice(1, -1)
        .map(([name, , renewals]) => [name, renewals]),
    ).toEqual(referrers.map(({ referrer, address, renewals }) => [address ?? referrer, String(renewals)]));
    const { text: html } = await read(`${PAGE}?interval=quarter`);
    for (const { referrer, address } of referrers.slice(0, 10))
      expect(html).toContain(`title="${address ?? referrer}"`);
  });

  test("is small together with its files, compressed, with a year of sales on every day", async () => {
    const asked = [
      PAGE,
      ...[...(await read(PAGE)).text.matchAll(/(?:href|src)="(explore\/assets\/[^"]+)"/g)].map(
        ([, url]) => `/${url}`,
      ),
    ];
    const sizes = await Promise.all(asked.map(compressedSize));
    expect(sizes.length).toBeGreaterThan(5);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60 * 1_024);
  });

  test.runIf(existsSync(executablePath))(
    "shows every column of the largest registrations on a phone, and no bars",
    async () => {
      const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
      try {
        const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
        await page.goto(`${served.url}${PAGE}?days=365`);
        const card = page.locator("section[aria-labelledby=largest]");
        expect(await card.locator("tbody tr").count()).toBeGreaterThan(0);
        expect(await card.locator(".row-bar").count()).toBe(0);
        const hidden =
          "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('section[aria-labelledby=largest] .scroll'))";
        expect(await page.evaluate(hidden)).toBe(0);
      } finally {
        await browser.close();
      }
    },
  );

  test("has no page for other figures", async () => {
    for (const file of ["nothing.csv", "constructor.csv", "sales", "sales.csv.csv"])
      expect((await read(`${PAGE}/${file}`)).status, file).toBe(404);
  });
});

describe.runIf(existsSync(executablePath))("in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  afterAll(() => browser?.close());

  type Look = { width: number; colorScheme: "light" | "dark"; javaScriptEnabled: boolean };

  async function open({ width, ...look }: Look, path = PAGE): Promise<{ page: Page; faults: string[] }> {
    const context = await browser.newContext({ viewport: { width, height: 900 }, ...look });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("console", (message) => message.type() !== "log" && faults.push(message.text()));
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("request", (request) => !request.url().startsWith(served.url) && faults.push(request.url()));
    await page.goto(`${served.url}${path}`, { waitUntil: "networkidle" });
    return { page, faults };
  }

  const looks = [
    { width: 1_280, colorScheme: "light" as const },
    { width: 360, colorScheme: "dark" as const },
  ];
  const otherLooks = [
    { width: 1_280, colorScheme: "dark" as const },
    { width: 360, colorScheme: "light" as const },
  ];
  test.each(isLong() ? [...looks, ...otherLooks] : looks)(
    "$width wide, $colorScheme: axe finds nothing, nothing is too wide, nothing fails",
    async (look) => {
      const { page, faults } = await open({ ...look, javaScriptEnabled: true });
      await page.evaluate(axe);
      const violations = await page.evaluate(async () => {
        const found = await (
          globalThis as unknown as {
            axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
          }
        ).axe.run();
        return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
      });
      expect(violations).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(look.width);
      expect(faults).toEqual([]);
      await page.context().close();
    },
  );

  test("without JavaScript every table is shown", async () => {
    const { page, faults } = await open({ width: 1_280, colorScheme: "light", javaScriptEnabled: false });
    expect(await page.locator("figure.chart:visible").count()).toBe(0);
    expect(await page.locator(".sheet table").count()).toBe(3);
    expect(await page.locator(".row-bar").count()).toBeGreaterThan(10);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("hovering shows the numbers of the day, without moving anything", async () => {
    const { page, faults } = await open({ width: 1_280, colorScheme: "light", javaScriptEnabled: true });
    const place = page.locator("#sales ~ figure .u-over, section:has(#sales) .u-over").first();
    const box = await place.boundingBox();
    if (box === null) throw new Error("There is no picture that answers the pointer");
    const height = await page.evaluate("document.documentElement.scrollHeight");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page
      .locator("section:has(#sales) .point")
      .filter({ hasText: /^\d{4}-\d\d-\d\d$/ })
      .waitFor();
    const told = await page.locator("section:has(#sales) .legend").textContent();
    const day = /\d{4}-\d\d-\d\d/.exec(told ?? "")?.[0];
    const { periods } = await json("/ens-stats/purchases");
    const sold = (periods as { start: string; registrations: number; renewals: number }[]).find(
      ({ start }) => start === day,
    );
    expect(told).toMatch(new RegExp(`Registrations ${sold?.registrations}\\s*Renewals ${sold?.renewals}`));
    expect(await page.evaluate("document.documentElement.scrollHeight")).toBe(height);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
