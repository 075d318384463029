import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCommitted } from "../support/durations.ts";
import { root } from "../support/projectFiles.ts";

test("the durations by which a fresh clone orders its tests are of files that are there", () => {
  const files = Object.keys(readCommitted());
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(files.length).toBeGreaterThan(200);
});
