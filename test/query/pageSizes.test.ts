import { namehash } from "viem";
import { beforeAll, expect, test } from "vitest";
import { PAGE_SIZE } from "../../src/api/names/schemas/paging.ts";
import { operations } from "../support/operations.ts";
import { pathOf, useApi, withQuery } from "./api.ts";
import { fillWithMany } from "./manyRows.ts";
import { account, CHAIN_ID, NOW } from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

/* With many more names than a page has, no list is longer than a page. */
const NAMES = 3_000;
const owner = account(4_096 + 7);

const tables = useTables();
const api = useApi(tables, NOW);
beforeAll(async () => {
  await fillWithMany(NAMES)(tables.pool);
  // One address that has them all.
  await tables.pool.query("update domains set effective_owner_address = $1, registry_owner = $1", [owner]);
  await setProgress(tables, { chainId: CHAIN_ID, block: NAMES, time: NOW });
});

const values: Record<string, string> = {
  name: "name7.eth",
  address: owner,
  hash: namehash("name7.eth"),
  key: "url",
  agentId: "1",
};

/** Lists that take a page number. */
const paged = operations
  .filter(({ method, query }) => method === "get" && query !== undefined && "page" in query.shape)
  .map((operation) => pathOf(operation, values));

test.each([
  ...paged,
  ...["q=name1", "sort_by=full_name", "is_wrapped=true", `registry_owner=${owner}`].map(
    (search) => `/search-domains?${search}`,
  ),
  ...["effective_owner", "registry_owner"].map(
    (type) => `/address/${owner}/domains?address_type=${type}&include_expired=true`,
  ),
])("%s", async (path) => {
  const { status, body } = await api.get(path);
  await expectNothingBeyondTheEnd(path, body);
  expect([200, 404], JSON.stringify(body)).toContain(status);
  for (const list of Object.values(body)) {
    if (Array.isArray(list)) expect(list.length).toBeLessThanOrEqual(PAGE_SIZE);
  }
});

/** A list ends somewhere, and pages beyond its end are empty, whatever their number. */
async function expectNothingBeyondTheEnd(path: string, { page, total }: Record<string, unknown>) {
  if (page === undefined && total === undefined) return;
  for (const number of [999_999, Number.MAX_SAFE_INTEGER]) {
    const beyond = await api.get(withQuery(path, `page=${number}`));
    expect(beyond.status, JSON.stringify(beyond.body)).toBe(200);
    expect(beyond.body).toMatchObject({
      page: number,
      next_cursor: null,
      ...(total !== undefined && { total }),
    });
    const { not_covered: _, ...lists } = beyond.body;
    expect(Object.values(lists).filter(Array.isArray).flat()).toEqual([]);
  }
}

test("a list of all names fills its page, and has a total", async () => {
  for (const path of ["/search-domains", `/address/${owner}/domains?include_expired=true`]) {
    const { body } = await api.get(path);
    expect(body.results, path).toHaveLength(PAGE_SIZE);
  }
});
