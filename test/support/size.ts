import { inject } from "vitest";

/** How large a proof is: `npm test` and `npm run test:slow` run the short form, `npm run test:long` the long one. */
export const sizeOf = <Size>({ short, long }: { short: Size; long: Size }): Size =>
  inject("form") === "long" ? long : short;

/** Tests of the long form alone: the others show them as skipped, and test/README.md says what stands for them there. */
export const isLong = (): boolean => inject("form") === "long";

/** The same of tests that `npm run test:slow` and `npm run test:long` run: they take more processes than `npm test` has time for. */
export const isSlow = (): boolean => inject("form") !== "short";

/** What `npm test` has shown already, in a file whose other tests are slow: the slow tests leave it out. */
export const wasShown = (): boolean => inject("form") === "slow";

/** Parts of a proof that differ little from each other: `npm test` runs the first ones, the slow tests the rest, the long proofs all. */
export const partsOf = <Part>({
  first,
  rest,
}: {
  first: readonly Part[];
  rest: readonly Part[];
}): readonly Part[] => {
  if (inject("form") === "slow") return rest;
  return isLong() ? [...first, ...rest] : first;
};
