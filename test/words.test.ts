import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, textFiles } from "./support/projectFiles.ts";

/** Between two words: spaces, or the end of a line and what begins the next line of a comment. */
const gap = String.raw`[\s/*#>|-]+`;

/** A form of this length is found inside longer words too, as in names of variables. */
const LONG = 6;

type Word = { forms: string[]; write: string };

const page = readFileSync(join(root, "docs/words.md"), "utf8");

/** The text of the page below a heading. */
const sectionOf = (heading: string): string => page.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";

const wordsIn = (section: string): Word[] =>
  [...section.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)]
    .map(([, forms = "", write = ""]) => ({ forms: forms.split(", "), write }))
    .filter(({ forms }) => forms[0] !== "forms");

function patternOf(form: string): RegExp {
  const text = form.replaceAll(" ", gap);
  return new RegExp(form.length < LONG || form.includes(" ") ? `\\b${text}\\b` : text, "gi");
}

const everywhere = wordsIn(sectionOf("In no text"));
const ofFolders = sectionOf("In no text of the folders below");
const inFolders = wordsIn(ofFolders);
const folders = [...ofFolders.matchAll(/^- (.+)$/gm)].flatMap(([, line = ""]) =>
  [...line.matchAll(/`([^`]+)`/g)].map(([, folder = ""]) => folder),
);

/** Files that need a form, or whose text is written elsewhere, with the reason. */
const exceptions: { file: string; form: string; because: string }[] = [
  {
    file: "test/devnet/postgresPlace.ts",
    form: "nobody",
    because: "the unix account that PostgreSQL runs as",
  },
  { file: "docs/analysts.md", form: "kept", because: "written from comments of ponder.schema.ts" },
  { file: "docs/ponder.md", form: "kept", because: "written beside the texts of engine/" },
];

const checked = textFiles.filter((file) => !["test/words.test.ts", "docs/words.md"].includes(file));
const checkedInFolders = checked.filter((file) => folders.some((folder) => file.startsWith(folder)));

const isException = (file: string, form: string): boolean =>
  exceptions.some((one) => one.file === file && one.form === form);

/** `file:line` of each text that has the form. */
const linesWith = (file: string, form: string): string[] => {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(patternOf(form))].map(
    ({ index }) => `${file}:${text.slice(0, index).split("\n").length}`,
  );
};

function expectNone(files: string[], { forms, write }: Word): void {
  const found = forms.flatMap((form) =>
    files.filter((file) => !isException(file, form)).flatMap((file) => linesWith(file, form)),
  );
  expect(found, `write ${write}`).toEqual([]);
}

test.each(everywhere)("$forms.0 is in no text", (word) => expectNone(checked, word));

test.each(inFolders)("$forms.0 is in no text of the folders of docs/words.md", (word) =>
  expectNone(checkedInFolders, word),
);

test("the page has words, and folders with texts", () => {
  expect(everywhere.length).toBeGreaterThan(6);
  expect(inFolders.length).toBeGreaterThan(3);
  for (const folder of folders) {
    expect(checked.filter((file) => file.startsWith(folder)).length, folder).toBeGreaterThan(0);
  }
});

test.each(exceptions)("$file still needs the form $form: $because", ({ file, form }) => {
  expect(linesWith(file, form)).not.toEqual([]);
});

test("a form is found in any case, in names of variables, and across lines of a comment", () => {
  const found = (form: string, text: string) => [...text.matchAll(patternOf(form))].length;
  expect(found("nobody", "untilNobodyKnocks, is_nobodys, NOBODY")).toBe(3);
  expect(found("so many", "takes so\n * many, so many and so\n// many; also many")).toBe(3);
  expect(found("anew", "a new one")).toBe(0);
});
