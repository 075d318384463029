import { namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { openApi, type TestApi, useApi } from "./api.ts";
import { ETH_REGISTRY, contracts as ofEnsv2 } from "./ensv2.ts";
import { fillWithMany } from "./manyRows.ts";
import { CHAIN_ID } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

/* Subdomain filters and expiry windows, compared with the rows themselves. */

const NOW = 1_700_150_000;
const NAMES = 300;
const DAY = 86_400;

type Row = {
  full_name: string;
  label: string;
  expiry: number | null;
  wrapper_expiry: number | null;
  is_wrapped: boolean;
  reserved_until: number | null;
  owner: string | null;
  is_second_level: boolean;
};

const tables = useTables();
const api = useApi(tables, NOW);
let withEnsv2: TestApi;
let rows: Row[];

beforeAll(async () => {
  await fillWithMany(NAMES)(tables.pool);
  const { pool } = tables;
  // Labels in capitals, names without owner, and wrapped names that have ended.
  await pool.query("update domains set is_label_known = true");
  await pool.query("update domains set label = upper(label) where created_block_number % 11 = 0");
  await pool.query(
    "update domains set effective_owner_address = null, registry_owner = null, registrar_owner = null, wrapper_owner = null, is_wrapped = false where created_block_number % 7 = 5",
  );
  await pool.query(
    `insert into ensv2_entries (chain_id, registry, storage_id, labelhash, label, token_id, expiry, is_registered, number, created_block_number)
     select distinct on (left(labelhash, 58)) ${CHAIN_ID}, '${ETH_REGISTRY}', left(labelhash, 58) || '00000000', labelhash, label, 1,
       expiry_timestamp + 62 * ${DAY}, false, created_block_number, 1
     from domains where parent_node = '${namehash("eth")}' and created_block_number % 2 = 0`,
  );
  await setProgress(tables, { chainId: CHAIN_ID, block: NAMES, time: NOW });
  withEnsv2 = openApi(tables, NOW, { contracts: ofEnsv2 });
  const { rows: read } = await pool.query<Row>(
    `select full_name, d.label, expiry_timestamp::float8 as expiry, wrapper_expiry_timestamp::float8 as wrapper_expiry,
       is_wrapped, e.expiry::float8 as reserved_until, effective_owner_address as owner,
       parent_node = '${namehash("eth")}' as is_second_level
     from domains d left join ensv2_entries e on e.labelhash = d.labelhash and parent_node = '${namehash("eth")}'
     order by full_name`,
  );
  rows = read;
});

async function namesOf(path: string, of = api): Promise<{ names: string[]; total: unknown }> {
  const { status, body } = await of.get(`${path}${path.includes("?") ? "&" : "?"}page_size=200`);
  expect(status, JSON.stringify(body)).toBe(200);
  const items = body.results as { name: string }[];
  return { names: items.map(({ name }) => name), total: body.total };
}

const expectNames = async (path: string, isWanted: (row: Row) => boolean, of = api) => {
  const expected = rows.filter(isWanted).map((row) => row.full_name);
  expect(expected.length, path).toBeGreaterThan(0);
  expect(expected.length, path).toBeLessThan(rows.length);
  const { names, total } = await namesOf(path, of);
  expect(names.length > 200 ? names : names.toSorted(), path).toEqual(expected.slice(0, 200).toSorted());
  expect(total, path).toBe(expected.length);
};

describe("GET /domain/:name/subdomains", () => {
  const isChild = (row: Row) => row.is_second_level;
  /** A .eth name ends 90 days after its expiry. */
  const isOver = ({ expiry }: Row) => expiry !== null && expiry + 90 * DAY < NOW;

  test("without names that have no owner", () =>
    expectNames(
      "/domain/eth/subdomains?include_ownerless=false",
      (row) => isChild(row) && row.owner !== null,
    ));

  test("without names that have ended", async () => {
    const later = NOW + 90 * DAY;
    const then = openApi(tables, later);
    await expectNames(
      "/domain/eth/subdomains?include_expired=false",
      (row) => isChild(row) && !(row.expiry !== null && row.expiry + 90 * DAY < later),
      then,
    );
  });

  test.each(["name12", "NAME12", "e12", "%", "_"])("part of the label: %s", async (text) => {
    const isWanted = (row: Row) => isChild(row) && row.label.toLowerCase().includes(text.toLowerCase());
    const path = `/domain/eth/subdomains?q=${encodeURIComponent(text)}`;
    if (text.length > 1) return expectNames(path, (row) => isWanted(row) && row.label !== "");
    expect(await namesOf(path)).toEqual({ names: [], total: 0 });
  });

  test("all combined, by expiry, page by page", async () => {
    const path =
      "/domain/eth/subdomains?q=name1&include_ownerless=false&include_expired=false&sort_by=expiry_timestamp&sort_dir=desc";
    const expected = rows
      .filter(
        (row) =>
          isChild(row) && row.label.toLowerCase().includes("name1") && row.owner !== null && !isOver(row),
      )
      .toSorted((a, b) => (b.expiry ?? 0) - (a.expiry ?? 0));
    const names: string[] = [];
    let cursor = "";
    do {
      const { body } = await api.get(`${path}&page_size=10${cursor && `&cursor=${cursor}`}`);
      expect(body.total).toBe(expected.length);
      names.push(...(body.results as { name: string }[]).map(({ name }) => name));
      cursor = (body.next_cursor as string | null) ?? "";
    } while (cursor !== "");
    expect(names).toEqual(expected.map(({ full_name }) => full_name));
  });
});

describe("expiry windows", () => {
  const edges = [
    [NOW - 50_000, NOW - 30_000],
    [NOW - 10_000, NOW],
    [NOW + 20_000, NOW + 20_000],
  ] as const;
  const windows = edges.map(([from, to]) => `${from}-${to}`).join(",");
  const isIn = (time: number | null) =>
    time !== null && edges.some(([from, to]) => time >= from && time <= to);

  test.each(["", "&sort_by=expiry_timestamp", "&sort_by=expiry_timestamp&sort_dir=desc"])(
    "names in one of them, each once%s",
    (order) => expectNames(`/search-domains?expiry_windows=${windows}${order}`, ({ expiry }) => isIn(expiry)),
  );

  test("directly under a name, with the other bounds", () =>
    expectNames(
      `/search-domains?expiry_windows=${windows}&parent=eth&expiry_from=${NOW - 5_000}`,
      ({ expiry, is_second_level }) => is_second_level && isIn(expiry) && (expiry as number) >= NOW - 5_000,
    ));

  test("directly under any name", () =>
    expectNames("/search-domains?parent=eth&protocol=ensv1", ({ is_second_level }) => is_second_level));

  test("by the NameWrapper's expiry", () => {
    const later = edges.map(([from, to]) => `${from + 90 * DAY}-${to + 90 * DAY}`).join(",");
    return expectNames(
      `/search-domains?expiry_windows=${later}&expiry_of=wrapper`,
      ({ is_wrapped, wrapper_expiry }) =>
        is_wrapped && isIn(wrapper_expiry === null ? null : wrapper_expiry - 90 * DAY),
    );
  });

  test("by the reservation in ENSv2", async () => {
    const later = edges.map(([from, to]) => `${from + 62 * DAY}-${to + 62 * DAY}`).join(",");
    const path = `/search-domains?expiry_windows=${later}&expiry_of=reservation`;
    await expectNames(
      path,
      ({ reserved_until }) => isIn(reserved_until === null ? null : reserved_until - 62 * DAY),
      withEnsv2,
    );
    // Without ENSv2, nothing is reserved in it.
    expect(await namesOf(path)).toEqual({ names: [], total: 0 });
  });

  test.each([
    ["2-1", "before it begins"],
    ["1", "windows in unix seconds"],
    ["1-2,", "windows in unix seconds"],
    ["1-9999999999999999", "windows in unix seconds"],
    [Array.from({ length: 33 }, (_, i) => `${i}-${i}`).join(), "at most 32"],
    [Array.from({ length: 100_000 }, () => "1-2").join(), "at most 32"],
  ])("%s is refused", async (text, message) => {
    expect(await api.get(`/search-domains?expiry_windows=${text.slice(0, 15_000)}`)).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_PARAMETER", message: expect.stringContaining(message) } },
    });
  });
});
