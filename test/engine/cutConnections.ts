import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

type CreatePool = (config: pg.PoolConfig, log: object, schema?: string) => pg.Pool;
/** What Ponder makes its connections with (utils/pg.js). */
export type Pools = { createPool: CreatePool; createReadonlyPool: CreatePool };

export const quietLog = { warn: () => {}, debug: () => {}, trace: () => {} };

/** A server that cuts each connection at the first word, like one that is being killed. */
export async function cuttingServer(): Promise<{ url: string; close: () => void }> {
  const server = createServer((socket) => void socket.once("data", () => socket.end()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `postgresql://me@127.0.0.1:${port}/x`, close: () => void server.close() };
}

/** The outcome of a query: its error, or `waits` if it has none in this time. */
export const outcomeOf = (pool: pg.Pool, patience = 60_000): Promise<string> =>
  Promise.race([
    pool.query("select 1").then(
      () => "answered",
      (error: Error) => error.message,
    ),
    sleep(patience, "waits", { ref: false }),
  ]);
