import { expect, test } from "vitest";
import { cutPage, MAX_BY_NUMBER, offsetOf } from "../../src/api/names/query/page.ts";
import { createPageReader, DEEP_AFTER, MAX_PAGE, MAX_WAITING } from "../../src/api/server/http/deepPages.ts";

const last = { page: MAX_PAGE };
const firstDeep = DEEP_AFTER / 25 + 1;

/** A read that lasts until it is released. */
function slowReading() {
  const waiting: (() => void)[] = [];
  return {
    running: () => waiting.length,
    read: () => new Promise<string>((resolve) => waiting.push(() => resolve("page"))),
    finishOne: () => waiting.shift()?.(),
  };
}

const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

test("of many callers asking for deep pages, two are served at once, some wait, and the rest are refused", async () => {
  const readPage = createPageReader();
  const { running, read, finishOne } = slowReading();
  const crowd = Array.from({ length: 100 }, () => readPage(last, read).catch(({ code }) => code as string));
  await turns();
  expect(running()).toBe(2);
  const answered = 2 + MAX_WAITING;
  for (let finished = 0; finished < answered; finished++) {
    finishOne();
    await turns();
  }
  const answers = await Promise.all(crowd);
  expect(answers.filter((one) => one === "page")).toHaveLength(answered);
  expect(answers.filter((one) => one === "LIMIT_EXCEEDED")).toHaveLength(100 - answered);
  const after = readPage(last, read);
  await turns();
  finishOne();
  expect(await after).toBe("page");
});

test("first pages and answers without pages do not wait for deep pages", async () => {
  const readPage = createPageReader();
  const { read } = slowReading();
  for (let i = 0; i < 10; i++) void readPage({ page: firstDeep }, read);
  expect(await readPage({ page: firstDeep - 1 }, async () => "first")).toBe("first");
  expect(await readPage({}, async () => "whole")).toBe("whole");
  expect(await readPage({ page_size: 200 }, async () => "by cursor")).toBe("by cursor");
});

test("a page that lies too deep is refused by a limit", async () => {
  const beyond = { page: MAX_PAGE + 1, size: 25, isCounted: false };
  const read = async () => cutPage([{ position: ["name.eth"] }], beyond);
  await expect(createPageReader()(beyond, read)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
});

/** Without this limit, the test would wait forever for a place that is not released. */
const timeout = 10_000;

test("a failed read makes room for the next", { timeout }, async () => {
  const readPage = createPageReader();
  for (let i = 0; i < 50; i++) {
    await expect(readPage(last, () => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
  }
  expect(await readPage(last, async () => "page")).toBe("page");
});

test("larger pages count as deep after the same number of results", async () => {
  const readPage = createPageReader();
  const { read, running } = slowReading();
  for (let i = 0; i < 3; i++) void readPage({ page: 6, page_size: 200 }, read);
  await turns();
  expect(running()).toBe(2);
  expect(await readPage({ page: 5, page_size: 200 }, async () => "first")).toBe("first");
});

test.each([25, 30, 200])("in a list longer than page numbers can reach, pages of %d end", (size) => {
  const last = Math.floor(MAX_BY_NUMBER / size);
  const pageOf = (page: number) => ({ page, size, isCounted: true });
  const rows = [{ position: ["name.eth"] }];
  expect(cutPage(rows, pageOf(last)).rows).toEqual(rows);
  for (const page of [last + 1, Number.MAX_SAFE_INTEGER]) {
    expect(offsetOf(pageOf(page))).toBeLessThanOrEqual(MAX_BY_NUMBER);
    expect(() => cutPage(rows, pageOf(page))).toThrow(`end with ${last}. To reach more, go on by`);
    expect(cutPage([], pageOf(page))).toEqual({ rows: [], next: null });
  }
});
