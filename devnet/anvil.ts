import { readFileSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endChild, startChild } from "./children.ts";
import { freePort, isFree } from "./ports.ts";

const START_PATIENCE_MS = 180_000;

/** How a local chain starts. Two chains with the same `timestamp` and the same transactions are the same byte for byte. */
export type AnvilOptions = {
  /** Taken as it is; without it a free one is found. */
  port?: number;
  /** 31337 unless told. */
  chainId?: number;
  /** Number of the first block; 0 unless told. */
  firstBlock?: number;
  /** Unix time of the first block; now unless told. */
  timestamp?: number;
  /** Seconds from one block to the next, whatever the clock says; 12 unless told, null for the clock's own time. */
  blockSeconds?: number | null;
  /** Rules and built-in contracts of another kind of chain: Tempo has tokens in which fees and payments are made. */
  network?: "tempo";
  /** Ether of each of the ten test accounts; premiums cost thousands. */
  balance?: number;
  gasLimit?: number;
  /**
   * Of how many past blocks the state stays in memory, and is forgotten with those before. Unless told, those of some
   * hundred blocks do, and others are written to files, which makes a long chain, and reads of its past, many times slower.
   */
  statesKept?: number;
  /** Where the chain's own output goes; nowhere unless told. */
  logFile?: string;
};

/** A running local chain. Its process never outlives ours. */
export type Anvil = { url: string; port: number; chainId: number; pid: number; stop(): Promise<void> };

/**
 * Starts anvil, the local Ethereum chain of npm's `@foundry-rs/anvil`, and waits until it answers. Throws when npm
 * has no build for this platform, and with the end of the log when the chain does not come up.
 */
export async function startAnvil(options: AnvilOptions = {}): Promise<Anvil> {
  const { chainId = 31337, blockSeconds = 12, logFile } = options;
  const port = options.port ?? (await freePort());
  if (options.port !== undefined && !(await isFree(port))) {
    throw new PortTakenError(`anvil did not start on port ${port}: another program is listening there`);
  }
  const url = `http://127.0.0.1:${port}`;
  const command = anvilBinary();
  const log = logFile === undefined ? null : await open(logFile, "w");
  const child = startChild({
    command,
    args: toArguments({ ...options, chainId, port }),
    signal: "SIGTERM",
    options: { stdio: toStdio(log) },
  });
  await log?.close();
  const { pid } = child;
  if (pid === undefined) throw new Error(`anvil could not be started: ${command}`);
  const stop = () => endChild(child);
  try {
    await waitUntilReady(url, {
      chainId,
      end: () => child.exitCode ?? child.signalCode,
      isListening: () => logFile === undefined || readFileSync(logFile, "utf8").includes("Listening on"),
    });
    if (blockSeconds !== null) await request(url, "anvil_setBlockTimestampInterval", [blockSeconds]);
  } catch (error) {
    await stop();
    const message = `anvil did not start on port ${port}: ${String(error)}${lastLines(logFile)}`;
    throw error instanceof PortTakenError ? new PortTakenError(message) : new Error(message);
  }
  return { url, port, chainId, pid, stop };
}

/** The native binary of this platform. Throws when the optional package that holds it is not installed. */
export function anvilBinary(platform = process.platform, architecture = process.arch): string {
  const name = `@foundry-rs/anvil-${platform}-${architecture === "x64" ? "amd64" : architecture}`;
  const file = platform === "win32" ? "anvil.exe" : "anvil";
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), "bin", file);
  } catch {
    throw new Error(
      `The local chain needs the npm package ${name}, which is not installed. It is an optional dependency of ` +
        "@foundry-rs/anvil: install without --omit=optional, on Linux or macOS (x64, arm64) or Windows (x64).",
    );
  }
}

function toArguments(options: AnvilOptions & { chainId: number; port: number }): string[] {
  const { balance = 1_000_000, gasLimit = 1_000_000_000 } = options;
  const { firstBlock, timestamp, network, statesKept, logFile } = options;
  return [
    "--host",
    "127.0.0.1",
    "--port",
    String(options.port),
    "--chain-id",
    String(options.chainId),
    "--balance",
    String(balance),
    "--gas-limit",
    String(gasLimit),
    // Transactions of a block are in the order in which they were sent.
    "--order",
    "fifo",
    "--no-request-size-limit",
    ...(firstBlock === undefined ? [] : ["--number", String(firstBlock)]),
    ...(timestamp === undefined ? [] : ["--timestamp", String(timestamp)]),
    ...(statesKept === undefined ? [] : ["--prune-history", String(statesKept)]),
    ...(network === undefined ? [] : ["--network", network]),
    ...(logFile === undefined ? ["--quiet"] : []),
  ];
}

function toStdio(log: FileHandle | null): ["ignore", "ignore" | number, "ignore" | number] {
  return log === null ? ["ignore", "ignore", "ignore"] : ["ignore", log.fd, log.fd];
}

/** Another program took the port between our look and the start of anvil. */
export class PortTakenError extends Error {
  override readonly name = "PortTakenError";
}

/**
 * Starts something on the usual port or the next free one; without a usual port it finds one itself. Two starts at the same
 * moment may find the same port free: the one that does not get it takes the next.
 */
export async function onFreePort<T>(
  usualPort: number | undefined,
  start: (options: { port?: number }) => Promise<T>,
  triesLeft = 5,
): Promise<T> {
  try {
    return await start(usualPort === undefined ? {} : { port: await freePort(usualPort) });
  } catch (error) {
    if (!(error instanceof PortTakenError) || triesLeft === 0) throw error;
    return onFreePort(usualPort, start, triesLeft - 1);
  }
}

/** What tells whether the chain that answers is ours. */
type Started = { chainId: number; end: () => number | string | null; isListening: () => boolean };

/** Another chain may hold the port: ours must say that it listens, if it has a log, and be alive once it answers. */
async function waitUntilReady(url: string, { chainId, end, isListening }: Started): Promise<void> {
  const deadline = Date.now() + START_PATIENCE_MS;
  while (Date.now() < deadline) {
    if (end() !== null) throw new PortTakenError(`it exited with ${end()}; is the port in use?`);
    const answer = isListening() ? await request(url, "eth_chainId", []).catch(() => null) : null;
    if (answer !== null && Number(answer) !== chainId)
      throw new PortTakenError(`chain ${Number(answer)} answers there`);
    if (answer !== null && end() === null) return;
    await sleep(10);
  }
  throw new Error(`no answer within ${START_PATIENCE_MS / 1000} s`);
}

async function request(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result;
}

function lastLines(logFile: string | undefined): string {
  if (logFile === undefined) return "";
  return `\n${readFileSync(logFile, "utf8").split("\n").slice(-20).join("\n")}`;
}
