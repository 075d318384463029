import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openBuild } from "./plain/openBuild.ts";

// `node writtenTrial.ts <tries>`: empties a file of the API and writes it 20 ms later, like a busy editor. It repeats this as
// often as requested, or until a write is not picked up. On a busy machine the two can be further apart. Prints for each try
// whether the write was picked up.

const tries = Number(process.argv[2]);
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
process.stdout.write(JSON.stringify({ isTakenUp: reloadedAt > writtenAt }), () => process.exit());
