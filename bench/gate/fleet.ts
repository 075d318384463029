import { endChild } from "../../devnet/children.ts";
import { type StandbyPostgres, startStandby } from "../../test/faults/standbyPostgres.ts";
import { ask } from "../../test/support/database.ts";
import { type Server, serveIndex } from "../api/server.ts";
import { startGateway } from "../gateway/start.ts";
import { CONNECTIONS } from "./seen.ts";

/** The target, and its name in the rows. */
export type Fleet = { name: string; url: string; stop: () => Promise<void> };

/** One address asks for all callers: it may have as many requests at once as its program has connections, a third of all. */
const GATEWAY = {
  GATEWAY_MAX_REQUESTS: String(3 * CONNECTIONS),
  GATEWAY_MAX_REQUESTS_PER_ADDRESS: String(CONNECTIONS),
};

type Plan = Parameters<typeof serveIndex>[1];

/** The gateway before the server and others like it. */
export async function startReplicas(
  server: Server,
  { replicas, ...plan }: Plan & { replicas: number },
): Promise<Fleet> {
  const more: Awaited<ReturnType<typeof serveIndex>>[] = [];
  for (let i = 0; i < replicas; i++) more.push(await serveIndex(server.databaseUrl, plan));
  const gateway = await startGateway([server.url, ...more.map(({ url }) => url)], GATEWAY);
  return {
    name: `${replicas + 1} processes behind the gateway`,
    url: gateway.url,
    stop: async () => {
      await gateway.stop();
      await Promise.all(more.map(({ child }) => endChild(child)));
    },
  };
}

/** The gateway in front of processes that each read a standby of their own. */
export async function startStandbys(
  server: Server,
  { standbys, ...plan }: Plan & { standbys: number },
): Promise<Fleet> {
  const { databaseUrl: primaryUrl, databaseFiles: data } = server;
  const started: { standby: StandbyPostgres; process: Awaited<ReturnType<typeof serveIndex>> }[] = [];
  // A copy of the files takes long, and needs the log since its beginning.
  await configure(primaryUrl, "alter system set wal_keep_size = '2GB'");
  for (let i = 0; i < standbys; i++) {
    const standby = await startStandby({ url: primaryUrl, data });
    const url = Object.assign(new URL(standby.url), { pathname: new URL(primaryUrl).pathname }).href;
    started.push({ standby, process: await serveIndex(url, { ...plan, primaryUrl }) });
  }
  const gateway = await startGateway(
    started.map(({ process }) => process.url),
    GATEWAY,
  );
  return {
    name: `${standbys} processes behind the gateway, each on a standby`,
    url: gateway.url,
    stop: async () => {
      await gateway.stop();
      for (const { standby, process } of started) {
        await endChild(process.child);
        await standby.destroy();
      }
      await configure(primaryUrl, "alter system reset wal_keep_size");
    },
  };
}

async function configure(url: string, sql: string): Promise<void> {
  await ask(url, sql);
  await ask(url, "select pg_reload_conf()");
}
