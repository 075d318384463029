import { expect } from "vitest";
import type { Change } from "../../../engine/change.ts";

/** Fails where Ponder, without our changes, does the right thing: then the change can go. */
export function expectFault({ name }: Change, isThere: boolean): void {
  expect(isThere, `Ponder has mended this: remove engine/changes/${name}.ts`).toBe(true);
}
