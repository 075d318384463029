import { domain } from "ponder:schema";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chromiumPath } from "../client/browser.ts";
import { account, registeredRow, STATIC_RESOLVER } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";
import { serveExplorer } from "./statisticsPages.ts";

/* What lists and forms do not repeat, and what a phone shows whole. */

const NOW = 1_800_000_000;
const [alice, bob] = [account(0xa11ce), account(0xb0b)];

let tables: Tables;
let served: Awaited<ReturnType<typeof serveExplorer>>;
beforeAll(async () => {
  tables = await createTables();
  const rowOf = (name: string, owner: typeof alice) =>
    registeredRow(name, owner, BigInt(NOW + 40_000_000), { resolver: STATIC_RESOLVER });
  await tables.writer.insert(domain).values([rowOf("alice.eth", alice), rowOf("bob.eth", bob)]);
  served = await serveExplorer(tables, NOW);
});
afterAll(async () => {
  await served?.close();
  await tables?.drop();
});

const read = async (path: string) => {
  const reply = await fetch(`${served.url}/explore/${path}`);
  expect(reply.status).toBe(200);
  return reply.text();
};
const ownersIn = (html: string) =>
  [...html.matchAll(/data-label="Owner">(.*?)<\/td>/g)].map(([, cell]) => cell);

test("the names of an address do not repeat it as their owner, but show other owners", async () => {
  expect(ownersIn(await read(`address/${alice}`))).toEqual([]);
  const resolved = ownersIn(await read(`address/${STATIC_RESOLVER}?address_type=resolver`));
  expect(resolved.map((cell) => /address\/(0x\w+)/.exec(cell ?? "")?.[1]?.toLowerCase())).toEqual([
    alice,
    bob,
  ]);
});

test.each([`address/${alice}`, "name/alice.eth?view=history"])(
  "the filters of %s are applied",
  async (path) => {
    const [, form = ""] = /<form class="filters"(.*?)<\/form>/s.exec(await read(path)) ?? [];
    expect(form).toMatch(/<button type="submit"[^>]*>\s*Apply/);
  },
);

describe.runIf(chromiumPath)("on a phone", () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
    page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  });
  afterAll(() => browser?.close());

  test("the search box of the first page shows its whole hint", async () => {
    await page.goto(`${served.url}/`);
    const room = await page.evaluate(`(() => {
      const box = document.querySelector("#find-large");
      const { font, paddingLeft, paddingRight } = getComputedStyle(box);
      const context = document.createElement("canvas").getContext("2d");
      context.font = font;
      const hint = context.measureText(box.placeholder).width;
      return box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) - hint;
    })()`);
    expect(Number(room)).toBeGreaterThan(0);
  });

  test("a name of an address takes three lines", async () => {
    await page.goto(`${served.url}/explore/address/${alice}`);
    const row = await page.locator("table.items tbody tr").first().boundingBox();
    expect(row?.height).toBeLessThan(110);
  });
});
