import type { ExplorerPage, Visit } from "../page.ts";
import { csvFile } from "../parts/csv.ts";
import { inUtc } from "../parts/time.tsx";
import type { DomainItem } from "../replies.ts";
import type { Portfolio } from "./address/names.tsx";

/** Pages of the portfolio that one file has: 1,000 names. Each page is a request of the visitor's. */
export const MAX_CSV_PAGES = 40;

/** The names of an address as a table for spreadsheets. */
export const namesCsvPage: ExplorerPage = {
  path: "/explore/address/:address/names.csv",
  render: async (visit) => {
    const address = visit.param("address");
    const items = await readAll(visit, address);
    return csvFile(`names-${address.toLowerCase()}.csv`, [
      columns.map(([title]) => title),
      ...items.map((item) => columns.map(([, read]) => read(item))),
    ]);
  },
};

/** One page after the other: the first tells how many there are. */
async function readAll(visit: Visit, address: string): Promise<DomainItem[]> {
  const items: DomainItem[] = [];
  for (let page = 1; page <= MAX_CSV_PAGES; page++) {
    const list = await visit.ask<Portfolio>("/address/{address}/domains", {
      ...{ address, include_expired: "true", page: String(page) },
    });
    items.push(...list.results);
    if (items.length >= list.total || list.results.length === 0) break;
  }
  return items;
}

const columns: readonly [title: string, read: (item: DomainItem) => string][] = [
  ["name", ({ name }) => name],
  ["state", ({ availability_status }) => availability_status],
  ["expiry", ({ expiry_timestamp }) => (expiry_timestamp === null ? "" : inUtc(Number(expiry_timestamp)))],
  ["expiry_timestamp", ({ expiry_timestamp }) => expiry_timestamp ?? ""],
  ["owner", ({ ownership }) => ownership.owner ?? ""],
  ["wrapped", ({ ownership }) => String(ownership.is_wrapped)],
  ["resolver", ({ resolver }) => resolver?.address ?? ""],
  ["namehash", ({ namehash }) => namehash],
];
