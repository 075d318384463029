import { z } from "@hono/zod-openapi";
import { DAY } from "../rules/seconds.ts";

/* Numbers and times as statistics show them. */

export const percentage = (of: string) =>
  z.number().openapi({ description: `Percentage of ${of}, with two decimals`, example: 12.5 });

export const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100;

export const sumOf = <T>(rows: readonly T[], numberOf: (row: T) => number): number =>
  rows.reduce((sum, row) => sum + numberOf(row), 0);

/** The number of names in the rows that match. */
export const namesWhere = <T extends { names: number }>(rows: readonly T[], matches: (row: T) => boolean) =>
  sumOf(rows.filter(matches), ({ names }) => names);

/** A time as answers show it (ISO 8601). */
export const toInstant = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** A day (UTC), counted from 1 January 1970, as answers show it. */
export const toDate = (day: number): string => toInstant(day * DAY).slice(0, 10);
