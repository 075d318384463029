import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openBuild } from "./openBuild.ts";

/**
 * Empties a file of the API and writes it 20 ms later, as a busy editor does.
 *
 * @returns whether it is taken up after it was written
 * @throws Error if no edit is taken up at all
 */
export async function isTakenUp(): Promise<boolean> {
  const { build, part, close } = await openBuild();
  let reloadedAt = 0;
  await build.startDev({
    onReload: () => {
      reloadedAt = performance.now();
    },
  });
  // The watcher may begin after the first edits.
  for (let edit = 0; edit < 100 && reloadedAt === 0; edit++) {
    writeFileSync(part, `export const part = ${edit};\n`);
    await sleep(100);
  }
  if (reloadedAt === 0) throw new Error("No edit is taken up.");
  await sleep(500);
  writeFileSync(part, "");
  await sleep(20);
  const writtenAt = performance.now();
  writeFileSync(part, "export const part = 1;\n");
  await sleep(1_500);
  await close();
  return reloadedAt > writtenAt;
}
