import { beforeEach } from "vitest";

/** The UTC day by which the use of a key is summed. */
export const today = (): string => new Date().toISOString().slice(0, 10);

let began = "";
beforeEach(() => {
  began = today();
});

/** A test that runs past midnight finds its use in two days. */
export const unlessMidnight = { retry: { count: 1, condition: () => today() !== began } };
