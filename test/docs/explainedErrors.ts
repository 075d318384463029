import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/projectFiles.ts";

/** What the table of errors of docs/when-it-breaks.md has in its first column, each by its first words. */
export function explainedErrors(): string[] {
  const page = readFileSync(join(root, "docs/when-it-breaks.md"), "utf8");
  return [...page.matchAll(/^\| (`.*?`) \| .* \| .* \|$/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words.split("…")[0]?.trim() ?? ""),
  );
}
