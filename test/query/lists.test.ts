// Also runs as: long
import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "../support/operations.ts";
import { isLong } from "../support/size.ts";
import { useApi } from "./api.ts";
import { fillLists, type Item, type NameList, nameLists, notFilters } from "./lists.ts";
import { fillWithMany } from "./manyRows.ts";
import { CHAIN_ID, NOW } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

/*
 * Every list of names with every filter in every order: the result is the matching part of the
 * whole list, wherever a page begins.
 */

const NAMES = 200;

const tables = useTables();
const api = useApi(tables, NOW);
beforeAll(async () => {
  await fillWithMany(NAMES)(tables.pool);
  await fillLists(tables.pool);
  await setProgress(tables, { chainId: CHAIN_ID, block: NAMES, time: NOW });
});

const shapeOf = ({ operation }: NameList) =>
  operations.find(({ path, method }) => path === operation && method === "get")?.query.shape ?? {};

/** The columns an operation says it sorts by. */
const columnsOf = (list: NameList): string[] => {
  const declared = shapeOf(list).sort_by as { unwrap?: () => { options: string[] } } | undefined;
  return declared?.unwrap?.().options ?? ["full_name"];
};

type Key = (item: Item) => string | number | null;
const numberOf = (value: string | number | null | undefined) => (value == null ? null : Number(value));
const keyOf: Record<string, Key> = {
  full_name: ({ name }) => name,
  label: ({ label }) => label,
  expiry_timestamp: ({ expiry_timestamp }) => numberOf(expiry_timestamp),
  effective_owner_address: ({ ownership }) => ownership.owner?.toLowerCase() ?? null,
  registered_timestamp: ({ registered_timestamp }) => numberOf(registered_timestamp),
  created_timestamp: ({ created_timestamp }) => created_timestamp,
};

/** Whether items are in order, those without a value last. */
function expectOrder(items: readonly Item[], column: string, isAscending: boolean): void {
  const keys = items.map((item) => (keyOf[column] as Key)(item));
  const values = keys.filter((key) => key !== null);
  expect(keys.slice(0, values.length)).toEqual(values);
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  expect(values).toEqual(isAscending ? sorted : sorted.toReversed());
}

const names = (items: readonly Item[]) => items.map(({ name }) => name);

describe.each(nameLists.map((list) => [list.path, list] as const))("%s", (path, list) => {
  const orders = columnsOf(list).flatMap((column) => ["asc", "desc"].map((dir) => [column, dir] as const));

  test("has no filters except those declared here", () => {
    const own = [...new URL(path, "http://list").searchParams.keys()];
    const filters = Object.keys(shapeOf(list)).filter((name) => ![...notFilters, ...own].includes(name));
    expect(filters.toSorted()).toEqual(Object.keys(list.filters).toSorted());
  });

  test.each(orders)("by %s, %s", async (column, dir) => {
    const order = `sort_by=${column}&sort_dir=${dir}`.replace(
      columnsOf(list).length > 1 ? "" : "sort_by=full_name&",
      "",
    );
    const whole = await api.walk<Item>(`${path}&${order}`, 200);
    expectOrder(whole, column, dir === "asc");
    expect(new Set(names(whole)).size).toBe(whole.length);
    expect(whole.length).toBeGreaterThan(25);
    const asked = Object.entries(list.filters).flatMap(([filter, values]) =>
      Object.entries(values).map(([value, isMet]) => [`${filter}=${value}`, isMet] as const),
    );
    const turn = orders.findIndex(([one, other]) => one === column && other === dir);
    for (const [i, [filter, isMet]] of asked.entries()) {
      // `npm test` takes each filter in every sixth order, the long proofs in all.
      if (!isLong() && i % 6 !== turn % 6) continue;
      const found = await api.walk<Item>(`${path}&${order}&${filter}`, 7 + ((i * 7 + turn) % 34));
      expect(names(found), filter).toEqual(names(whole.filter(isMet)));
    }
    // The pages before, at and after the end of the list, by number.
    const size = Math.ceil(whole.length / 3);
    for (const number of [1, 2, 3, 4]) {
      const page = await api.names(`${path}&${order}&page_size=${size}&page=${number}`);
      expect(page).toEqual(names(whole.slice((number - 1) * size, number * size)));
    }
  });
});
