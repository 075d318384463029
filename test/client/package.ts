import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);

/** `PATH` as an application has it: without the project's own programs. */
const plainPath = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);

/** The oldest TypeScript that the client's types support, and the newest. */
export const compilers = ["typescript-5.4", "typescript-7"] as const;

type Compiler = (typeof compilers)[number];

/** The client as an application has it: packed, and installed in an otherwise empty folder. */
export type InstalledClient = {
  /** The application's folder. */
  folder: string;
  /** The package in it. */
  packageFolder: string;
  /** Paths of the files in the package. */
  files: string[];
  tarballBytes: number;
  /** Runs a program of the application by the first `node` outside this project; returns its output. */
  node: (...args: string[]) => Promise<string>;
  /** Checks the application with a TypeScript version of the project; rejects with its report. */
  checkTypes: (compiler: Compiler, options: string[]) => Promise<void>;
  remove: () => void;
};

/** Packs a copy of the client, so that concurrent tests do not write to the same files, and installs it. */
export async function installClient(): Promise<InstalledClient> {
  const place = mkdtempSync(join(tmpdir(), "namedex-package-"));
  const source = join(place, "client");
  cpSync(join(root, "client"), source, { recursive: true, filter: (path) => basename(path) !== "dist" });
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
  const packed = await run("npm", ["pack", "--json", "--pack-destination", place], { cwd: source });
  const [tarball] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf("[\n"))) as {
    filename: string;
    size: number;
    files: { path: string }[];
  }[];
  if (!tarball) throw new Error(`npm pack made no package:\n${packed.stdout}`);
  // In a folder without any other node_modules above it: the application must find only its own.
  const folder = mkdtempSync(join(tmpdir(), "namedex-application-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  const env = { ...process.env, PATH: plainPath };
  const offline = ["--offline", "--no-audit", "--no-fund"];
  await run("npm", ["install", join(place, tarball.filename), ...offline], { cwd: folder, env });
  return {
    folder,
    packageFolder: join(folder, "node_modules/namedex-client"),
    files: tarball.files.map(({ path }) => path),
    tarballBytes: tarball.size,
    node: async (...args) => (await run("node", args, { cwd: folder, env })).stdout,
    checkTypes: async (compiler, options) => {
      const tsc = join(root, "node_modules", compiler, "bin/tsc");
      await run(process.execPath, [tsc, "--noEmit", ...options], { cwd: folder }).catch((error) => {
        throw new Error(`TypeScript reports:\n${error.stdout}`);
      });
    },
    remove: () => {
      for (const one of [place, folder]) rmSync(one, { recursive: true, force: true });
    },
  };
}

/** Writes a file of the application. */
export function writeApplication({ folder }: InstalledClient, path: string, text: string): void {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
}
