import { createHash } from "node:crypto";
import { addressOf } from "../../../devnet/acts.ts";
import { writeCursor } from "../../../src/api/names/schemas/cursor.ts";
import { writeCursor as writeInput } from "../../../src/api/names/schemas/lookup.ts";
import { recordsAsked } from "../../../src/api/names/schemas/recordChoice.ts";
import { allRecords, askAll } from "../ask.ts";
import type { Attack } from "../attack.ts";
import { type HostileStage, VICTIM } from "../stage.ts";

/* Cursors that no answer returned: forged with the right marks, of other lists, cut, and of another version. */

const search = (input: Record<string, unknown> = {}) => ({
  operation: "/search-domains",
  input: {
    search_full_name: false,
    expiry_of: "lease",
    sort_by: "full_name",
    sort_dir: "asc",
    total: true,
    ...input,
  },
});

const node = `0x${"f".repeat(64)}`;

/** Positions that a stranger may invent, not all of them valid. */
const positions = [
  ...["", "zzzz", "\u{10ffff}", "' or 1=1 --", "%", "\u202e", "a".repeat(1_400), "\u0001".repeat(900)].map(
    (text) => [text, node],
  ),
  ["a"],
  ["a", "0x"],
  ["a", node, "1"],
  [null, node],
  [null, null],
  ["a\0=b", node],
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

/** Paths of searches with such cursors; none may cost more than a first page, or cause an error other than one of the caller. */
export function forgedCursors(): string[] {
  const byName = positions.map((position) => writeCursor(search(), position as (string | null)[]));
  const byExpiry = expiries.map((expiry) =>
    writeCursor(search({ sort_by: "expiry_timestamp" }), [expiry, node]),
  );
  const good = writeCursor(search(), ["b.eth", node]);
  const version = Buffer.from(good, "base64url");
  version[0] = 255;
  const foreign = [
    writeCursor({ operation: "/agents", input: { total: true } }, ["1"]),
    version.toString("base64url"),
    good.slice(0, 12),
    good.slice(4),
    `${good}${good}`,
    good.toLowerCase(),
    "A".repeat(2_048),
    "A".repeat(9_000),
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

/** Filters that find much and show little, in orders without an index. */
export const slowFilters: readonly string[] = [
  `/search-domains?expiry_windows=${Array.from({ length: 32 }, (_, i) => `${i * 2}-${i * 2}`).join()}&sort_by=label`,
  "/search-domains?expiry_windows=0-999999999999999&expiry_of=wrapper&sort_by=effective_owner_address",
  "/search-domains?expiry_windows=0-999999999999999&expiry_of=reservation&sort_by=full_name&sort_dir=desc",
  "/search-domains?parent=eth&q=e&search_full_name=true&page_size=200&sort_by=effective_owner_address",
  "/domain/eth/subdomains?q=e&include_expired=false&include_ownerless=false&sort_by=expiry_timestamp&page_size=200",
  "/domain/eth/subdomains?include_ownerless=false&page_size=200",
  "/domain/addr.reverse/subdomains?include_expired=false&sort_by=expiry_timestamp&sort_dir=desc&page_size=200",
  `/domain/${VICTIM}/permissions?page_size=200`,
  `/domain/eth/role-changes?account=0x${"0".repeat(40)}&page_size=200`,
  `/registry/0x${"0".repeat(40)}?owner=0x${"1".repeat(40)}`,
  `/address/0x${"0".repeat(40)}/resolves-to?page_size=200`,
];

/** Cursors of lookups, with the right choice of records, and with positions and names that a stranger invented. */
export const forgedInputs = (count: number): string[] =>
  Array.from({ length: count }, (_, i) =>
    writeInput(
      ["a.".repeat(500).concat("eth"), VICTIM, "a..eth", `0x${"f".repeat(64)}`][i % 4] as string,
      {
        textsAfter: i % 3 === 0 ? null : `0x${"f".repeat(64)}`,
        addressesAfter: [null, "-1", "0", "9".repeat(78)][i % 5] ?? null,
      },
      recordsAsked({ ...allRecords, types: [...allRecords.types] }),
    ),
  );

/** Where the values of a cursor begin, after its form, its mark and its checksum. */
const [SUM_AT, VALUES_AT] = [7, 11];

/** A list's own cursor with other values and a matching checksum. */
function withValues(cursor: Buffer, values: readonly string[]): string {
  const payload = Buffer.from(values.join("\0"));
  const mark = cursor.subarray(1, SUM_AT);
  const sum = createHash("sha256")
    .update(Buffer.concat([mark, payload]))
    .digest()
    .subarray(0, VALUES_AT - SUM_AT);
  return Buffer.concat([cursor.subarray(0, SUM_AT), sum, payload]).toString("base64url");
}

/** Values in a cursor: of no kind, of another kind, and out of range. */
const oddValues = ["-", "=", "", "=NaN", "=-1", `=${"9".repeat(78)}`, "=0x", "=' or 1=1 --", "=\u{10ffff}"];

/** Cursors that begin like a list's own, each with one value that it never had. */
function forgedFrom(given: string): string[] {
  const cursor = Buffer.from(given, "base64url");
  const values = cursor.subarray(VALUES_AT).toString().split("\0");
  const old = Buffer.from(cursor);
  old[0] = 0;
  const one = values.flatMap((_, at) => oddValues.map((odd) => withValues(cursor, values.with(at, odd))));
  const all = oddValues.map((odd) =>
    withValues(
      cursor,
      values.map(() => odd),
    ),
  );
  const count = [withValues(cursor, values.slice(1)), withValues(cursor, [...values, "=1"])];
  return [...one, ...all, ...count, old.toString("base64url"), given.slice(0, -3)];
}

/** Values for the path parameters of lists: for each list the first with which it has another page. */
function pathsOf({ chain, mallory }: HostileStage, path: string): string[] {
  const addresses = ["resolver5", "registry", "batch"].map((name) => addressOf(chain, name));
  const values: Record<string, string[]> = {
    address: [...addresses, mallory],
    name: [VICTIM, "eth", "addr.reverse"],
    hash: [`0x${"22".repeat(32)}`],
    key: ["url"],
  };
  const [, parameter] = /\{(\w+)\}/.exec(path) ?? [];
  if (parameter === undefined) return [path];
  const filled = (values[parameter] ?? ["1"]).map((value) => path.replace(`{${parameter}}`, value));
  return filled.flatMap((one) =>
    one.includes("{") ? pathsOf({ chain, mallory } as HostileStage, one) : [one],
  );
}

async function firstCursor(
  stage: HostileStage,
  path: string,
): Promise<[path: string, cursor: string] | null> {
  for (const one of pathsOf(stage, path)) {
    const { body } = await stage.stack.api<{ next_cursor?: string | null }>(`${one}?page_size=1`);
    if (typeof body.next_cursor === "string") return [one, body.next_cursor];
  }
  return null;
}

/**
 * Requests every list with cursors that begin like its own, of another list, and of another version. @throws if few lists have
 * another page
 */
export const forgedInEveryList: Attack = {
  name: "forged, old and foreign cursors in every list that takes one",
  run: async (stage) => {
    const lists = stage.operations.filter(
      ({ method, inQuery }) => method === "get" && inQuery.includes("cursor"),
    );
    const foreign = writeCursor({ operation: "/nothing", input: {} }, ["1"]);
    let forged = 0;
    for (const operation of lists) {
      const given = await firstCursor(stage, operation.path);
      const [path, cursors] = given
        ? [given[0], forgedFrom(given[1])]
        : [pathsOf(stage, operation.path)[0], []];
      if (given) forged++;
      const paths = [...cursors, foreign].map((cursor) => `${path}?cursor=${cursor}&page_size=200`);
      const answers = await askAll(
        stage,
        paths.map((one) => ({ operation, path: one })),
      );
      const wrong = answers.find(({ status }) => status >= 500);
      if (wrong) throw new Error(`${wrong.path}: ${wrong.status}`);
      const refused = answers.find((answer) => answer.path.includes(foreign))?.status;
      if (refused !== 400) throw new Error(`${path} with a cursor of another list: ${refused}`);
    }
    if (forged < 6) throw new Error(`Only ${forged} of ${lists.length} lists gave a cursor`);
    return { names: [VICTIM] };
  },
};
