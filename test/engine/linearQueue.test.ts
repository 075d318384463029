import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { nodeFlags } from "../../engine/nodeFlags.ts";

const queue = fileURLToPath(new URL("./utils/queue.js", import.meta.resolve("ponder")));

/** Fills a queue of Ponder's as its backfill does, where no array can be taken from at its start. */
const program = `
  Array.prototype.shift = () => { throw new Error("an array was moved"); };
  const { createQueue } = await import(${JSON.stringify(queue)});
  const worker = async (task) => { if (task === 7) throw new Error("seven"); return task * 2; };
  const queue = createQueue({ browser: false, initialStart: false, concurrency: 3, worker });
  const tasks = Array.from({ length: 2_000 }, (_, task) => queue.add(task).catch(({ message }) => message));
  const waiting = queue.size();
  await queue.start();
  const results = await Promise.all(tasks);
  await queue.onIdle();
  queue.pause();
  queue.add(1);
  const dropped = [];
  queue.clear(({ task }) => dropped.push(task));
  queue.start();
  console.log(JSON.stringify({ waiting, results, dropped, left: queue.size(), after: await queue.add(4) }));
`;

const run = (...flags: string[]) =>
  promisify(execFile)(process.execPath, [...flags, "--input-type=module", "--eval", program]);

test("Ponder's queue gives the same answers in the same order without moving an array", async () => {
  const { stdout } = await run(...nodeFlags());
  const { results, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual({ waiting: 2_000, dropped: [1], left: 0, after: 8 });
  expect(results).toEqual(Array.from({ length: 2_000 }, (_, task) => (task === 7 ? "seven" : task * 2)));
});

test("by itself Ponder's queue moves an array, so the change is still needed", async () => {
  await expect(run()).rejects.toThrow("an array was moved");
});
