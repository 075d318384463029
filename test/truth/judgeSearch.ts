import type { Hex } from "viem";
import type { Judge } from "./judge.ts";
import { hiddenLabel, nodeOfShownName } from "./names.ts";
import type { NameNow } from "./namesNow.ts";
import type { Row } from "./oracle.ts";
import { availabilityOf } from "./present.ts";

const DAY = 86_400n;
const PAGE = 25;

/** A condition of a search: its query, and the predicate on names. */
type Filter = { query: string; meets: (name: NameNow) => boolean };

/** Every filter of the search with values that names have, alone and combined; orders, pages and figures of each. */
export async function judgeSearch(judge: Judge, all: readonly NameNow[]): Promise<void> {
  const names = all.filter(({ isCounted }) => isCounted);
  const filters = [...textFilters(names), ...holderFilters(names), ...rangeFilters(names)];
  for (const filter of filters) await judgeFilter(judge, [filter], names);
  // Each filter with the one a third of the list away, which is of another kind.
  const third = Math.ceil(filters.length / 3);
  for (const [i, filter] of filters.entries()) {
    const other = filters[i + third];
    const isSameText = filter.query.startsWith("q=") && other?.query.startsWith("q=");
    if (other !== undefined && !isSameText && wordsOf(filter) !== wordsOf(other)) {
      await judgeFilter(judge, [filter, other], names);
    }
  }
  await judgeOrders(judge, names);
}

const wordsOf = ({ query }: Filter) => query.replaceAll(/=[^&]*/g, "");

async function judgeFilter({ get, same, now }: Judge, filters: Filter[], names: readonly NameNow[]) {
  const query = filters.map((filter) => filter.query).join("&");
  const found = names.filter((name) => filters.every(({ meets }) => meets(name)));
  const answer = await get(`/search-domains?${query}&sort_by=expiry_timestamp`);
  const shown = namesIn(answer, names);
  const matching = new Set(found.map(({ fullName }) => fullName));
  same(`search ${query}: total`, answer.total, found.length);
  same(`search ${query}: length of the page`, shown.length, Math.min(found.length, PAGE));
  same(
    `search ${query}: results that do not belong`,
    shown.filter((name) => !matching.has(name)),
    [],
  );
  same(`search ${query}: figures`, answer.stats, figuresOf(found, now));
}

/**
 * The names of an answer, as logs spell them. A caller may have proved a label that no log spells out: it is then shown, and must
 * match its hash. A label that a log spells out is always shown.
 */
function namesIn(answer: Row, names: readonly NameNow[]): string[] {
  const byNode = new Map(names.map(({ node, fullName }) => [node, fullName]));
  return ((answer.results ?? []) as Row[]).map((row) => {
    const shown = String(row.name);
    const logged = byNode.get(nodeOfShownName(shown));
    const labels = shown.split(".");
    const isProved = logged?.split(".").every((label, i) => label.startsWith("[") || label === labels[i]);
    return logged !== undefined && isProved ? logged : shown;
  });
}

function figuresOf(found: readonly NameNow[], now: bigint) {
  const within = (days: bigint) =>
    found.filter(
      ({ expiry, hasEnd }) => hasEnd && expiry !== null && expiry > now && expiry <= now + days * DAY,
    ).length;
  const ended = found.filter((name) =>
    ["premium", "available"].includes(availabilityOf(name, { length: name.length, now })),
  );
  const wrapped = found.filter(({ isWrapped }) => isWrapped).length;
  return {
    expired: ended.length,
    expiring_30d: within(30n),
    expiring_90d: within(90n),
    wrapped,
    wrapped_pct: found.length === 0 ? 0 : Math.round((wrapped * 10_000) / found.length) / 100,
  };
}

/** Parts of labels in mixed case, parts of full names, LIKE wildcards, and hashes of labels in each of their notations. */
function textFilters(names: readonly NameNow[]): Filter[] {
  const odd = names.filter(({ label }) => /[%_\\]/.test(label)).slice(0, 6);
  const cased = names.filter(({ label }) => swapCase(label) !== swapAsciiCase(label)).slice(0, 5);
  const hidden = names.filter(({ length }) => length === null).slice(0, 3);
  const some = [...everyNth(names, 5), ...odd, ...cased, ...hidden];
  const parts = some.flatMap(({ label }) => [label.slice(0, 3), label.slice(1, 4), label]);
  const hashes = [...hidden, ...names.slice(0, 2)].flatMap(({ labelhash }) => labelhash ?? []);
  const digits = hashes.flatMap((hash) => [hash, hash.slice(2).toUpperCase(), hash.slice(2, -1)]);
  const likes = ["%", "_", "\\", "a%", "_a", "\\%", "a", "["];
  const texts = new Set([...likes, ...parts, ...parts.map(swapCase), ...digits]);
  const asked = [...texts].filter((text) => text !== "" && text.isWellFormed() && [...text].length <= 255);
  const ofLabels = asked.map((text) => textFilter(text, isInLabel));
  const fulls = [".eth", "%.eth", "_eth", ...some.map(({ fullName }) => swapCase(fullName.slice(-12)))];
  const copies = [...hidden.map(({ fullName }) => fullName), ...digits].filter((text) => text.length <= 255);
  const ofNames = [...new Set([...fulls, ...copies])]
    .filter((text) => text.isWellFormed())
    .map((text) => textFilter(text, isInFullName, "&search_full_name=true"));
  return [...ofLabels, ...ofNames];
}

type IsIn = (text: string, name: NameNow) => boolean;

