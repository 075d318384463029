import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Column, firstAtLeast } from "../../bench/index/chain/column.ts";
import { TextFile } from "../../bench/index/chain/textFile.ts";

const folder = mkdtempSync(join(tmpdir(), "text-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Texts of 1 to 40 bytes in pieces of 64: most pieces end within a text. */
function openFile(count: number) {
  const file = new TextFile({ folder, pieceBytes: 64 });
  const texts = Array.from({ length: count }, (_, i) => `<${i}${".".repeat((i * 7) % 38)}`.slice(0, 40));
  for (const text of texts) file.add(text);
  return { file, texts };
}

const range = (first: number, end: number) => Array.from({ length: end - first }, (_, i) => first + i);

test("every range is read as written, wherever pieces join", () => {
  const { file, texts } = openFile(60);
  expect(file.length).toBe(60);
  for (let first = 0; first < 60; first++) {
    for (let end = first; end <= 60; end++) {
      const read = Buffer.concat(file.read(range(first, end))).toString();
      expect(read).toBe(texts.slice(first, end).join(""));
    }
  }
});

test("only the requested part of a range is read", () => {
  const { file, texts } = openFile(60);
  for (const step of [2, 3, 7, 59]) {
    const places = range(0, 60).filter((place) => place % step === 0);
    expect(file.read(places).map(String)).toEqual(places.map((place) => texts[place]));
  }
});

test("texts added after a read are found, and so is one longer than many pieces", () => {
  const { file, texts } = openFile(5);
  file.read([0, 4]);
  const long = "long".repeat(100);
  file.add(long);
  file.add("last");
  expect(String(file.read([5])[0])).toBe(long);
  expect(Buffer.concat(file.read(range(0, 7))).toString()).toBe([...texts, long, "last"].join(""));
});

test("the file has no name, so nothing of it remains after the process ends", () => {
  const { file } = openFile(60);
  expect(file.read([59])).toHaveLength(1);
  expect(readdirSync(folder)).toEqual([]);
});

test("a column keeps added values, whatever its first ones, and finds the first of equal numbers", () => {
  const column = new Column(Uint32Array);
  for (let i = 0; i < 5_000; i++) column.add(Math.floor(i / 3) * 2);
  expect(range(0, 5_000).map((place) => column.at(place))).toEqual(
    range(0, 5_000).map((i) => Math.floor(i / 3) * 2),
  );
  expect(firstAtLeast(column, 0)).toBe(0);
  expect(firstAtLeast(column, 3_000)).toBe(4_500);
  expect(firstAtLeast(column, 2_999)).toBe(4_500);
  expect(firstAtLeast(column, 1e6)).toBe(5_000);
  expect(() => column.at(5_000)).toThrow("there is no 5000 among 5000");
});
