import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { countChildrenFromCounters, listChildren } from "../../src/api/counts/children.ts";
import { listSales } from "../../src/api/counts/days.ts";
import { createCounters } from "../../src/api/counts/maintain.ts";
import {
  listExpiriesFromCounters,
  listHoldersFromCounters,
  listPhasesFromCounters,
} from "../../src/api/counts/population.ts";
import { countPendingFromCounters, countSearchFromCounters } from "../../src/api/counts/searchTotals.ts";
import {
  listSharesFromCounters,
  readAdoptionFromCounters,
  readTotalsFromCounters,
} from "../../src/api/counts/totals.ts";
import { readActivity } from "../../src/api/endpoints/activityFeed.ts";
import type { Ctx } from "../../src/api/http/context.ts";
import {
  addressTypes,
  countHeld,
  listEnding,
  listHeld,
  listPrevious,
  summarise,
} from "../../src/api/query/addresses.ts";
import type { Chains } from "../../src/api/query/chains.ts";
import { listLabelled } from "../../src/api/query/domainPages.ts";
import { listDomainPage } from "../../src/api/query/domains.ts";
import type { PageRequest } from "../../src/api/query/page.ts";
import { listExpiries, listHolders, listPhases } from "../../src/api/query/population.ts";
import { countRecentPurchases, listSalesByDay } from "../../src/api/query/purchases.ts";
import {
  countSearch,
  type SearchFilters,
  searchCondition,
  searchInOnePass,
} from "../../src/api/query/search.ts";
import { listShares, readAdoption, readTotals } from "../../src/api/query/statistics.ts";
import { account, CHAIN_ID, contracts, LAYER2_CHAIN_ID, MAIN, transaction, WRAPPER } from "./rows.ts";
import { createTables, type Tables } from "./tables.ts";

const NOW = 1_800_000_000;
const SEVERAL: Chains = { ids: [CHAIN_ID, LAYER2_CHAIN_ID], reach: "several" };

let tables: Tables;
let statements = new Set<string>();

beforeAll(async () => {
  tables = await createTables({ onQuery: (text) => void statements.add(text) });
});
afterAll(() => tables?.drop());

const searches: SearchFilters[] = [
  {},
  { text: "a", isFullName: true },
  ...(["registered", "grace", "premium", "available"] as const).map((availability) => ({ availability })),
  { minLength: 1, maxLength: 9, isWrapped: true },
  { registryOwner: account(1), registrarOwner: account(2), wrapperOwner: account(3) },
  { resolver: account(4), isWrapped: false },
  { expiryFrom: 1, expiryTo: NOW },
];

/** Asks every statement of lists and counts. */
async function askAll(chains: Chains): Promise<void> {
  const { db } = tables;
  const at = { chains, now: NOW };
  const page: PageRequest = { page: 2, sortBy: "full_name", sortDir: "asc" };
  const node = transaction(1);
  for (const address of [account(1), WRAPPER]) {
    const holder = { ...at, address, wrappers: [WRAPPER] };
    for (const addressType of addressTypes) {
      await listHeld(db, { ...holder, addressType }, { choice: "active", page });
      await listHeld(db, { ...holder, addressType }, { choice: "all", page });
      await countHeld(db, { ...holder, addressType });
    }
    await listEnding(db, holder);
    await listPrevious(db, holder, { page: 2, sortDir: "desc" });
    await listPrevious(db, holder, { page: 2, sortDir: "asc" });
    await summarise(db, holder);
  }
  for (const filters of searches) {
    const where = searchCondition(filters, at);
    await countSearch(db, where, at);
    await searchInOnePass(db, { ...at, where, page });
    await listDomainPage(db, { ...at, where, page });
    await countSearchFromCounters(db, filters, at);
  }
  await listChildren(db, page, { ...at, node });
  await listLabelled(db, page, { ...at, hash: node });
  await countChildrenFromCounters(db, { chains, node });
  await countPendingFromCounters(db, chains);
  await readTotals(db, at);
  await readTotalsFromCounters(db, at);
  await readAdoption(db, at);
  await readAdoptionFromCounters(db, at);
  await listShares(db, at);
  await listSharesFromCounters(db, at);
  await listPhases(db, at);
  await listPhasesFromCounters(db, at);
  await listHolders(db, at);
  await listHoldersFromCounters(db, at);
  const days = { chains, firstDay: 1, endDay: 9 };
  await listExpiries(db, days);
  await listExpiriesFromCounters(db, days);
  await countRecentPurchases(db, at);
  await listSalesByDay(db, { chains, from: 1, until: NOW });
  await listSales(db, at);
  await readActivity({ db, contracts, now: NOW } as Ctx, { chains, isAsked: true });
}

/** A statement's hash, and how it begins. */
const lineOf = (text: string): string => {
  const beginning = text.replaceAll(/\s+/g, " ").trim().slice(0, 80).trimEnd();
  return `${createHash("sha256").update(text).digest("hex").slice(0, 16)} ${beginning}`;
};

/**
 * The files beside this one list the statements of the revision before ENSv2 came: a deployment without ENSv2 runs the
 * same. Who changes a statement for all deployments writes them again: `vitest run -u`.
 */
test.each([
  ["main", MAIN],
  ["several", SEVERAL],
] as const)("lists and counts of chains: %s", async (name, chains) => {
  const client = await tables.pool.connect();
  await createCounters({ client, schema: "public" }, NOW);
  const { rows } = await client.query<{ source: string }>(
    "select prosrc as source from pg_proc where proname like 'figures_%' order by proname",
  );
  client.release();
  statements = new Set();
  await askAll(chains);
  const lines = [...rows.map(({ source }) => source), ...[...statements].sort()].map(lineOf);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`withoutEnsv2.${name}.txt`);
});
