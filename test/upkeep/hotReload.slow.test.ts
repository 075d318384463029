import { expect, test, vi } from "vitest";

type HotReload = typeof import("../../src/api/server/hotReload.ts");
type Upkeep = typeof import("../../src/api/upkeep/upkeep.ts");

let edits = 0;

/** What `ponder dev` does on an edit: it reloads the modules in the same process. */
async function reload() {
  const edit = `?edit=${++edits}`;
  const moduleOf = (file: string) => import(`${new URL(`../../src/api/${file}`, import.meta.url)}${edit}`);
  const { startInPlace }: HotReload = await moduleOf("server/hotReload.ts");
  const { startUpkeep }: Upkeep = await moduleOf("upkeep/upkeep.ts");
  let rounds = 0;
  const plan = {
    databaseUrl: "postgresql://nowhere",
    schema: "nowhere",
    now: async () => 0,
    log: () => {},
    chores: async () => {},
    chains: [],
    finalTime: async () => 0,
    isReady: async () => {
      rounds += 1;
      return false; // Makes it check again soon.
    },
  };
  startInPlace("upkeep", () => startUpkeep(plan));
  return { startInPlace, rounds: () => rounds };
}

test("after a hot reload, the previous upkeep has ended and the new one continues", async () => {
  const before = await reload();
  await vi.waitUntil(() => before.rounds() >= 2, { timeout: 60_000 });
  const after = await reload();
  const ended = before.rounds(); // It continued while the modules were loading.
  expect(after.startInPlace).not.toBe(before.startInPlace);
  await vi.waitUntil(() => after.rounds() >= 3, { timeout: 60_000 });
  expect(before.rounds()).toBe(ended);
});
