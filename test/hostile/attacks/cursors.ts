import { writeCursor } from "../../../src/api/schemas/cursor.ts";

/* Cursors that no answer gave: forged with the right marks, of other lists, cut, and of another version. */

const search = (input: Record<string, unknown> = {}) => ({
  operation: "/search-domains",
  input: {
    ...{ search_full_name: false, expiry_of: "lease", sort_by: "full_name", sort_dir: "asc", total: true },
    ...input,
  },
});

const node = `0x${"f".repeat(64)}`;

/** Positions that a stranger may make up: some are none. */
const positions = [
  ...["", "zzzz", "\u{10ffff}", "' or 1=1 --", "%", "\u202e", "a".repeat(1_400), "\u0001".repeat(900)].map(
    (text) => [text, node],
  ),
  ...[["a"], ["a", "0x"], ["a", node, "1"], [null, node], [null, null], ["a\0=b", node]],
];

const expiries = [
  "-1",
  "0",
  "1e5",
  "NaN",
  "Infinity",
  `1${"0".repeat(77)}`,
  `-${"9".repeat(78)}`,
  "9".repeat(79),
];

/** Paths of searches with such cursors; none may cost more than a first page, or fail but as an error of the caller. */
export function forgedCursors(): string[] {
  const byName = positions.map((position) => writeCursor(search(), position as (string | null)[]));
  const byExpiry = expiries.map((expiry) =>
    writeCursor(search({ sort_by: "expiry_timestamp" }), [expiry, node]),
  );
  const good = writeCursor(search(), ["b.eth", node]);
  const version = Buffer.from(good, "base64url");
  version[0] = 255;
  const foreign = [
    ...[writeCursor({ operation: "/agents", input: { total: true } }, ["1"]), version.toString("base64url")],
    ...[
      good.slice(0, 12),
      good.slice(4),
      `${good}${good}`,
      good.toLowerCase(),
      "A".repeat(2_048),
      "A".repeat(9_000),
    ],
  ];
  return [
    ...[...byName, ...foreign].map((cursor) => `/search-domains?cursor=${cursor}`),
    ...byExpiry.map((cursor) => `/search-domains?sort_by=expiry_timestamp&cursor=${cursor}`),
    ...[good].flatMap((cursor) => [
      `/search-domains?cursor=${cursor}&cursor=${cursor}`,
      `/search-domains?cursor=${cursor}&page=1`,
      `/search-domains?sort_by=label&cursor=${cursor}`,
      `/domain/eth/subdomains?cursor=${cursor}`,
      `/agents?cursor=${cursor}`,
    ]),
  ];
}

/** Filters that find much and show little, in orders that no index has. */
export const slowFilters: readonly string[] = [
  `/search-domains?expiry_windows=${Array.from({ length: 32 }, (_, i) => `${i * 2}-${i * 2}`).join()}&sort_by=label`,
  "/search-domains?expiry_windows=0-999999999999999&expiry_of=wrapper&sort_by=effective_owner_address",
  "/search-domains?expiry_windows=0-999999999999999&expiry_of=reservation&sort_by=full_name&sort_dir=desc",
  "/search-domains?parent=eth&q=e&search_full_name=true&page_size=200&sort_by=effective_owner_address",
  "/domain/eth/subdomains?q=e&include_expired=false&include_ownerless=false&sort_by=expiry_timestamp&page_size=200",
  "/domain/eth/subdomains?include_ownerless=false&page_size=200",
  "/domain/addr.reverse/subdomains?include_expired=false&sort_by=expiry_timestamp&sort_dir=desc&page_size=200",
];
