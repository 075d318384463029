import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { expectFault } from "./fault.ts";
import { openBuild } from "./openBuild.ts";

test("a file of the API that nothing imports at that time is taken for one of the handlers", async () => {
  const { build, part, close } = await openBuild();
  const reloads: string[] = [];
  await build.startDev({ onReload: (kind: string) => reloads.push(kind) });
  // The watcher may begin after the first edits.
  for (let edit = 0; edit < 100 && reloads.length === 0; edit++) {
    writeFileSync(part, `export const part = ${edit};\n`);
    await sleep(100);
  }
  await close();
  expect(reloads.length).toBeGreaterThan(0);
  expectFault("apiReload", reloads[0] === "indexing");
});
