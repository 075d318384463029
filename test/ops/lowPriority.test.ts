import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { constants, getPriority } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { lowerPriority } from "../../ops/commandLine/lowPriority.ts";

/** sched.h: SCHED_IDLE. */
const IDLE = 5;
const hasChrt = process.platform === "linux" && spawnSync("chrt", ["--version"]).status === 0;

const program = `
  process.stdin.once("data", () => new (require("node:worker_threads").Worker)("setInterval(() => {}, 1000)", { eval: true })
    .once("online", () => console.log("with a thread more")));
  console.log("ready");`;

async function startChild(): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ["-e", program]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  if (child.pid === undefined) throw new Error("It did not start");
  return child as ChildProcess & { pid: number };
}

/** proc(5): the 41st field of `stat`, counted from the end of the program's name. */
const policiesOf = (pid: number): Set<number> =>
  new Set(
    readdirSync(`/proc/${pid}/task`).map((thread) => {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "utf8");
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[38]);
    }),
  );

test("a low-priority process comes last on its machine", async () => {
  const { pid } = await startChild();
  lowerPriority(pid);
  expect(getPriority(pid)).toBe(constants.priority.PRIORITY_LOW);
});

test.runIf(hasChrt)("it runs only in idle time, including threads that start later", async () => {
  const child = await startChild();
  expect(policiesOf(child.pid)).not.toContain(IDLE);
  lowerPriority(child.pid);
  expect(policiesOf(child.pid)).toEqual(new Set([IDLE]));
  child.stdin?.write("\n");
  if (child.stdout) await once(child.stdout, "data");
  expect(policiesOf(child.pid)).toEqual(new Set([IDLE]));
});

test("a process that has ended is not a failure", async () => {
  const child = await startChild();
  child.kill("SIGKILL");
  await once(child, "exit");
  lowerPriority(child.pid);
});
