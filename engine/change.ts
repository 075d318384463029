import { type PonderFile, ponderFiles, readPonderFile } from "./ponderFiles.ts";

/** Replaces a piece of text in one file of Ponder. */
export type Edit = {
  file: PonderFile;
  from: string;
  to: string;
  /** How often `from` stands in the file. */
  times?: number;
};

/**
 * Why a change is there. Without a correct one the index is wrong, leaks or stops: test/engine/plain has a reproduction of
 * each. Without a fast one it takes more time or memory: test/bench/index/cases measures each.
 */
export type Group = "correct" | "fast";

/** One thing that Namedex changes in Ponder. docs/ponder.md shows all of it. */
export type Change = {
  /** The name of the file that declares it. */
  name: string;
  group: Group;
  /** What is wrong in Ponder, and in which file. */
  problem: string;
  /** What that costs. */
  cost: string;
  /** What is put in its place. */
  remedy: string;
  /** Where it was reported, or is fixed, upstream. */
  upstream: string;
  /** What a release of Ponder must do, so that the change can go. */
  exit: string;
  edits: readonly Edit[];
};

/**
 * The new text of each file of Ponder that the changes touch. Several changes may edit the same file.
 *
 * @throws PonderMismatchError if any file that Namedex knows is another one, even if these changes leave it as it is
 */
export function changePonder(changes: readonly Change[]): Map<PonderFile, string> {
  const changed = new Map<PonderFile, string>();
  for (const file of ponderFiles) {
    const text = readPonderFile(file);
    const result = changes.reduce((before, change) => applyChange(before, change, file), text);
    if (result !== text) changed.set(file, result);
  }
  return changed;
}

const applyChange = (text: string, { name, edits }: Change, file: PonderFile): string =>
  edits
    .filter((edit) => edit.file === file)
    .reduce((before, edit) => {
      const pieces = before.split(edit.from);
      const expected = edit.times ?? 1;
      const found = pieces.length - 1;
      if (found === expected) return pieces.join(edit.to);
      throw new Error(
        `The change ${name} expects this text ${expected} times in Ponder's ${file}, and finds it ${found} times. Another change may have replaced it:\n${edit.from}`,
      );
    }, text);
