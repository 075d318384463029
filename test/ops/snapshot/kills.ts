import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { chanceOf } from "../../../bench/api/chance.ts";
import { trackChild } from "../../../devnet/children.ts";
import { freePort } from "../../../devnet/ports.ts";
import { differencesOf, readTables } from "../../chain/tables.ts";
import { ask } from "../../support/database.ts";
import { bareEnvironment } from "../../support/environment.ts";
import { runProgram } from "../programs.ts";
import { rowsOf } from "./definitions.ts";
import { prepareFollowed } from "./followed.ts";
import { expectEnd, hasIndex, isBegun, PATIENCE_MS, type SnapshotStage } from "./stage.ts";

const program = fileURLToPath(new URL("../../../ops/snapshot.ts", import.meta.url));

/** One run of the program, killed this long after its work began. Null lets it end. */
async function runUntil(
  { args, env }: { args: string[]; env: Record<string, string> },
  { hasBegun, killAfter }: { hasBegun: (told: string) => boolean; killAfter: number | null },
): Promise<{ worked: number; isKilled: boolean }> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...bareEnvironment, ...env },
    cwd: tmpdir(),
    stdio: ["ignore", "ignore", "pipe"],
  });
  let told = "";
  child.stderr?.on("data", (text) => (told += text));
  trackChild(child, "SIGKILL");
  const exit = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  while (!isOver() && !hasBegun(told)) await sleep(5);
  const begun = performance.now();
  if (killAfter !== null) {
    await Promise.race([sleep(killAfter), exit]);
    child.kill("SIGKILL");
  }
  await exit;
  return { worked: performance.now() - begun, isKilled: child.signalCode === "SIGKILL" };
}

/** How often each of the two programs is killed, at random moments. */
type KillsPlan = { kills: number; seed: number };

export function outlivesKills(stageOf: () => SnapshotStage, { kills, seed }: KillsPlan): void {
  describe(`killed at ${2 * kills} random moments, seed ${seed}`, () => {
    test(
      "create leaves no snapshot that looks complete, and starts over",
      async () => {
        const { folder, source, environment, snapshot } = stageOf();
        const env = environment(source.databaseUrl);
        const whole = await createOnce({ env, to: join(folder, "undisturbed"), killAfter: null });
        const dice = chanceOf(seed).next;
        let to = join(folder, "killed");
        for (let killed = 0, run = 0; killed < kills; run++) {
          expect(run, "runs, of which too few were killed").toBeLessThan(3 * kills + 5);
          const { isKilled } = await createOnce({ env, to, killAfter: dice() * whole.worked });
          if (isKilled) killed += 1;
          if (existsSync(join(to, "manifest.json"))) {
            expectEnd(await snapshot(source.databaseUrl, "inspect", to));
            to = join(folder, `killed-${run}`);
          } else {
            const refused = await snapshot(source.databaseUrl, "inspect", to);
            expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("run it again") });
          }
        }
        expectEnd(await snapshot(source.databaseUrl, "create", to));
        expect(existsSync(join(to, "unfinished"))).toBe(false);
      },
      PATIENCE_MS,
    );

    test(
      "restore leaves no index that looks complete, and continues",
      async () => {
        const { local, demo, demoTables, environment, snapshot, source } = stageOf();
        const undisturbed = await prepareFollowed(local);
        const whole = await restoreOnce(environment(undisturbed.databaseUrl), { demo, killAfter: null });
        await undisturbed.close();
        const dice = chanceOf(seed + 1).next;
        const restored = await prepareFollowed(local);
        const env = environment(restored.databaseUrl);
        try {
          // The last one is killed in the midst of its work, neither before it began nor when it is
          // done.
          for (let killed = 0, run = 0; killed < kills || !(await isBegun(restored.databaseUrl)); run++) {
            expect(run, "runs, of which too few were killed").toBeLessThan(4 * kills + 5);
            // Each run continues where the last was killed, so it has less to do.
            const { isKilled } = await restoreOnce(env, { demo, killAfter: (dice() * whole.worked) / 2 });
            if (isKilled) killed += 1;
            if (!(await hasIndex(restored.databaseUrl))) continue;
            await ask(restored.databaseUrl, "drop schema namedex_index, namedex_cache cascade");
          }
          expect((await runProgram("release.ts", ["list"], env)).stdout).toContain("There is no index");
          const started = await runProgram("start.ts", [], { ...env, PORT: String(await freePort()) });
          expect(started).toMatchObject({ code: 1, stdout: expect.stringContaining("is being restored") });
          expectEnd(await snapshot(restored.databaseUrl, "restore", demo));
          expect(differencesOf(await readTables(restored), demoTables)).toEqual([]);
          const cache = ["blocks", "transactions", "logs", "intervals"];
          const [is, should] = await Promise.all(
            [restored, source].map(({ databaseUrl }) => rowsOf(databaseUrl, "namedex_cache", cache)),
          );
          expect(differencesOf(is ?? new Map(), should ?? new Map())).toEqual([]);
        } finally {
          await restored.close();
        }
      },
      PATIENCE_MS,
    );
  });
}

const createOnce = ({
  env,
  to,
  killAfter,
}: {
  env: Record<string, string>;
  to: string;
  killAfter: number | null;
}) =>
  runUntil({ args: ["create", to], env }, { hasBegun: () => existsSync(join(to, "unfinished")), killAfter });

const restoreOnce = (
  env: Record<string, string>,
  { demo, killAfter }: { demo: string; killAfter: number | null },
) =>
  runUntil(
    { args: ["restore", demo], env },
    { hasBegun: (told) => told.includes("Checking parts"), killAfter },
  );
