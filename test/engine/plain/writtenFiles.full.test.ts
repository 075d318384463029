import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { writtenFiles } from "../../../engine/changes/writtenFiles.ts";
import { expectFault } from "./fault.ts";
import { openBuild } from "./openBuild.ts";

test("what is written right after a change is not taken up", async () => {
  const { build, part, close } = await openBuild();
  let reloadedAt = 0;
  await build.startDev({ onReload: () => (reloadedAt = performance.now()) });
  // The watcher may begin after the first edits.
  for (let edit = 0; edit < 100 && reloadedAt === 0; edit++) {
    writeFileSync(part, `export const part = ${edit};\n`);
    await sleep(100);
  }
  await sleep(500);
  reloadedAt = 0;
  writeFileSync(part, "");
  await sleep(20);
  const writtenAt = performance.now();
  writeFileSync(part, "export const part = 1;\n");
  await sleep(1_000);
  await close();
  expect(reloadedAt).toBeGreaterThan(0);
  expectFault(writtenFiles, reloadedAt < writtenAt);
});
