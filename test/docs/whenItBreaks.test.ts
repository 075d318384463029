import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectFiles, root } from "../support/projectFiles.ts";
import { explainedErrors } from "./explainedErrors.ts";

const read = (file: string) => readFileSync(join(root, file), "utf8");
const explained = explainedErrors();

const isExplained = (message: string) => explained.some((words) => message.startsWith(words));

test("every error that our programs report is on the page", () => {
  const sources = projectFiles.filter((file) => /^(src\/api|ops\/gateway|ops\/launch)\/.*\.tsx?$/.test(file));
  const said = sources.flatMap((file) => [
    ...[...read(file).matchAll(/(?:log|console|logOf\(c\))\.error\(\s*(?:\{[^}]*\}, )?["`]([^"`$]+)/g)].map(
      ([, words = ""]) => words,
    ),
    ...[...read(file).matchAll(/failure: "(.*?)"/g)].map(([, words = ""]) => words),
  ]);
  expect(said.length).toBeGreaterThan(6);
  expect(said.filter((message) => !isExplained(message.trim()))).toEqual([]);
});

test("so is every Ponder error that an indexer or a replica can report", () => {
  const ponder = new URL(".", import.meta.resolve("ponder"));
  const files = [
    "bin/commands/start",
    "bin/commands/serve",
    "bin/utils/exit",
    "build/index",
    "database/index",
  ];
  const said = [...files, "indexing/index"].flatMap((file) => {
    const text = readFileSync(new URL(`${file}.js`, ponder), "utf8");
    return [...text.matchAll(/logger\.error\(\{\s*msg: ["`]([^"`]+)/g)].map(([, message = ""]) => message);
  });
  expect(said.length).toBeGreaterThan(10);
  expect(said.filter((message) => !isExplained(message) && !message.includes("PGlite"))).toEqual([]);
});
