// How rows of the limit tables in docs/security.md are written.

export const number = (count: number) => count.toLocaleString("en");
export const kib = (bytes: number) => `${number(bytes / 1_024)} KiB`;
export const mib = (bytes: number) => `${number(bytes / 1_048_576)} MiB`;
export const seconds = (ms: number) => `${ms / 1_000} s`;
export const shares = ({ most, each }: { most: number; each: number }) =>
  `${number(most)}, ${each} per caller`;

export type Row = readonly [what: string, limit: string | number, beyond: string];

export const FAILS_LIVE = "`LIVE_RESOLUTION_FAILED`";
export const INVALID = "`INVALID_PARAMETER`";
export const TOO_MUCH = "`LIMIT_EXCEEDED`";
export const RATE_LIMITED = "429 `RATE_LIMITED`";
export const CUT = "Cut.";

export type Section = readonly [title: string, rows: readonly Row[]];
