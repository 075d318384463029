import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openBuild } from "./openBuild.ts";

/**
 * Empties a file of the API and writes it 20 ms later, as a busy editor does: as often as asked, or until what was
 * written is not taken up. On a busy machine more time than that can lie between the two.
 *
 * @returns whether it was taken up each time
 * @throws Error if no edit is taken up at all
 */
export async function isTakenUp({ tries }: { tries: number }): Promise<boolean> {
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
  let writtenAt = 0;
  for (let i = 0; i < tries && reloadedAt > writtenAt; i++) {
    writeFileSync(part, "");
    await sleep(20);
    writtenAt = performance.now();
    writeFileSync(part, `export const part = "written ${i}";\n`);
    await sleep(1_500);
  }
  await close();
  return reloadedAt > writtenAt;
}
