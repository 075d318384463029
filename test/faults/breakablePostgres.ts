import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../devnet/ports.ts";
import { startPostgres } from "../../devnet/postgres.ts";
import { childrenOf, isRunning, markProcess, sendSignal } from "../../devnet/processes.ts";

/** A PostgreSQL server of one test, to be killed and started again on the same data and port. */
export type BreakablePostgres = {
  url: string;
  /** Where its tables are. */
  data: string;
  /**
   * SIGKILL of all its processes at once, as a power cut. A killed server alone is another fault: its other processes
   * end by themselves, each rolls back what it did and removes the files of tables that it was creating, but that does
   * not get into the log. Recovery then fails with "could not create file …: File exists" where such a table is
   * unlogged, and the server never starts again (PostgreSQL 18.4).
   */
  kill: () => Promise<void>;
  start: () => Promise<void>;
  destroy: () => Promise<void>;
};

/** What is committed is on the disk, as with PostgreSQL's own settings. */
const durable = ["-c", "synchronous_commit=on"];

/** `more` are further arguments of the server. */
export async function startBreakablePostgres(more: readonly string[] = []): Promise<BreakablePostgres> {
  return startBreakableIn(await makeServerFolder(), more);
}

/** A folder for the data of a server; other accounts may pass it. */
export async function makeServerFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "namedex-breakable-"));
  await chmod(folder, 0o755);
  return folder;
}

/** The same on data that stand in `data` of a folder, or are made there. */
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
      process.kill(server.pid, "SIGSTOP"); // It starts no other process while they are killed.
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

/** Kills the processes of a server; gives how many there were, those left out that had ended already. */
function killChildren(server: number): number {
  const running = childrenOf(server).filter((pid) => markProcess(pid) !== null);
  for (const pid of running) sendSignal(pid, "SIGKILL");
  return running.length;
}
