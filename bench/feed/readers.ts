import { Agent, get } from "node:http";
import { clock } from "./clock.ts";

/*
 * Readers of streams, in a process of their own: what keeps them busy does not slow the benchmark. Told how many and where, it
 * says when all are open, and for each block when each reader had the whole of it.
 */

export type Readers = { url: string; count: number };
export type Read = { open: number; refused: number } | { block: number; times: number[] };

/** Callers behind the proxy that this process simulates, each with as many streams as allowed. */
const OF_CALLER = 20;

const ENDED = /"type":"block\.ended".*?"block_number":(\d+)/g;

const times = new Map<number, number[]>();
let open = 0;
let refused = 0;

function say(message: Read): void {
  process.send?.(message);
}

function note(block: number, count: number): void {
  const list = times.get(block) ?? [];
  times.set(block, list);
  list.push(clock());
  if (list.length < count) return;
  times.delete(block);
  say({ block, times: list });
}

function begin({ url, count }: Readers, i: number): void {
  const caller = Math.floor(i / OF_CALLER);
  const headers = { "x-forwarded-for": `10.${caller >> 8}.${caller & 255}.1` };
  const agent = new Agent({ keepAlive: false });
  get(`${url}/changes/stream`, { headers, agent }, (reply) => {
    if (reply.statusCode === 200) open++;
    else refused++;
    if (open + refused === count) say({ open, refused });
    let text = "";
    reply.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const at = text.lastIndexOf("\n\n");
      if (at < 0) return;
      for (const [, block] of text.slice(0, at).matchAll(ENDED)) note(Number(block), open);
      text = text.slice(at + 2);
    });
    reply.on("error", () => {});
  }).on("error", () => {
    refused++;
    if (open + refused === count) say({ open, refused });
  });
}

process.once("message", (plan: Readers) => {
  for (let i = 0; i < plan.count; i++) begin(plan, i);
});
process.once("disconnect", () => process.exit(0));
