import { hash } from "node:crypto";
import type { Hex } from "viem";

/** A source of chance that gives the same on every run with the same seed. */
export type Chance = {
  /** From 0 up to, not including, 1. */
  next: () => number;
  /** A whole number from 0 up to, not including, `below`. */
  whole: (below: number) => number;
  /** True with this probability. */
  happens: (probability: number) => boolean;
  pick: <T>(list: readonly T[]) => T;
};

/** Chance by the generator mulberry32. */
export function seeded(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (below: number) => Math.floor(next() * below);
  return {
    next,
    whole,
    happens: (probability) => next() < probability,
    pick: (list) => list[whole(list.length)] as (typeof list)[number],
  };
}

/** 32 bytes that look like any hash, made of a text. */
export const hashOf = (text: string): Hex => `0x${hash("sha256", text)}`;

/** An address made of a text, lower case. */
export const addressOf = (text: string): Hex => `0x${hash("sha256", text).slice(0, 40)}`;
