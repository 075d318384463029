import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, textFiles } from "./support/projectFiles.ts";

/** Between two words: spaces, or the end of a line and what begins the next line of a comment. */
const gap = String.raw`[\s/*#>|-]+`;

/** Words that readers whose English is their third language may not know, and what to write in their place. */
const words = {
  whoever: { pattern: /whom?ever/gi, write: "the one who acts: the caller, the holder, the sender" },
  anew: { pattern: /\banew\b/gi, write: "again" },
  "so many": { pattern: new RegExp(`\\bso${gap}many\\b`, "gi"), write: "the number, or: this many" },
  nobody: { pattern: /nobod(y|ies)/gi, write: "no one, or what there is none of: no owner, no caller" },
  somebody: { pattern: /somebod(y|ies)/gi, write: "someone, or the one who acts" },
  befell: { pattern: /\bbef(a|e)ll?\b/gi, write: "happened to" },
  dear: { pattern: /\bdear(er|est)?\b/gi, write: "expensive" },
};

type Word = keyof typeof words;

/** Files that need a word, with the reason. */
const exceptions: { file: string; word: Word; because: string }[] = [
  {
    file: "test/devnet/postgresPlace.ts",
    word: "nobody",
    because: "the unix account that PostgreSQL runs as",
  },
];

const checked = textFiles.filter((file) => file !== "test/words.test.ts");

const isException = (file: string, word: string): boolean =>
  exceptions.some((one) => one.file === file && one.word === word);

/** `file:line` of each place that has the word. */
const placesOf = (file: string, pattern: RegExp): string[] => {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(pattern)].map(({ index }) => `${file}:${text.slice(0, index).split("\n").length}`);
};

test.each(Object.entries(words))('"%s" is in no text', (word, { pattern, write }) => {
  const places = checked
    .filter((file) => !isException(file, word))
    .flatMap((file) => placesOf(file, pattern));
  expect(places, `write ${write}`).toEqual([]);
});

test.each(exceptions)("$file still needs the word $word: $because", ({ file, word }) => {
  expect(placesOf(file, words[word].pattern)).not.toEqual([]);
});

test("a word is found in any case, in names of variables, and across lines of a comment", () => {
  const found = (word: Word, text: string) => [...text.matchAll(words[word].pattern)].length;
  expect(found("nobody", "untilNobodyKnocks, is_nobodys, NOBODY")).toBe(3);
  expect(found("so many", "takes so\n * many, so many and so\n// many; also many")).toBe(3);
  expect(found("anew", "a new one")).toBe(0);
});
