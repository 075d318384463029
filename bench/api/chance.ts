/** Numbers that look random and are the same in every run. */
export type Chance = {
  /** From 0 up to, not including, 1. */
  next: () => number;
  /** A whole number from 0 up to, not including, `end`. */
  below: (end: number) => number;
  /** True this often, out of 1. */
  is: (share: number) => boolean;
  /** One of the values, each as often as its weight says. */
  of: <T>(weighted: readonly (readonly [weight: number, value: T])[]) => T;
};

/** Mulberry32: small, quick, and good enough to spread rows. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    below: (end) => Math.floor(next() * end),
    is: (share) => next() < share,
    of: (weighted) => {
      const total = weighted.reduce((sum, [weight]) => sum + weight, 0);
      let left = next() * total;
      for (const [weight, value] of weighted) {
        left -= weight;
        if (left < 0) return value;
      }
      return (weighted.at(-1) as (typeof weighted)[number])[1];
    },
  };
}
