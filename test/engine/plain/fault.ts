import { expect } from "vitest";
import { loadPlainPonder, patches } from "../ponders.ts";

// Every reproduction imports this file, and programs that it starts inherit the choice.
loadPlainPonder();

/** Fails where Ponder, without our patches, does the right thing: then the patch can go. */
export function expectFault(name: string, isThere: boolean): void {
  const file = patches.find((patch) => patch.name === name)?.file;
  expect(isThere, `Ponder has mended this: remove ${file}`).toBe(true);
}
