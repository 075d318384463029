import { z } from "@hono/zod-openapi";
import type { Ctx } from "../http/context.ts";
import { type Chains, mainChain } from "../query/chains.ts";
import { DAY } from "../rules/seconds.ts";
import { input } from "../schemas/input.ts";
import { askedChains, MAIN_CHAIN } from "./chains.ts";

/* What the operations on figures of the whole index have in common. */

export const MINUTE = 60;
export const HOUR = 3_600;

export const generatedAt = z.iso.datetime().openapi({ description: "When these figures were taken" });
export const percentage = (of: string) =>
  z.number().openapi({ description: `Per cent of ${of}, with two decimals`, example: 12.5 });

/** A time as answers show it (ISO 8601). */
export const toInstant = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** A day (UTC), counted from 1 January 1970, as answers show it. */
export const toDate = (day: number): string => toInstant(day * DAY).slice(0, 10);

/** The parameter of operations on figures: of which chains they are. */
export const figuresQuery = z.object({ chain: input.chains(MAIN_CHAIN) });

/** The chains that a caller asks for, the registry's one if none. */
export const figureChains = (
  { chain }: { chain?: readonly string[] | undefined },
  { contracts }: Ctx,
): Chains => (chain ? askedChains(chain, contracts) : mainChain(contracts));

export const percentOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part * 10_000) / whole) / 100;

export const sumOf = <T>(rows: readonly T[], numberOf: (row: T) => number): number =>
  rows.reduce((sum, row) => sum + numberOf(row), 0);

export const NAMES =
  "Counted are the names of the registry's chain, or of `chain`, that have an owner. The root, reverse nodes (`<address>.addr.reverse`) and deleted subnames do not count.";
export const ACTIVE =
  "Active names are registered or in grace: registrars' names until their grace ends, wrapped subnames until their expiry, names without expiry always.";
export const PURCHASES =
  "Registrar and controller both log a registration or renewal: all logs of one name in one transaction count once.";
