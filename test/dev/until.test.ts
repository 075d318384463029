import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "../../devnet/ponder.ts";

/*
 * Waits for a Ponder: they end when it stands still, however long it takes.
 */
const child = { exitCode: null, signalCode: null } as ChildProcess;
const TIMEOUT_MS = 1_000;
const describe = () => "waiting for blocks";

test("a wait continues while there is progress", async () => {
  const began = Date.now();
  let done = 0;
  const timer = setInterval(() => done++, 20);
  const look = async () => Date.now() - began > 4 * TIMEOUT_MS;
  await until({ child }, { look, describe, timeout: TIMEOUT_MS, progress: () => done });
  clearInterval(timer);
});

test("it ends when the progress does", async () => {
  let done = 0;
  const timer = setInterval(() => done++, 20);
  const wait = until(
    { child },
    { look: async () => false, describe, timeout: TIMEOUT_MS, progress: () => done },
  );
  wait.catch(() => {});
  await sleep(3 * TIMEOUT_MS);
  clearInterval(timer);
  const began = Date.now();
  await expect(wait).rejects.toThrow("No progress within 1 s\nwaiting for blocks");
  expect(Date.now() - began).toBeGreaterThan(TIMEOUT_MS / 3);
});

test("without progress all of the time counts", async () => {
  const wait = until({ child }, { look: async () => false, describe, timeout: TIMEOUT_MS });
  await expect(wait).rejects.toThrow("No progress within 1 s");
});
