import { expect, test } from "vitest";
import { runTrial } from "./runTrial.ts";

type Lock = { isLocked: number; owner: string | null; isFresh: boolean };
type Outcome = Record<"owned" | "afterSecond" | "released" | "taken", Lock> & Record<string, unknown>;

test("a schema has one writer: a process that lost its token writes nothing more and ends", async () => {
  const { owned, afterSecond, released, taken, refused, ...rest } = await runTrial<Outcome>("lockTrial.ts");
  expect(owned).toEqual({ isLocked: 1, owner: expect.stringMatching(/^[0-9a-f-]{36}$/), isFresh: true });
  expect(refused).toContain("A different Ponder app is actively using this schema");
  expect(afterSecond).toEqual(owned);
  expect(released).toEqual({ ...owned, isLocked: 0 });
  expect(taken).toEqual({ ...owned, owner: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(taken.owner).not.toBe(owned.owner);
  expect(rest).toEqual({ written: "written", attempts: 1, texts: ["by the owner"], exitCode: 75 });
});
