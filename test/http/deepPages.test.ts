import { expect, test } from "vitest";
import { createPageReader, DEEP_PAGE, MAX_PAGE, MAX_WAITING } from "../../src/api/http/deepPages.ts";

/** A reading that lasts until it is let go. */
function slowReading() {
  const waiting: (() => void)[] = [];
  return {
    running: () => waiting.length,
    read: () => new Promise<string>((resolve) => waiting.push(() => resolve("page"))),
    finishOne: () => waiting.shift()?.(),
  };
}

const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

test("of a crowd that asks for deep pages two are read at once, some wait, and the others are refused", async () => {
  const readPage = createPageReader();
  const { running, read, finishOne } = slowReading();
  const crowd = Array.from({ length: 100 }, () =>
    readPage(MAX_PAGE, read).catch(({ code }) => code as string),
  );
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
  const after = readPage(MAX_PAGE, read);
  await turns();
  finishOne();
  expect(await after).toBe("page");
});

test("first pages, and what has no pages, do not wait for deep ones", async () => {
  const readPage = createPageReader();
  const { read } = slowReading();
  for (let i = 0; i < 10; i++) void readPage(DEEP_PAGE + 1, read);
  expect(await readPage(DEEP_PAGE, async () => "first")).toBe("first");
  expect(await readPage(undefined, async () => "whole")).toBe("whole");
});

test("a reading that fails makes room for the next", async () => {
  const readPage = createPageReader();
  for (let i = 0; i < 50; i++) {
    await expect(readPage(MAX_PAGE, () => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
  }
  expect(await readPage(MAX_PAGE, async () => "page")).toBe("page");
});
