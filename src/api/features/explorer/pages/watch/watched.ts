import { ApiError } from "../../../../server/errors/errors.ts";
import type { Visit } from "../../page.ts";
import { withQuery } from "../../parts/pager.tsx";
import type { Domain, Whois } from "../../replies.ts";

/** Names of one list: more would make its address longer than all programs take. */
export const MAX_WATCHED = 50;

/** Longest name of a list, in characters. */
export const MAX_NAME = 255;

/** A name's entry in a list: its answer, or the error. */
export type Watched = { query: string; whois: Whois | null; fault: string | null };

/** The names of a list's address, each once: separated by commas, spaces, lines or quotes. */
export function namesIn(text: string | undefined): { names: string[]; others: number } {
  const words = (text ?? "").split(/[\s,"]+/u).filter((word) => word !== "" && word.length <= MAX_NAME);
  const all = [...new Set(words)];
  return { names: all.slice(0, MAX_WATCHED), others: Math.max(0, all.length - MAX_WATCHED) };
}

/** Where a list of names is found: the page, or one of its files. */
export const watchUrl = (file: string, names: readonly string[]): string =>
  withQuery(`explore/${file}`, { names: names.length === 0 ? undefined : names.join(",") });

type Item = Whois | { query: string; error: { message: string } };

/** What is known of each name, by one question. */
export async function askWatched(
  visit: Visit,
  names: readonly string[],
): Promise<readonly Watched[] | ApiError> {
  if (names.length === 0) return [];
  const reply = await visit.askMany<{ results: Item[] }>("/whois/bulk", { names, partial: "true" });
  if (reply instanceof ApiError) return reply;
  return reply.results.map((item): Watched => {
    const isKnown = "availability_status" in item;
    return {
      query: item.query,
      whois: isKnown ? (item as Whois) : null,
      fault: !isKnown && "error" in item ? item.error.message : null,
    };
  });
}

/** The names that the index has. */
export const domainsOf = (watched: readonly Watched[]): Domain[] =>
  watched.flatMap(({ whois }) => (whois !== null && "name" in whois ? [whois] : []));
