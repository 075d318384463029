import type { ExplorerPage, Visit } from "../page.ts";
import { csvFile } from "../parts/csv.ts";
import { inUtc } from "../parts/time.tsx";
import type { DomainItem, Domains } from "../replies.ts";

/** Pages of the portfolio that one file has: 1,000 names. Each page is a request of the visitor's. */
export const MAX_CSV_PAGES = 5;
export const CSV_PAGE_SIZE = 200;
export const MAX_CSV_NAMES = MAX_CSV_PAGES * CSV_PAGE_SIZE;

/** The names of an address as a table for spreadsheets. */
export const namesCsvPage: ExplorerPage = {
  path: "/explore/address/:address/names.csv",
  render: async (visit) => {
    const address = visit.param("address");
    const { items, total } = await readAll(visit, address);
    const columns = items.some(({ chain }) => chain !== undefined)
      ? [...ofMainChain, chainColumn]
      : ofMainChain;
    const others = total - items.length;
    return csvFile(`names-${address.toLowerCase()}.csv`, [
      columns.map(([title]) => title),
      ...items.map((item) => columns.map(([, read]) => read(item))),
      ...(others > 0 ? [columns.map((_, i) => (i === 0 ? whereOthersAre(address, others) : ""))] : []),
    ]);
  },
};

/** The last line of a file that does not have all names. */
const whereOthersAre = (address: string, others: number): string =>
  `${others.toLocaleString("en")} more names are at /address/${address}/domains?include_expired=true&page_size=${CSV_PAGE_SIZE}&page=${MAX_CSV_PAGES + 1}`;

/** Pages in turn: the first has their number. */
async function readAll(visit: Visit, address: string): Promise<{ items: DomainItem[]; total: number }> {
  const items: DomainItem[] = [];
  let total = 0;
  let cursor: string | null | undefined;
  for (let page = 1; page <= MAX_CSV_PAGES && cursor !== null; page++) {
    const list: Domains = await visit.ask<Domains>("/address/{address}/domains", {
      address,
      include_expired: "true",
      page_size: String(CSV_PAGE_SIZE),
      cursor,
    });
    items.push(...list.results);
    total = list.total;
    cursor = list.next_cursor;
  }
  return { items, total };
}

type Column = readonly [title: string, read: (item: DomainItem) => string];

/** Empty for names of the registry's own chain. */
const chainColumn: Column = ["chain", ({ chain }) => chain ?? ""];

const ofMainChain: readonly Column[] = [
  ["name", ({ name }) => name],
  ["state", ({ availability_status }) => availability_status],
  ["expiry", ({ expiry_timestamp }) => (expiry_timestamp === null ? "" : inUtc(Number(expiry_timestamp)))],
  ["expiry_timestamp", ({ expiry_timestamp }) => expiry_timestamp ?? ""],
  ["owner", ({ ownership: { owner, is_owner_current } }) => (is_owner_current ? (owner ?? "") : "")],
  ["last_owner", ({ ownership }) => ownership.last_owner?.address ?? ""],
  ["wrapped", ({ ownership }) => String(ownership.is_wrapped)],
  ["resolver", ({ resolver }) => resolver?.address ?? ""],
  ["namehash", ({ namehash }) => namehash],
];
