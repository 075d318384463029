import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../devnet/ports.ts";
import { startPostgres } from "../../devnet/postgres.ts";
import { childrenOf, isRunning, markProcess, sendSignal } from "../../devnet/processes.ts";

/** A PostgreSQL server of one test that can be killed and started again on the same data and port. */
export type BreakablePostgres = {
  url: string;
  /** Folder of its tables. */
  data: string;
  /**
   * Sends SIGKILL to all its processes at once, like a power cut. Killing only the server is another fault: its other processes
   * end by themselves, and each rolls back its work and removes the files of tables that it was creating, but the log does not
   * record that. Recovery then fails with "could not create file …: File exists" if such a table is unlogged, and the server
   * never starts again (PostgreSQL 18.4).
   */
  kill: () => Promise<void>;
  start: () => Promise<void>;
  destroy: () => Promise<void>;
};

/** Committed data is on the disk, as with PostgreSQL's own settings. */
const durable = ["-c", "synchronous_commit=on"];

/** `more` are additional arguments of the server. */
export async function startBreakablePostgres(more: readonly string[] = []): Promise<BreakablePostgres> {
  return startBreakableIn(await makeServerFolder(), more);
}

/** A folder for the data of a server; other accounts may traverse it. */
export async function makeServerFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "namedex-breakable-"));
  await chmod(folder, 0o755);
  return folder;
}

/** The same on data in `data` of a folder, created if missing. */
export async function startBreakableIn(
  folder: string,
  more: readonly string[] = [],
): Promise<BreakablePostgres> {
  const plan = {
    data: join(folder, "data"),
    preferredPort: await freePort(),
    settings: [...durable, ...more],
  };
  const running = { server: await startPostgres(plan) };
  return {
    url: running.server.url,
    data: running.server.data,
    kill: async () => {
      const server = markProcess(running.server.pid);
      if (server === null) throw new Error("PostgreSQL had ended before it was killed");
      process.kill(server.pid, "SIGSTOP"); // The server starts no other process while they are killed.
      while (killChildren(server.pid) > 0) await sleep(5);
      process.kill(server.pid, "SIGKILL");
      while (isRunning(server)) await sleep(5);
    },
    start: async () => {
      running.server = await startPostgres(plan);
    },
    destroy: async () => {
      await running.server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Kills the processes of a server. Returns how many there were, without those that had already ended. */
function killChildren(server: number): number {
  const running = childrenOf(server).filter((pid) => markProcess(pid) !== null);
  for (const pid of running) sendSignal(pid, "SIGKILL");
  return running.length;
}
