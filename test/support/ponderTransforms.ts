import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { registerPackagePaths } from "./packagePathsHook.ts";

/*
 * `node --import ponderTransforms.ts <Ponder>`: every start of Ponder translates the whole program from TypeScript, which is a third
 * of the processor time of the start. Here a file's translation is stored beside Node's compiled modules, under the hash of
 * everything that it follows from, and the next start reads it. Files are read and run as ever.
 */

type Translation = { code: string; map: unknown };
type Transform = (this: unknown, id: string, file: string, mode: string) => Promise<Translation | null>;

const root = join(import.meta.dirname, "../..");
const folder = join(process.env.NODE_COMPILE_CACHE ?? "", "ponder-transforms");

/** What translates, and how: all files' translations follow from these, too. */
const translator = ["node_modules/vite/package.json", "node_modules/vite-node/package.json", "tsconfig.json"]
  .map((file) => readFileSync(join(root, file), "utf8"))
  .join("\0");

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

function readStored(path: string): Translation | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Translation;
  } catch {
    return null;
  }
}

/** Written beside it first: another start may read it meanwhile. */
function store(path: string, { code, map }: Translation): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify({ code, map }));
  renameSync(draft, path);
}

/** The same, with what an earlier start translated. Modules that are no files are made each time. */
const withStored = (transform: Transform): Transform =>
  async function (id, file, mode) {
    if (!isFile(file)) return transform.call(this, id, file, mode);
    const text = readFileSync(file);
    const hash = createHash("sha256").update([translator, mode, id, file, ""].join("\0")).update(text);
    const path = join(folder, hash.digest("hex"));
    const stored = readStored(path);
    if (stored !== null) return stored;
    const translation = await transform.call(this, id, file, mode);
    if (translation !== null && readFileSync(file).equals(text)) store(path, translation);
    return translation;
  };

const hook = Symbol.for("namedex.ponderTransforms");
const serverFile = /\/vite-node\/dist\/server\.mjs$/;
const addition = `
const server = ViteNodeServer.prototype;
server._transformRequest = globalThis[Symbol.for("namedex.ponderTransforms")](server._transformRequest);`;

registerPackagePaths(); // For programs that are no Ponder, too.

if (process.env.NODE_COMPILE_CACHE) {
  mkdirSync(folder, { recursive: true });
  Object.assign(globalThis, { [hook]: withStored });
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      return serverFile.test(url) ? { ...loaded, source: `${loaded.source}${addition}` } : loaded;
    },
  });
}
