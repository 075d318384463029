import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../devnet/ports.ts";
import { startPostgres } from "../devnet/postgres.ts";
import { childrenOf, isRunning, markProcess } from "../devnet/processes.ts";

/** A PostgreSQL server of one test, to be killed and started again on the same data and port. */
export type BreakablePostgres = {
  url: string;
  /** SIGKILL of the server, as a crash; waits until its other processes have noticed and ended by themselves. */
  kill: () => Promise<void>;
  start: () => Promise<void>;
  destroy: () => Promise<void>;
};

/** What is committed is on the disk, as PostgreSQL does unless somebody tells it otherwise. */
const durable = ["-c", "synchronous_commit=on"];

/** `more` are further arguments of the server. */
export async function startBreakablePostgres(more: readonly string[] = []): Promise<BreakablePostgres> {
  const folder = await mkdtemp(join(tmpdir(), "namedex-breakable-"));
  await chmod(folder, 0o755);
  const plan = {
    data: join(folder, "data"),
    preferredPort: await freePort(),
    settings: [...durable, ...more],
  };
  const running = { server: await startPostgres(plan) };
  return {
    url: running.server.url,
    kill: async () => {
      const { pid } = running.server;
      process.kill(pid, "SIGSTOP"); // It starts no other while they are listed.
      const all = [pid, ...childrenOf(pid)].map(markProcess).filter((mark) => mark !== null);
      process.kill(pid, "SIGKILL");
      while (all.some(isRunning)) await sleep(10);
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
