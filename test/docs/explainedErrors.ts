import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/projectFiles.ts";

/** The first column of the error table of docs/when-it-breaks.md, each error by its first words. */
export function explainedErrors(): string[] {
  const page = readFileSync(join(root, "docs/when-it-breaks.md"), "utf8");
  return [...page.matchAll(/^\| (`.*?`) \| .* \| .* \|$/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, words = ""]) => words.split("…")[0]?.trim() ?? ""),
  );
}
