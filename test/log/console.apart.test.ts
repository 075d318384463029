import { afterEach, expect, test, vi } from "vitest";
import { sendConsoleTo } from "../../ops/log/console.ts";

const own = { ...console };
afterEach(() => void Object.assign(console, own));

test("what is said on the console is a line of its level, with its error apart; Node's warnings are no errors", () => {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  sendConsoleTo(log);
  const error = new Error("no");
  console.error("It failed:", error);
  console.error("(node:7) DeprecationWarning: Calling it is deprecated.");
  console.error("(node:7) Warning: It leaks.");
  console.log("%d names", 3);
  Object.assign(console, own);
  expect(log.error.mock.calls).toEqual([[{ error }, "It failed"]]);
  const [deprecated, warning] = [
    "(node:7) DeprecationWarning: Calling it is deprecated.",
    "(node:7) Warning: It leaks.",
  ];
  expect(log.warn.mock.calls).toEqual([[{}, warning]]);
  expect(log.info.mock.calls).toEqual([
    [{}, deprecated],
    [{}, "3 names"],
  ]);
});
