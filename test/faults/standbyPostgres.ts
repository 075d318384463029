import { appendFile, chown, copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Account, choosePlace } from "../../devnet/postgresPlace.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";
import { ask } from "../support/database.ts";
import { type BreakablePostgres, makeServerFolder, startBreakableIn } from "./breakablePostgres.ts";

/** Settings that a primary needs for standbys: it keeps its log for one that is away for a while. */
export const primarySettings = ["-c", "wal_keep_size=512MB", "-c", "fsync=off"];

/** Folders whose content a base backup omits. Source: PostgreSQL's documentation, "Backing Up the Data Directory". */
const EMPTY = [
  "pg_wal",
  "pg_replslot",
  "pg_dynshmem",
  "pg_notify",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans",
];
const LEFT_OUT = /^(postmaster\.(pid|opts)|pgsql_tmp.*|pg_internal\.init.*|.*\.draft)$/;

/** A hot standby, and the server that it follows. */
export type StandbyPostgres = BreakablePostgres & {
  /** Makes it follow another server. */
  follow: (primary: Pick<BreakablePostgres, "url">) => Promise<void>;
  promote: () => Promise<void>;
};

/**
 * Copies a running server as pg_basebackup does, with PostgreSQL's low-level backup API, and starts the copy as a hot standby:
 * npm's PostgreSQL has no pg_basebackup.
 */
export async function startStandby(
  primary: Pick<BreakablePostgres, "url" | "data">,
  more: readonly string[] = [],
): Promise<StandbyPostgres> {
  const folder = await makeServerFolder();
  const { data, account } = await choosePlace(join(folder, "data"));
  await withClient({ connectionString: primary.url }, async (client) => {
    await client.query("select pg_backup_start('standby', fast => true)");
    await copyFolder(primary.data, data, account);
    const { rows } = await client.query("select labelfile from pg_backup_stop(wait_for_archive => false)");
    await writeOwned(join(data, "backup_label"), rows[0].labelfile, account);
  });
  await writeOwned(join(data, "standby.signal"), "", account);
  await appendFile(join(data, "postgresql.auto.conf"), `primary_conninfo = '${connectionOf(primary)}'\n`);
  const server = await startBreakableIn(folder, ["-c", "fsync=off", ...more]);
  return {
    ...server,
    follow: async (other) => {
      await ask(server.url, `alter system set primary_conninfo = '${connectionOf(other)}'`);
      await ask(server.url, "select pg_reload_conf()");
    },
    promote: async () => {
      const [promoted] = await ask<{ is: boolean }>(
        server.url,
        "select pg_promote(wait_seconds => 60) as is",
      );
      if (!promoted?.is) throw new Error("The standby was not promoted within a minute");
    },
  };
}

function connectionOf({ url }: Pick<BreakablePostgres, "url">): string {
  const { hostname, port, username } = new URL(url);
  return `host=${hostname} port=${port} user=${username}`;
}

async function writeOwned(path: string, text: string, account: Account | null): Promise<void> {
  await writeFile(path, text, { mode: 0o600 });
  if (account) await chown(path, account.uid, account.gid);
}

/** Files come and go while a running server is copied: its log makes the copy consistent. */
async function copyFolder(from: string, to: string, account: Account | null, isRoot = true): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  if (account) await chown(to, account.uid, account.gid);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (LEFT_OUT.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && isRoot && EMPTY.includes(entry.name)) await copyEmpty(target, account);
    else if (entry.isDirectory()) await copyFolder(source, target, account, false);
    else await copyOwned(source, target, account);
  }
}

async function copyEmpty(target: string, account: Account | null): Promise<void> {
  await mkdir(target, { mode: 0o700 });
  if (account) await chown(target, account.uid, account.gid);
}

async function copyOwned(source: string, target: string, account: Account | null): Promise<void> {
  try {
    await copyFile(source, target);
    if (account) await chown(target, account.uid, account.gid);
  } catch (error) {
    if ((error as { code?: string }).code !== "ENOENT") throw error;
  }
}
