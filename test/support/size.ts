import { inject } from "vitest";

/** How large a proof is: `npm test` runs the short form, `npm run test:long` the long one. */
export const sizeOf = <Size>({ short, long }: { short: Size; long: Size }): Size =>
  inject("form") === "long" ? long : short;

/** Tests of the long form alone: `npm test` shows them as skipped, and test/README.md says what stands for them there. */
export const isLong = (): boolean => inject("form") === "long";
