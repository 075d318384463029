import { expect, test } from "vitest";
import { plainEnv } from "./ponders.ts";
import { runNode } from "./runTrial.ts";

/** Fills a queue of Ponder's as its backfill does, where no array can be taken from at its start. */
const program = `
  Array.prototype.shift = () => { throw new Error("an array was moved"); };
  const { createQueue } = await file("utils/queue.js");
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

test("Ponder's queue gives the same answers in the same order without moving an array", async () => {
  const { results, ...rest } = await runNode<Record<string, unknown>>(program);
  expect(rest).toEqual({ waiting: 2_000, dropped: [1], left: 0, after: 8 });
  expect(results).toEqual(Array.from({ length: 2_000 }, (_, task) => (task === 7 ? "seven" : task * 2)));
});

test("by itself Ponder's queue moves an array, so the patch is still needed", async () => {
  await expect(runNode(program, { env: plainEnv })).rejects.toThrow("an array was moved");
});