const textFilter = (text: string, isIn: IsIn, more = ""): Filter => ({
  query: `q=${encodeURIComponent(text)}${more}`,
  meets: (name) => isIn(text, name),
});

/** A label that no log spells out has no text; all labels have their hash. */
const isInLabel: IsIn = (text, { label, length, labelhash }) =>
  isHash(text, labelhash) || (length !== null && folded(label).includes(folded(text)));

/** A displayed name copied with its hashes is found; otherwise only the parts between them are text. */
const isInFullName: IsIn = (text, { fullName, labelhash }) =>
  isHash(text, labelhash) ||
  (/\[(namehash:)?[\da-f]{64}\]/i.test(text) ? [fullName] : fullName.split(/\[[^\]]*\]/)).some((piece) =>
    folded(piece).includes(folded(text)),
  );

/** Whether a text is the whole hash: alone, after `0x`, or in the notation for an unknown label. */
const isHash = (text: string, hash: Hex | null): boolean =>
  hash !== null && [hash, hash.slice(2), hiddenLabel(hash)].includes(text.toLowerCase());

/** Each code point in lower case by itself, as in databases. */
const folded = (text: string) => [...text].map((letter) => letter.toLowerCase()).join("");

/** Letters of every alphabet in the other case, except those without one or with several. */
const swapCase = (text: string) => [...text].map(otherCase).join("");

const swapAsciiCase = (text: string) => text.replaceAll(/[A-Za-z]/g, otherCase);

function otherCase(letter: string): string {
  const others = [letter.toLowerCase(), letter.toUpperCase()];
  return others.find((other) => other !== letter && folded(other) === folded(letter)) ?? letter;
}

function holderFilters(names: readonly NameNow[]): Filter[] {
  const columns = {
    registrar_owner: ({ registrarOwner }: NameNow) => registrarOwner,
    wrapper_owner: ({ wrapperOwner }: NameNow) => wrapperOwner,
    registry_owner: ({ registryOwner }: NameNow) => registryOwner,
    resolver: ({ resolver }: NameNow) => resolver,
  };
  const addresses = new Set(names.flatMap((name) => Object.values(columns).flatMap((of) => of(name) ?? [])));
  return Object.entries(columns).flatMap(([column, of]) =>
    everyNth([...addresses], 8).map((address) => ({
      query: `${column}=0x${address.slice(2).toUpperCase()}`,
      meets: (name: NameNow) => of(name) === address,
    })),
  );
}

function rangeFilters(names: readonly NameNow[]): Filter[] {
  const lengths = [...new Set(names.flatMap(({ length }) => length ?? []))];
  const expiries = [...new Set(names.flatMap(({ expiry }) => expiry ?? []))];
  return [
    ...everyNth(lengths, 4).flatMap((bound): Filter[] => [
      { query: `min_length=${bound}`, meets: ({ length }) => length !== null && length >= bound },
      { query: `max_length=${bound}`, meets: ({ length }) => length !== null && length <= bound },
    ]),
    ...everyNth(expiries, 4)
      .filter((bound) => bound < 10n ** 15n)
      .flatMap((bound): Filter[] => [
        { query: `expiry_from=${bound}`, meets: ({ expiry }) => expiry !== null && expiry >= bound },
        { query: `expiry_to=${bound}`, meets: ({ expiry }) => expiry !== null && expiry <= bound },
      ]),
  ];
}

/** About `count` items spread over a list. */
const everyNth = <T>(items: readonly T[], count: number): T[] =>
  items.filter((_, i) => i % Math.max(1, Math.floor(items.length / count)) === 0);

/** Orders and directions, on the first, the second and the last page. */
async function judgeOrders({ get, same }: Judge, names: readonly NameNow[]): Promise<void> {
  const keys: Record<string, (name: NameNow) => string | bigint | null> = {
    full_name: ({ fullName }) => fullName,
    label: ({ label }) => label,
    expiry_timestamp: ({ expiry }) => expiry,
    effective_owner_address: ({ owner }) => owner,
  };
  const last = Math.max(1, Math.ceil(names.length / PAGE));
  for (const [sortBy, keyOf] of Object.entries(keys)) {
    for (const direction of ["asc", "desc"] as const) {
      const sorted = names.toSorted((a, b) => inOrder(a, b, { keyOf, sign: direction === "asc" ? 1 : -1 }));
      for (const page of new Set([1, 2, last])) {
        const query = `sort_by=${sortBy}&sort_dir=${direction}&page=${page}`;
        const { results, ...rest } = await get(`/search-domains?${query}`);
        const expected = sorted.slice((page - 1) * PAGE, page * PAGE).map(({ fullName }) => fullName);
        const shown = namesIn({ results }, names);
        same(`search ${query}: names in order`, shown, expected);
        same(`search ${query}: page`, [rest.page, rest.page_size, rest.total], [page, PAGE, names.length]);
      }
    }
  }
}

type Order = { keyOf: (name: NameNow) => string | bigint | null; sign: 1 | -1 };

/** Names without the key come last in both directions; ties are ordered by node. */
function inOrder(a: NameNow, b: NameNow, { keyOf, sign }: Order): number {
  const [one, other] = [keyOf(a), keyOf(b)];
  if ((one === null) !== (other === null)) return one === null ? 1 : -1;
  return (one === null || other === null ? 0 : sign * compare(one, other)) || sign * compare(a.node, b.node);
}

/** Texts in byte order. */
const compare = (a: string | bigint, b: string | bigint): number =>
  typeof a === "string" && typeof b === "string"
    ? Buffer.compare(Buffer.from(a), Buffer.from(b))
    : Number(a > b) - Number(a < b);
