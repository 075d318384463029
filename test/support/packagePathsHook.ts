import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

/*
 * Ponder loads three thousand files of packages. For each of them Node looks for the file, for what its links lead to, and reads
 * the whole package.json again: that is a third of the processor time of a start. A file that names another one of its package
 * by the whole path leaves nothing to look for.
 */

/** What the nearest package.json says, by folder: whether its `.js` files are ES modules. */
const known = new Map<string, boolean>();

function hasModules(folder: URL): boolean {
  const before = known.get(folder.href);
  if (before !== undefined) return before;
  const own = typeIn(folder);
  const isTop = folder.pathname.endsWith("/node_modules/") || folder.pathname === "/";
  const found = own === undefined ? !isTop && hasModules(new URL("../", folder)) : own === "module";
  known.set(folder.href, found);
  return found;
}

/** Undefined where the folder has no package.json. */
function typeIn(folder: URL): string | undefined {
  try {
    const { type } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8")) as { type?: string };
    return type ?? "commonjs";
  } catch {
    return undefined;
  }
}

/** The ES module in a package that a file of this package names by the whole path, if it is one. */
export function moduleBeside(specifier: string, parent: string | undefined): string | undefined {
  if (!specifier.startsWith(".") || !specifier.endsWith(".js")) return undefined;
  if (!parent?.startsWith("file:") || !parent.includes("/node_modules/")) return undefined;
  const url = new URL(specifier, parent);
  return url.pathname.includes("/node_modules/") && hasModules(new URL("./", url)) ? url.href : undefined;
}

/** Has such files loaded without a search. */
export function registerPackagePaths(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const url = context.conditions.includes("import")
        ? moduleBeside(specifier, context.parentURL)
        : undefined;
      return url === undefined
        ? nextResolve(specifier, context)
        : { url, format: "module", shortCircuit: true };
    },
  });
}
