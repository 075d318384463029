import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { registerReferred } from "../../devnet/acts.ts";
import { nodeOfName } from "../../src/api/names/schemas/input.ts";
import type { Stage } from "../chain/stage.ts";
import { chromiumPath } from "../client/browser.ts";
import { openStream } from "../feed/streamServer.ts";
import { isLong } from "../support/size.ts";
import { hostileLabels, playHostile } from "./hostile.ts";
import { asItIs, openInHalves, withoutLink } from "./pieces.ts";

/** Rules of WCAG 2.2 AA, and axe's best practices. */
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Number of scripts, styles and handlers in the page itself. */
const INLINE = `[...document.querySelectorAll("*")].filter((one) =>
  one.matches("style, script:not([src])") || [...one.attributes].some(({ name }) => /^on|^style$/.test(name))).length`;

/** Maximum total size of the home page, compressed. */
const MAX_FIRST_PAGE = 60 * 1_024;

const desktop: BrowserContextOptions = { viewport: { width: 1_280, height: 900 }, colorScheme: "light" };
const phone: BrowserContextOptions = { viewport: { width: 390, height: 844 }, colorScheme: "dark" };
const darkDesktop: BrowserContextOptions = { ...desktop, colorScheme: "dark" };
const lightPhone: BrowserContextOptions = { ...phone, colorScheme: "light" };

/** A name in a table higher than this is stacked letter by letter. */
const MAX_NAME_HEIGHT = 160;
const HIGHEST_NAME = `Math.max(0, ...[...document.querySelectorAll("td .name, th .name")].map((one) =>
  one.getBoundingClientRect().height))`;

/** The titles next to the values of a list's first row, as the style sheet shows them. */
const LABELS = `[...document.querySelectorAll("table.items tbody tr:first-child td")].map((cell) =>
  getComputedStyle(cell, "::before").content)`;

const byNode = (name: string): string => encodeURIComponent(`[namehash:${nodeOfName(name).slice(2)}]`);

const views = (path: string, keys: string[]) => [path, ...keys.map((key) => `${path}?view=${key}`)];

/** Every page, in each of its views. */
const pagesOf = (address: string): string[] => [
  "/",
  ...views("/explore/name/alice.eth", ["history", "history&kind=log", "subnames", "permissions", "agents"]),
  ...["wrapped.eth", "premium.eth", "grace.eth", "lapsed.eth", "not-there.eth", "ab.eth"].map(
    (name) => `/explore/name/${name}`,
  ),
  ...["", "?kind=premium", "?kind=in_premium", "?kind=free", "?min_length=3&max_length=9"].map(
    (query) => `/explore/drops${query}`,
  ),
  "/explore/name/agent.eth?view=agents",
  ...views(`/explore/address/${address}`, ["calendar", "primary", "previous"]),
  "/explore/search",
  "/explore/search?q=a&availability_status=registered&expiry_from=2020-01-01&sort_by=expiry_timestamp",
  "/explore/agents",
  "/explore/agents/0",
  `/explore/hash/${nodeOfName("alice.eth")}`,
  "/explore/statistics",
  "/explore/status",
  "/explore/watch",
  "/explore/key",
  "/explore/watch?names=alice.eth,not-there.eth",
  "/explore/name/alice.eth?view=history&kind=record&from_day=2020-01-01",
  `/explore/name/${byNode(`${hostileLabels.markup}.eth`)}`,
  `/explore/name/${byNode(`${hostileLabels.markup}.eth`)}?view=history`,
  `/explore/name/${byNode(`${hostileLabels.bidi}.eth`)}`,
  `/explore/name/${byNode(`${hostileLabels.mixed}.eth`)}`,
  "/explore/search?q=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
];

