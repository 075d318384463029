import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { applyPatch, parsePatch } from "diff";

// Ponder as published on npm (ponder-plain), as installed with our patches, and with some of them left out.

const root = fileURLToPath(new URL("../..", import.meta.url));
const plainPonder = join(root, "node_modules/ponder-plain");

/** One file of patches/. */
export type Patch = { name: string; file: string; text: string };

/** All patches, in the order in which they are applied. */
export const patches: readonly Patch[] = readdirSync(join(root, "patches"))
  .filter((file) => file.endsWith(".patch"))
  .toSorted()
  .map((file) => ({
    name: file.replace(/^.*\+|\.patch$/g, ""),
    file: `patches/${file}`,
    text: readFileSync(join(root, "patches", file), "utf8"),
  }));

/** How many lines of a patch's context may differ because earlier patches are left out. */
const FUZZ = 2;

/**
 * What these patches make of Ponder: the new text of each changed file, by its path in the package.
 *
 * @throws Error if a patch does not apply; the message names it
 */
export function patchPlain(chosen: readonly Patch[], fuzzFactor = FUZZ): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { name, text } of chosen) {
    for (const part of parsePatch(text)) {
      const file = part.oldFileName?.replace("a/node_modules/ponder/", "") ?? "";
      const before = texts.get(file) ?? readFileSync(join(plainPonder, file), "utf8");
      const after = applyPatch(before, part, { fuzzFactor });
      if (after === false) throw new Error(`The patch ${name} does not apply to Ponder's ${file}`);
      texts.set(file, after);
    }
  }
  return texts;
}

/** The Ponder that a program loads: the folder of a package. Unset: the installed one. */
const CHOICE = "TEST_PONDER";

/** The path of a file in the chosen Ponder, by its path in `dist/esm`. */
const ponderFile = (file: string): string =>
  join(process.env[CHOICE] ?? join(root, "node_modules/ponder"), "dist/esm", file);

export const readPonderFile = (file: string): string => readFileSync(ponderFile(file), "utf8");

// biome-ignore lint/suspicious/noExplicitAny: Ponder exports none of these modules, nor their types.
export const ponderModule = (file: string): Promise<any> => import(pathToFileURL(ponderFile(file)).href);

/** Environment of a program that loads Ponder without our patches. */
export const plainEnv = { [CHOICE]: plainPonder };

/** Environment of a program that loads Ponder without one patch. */
export const envWithout = (name: string) => ({ [CHOICE]: ponderWithout(name) });

/** The same for this process, which must not have loaded Ponder yet. */
export const loadPlainPonder = (): void => void Object.assign(process.env, plainEnv);

/**
 * Makes a copy of Ponder without some patches, and gives its folder. It is as deep below the project as the installed Ponder, so
 * that its files find the modules of engine/.
 *
 * @throws Error if there is no such patch, or another patch does not apply without them
 */
export function ponderWithout(...names: readonly string[]): string {
  for (const name of names) {
    if (!patches.some((patch) => patch.name === name)) throw new Error(`No patch is called "${name}"`);
  }
  const copy = join(root, `.namedex/ponder-without-${names.join("-")}`);
  rmSync(copy, { recursive: true, force: true });
  for (const part of ["dist/esm", "node_modules", "package.json"]) {
    cpSync(join(plainPonder, part), join(copy, part), { recursive: true });
  }
  for (const [file, text] of patchPlain(patches.filter((patch) => !names.includes(patch.name)))) {
    writeFileSync(join(copy, file), text);
  }
  return copy;
}
