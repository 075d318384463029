import { registerHooks } from "node:module";
import { type Change, changePonder } from "./change.ts";
import { changes, usualChanges } from "./changes/index.ts";
import { noteChanges } from "./loaded.ts";
import { ponderUrlOf } from "./ponderFiles.ts";

/**
 * Makes Node load Ponder with these changes. To be called before Ponder is loaded.
 *
 * @throws PonderMismatchError if Ponder's files are not the known ones
 */
export function registerChanges(wanted: readonly Change[]): void {
  const texts = new Map([...changePonder(wanted)].map(([file, text]) => [ponderUrlOf(file), text]));
  registerHooks({
    load(url, context, nextLoad) {
      const source = texts.get(url.split("?", 1)[0] ?? url);
      return source === undefined ? nextLoad(url, context) : { format: "module", source, shortCircuit: true };
    },
  });
  noteChanges(wanted.map(({ name }) => name));
}

/** The changes of these names. @throws Error if there is none of a name */
export function findChanges(names: readonly string[]): Change[] {
  return names.map((name) => {
    const change = changes.find((one) => one.name === name);
    if (change === undefined) throw new Error(`There is no change "${name}" in engine/changes.`);
    return change;
  });
}

/** The names of the usual changes that are not among these. */
export const missingChanges = (wanted: readonly Change[]): string[] =>
  usualChanges.filter((change) => !wanted.includes(change)).map(({ name }) => name);