/** One page of each kind. */
const kindsOf = (address: string): string[] => [
  "/",
  ...[
    "alice.eth",
    "premium.eth",
    "grace.eth",
    "not-there.eth",
    "alice.eth?view=history",
    "wrapped.eth?view=permissions",
  ].map((name) => `/explore/name/${name}`),
  "/explore/drops?kind=in_premium",
  ...["", "?view=calendar", "?view=primary", "?view=previous"].map(
    (view) => `/explore/address/${address}${view}`,
  ),
  ...[
    "search?q=a",
    "agents",
    "agents/0",
    `hash/${nodeOfName("alice.eth")}`,
    "statistics",
    "status",
    "watch?names=alice.eth",
  ].map((path) => `/explore/${path}`),
];

/** Pages for requests that cannot be answered. */
const errors: [path: string, status: number][] = [
  ["/explore/name/a..b", 400],
  ["/explore/address/0x12", 400],
  ["/explore/hash/0x12", 400],
  ["/explore/search?page=0", 400],
  ["/explore/agents/999999", 404],
  ["/explore/nowhere", 404],
];

/** `npm test` opens each kind once: a third in each of two screens, and a third without scripts. */
const thirds = ["first third", "second third", "last third"] as const;
type Which = "every page" | "one page of each kind" | (typeof thirds)[number];
type Screen = [which: Which, screen: string, options: BrowserContextOptions];

const twoScreens = (first: Which, second = first): Screen[] => [
  [first, "desktop, light", desktop],
  [second, "phone, dark", phone],
];
const otherColours: Screen[] = [
  ["one page of each kind", "desktop, dark", darkDesktop],
  ["one page of each kind", "phone, light", lightPhone],
];
/** The long proof opens every page on both screens, `npm test` some. */
const screens: readonly Screen[] = isLong()
  ? [...twoScreens("every page"), ...otherColours]
  : twoScreens("first third", "second third");

/** Long browser tests. */
const slow = test.runIf(isLong());

