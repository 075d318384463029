import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCommitted } from "../support/durations.ts";
import { root } from "../support/projectFiles.ts";

test("the durations that order the tests of a fresh clone belong to existing files", () => {
  const files = Object.keys(readCommitted());
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(files.length).toBeGreaterThan(200);
});
