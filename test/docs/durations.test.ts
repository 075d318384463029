import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCommitted } from "../support/durations.ts";
import { root } from "../support/projectFiles.ts";

test("the durations that order the tests of a fresh clone are those of most files", () => {
  const files = Object.keys(readCommitted()).filter((file) => existsSync(join(root, file)));
  expect(files.length).toBeGreaterThan(200);
});