/** The pages for browsers, in a real one, on the demo and what strangers added to it. */
export function describeExplorer(stageOf: () => Stage): void {
  describe.runIf(chromiumPath)("the explorer", () => {
    let browser: Browser;
    let url: string;
    let pages: string[];
    let kinds: string[];
    beforeAll(async () => {
      const { stack, chain, cast } = stageOf();
      url = stack.url;
      pages = pagesOf(cast.alice);
      kinds = kindsOf(cast.alice);
      await playHostile(chain, cast.dave);
      await stack.waitForHead();
      browser = await chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
    });
    afterAll(() => browser?.close());

    const pagesFor = (which: Which): string[] => {
      if (which === "every page") return pages;
      if (which === "one page of each kind") return kinds;
      return kinds.filter((_, i) => i % thirds.length === thirds.indexOf(which));
    };

    /** Opens pages in a context, and records errors, violations of the policy, and requests to other hosts. */
    async function inBrowser(options: BrowserContextOptions, use: (page: Page) => Promise<void>) {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      page.setDefaultTimeout(60_000);
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("dialog", (dialog) => {
        faults.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
      page.on("request", (request) => {
        const isOwn = request.url().startsWith(`${url}/`) || request.url().startsWith("data:");
        if (!isOwn) faults.push(`asked another host: ${request.url()}`);
      });
      await use(page);
      await context.close();
      expect(faults.filter((fault) => !fault.startsWith("Failed to load resource"))).toEqual([]);
    }

    test.each(screens)("%s is accessible and fits the screen: %s", async (which, _, options) => {
      await inBrowser(options, async (page) => {
        for (const path of pagesFor(which)) {
          const reply = await page.goto(`${url}${path}`);
          expect([path, reply?.status()]).toEqual([path, 200]);
          await page.evaluate(axe.source);
          const { violations } = (await page.evaluate(
            `axe.run({ runOnly: ${JSON.stringify(RULES)} })`,
          )) as axe.AxeResults;
          expect([path, violations.map(({ id, nodes }) => [id, nodes[0]?.html])]).toEqual([path, []]);
          const isTooWide = await page.evaluate("document.documentElement.scrollWidth > window.innerWidth");
          expect([path, isTooWide]).toEqual([path, false]);
          expect([path, (await page.evaluate<number>(HIGHEST_NAME)) < MAX_NAME_HEIGHT]).toEqual([path, true]);
          expect(await page.title()).toMatch(/Namedex/);
        }
      });
    });

    test("without JavaScript, pages have nothing inline, and every link works", async () => {
      const seen = new Set<string>();
      await inBrowser({ ...desktop, javaScriptEnabled: false }, async (page) => {
        for (const path of isLong() ? pages : pagesFor("last third")) {
          await page.goto(`${url}${path}`);
          expect([path, await page.evaluate(INLINE)]).toEqual([path, 0]);
          const links = await page
            .locator("a[href]")
            .evaluateAll((all) => all.map((a) => (a as unknown as { href: string }).href));
          for (const link of links) seen.add(link.split("#")[0] ?? "");
        }
      });
      const outward = [...seen].filter((link) => !link.startsWith(`${url}/`));
      expect(outward.every((link) => link.startsWith("https://"))).toBe(true);
      for (const link of seen) {
        if (outward.includes(link)) continue;
        const { status } = await fetch(link, { headers: { accept: "text/html" } });
        expect([link, status]).toEqual([link, 200]);
      }
    });

    test.each(errors)("%s is a page with status %d", async (path, status) => {
      const reply = await fetch(`${url}${path}`, { headers: { accept: "text/html" } });
      const html = await reply.text();
      expect([reply.status, html.includes("<h1>"), html.startsWith("<!doctype html>")]).toEqual([
        status,
        true,
        true,
      ]);
    });

    slow("the search box leads to what was typed, without JavaScript too", async () => {
      const { alice } = stageOf().cast;
      const places = [
        ["alice", "/explore/name/alice.eth"],
        [alice, `/explore/address/${alice}`],
        [nodeOfName("alice.eth"), "/explore/name/alice.eth"],
        ["two words", "/explore/search?q=two%20words"],
        ["agent 0", "/explore/agents/0"],
        ["0123", "/explore/name/0123.eth"],
        ["007", "/explore/name/007.eth"],
        ["alice.eth", "/explore/name/alice.eth"],
        ["ab", "/explore/name/ab.eth"],
      ] as const;
      await inBrowser({ ...desktop, javaScriptEnabled: false }, async (page) => {
        for (const prefix of ["", "/api"]) {
          // Under `/api` the links are the same, with that prefix.
          for (const [text, place] of places) {
            await page.goto(`${url}${prefix}/explore/status`);
            await page.getByRole("searchbox").fill(text);
            await page.keyboard.press("Enter");
            await page.waitForURL(`${url}${prefix}${place}`);
          }
        }
      });
    });

    slow("the keyboard alone reaches the search box, and the history of a name", async () => {
      await inBrowser(desktop, async (page) => {
        await page.goto(`${url}/`);
        await page.keyboard.press("Tab");
        expect(await page.evaluate("document.activeElement.textContent")).toContain("Skip to content");
        await page.keyboard.press("/");
        await page.keyboard.type("moved.eth");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "moved.eth" }).waitFor();
        const history = page.getByRole("link", { name: "History" });
        await history.focus();
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "History" }).waitFor();
        expect(await page.locator(".timeline li").count()).toBeGreaterThan(5);
      });
    });

    test("a hostile record is text, and a long one is cut", async () => {
      await inBrowser(desktop, async (page) => {
        await page.goto(`${url}/explore/name/${byNode(`${hostileLabels.markup}.eth`)}`);
        const texts = page.locator("section", { has: page.getByRole("heading", { name: "Text records" }) });
        expect(await texts.locator("script, iframe, [onerror], [onload], [onmouseover]").count()).toBe(0);
        expect(await texts.textContent()).toContain("</bdi><script>alert(1)</script>U+202E");
        expect(await page.locator("a[href^='javascript:'], a[href^='data:']").count()).toBe(0);
        const outward = page.locator("a[href^='https:']");
        expect(await outward.first().getAttribute("rel")).toBe("noopener nofollow ugc");
        expect((await page.content()).length).toBeLessThan(100_000);
        expect(await page.locator("main").textContent()).toContain("This name is not normalised");
      });
    });

    slow("whichever page is the first weighs little, and does not move while it loads", async () => {
      for (const path of isLong() ? kinds : pagesFor("first third")) {
        await inBrowser(desktop, async (page) => {
          const sizes: Promise<number>[] = [];
          page.on("requestfinished", (request) => {
            sizes.push(request.sizes().then((size) => size.responseBodySize + size.responseHeadersSize));
          });
          await page.addInitScript(
            "window.shift = 0; new PerformanceObserver((list) => { for (const one of list.getEntries()) window.shift += one.value; }).observe({ type: 'layout-shift', buffered: true });",
          );
          await page.goto(`${url}${path}`, { waitUntil: "networkidle" });
          expect([path, await page.evaluate("window.shift")]).toEqual([path, 0]);
          const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
          expect([path, bytes < MAX_FIRST_PAGE]).toEqual([path, true]);
        });
      }
    });

    slow("the newest activity moves as the chain does, without a reload, until it is paused", async () => {
      const { stack, chain, cast } = stageOf();
      const shown = async (page: Page) =>
        (await page.locator("[data-live='newest'] li").first().textContent()) ?? "";
      await inBrowser(desktop, async (page) => {
        await page.clock.install();
        const isOpen = page.waitForRequest(/\/changes\/stream/);
        await page.goto(`${url}/`);
        await page.evaluate("window.isTheSame = true");
        await isOpen;
        await registerReferred(chain, { from: cast.dave, label: "moves-live" });
        await stack.waitForHead();
        await vi.waitUntil(async () => (await shown(page)).includes("moves-live.eth"), 60_000);
        expect(await page.evaluate("window.isTheSame")).toBe(true);
        await page.getByRole("button", { name: "Pause" }).click();
        await registerReferred(chain, { from: cast.dave, label: "moves-not" });
        await stack.waitForHead();
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        await page.clock.runFor(600_000);
        expect(asked).toEqual([]);
        expect(await shown(page)).toContain("moves-live.eth");
        await page.getByRole("button", { name: "Resume" }).click();
        await vi.waitUntil(async () => (await shown(page)).includes("moves-not.eth"), 60_000);
      });
    });

    slow("the list of watched names moves with their changes alone, until it is paused", async () => {
      const { stack, chain, cast } = stageOf();
      const shown = async (page: Page) =>
        (await page.locator("[data-live='watched'] tr", { hasText: "watched-live" }).textContent()) ?? "";
      await inBrowser(desktop, async (page) => {
        const isOpen = page.waitForRequest(/\/changes\/stream/);
        await page.goto(`${url}/explore/watch?names=alice.eth,watched-live.eth`);
        await page.evaluate("window.isTheSame = true");
        expect(await shown(page)).toContain("Available");
        await isOpen;
        const asked: string[] = [];
        page.on("request", (request) => asked.push(request.url()));
        const stream = await openStream(`${url}/changes/stream?type=name.registered`);
        await registerReferred(chain, { from: cast.dave, label: "not-watched" });
        await stack.waitForHead();
        await vi.waitUntil(() => stream.text.includes("not-watched.eth"), 60_000);
        await registerReferred(chain, { from: cast.dave, label: "watched-live" });
        await stack.waitForHead();
        await vi.waitUntil(async () => (await shown(page)).includes("Registered"), 60_000);
        expect(await page.evaluate("window.isTheSame")).toBe(true);
        expect(asked.filter((one) => one.includes("explore/watch")).length).toBeLessThanOrEqual(2);
        stream.leave();
        await page.getByRole("button", { name: "Pause" }).click();
        expect(await page.getByRole("button", { name: "Resume" }).count()).toBe(1);
      });
    });

    slow("a stream that is refused is asked for a few times, and the page stays as it is", async () => {
      await inBrowser(desktop, async (page) => {
        let asked = 0;
        await page.clock.install();
        await page.route(/\/changes\/stream/, (route) => {
          asked++;
          return route.fulfill({ status: 429, body: "" });
        });
        await page.goto(`${url}/`);
        for (let minutes = 0; minutes < 10; minutes++) {
          await page.clock.runFor(60_000);
          await page.evaluate("fetch('explore/assets/icon.svg')"); // When this answer arrives, the refusal has, too.
        }
        expect(asked).toBe(5);
        expect(await page.locator("[data-live='newest'] li").count()).toBeGreaterThan(0);
      });
    });

    slow("a page that comes in pieces is shown when it is whole", async () => {
      for (const path of ["/explore/agents", "/explore/search?q=a&sort_by=name"]) {
        const shown = await openInHalves(browser, `${url}${path}`, asItIs);
        expect([path, shown]).toEqual([path, { first: false, both: true }]);
        const shownWithout = await openInHalves(browser, `${url}${path}`, withoutLink);
        expect([path, shownWithout]).toEqual([path, { first: true, both: true }]);
      }
    });

    test("the policy has no unsafe source on any page", async () => {
      for (const path of pages) {
        const reply = await fetch(`${url}${path}`, { headers: { accept: "text/html" } });
        expect(reply.headers.get("content-security-policy")).toMatch(
          /^default-src 'none'; script-src 'self';/,
        );
        expect(reply.headers.get("content-security-policy")).not.toContain("unsafe");
      }
    });

    slow("an address stands by its primary name, on the page of its name too", async () => {
      await inBrowser(phone, async (page) => {
        for (const path of ["/explore/search?q=alice", "/explore/name/alice.eth"]) {
          await page.goto(`${url}${path}`);
          const { alice } = stageOf().cast;
          expect([path, await page.locator(`main a[href$="${alice}"]`).count()]).not.toEqual([path, 0]);
          const shown = await page.locator("main .account bdi, main .called bdi").allTextContents();
          expect([path, new Set(shown)]).toEqual([path, new Set(["alice.eth"])]);
        }
      });
    });

    test("a primary name without events is shown beside its address once the chain gave it", async () => {
      const { bob } = stageOf().cast;
      const reply = await fetch(`${url}/address/${bob}/primary-name`);
      expect(await reply.json()).toMatchObject({ primary_name: "legacy.eth" });
      const page = await fetch(`${url}/explore/name/legacy.eth`, { headers: { accept: "text/html" } });
      expect(await page.text()).toContain(
        '<bdi class="theirs name">legacy.eth</bdi></span><span class="whole">',
      );
    });

    slow("each row of a list is a card on a phone, with every title beside its value", async () => {
      await inBrowser(phone, async (page) => {
        for (const path of [
          "/explore/search?q=a",
          "/explore/agents",
          "/explore/name/alice.eth?view=permissions",
        ]) {
          await page.goto(`${url}${path}`);
          const row = page.locator("table.items tbody tr").first();
          const labels = await page.evaluate<string[]>(LABELS);
          expect([path, labels.length > 0 && labels.every((label) => /^"[A-Z].*"$/.test(label))]).toEqual([
            path,
            true,
          ]);
          const box = await row.boundingBox();
          expect([path, (box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 999) <= 390]).toEqual([
            path,
            true,
          ]);
          const cut = await row.locator("td, th").evaluateAll((cells) =>
            cells.some((cell) => {
              const { scrollWidth, clientWidth } = cell as unknown as {
                scrollWidth: number;
                clientWidth: number;
              };
              return scrollWidth > clientWidth;
            }),
          );
          expect([path, cut]).toEqual([path, false]);
        }
      });
    });

    test("the names of an address can be downloaded for spreadsheets", async () => {
      const { alice } = stageOf().cast;
      const reply = await fetch(`${url}/explore/address/${alice}/names.csv`);
      const [heading, ...lines] = (await reply.text()).trim().split("\r\n");
      expect(reply.headers.get("content-type")).toBe("text/csv; charset=utf-8");
      expect(heading).toMatch(/^"name","state","expiry"/);
      expect(lines.some((line) => line.startsWith('"alice.eth","registered"'))).toBe(true);
    });

    test("programs get JSON at the first page", async () => {
      const reply = await fetch(`${url}/`);
      expect(await reply.json()).toMatchObject({ name: "Namedex" });
    });
  });
}
