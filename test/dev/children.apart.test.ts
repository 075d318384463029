import { type SpawnOptions, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { claimRunFile, endChild, removeRunFile, startChild } from "../../devnet/children.ts";
import { isRunning, markProcess, type ProcessMark } from "../../devnet/processes.ts";

const folder = mkdtempSync(join(tmpdir(), "namedex-children-"));
const file = join(folder, "running.json");
const ended: ProcessMark = { pid: process.pid, birth: "another process with this number" };

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A child that ends a second after it is asked to, as a server does that has work to finish. */
const slow = [
  "-e",
  "process.on('SIGINT', () => setTimeout(process.exit, 1000)); setInterval(() => {}, 1000); console.log('up')",
];

function markOf(child: { pid?: number | undefined }): ProcessMark {
  const mark = markProcess(child.pid ?? 0);
  if (!mark) throw new Error("the child did not start");
  return mark;
}

test("what a killed run left is ended by the next, by the signal that its children need", async () => {
  const child = spawn(process.execPath, slow, { stdio: ["ignore", "pipe", "ignore"] });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const mark = markOf(child);
  writeFileSync(
    file,
    JSON.stringify({ owner: ended, ancestors: [], children: [{ mark, signal: "SIGINT" }] }),
  );
  const code = new Promise((resolve) => child.once("exit", resolve));
  expect(await claimRunFile(file, [])).toBeNull();
  expect(await code).toBe(0); // By itself, not by force.
  removeRunFile();
});

test("a run that is alive and well is left alone", async () => {
  const owner = spawn("sleep", ["60"]);
  const state = JSON.stringify({ owner: markOf(owner), ancestors: [], children: [] });
  writeFileSync(file, state);
  expect(await claimRunFile(file, [])).toEqual({ runningOwner: owner.pid });
  expect(readFileSync(file, "utf8")).toBe(state);
  owner.kill();
});

test("a process with the number of an ended child is left alone", async () => {
  const stranger = spawn("sleep", ["60"]);
  const mark = { pid: stranger.pid, birth: "long before" };
  writeFileSync(
    file,
    JSON.stringify({ owner: ended, ancestors: [], children: [{ mark, signal: "SIGKILL" }] }),
  );
  await claimRunFile(file, []);
  expect(isRunning(markOf(stranger))).toBe(true);
  removeRunFile();
  stranger.kill();
});

test("children of a process that is killed are ended by the reaper", async () => {
  const module = fileURLToPath(new URL("../../devnet/children.ts", import.meta.url));
  const script = `
    import { startChild } from ${JSON.stringify(module)};
    const child = startChild({ command: "sleep", args: ["60"], signal: "SIGTERM" });
    console.log(child.pid);
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = await new Promise<number>((resolve) =>
    owner.stdout.once("data", (text) => resolve(Number(text))),
  );
  const mark = markOf({ pid });
  owner.kill("SIGKILL");
  for (let tries = 0; isRunning(mark) && tries < 1_000; tries++) await sleep(50);
  expect(isRunning(mark)).toBe(false);
});

test("a child that ignores its signal is killed", async () => {
  const stubborn = "trap '' INT; echo up; while :; do sleep 0.1; done";
  const options: SpawnOptions = { stdio: ["ignore", "pipe", "ignore"] };
  const child = startChild({ command: "sh", args: ["-c", stubborn], signal: "SIGINT", options });
  const mark = markOf(child);
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  await endChild(child);
  expect(isRunning(mark)).toBe(false);
});
