import type { SQL } from "drizzle-orm";
import { sql } from "ponder";
import { BEGINNING } from "../../../names/rules/nameOrders.ts";
import { type Env, type Row, type StoredText, soughtValue } from "../table/entity.ts";

/*
 * Filters of names and labels by their indexes. Each pattern says its condition once: PostgreSQL would take a second one, which
 * says the same of the same rows, for one that few of them meet, and find all of them where a page needs twenty.
 */

type Text = { suffix: string; text: string };
type At = { row: Row; env: Env };

const isPattern = /^(contains|starts_with|ends_with)(_nocase)?$/;

/** Wildcards of a pattern. */
const SIGN = /[%_\\]/;

/** Patterns are LIKE's own: `%` and `_` are wildcards, as in graph-node. */
export function patternOf({ suffix, text }: Text): string | undefined {
  const kind = suffix.replace(/^not_/, "").replace(/_nocase$/, "");
  if (kind === "contains") return text.startsWith("%") || text.endsWith("%") ? text : `%${text}%`;
  if (kind === "starts_with") return `${text}%`;
  return kind === "ends_with" ? `%${text}` : undefined;
}

/** Whether a filter says no more than with which characters a text begins, and an index has them all. */
export const isBeginning = ({ suffix, text }: Text): boolean =>
  suffix === "starts_with" && text !== "" && !SIGN.test(text) && Array.from(text).length <= BEGINNING;

/** The literal characters of a pattern. */
const literalsOf = (text: string): string => text.replace(/[%_\\]/g, "");

/** Characters in an entry of a trigram index. */
const TRIGRAM = 3;

/**
 * Whether a text can be in very many names: one of a few characters, or one with which they end, as `.eth`. Others are found by
 * their trigrams.
 */
export const isFrequentPart = ({ suffix, text }: Text): boolean =>
  /^ends_with/.test(suffix) || (/^contains/.test(suffix) && Array.from(literalsOf(text)).length <= TRIGRAM);

/** Whether an index of trigrams leads to the names that have a part, not to nearly all as of an end. */
export const hasTrigrams = ({ suffix, text }: Text): boolean =>
  /^(contains|starts_with_nocase)/.test(suffix) &&
  text.split(SIGN).some((part) => Array.from(part).length >= TRIGRAM);

/** The condition that a stored text meets a pattern; undefined for other filters. */
export function storedPatternSql(stored: StoredText, filter: Text, at: At): SQL | undefined {
  if (!isPattern.test(filter.suffix)) return undefined;
  const { suffix } = filter;
  const isValue = stored.isValue(at.row);
  const begins = beginningSql(stored, filter, at);
  if (begins !== undefined && isBeginning(filter)) return sql`(${isValue} and ${begins})`;
  const like = sql.raw(suffix.endsWith("_nocase") ? "ilike" : "like");
  const pattern = sql`${patternOf(filter)}::text`;
  const meets = sql`${stored.column(at.row)} ${like} ${pattern}`;
  return begins === undefined ? sql`(${isValue} and ${meets})` : sql`(${isValue} and ${begins} and ${meets})`;
}

/**
 * The ranges of an index in which all texts are that begin with what a pattern begins with; undefined where that is nothing.
 * Trigrams would lead to all names of `.eth` for those that begin with `eth`: to their index it is a word that each has.
 */
function beginningSql(stored: StoredText, { suffix, text }: Text, at: At): SQL | undefined {
  if (!suffix.startsWith("starts_with")) return undefined;
  const [literal = ""] = text.split(SIGN);
  const prefix = Array.from(literal).slice(0, BEGINNING);
  const prefixes = suffix === "starts_with" ? [prefix.join("")] : inAnyCase(prefix);
  if (prefixes.includes("")) return undefined;
  const ranges = prefixes.map((one) => rangeSql(stored, one, at));
  return sql`(${sql.join(ranges, sql` or `)})`;
}

function rangeSql({ inBytes }: StoredText, prefix: string, { row, env }: At): SQL {
  const after = textAfter(prefix);
  const from = sql`${inBytes(row)} >= ${soughtValue(sql`${prefix}::text`, env)}`;
  return after === null
    ? from
    : sql`(${from} and ${inBytes(row)} < ${soughtValue(sql`${after}::text`, env)})`;
}

/** Where in the order of beginnings the texts are that come before or after one; undefined for other filters. */
export function storedRangeSql(
  { inBytes }: StoredText,
  { suffix, text }: Text,
  { row, env }: At,
): SQL | undefined {
  const sign = /^(gt|lt)e?$/.test(suffix) ? sql.raw(suffix.startsWith("gt") ? ">=" : "<=") : undefined;
  const beginning = sql`left(${text}::text, ${sql.raw(String(BEGINNING))})`;
  return sign && sql`${inBytes(row)} ${sign} ${soughtValue(beginning, env)}`;
}

/** More beginnings than this are not looked up one by one. */
const MAX_BEGINNINGS = 16;

/** Letters besides those of ASCII that some locale takes for the same in another case: dotted and dotless I, and Kelvin. */
const OTHER_CASES: Record<string, readonly string[]> = { i: ["\u0130", "\u0131"], k: ["\u212a"] };

/** Beginnings of all texts that begin with some characters in any case, by those of ASCII before the first other one. */
function inAnyCase(characters: readonly string[]): string[] {
  let found = [""];
  for (const character of characters) {
    if (character > "\u007f") break;
    const lower = character.toLowerCase();
    const cases = [...new Set([lower, character.toUpperCase(), ...(OTHER_CASES[lower] ?? [])])];
    if (found.length * cases.length > MAX_BEGINNINGS) break;
    found = found.flatMap((beginning) => cases.map((one) => beginning + one));
  }
  return found;
}

const LAST = 0x10ffff;
/** Code points that UTF-8 does not have. */
const SURROGATES = { first: 0xd800, last: 0xdfff };

/** The first text, in the order of bytes, after all with a prefix; null if there is none. */
export function textAfter(prefix: string): string | null {
  const characters = Array.from(prefix);
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const next = (last.codePointAt(0) ?? 0) + 1;
    if (next > LAST) continue;
    const isNone = next >= SURROGATES.first && next <= SURROGATES.last;
    return characters.join("") + String.fromCodePoint(isNone ? SURROGATES.last + 1 : next);
  }
  return null;
}

/** By the beginning, which an index has, and then the whole text. */
export const isText = ({ column }: StoredText, text: SQL, row: Row): SQL =>
  sql`left(${column(row)}, ${sql.raw(String(BEGINNING))}) = left(${text}, ${sql.raw(String(BEGINNING))})`;

export const isOneOfTexts = ({ column }: StoredText, texts: SQL, row: Row): SQL =>
  sql`left(${column(row)}, ${sql.raw(String(BEGINNING))}) = any(array(
    select left(one, ${sql.raw(String(BEGINNING))}) from unnest(${texts}) as one))`;
