import { expect, test, vi } from "vitest";

/** What `ponder dev` does at an edit: the modules are loaded again, in the same process. */
async function reload() {
  vi.resetModules();
  const { startInPlace } = await import("../../src/api/server/hotReload.ts");
  const { startUpkeep } = await import("../../src/api/upkeep/upkeep.ts");
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
      return false; // Then it looks again soon.
    },
  };
  startInPlace("upkeep", () => startUpkeep(plan));
  return { startInPlace, rounds: () => rounds };
}

test("after a hot reload the upkeep of before has ended, and the new one goes on", async () => {
  const before = await reload();
  await vi.waitUntil(() => before.rounds() >= 2, { timeout: 60_000 });
  const after = await reload();
  const ended = before.rounds(); // It went on while the modules were loaded.
  expect(after.startInPlace).not.toBe(before.startInPlace);
  await vi.waitUntil(() => after.rounds() >= 3, { timeout: 60_000 });
  expect(before.rounds()).toBe(ended);
});
