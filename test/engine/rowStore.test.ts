import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { nodeFlags } from "../../engine/nodeFlags.ts";
import { createTestDatabase } from "../support/database.ts";

const trial = fileURLToPath(new URL("storeTrial.ts", import.meta.url));

/** What Ponder's store answers, refuses, counts and stores. */
async function runTrial(
  seed: number,
  ...flags: string[]
): Promise<{ isChanged: boolean; transcript: string[] }> {
  const { url, drop } = await createTestDatabase();
  try {
    const args = [...flags, trial, url, String(seed)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 28 });
    return JSON.parse(stdout);
  } finally {
    await drop();
  }
}

test("the changed store does what Ponder's own does", async () => {
  const seen: string[] = [];
  for (const seed of [2, 8]) {
    const [its, ours] = await Promise.all([runTrial(seed), runTrial(seed, ...nodeFlags())]);
    expect([its.isChanged, ours.isChanged]).toEqual([false, true]);
    for (const [i, line] of its.transcript.entries())
      expect(ours.transcript[i], `line ${i} of ${seed}`).toBe(line);
    expect(ours.transcript.length).toBe(its.transcript.length);
    seen.push(...its.transcript);
  }
  const faces = [
    "Evicted",
    "DelayedInsertError",
    "NotNullConstraintError",
    "complete",
    "miss",
    "back\\\\slash",
  ];
  expect(faces.filter((face) => !seen.some((line) => line.includes(face)))).toEqual([]);
}, 600_000);
