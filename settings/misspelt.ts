import { type Given, SettingsError } from "./check.ts";
import { groups } from "./document.ts";

const known = groups
  .flatMap(({ variables }) => Object.keys(variables))
  .map((name) => name.replace("<chain id>", ""));

/** RPC_URL_1 and its like, without the number. */
const isOfChains = (name: string): boolean => name.endsWith("_") && known.includes(name);

/** Former names. Ponder would act on this one: it creates the views as soon as a build is ready. */
const renamed: Readonly<Record<string, string>> = { DATABASE_VIEWS_SCHEMA: "VIEWS_SCHEMA" };

/** Shorter names are near to words of others: PORT to SORT. */
const LEAST_LENGTH = 5;
/** In a name of this length two letters may be wrong, in a shorter one one. */
const LONG = 8;

/**
 * Refuses a variable that no program knows and that is nearly one of ours: it would have no effect, and no one would see.
 *
 * @throws SettingsError that names each, and the setting that is nearest
 */
export function refuseMisspelt(env: Given): void {
  const complaints = Object.keys(env).flatMap((name) => {
    if (!env[name]) return [];
    if (name in renamed) return [`${name} was renamed to ${renamed[name]}`];
    const nearest = nearestSetting(name);
    return nearest === null ? [] : [`Unknown setting ${name}: did you mean ${nearest}?`];
  });
  if (complaints.length > 0) throw new SettingsError(complaints.join("\n"));
}

/** The setting that a name probably means; null if it is a setting, or resembles none. */
export function nearestSetting(name: string): string | null {
  const [, stem = "", digits = ""] = /^(.*?)(\d*)$/.exec(name) ?? [];
  if (known.includes(name) || (isOfChains(stem) && digits !== "")) return null;
  const near = known.filter((one) => isNear(isOfChains(one) ? stem : name, one));
  const [first] = near.sort((a, b) => distance(name, a) - distance(name, b));
  return first !== undefined && isOfChains(first) ? `${first}${digits || "1"}` : (first ?? null);
}

/** DATABASE_URL_2 is another program's: it begins with the whole name of ours. */
function isNear(name: string, setting: string): boolean {
  if (setting.length < LEAST_LENGTH || name.startsWith(`${setting}_`)) return false;
  return distance(name, setting) <= (setting.length < LONG ? 1 : 2);
}

/** How many letters have to be put in, left out or changed. Source: Levenshtein's distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
