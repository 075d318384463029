import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/projectFiles.ts";
import { limitTables } from "./limits.ts";

const MARK = "<!-- limits -->";

test("the limits in docs/security.md match the code", () => {
  const file = join(root, "docs/security.md");
  const text = readFileSync(file, "utf8");
  const [before = "", , after = ""] = text.split(MARK);
  const written = `${before}${MARK}\n${limitTables()}\n${MARK}${after}`;
  if (process.env.UPDATE_DOCS) writeFileSync(file, written);
  expect(readFileSync(file, "utf8"), "run UPDATE_DOCS=1 npx vitest run test/docs/limits.test.ts").toBe(
    written,
  );
});
