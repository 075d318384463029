import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bytesOf } from "../index/process.ts";
import type { Figure } from "../report.ts";
import { clock } from "./clock.ts";
import { figuresOf } from "./deliveries.ts";
import type { Read, Readers } from "./readers.ts";
import { type FeedStage, nextMessage, until } from "./stage.ts";

const MAX_MS = 1_000;
const MIB = 2 ** 20;

/** How long after its commit every reader has a block, while one process has many streams, and what memory they take. */
export async function measureStreams(
  stage: FeedStage,
  { streams, blocks, changes }: { streams: number; blocks: number; changes: number },
): Promise<Figure[]> {
  const readers = fork(fileURLToPath(new URL("./readers.ts", import.meta.url)));
  const before = bytesOf(stage.stack.pid());
  readers.send({ url: stage.stack.url, count: streams } satisfies Readers);
  const opened = await nextMessage<Extract<Read, { open: number }>>(readers);
  if (opened.refused > 0) throw new Error(`${opened.refused} of ${streams} streams were refused`);
  const read = new Map<number, number[]>();
  readers.on("message", (message: Read) => {
    if ("block" in message) read.set(message.block, message.times);
  });
  const times: number[] = [];
  let slowestAnswer = 0;
  for (let i = 0; i < blocks; i++) {
    const number = await stage.change(changes);
    const committed = stage.times.committed.get(number) ?? Number.NaN;
    const began = clock();
    await (await fetch(`${stage.stack.url}/whois/alice.eth`)).arrayBuffer();
    slowestAnswer = Math.max(slowestAnswer, clock() - began);
    await until(() => read.has(number), `block ${number} at every reader`);
    times.push(...(read.get(number) ?? []).map((at) => at - committed));
  }
  const grown = bytesOf(stage.stack.pid()) - before;
  readers.disconnect();
  const among = `${streams.toLocaleString("en")} streams, ${changes} changes a block`;
  return [
    ...figuresOf(`commit to every reader, ${among}`, times, MAX_MS),
    {
      bench: "feed",
      name: `slowest answer to another caller, ${among}`,
      value: slowestAnswer,
      unit: "ms",
    },
    {
      bench: "feed",
      name: `memory of ${streams.toLocaleString("en")} streams`,
      value: Math.max(0, grown) / MIB,
      unit: "MiB",
    },
  ];
}
