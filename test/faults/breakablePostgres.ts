import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../devnet/ports.ts";
import { startPostgres } from "../devnet/postgres.ts";
import { isRunning, markProcess } from "../devnet/processes.ts";

/** A PostgreSQL server of one test, to be killed and started again on the same data and port. */
export type BreakablePostgres = {
  url: string;
  /** SIGKILL of the server, as a crash: its other processes end by themselves. */
  kill: () => Promise<void>;
  start: () => Promise<void>;
  destroy: () => Promise<void>;
};

/** What is committed is on the disk, as PostgreSQL does unless somebody tells it otherwise. */
const durable = ["-c", "synchronous_commit=on"];
/** Backends notice within moments that their server is gone. */
const BACKENDS_END_MS = 500;

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
      const mark = markProcess(running.server.pid);
      if (mark) process.kill(mark.pid, "SIGKILL");
      while (mark && isRunning(mark)) await sleep(10);
      await sleep(BACKENDS_END_MS);
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
