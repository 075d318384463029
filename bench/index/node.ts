import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Cutover } from "./chain/ensv2.ts";
import { bytesOf, cpuSecondsOf, peakBytesOf } from "./process.ts";

/** A node of the generated chain, in a process of its own. */
export type ChainNode = {
  url: string;
  /** Logs, blocks that have any, and transactions. */
  logs: number;
  blocks: number;
  transactions: number;
  /** How often each event was logged, as `<role> <generation> <event>`. */
  counts: Record<string, number>;
  /** The first block that may have logs of ENSv2. */
  blockOfEnsv2: number;
  /** Memory that it has now, and the most that it had while it generated the chain. */
  memory: () => { bytes: number; peakBytes: number };
  /** Processor time used so far, in seconds. */
  cpuSeconds: () => number;
  /** Logs a second that it serves to a reader that does nothing with them. */
  readSpeed: () => Promise<number>;
  stop: () => void;
};

/**
 * Generates mainnet or Base with this many names, and serves it on loopback. On mainnet these are .eth names, and some
 * of them can go on to ENSv2. `labels` is a file for the texts of all labels, those that no log spells out, too.
 */
export function startChainNode(
  names: number,
  of: "mainnet" | "base" = "mainnet",
  { reserved, migrated, labels }: Cutover & { labels?: string } = { reserved: 0, migrated: 0 },
): Promise<ChainNode> {
  const program = fileURLToPath(new URL("chain/server.ts", import.meta.url));
  // Generating a million names takes 3 GiB; a few hundred MiB stay in use.
  const heap = `--max-old-space-size=${Math.ceil(2_000 + names / 250)}`;
  const child = fork(
    program,
    [
      "--names",
      String(names),
      "--chain",
      of,
      "--reserved",
      String(reserved),
      "--migrated",
      String(migrated),
      ...(labels === undefined ? [] : ["--labels", labels]),
    ],
    { execArgv: [heap, "--expose-gc"] },
  );
  return new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`The generated chain ended with ${code}`)));
    child.once("message", (message) => {
      const { port, ...summary } = message as { port: number } & Pick<
        ChainNode,
        "logs" | "blocks" | "transactions" | "counts" | "blockOfEnsv2"
      >;
      const url = `http://127.0.0.1:${port}`;
      resolve({
        url,
        ...summary,
        memory: () => ({ bytes: bytesOf(child.pid ?? 0), peakBytes: peakBytesOf(child.pid ?? 0) }),
        cpuSeconds: () => cpuSecondsOf(child.pid ?? 0),
        readSpeed: () => readSpeed(url),
        stop: () => child.disconnect(),
      });
    });
  });
}

async function readSpeed(url: string): Promise<number> {
  const [start, step] = [16_000_000, 100_000];
  const begun = performance.now();
  let logs = 0;
  for (let i = 0; i < 20; i++) {
    const fromBlock = `0x${(start + i * step).toString(16)}`;
    const toBlock = `0x${(start + (i + 1) * step - 1).toString(16)}`;
    const body = JSON.stringify({ id: 1, method: "eth_getLogs", params: [{ fromBlock, toBlock }] });
    const text = await (await fetch(url, { method: "POST", body })).text();
    logs += text.split('"logIndex"').length - 1;
  }
  return (logs / (performance.now() - begun)) * 1_000;
}
