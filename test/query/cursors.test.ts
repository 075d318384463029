// Also runs as: long
import { namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { forgedCursors, slowFilters } from "../hostile/attacks/cursors.ts";
import { operations } from "../support/operations.ts";
import { isLong } from "../support/size.ts";
import { failure, pathOf, useApi, withQuery } from "./api.ts";
import { nameLists } from "./lists.ts";
import { claimer, fillHistories } from "./longHistories.ts";
import { fillWithMany } from "./manyRows.ts";
import { account, CHAIN_ID, NOW } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

/*
 * Cursors lead through every list in every order, with the same results as pages by number, even
 * while rows come and go.
 */

const NAMES = 200;
const ENTRIES = 130;
const owner = account(0xab1e);

const tables = useTables();
const api = useApi(tables, NOW);

beforeAll(async () => {
  await fillWithMany(NAMES)(tables.pool);
  // The histories have these blocks to themselves.
  for (const table of ["ownership_changes", "resolver_changes", "primary_name_changes", "events"]) {
    await tables.pool.query(`delete from ${table} where block_number <= ${ENTRIES}`);
  }
  await fillHistories(tables, ENTRIES);
  // One address that has all names and had all that another has now, with expiries and labels
  // shared by several names.
  await tables.pool.query(
    `update domains set effective_owner_address = $1, registry_owner = $1, registrar_owner = $1, resolver = $1, is_wrapped = false,
       expiry_timestamp = case when created_block_number % 3 = 0 then null else ${NOW} + created_block_number % 7 end
     where created_block_number % 4 <> 0 and label like 'name%'`,
    [owner],
  );
  await tables.pool.query(
    "update holders set address = $1, last_owned_block_number = last_owned_block_number / 3",
    [owner],
  );
  await tables.pool.query(
    "update domains set labelhash = $1, label = 'same' where created_block_number % 6 = 0",
    [namehash("same")],
  );
  await setProgress(tables, { chainId: CHAIN_ID, block: NAMES, time: NOW });
});

type Answer = Record<string, unknown> & { total?: number; page?: number; next_cursor: string | null };

const ask = (path: string) => api.ask<Answer>(path);

/** All lists in an answer, each with its entries. */
const listsOf = (answer: Answer): unknown[][] =>
  Object.values(answer).filter((value): value is unknown[] => Array.isArray(value));

async function walkByCursor(path: string, size: number, between?: (page: number) => Promise<void>) {
  const all: unknown[][] = [];
  let cursor: string | null = null;
  for (let page = 1; page < 1_000; page++) {
    const query: string = cursor === null ? `page_size=${size}` : `page_size=${size}&cursor=${cursor}`;
    const answer = await ask(withQuery(path, query));
    for (const [i, list] of listsOf(answer).entries()) {
      expect(list.length).toBeLessThanOrEqual(size);
      all[i] = [...(all[i] ?? []), ...list];
    }
    expect(answer).toMatchObject({ page_size: size });
    expect(answer.page).toBe(cursor === null ? 1 : undefined);
    cursor = answer.next_cursor;
    if (cursor === null) return { lists: all, total: answer.total, pages: page };
    await between?.(page);
  }
  throw new Error(`${path} has no end`);
}

async function walkByNumber(path: string): Promise<unknown[][]> {
  const all: unknown[][] = [];
  for (let page = 1; page < 1_000; page++) {
    const lists = listsOf(await ask(withQuery(path, `page=${page}`)));
    for (const [i, list] of lists.entries()) all[i] = [...(all[i] ?? []), ...list];
    if (lists.every(({ length }) => length === 0)) return all;
  }
  throw new Error(`${path} has no end`);
}

const values: Record<string, string> = {
  name: "many.eth",
  address: owner,
  hash: namehash("same"),
  key: "url",
};
const fill = (path: string) => pathOf({ path }, values);
const sorts = (path: string, columns: readonly string[]) =>
  columns.flatMap((column) =>
    ["asc", "desc"].map((dir) => withQuery(path, `sort_by=${column}&sort_dir=${dir}`)),
  );

/** Lists that are not in `lists.ts`, with one path for each. */
const lists = [
  "/search-domains?q=name1&sort_by=label",
  `/search-domains?registry_owner=${owner}&sort_by=expiry_timestamp&sort_dir=desc`,
  "/domain/eth/subdomains?sort_dir=desc",
  "/domain/eth/subdomains?q=name&include_expired=false&sort_by=expiry_timestamp",
  "/address/{address}/domains?include_expired=true&sort_by=expiry_timestamp",
  ...sorts("/lookup-labelhash/{hash}", ["full_name", "expiry_timestamp"]),
  ...["asc", "desc"].map((dir) => `/address/{address}/previous-domains?sort_dir=${dir}`),
];
const histories = [
  "/domain/many.eth/events",
  "/domain/many.eth/registration-history",
  "/domain/many.eth/registration-history?merged=false",
  "/domain/many.eth/ownership-history",
  "/domain/many.eth/ownership-history?audit=true",
  "/domain/many.eth/resolver-history",
  "/domain/texts.eth/records/text/url/history",
  `/address/${claimer}/primary-name?history=true`,
];

describe("cursors lead to everything that pages by number show, in the same order", () => {
  test.each([...lists, ...histories].map(fill))("%s", async (path) => {
    const expected = await walkByNumber(path);
    const total = expected.map(({ length }) => length).reduce((a, b) => a + b, 0);
    expect(total).toBeGreaterThan(25);
    const sizes = path.startsWith("/lookup-labelhash") ? [25, 7] : [25, 7, 200];
    for (const size of isLong() ? sizes : sizes.slice(0, 1)) {
      const walked = await walkByCursor(path, size);
      expect(walked.lists, `by ${size}`).toEqual(expected);
      expect(walked.pages).toBeGreaterThan(size === 200 ? 0 : 1);
    }
  });
});

/** Lists on rows of other kinds, by the file that tests their pages. */
const elsewhere: Record<string, readonly string[]> = {
  "agents.test.ts": ["/agents"],
  "contracts.test.ts": [
    ...["links", "roles", "former-names"].map((list) => `/resolver/{address}/${list}`),
    ...["labels", "roles", "role-changes"].map((list) => `/registry/{address}/${list}`),
    ...["roles", "role-changes"].map((list) => `/domain/{name}/${list}`),
  ],
  "eventFilters.test.ts": ["/events", "/address/{address}/events", "/contract/{address}/events"],
  "largeContracts.test.ts": ["/registry/{address}/referring-names"],
  "permissions.test.ts": ["/domain/{name}/permissions", "/address/{address}/permissions"],
  "resolvesTo.test.ts": ["/address/{address}/resolves-to"],
};

const paged = operations.filter(({ query }) => "page" in query.shape || "cursor" in query.shape);

test("the pages of every list are tested", () => {
  const walked = [...nameLists.map(({ path }) => path), ...[...lists, ...histories].map(fill)].map(
    (path) => new URL(path, "http://list").pathname,
  );
  const known = new Set(Object.values(elsewhere).flat());
  const isWalked = (path: string) => {
    const form = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return known.has(path) || walked.some((one) => form.test(one));
  };
  const missing = paged.map(({ path }) => path).filter((path) => !isWalked(path));
  expect(
    missing,
    "Add a list of names to `lists.ts`, and any other list to `lists` or `elsewhere` in this file",
  ).toEqual([]);
});

test("every operation with pages has cursors", () => {
  expect(paged.length).toBeGreaterThan(10);
  for (const { query, path } of paged) {
    expect(Object.keys(query.shape), path).toEqual(
      expect.arrayContaining(["page", "cursor", "page_size", "total"]),
    );
  }
});

test("`total=false` omits the count and changes nothing else", async () => {
  for (const path of [...lists, ...histories].map(fill)) {
    const { total, stats: _, audit_totals: __, ...rest } = await ask(withQuery(path, "page=1"));
    expect(total).toBeGreaterThan(0);
    expect(await ask(withQuery(path, "page=1&total=false")), path).toEqual(rest);
  }
});

test("the total covers the whole list on every page", async () => {
  for (const path of [...lists, ...histories].map(fill)) {
    const { total, next_cursor } = await ask(withQuery(path, "page_size=10"));
    if (next_cursor === null) continue;
    expect((await ask(withQuery(path, `page_size=10&cursor=${next_cursor}`))).total, path).toBe(total);
  }
});

test("a cursor continues from any page", async () => {
  const third = await ask("/search-domains?page=3");
  const fourth = await ask("/search-domains?page=4");
  expect((await ask(`/search-domains?cursor=${third.next_cursor}`)).results).toEqual(fourth.results);
});

describe("names come and go while a caller pages through a list", () => {
  const namesOf = (lists: unknown[][]) => (lists[0] as { name: string }[]).map(({ name }) => name);

  test.each(["asc", "desc"])("%s: each name that stays is seen once", async (dir) => {
    const path = `/search-domains?q=name&sort_dir=${dir}`;
    const before = namesOf((await walkByCursor(path, 25)).lists);
    const staying = before.filter((_, i) => i % 10 !== 4);
    const leaving = before.filter((_, i) => i % 10 === 4);
    let made = 0;
    const { lists } = await walkByCursor(path, 25, async (page) => {
      // Before each page another name goes, and names appear before, between and after the others.
      await tables.pool.query(
        "update domains set label = 'gone' || label, is_label_known = false where full_name = $1",
        [leaving[page % leaving.length]],
      );
      for (const label of [`aname${dir}${made}`, `name2${made}${dir}`, `zname${dir}${made}`]) {
        await tables.pool.query(
          `insert into domains select (jsonb_populate_record(d, jsonb_build_object('node', $1::text, 'label', $2::text,
             'full_name', $2::text || '.eth', 'is_label_known', true))).* from domains d where full_name = 'name1.eth'`,
          [namehash(`${label}.eth`), label],
        );
      }
      made++;
    });
    const seen = namesOf(lists);
    expect(new Set(seen).size).toBe(seen.length);
    const old = new Set(staying);
    expect(seen.filter((name) => old.has(name))).toEqual(staying);
    expect(seen.length).toBeGreaterThan(staying.length);
  });
});

describe("a cursor of another list", () => {
  const error = (message: string) => failure("INVALID_PARAMETER", expect.stringContaining(message));

  test("with other filters, another order, another name or operation is refused with an explanation", async () => {
    const { next_cursor: cursor } = await ask("/search-domains?q=name");
    for (const path of [
      "/search-domains",
      "/search-domains?q=name1",
      "/search-domains?q=name&sort_dir=desc",
      "/search-domains?q=name&is_wrapped=false",
      "/domain/eth/subdomains",
      "/agents",
    ]) {
      expect(await api.get(withQuery(path, `cursor=${cursor}`)), path).toMatchObject(error("another list"));
    }
    const other = await ask("/domain/eth/subdomains");
    const path = `/domain/base.eth/subdomains?cursor=${other.next_cursor}`;
    expect(await api.get(path)).toMatchObject(error("another list"));
    expect((await api.get(`/domain/ETH/subdomains?cursor=${other.next_cursor}`)).status).toBe(200);
  });

  test("that is forged, even with correct markers, gives a page or is refused", async () => {
    const statuses = new Set<number>();
    for (const path of [...forgedCursors(), ...slowFilters]) {
      const { status, body } = await api.get(path);
      expect([200, 400], `${path}: ${JSON.stringify(body)}`).toContain(status);
      statuses.add(status);
    }
    expect([...statuses].toSorted()).toEqual([200, 400]);
  });

  test("combined with a page, damaged or too long is refused", async () => {
    const { next_cursor: cursor } = await ask("/search-domains?q=name");
    const refused = {
      [`q=name&page=1&cursor=${cursor}`]: "exclude each other",
      [`q=name&cursor=${cursor?.slice(1)}`]: "damaged",
      [`q=name&cursor=${"A".repeat(3_000)}`]: "longer than",
      "page_size=201": "at most 200",
      "page_size=0": "at least 1",
    };
    for (const [query, message] of Object.entries(refused))
      expect(await api.get(`/search-domains?${query}`)).toMatchObject(error(message));
  });
});
