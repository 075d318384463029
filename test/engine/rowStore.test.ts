import { expect, test } from "vitest";
import { plainEnv } from "./ponders.ts";
import { runTrial } from "./runTrial.ts";

/** What Ponder's store answers, refuses, counts and stores. */
const ask = (seed: number, env: Record<string, string>) =>
  runTrial<{ isChanged: boolean; transcript: string[] }>("storeTrial.ts", { env, args: [String(seed)] });

test("the changed store behaves like Ponder's own", async () => {
  const seen: string[] = [];
  for (const seed of [2, 8]) {
    const [its, ours] = await Promise.all([ask(seed, plainEnv), ask(seed, {})]);
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
});
