import type { Given } from "../../page.ts";
import { contractInWords } from "../../parts/contract.ts";

/*
 * The figures of the page: each is a sheet of rows, shown by the chart, the table and the CSV.
 */

/** Rows of a name and numbers. */
export type Sheet = { columns: readonly string[]; rows: readonly (readonly [string, ...number[]])[] };

/** A figure: its operation, and the sheet made from the answer. */
export type Figure<Reply> = { operation: string; given?: Given; sheetOf: (reply: Reply) => Sheet };

export const intervals = ["day", "week", "month", "quarter", "year"] as const;

export type Interval = (typeof intervals)[number];

export type Purchases = {
  periods: {
    start: string;
    registrations: number;
    renewals: number;
    registration_cost_wei: string;
    premium_wei: string;
    renewal_cost_wei: string;
    registration_cost_usd: string | null;
    premium_usd: string | null;
    renewal_cost_usd: string | null;
    cost_is_upper_bound?: true;
    payments?: Payment[];
  }[];
};

/** Revenue in one ERC-20 token. */
type Payment = {
  token: string;
  symbol: string | null;
  decimals: number | null;
  registration_amount: string;
  renewal_amount: string;
};

/** A token's amounts of each period, in whole tokens. */
function tokenColumns(periods: Purchases["periods"]): { title: string; values: number[] }[] {
  const tokens = new Map(
    periods.flatMap(({ payments = [] }) => payments.map((one) => [one.token, one] as const)),
  );
  return [...tokens.values()].map(({ token, symbol, decimals }) => ({
    title: symbol ?? token,
    values: periods.map(({ payments = [] }) => {
      const paid = payments.find((one) => one.token === token);
      const units = BigInt(paid?.registration_amount ?? 0) + BigInt(paid?.renewal_amount ?? 0);
      return Number(units) / 10 ** (decimals ?? 0);
    }),
  }));
}

/** Ether of an amount in wei, to six digits after the point. */
const toEther = (wei: string): number => Number(BigInt(wei) / 10n ** 12n) / 1_000_000;

const periodTitles: Record<Interval, string> = {
  day: "Day",
  week: "Week from",
  month: "Month from",
  quarter: "Quarter from",
  year: "Year from",
};

/** Numbers of registrations and renewals. */
export const sales = (interval: Interval): Figure<Purchases> => ({
  operation: "/ens-stats/purchases",
  given: { interval },
  sheetOf: ({ periods }) => ({
    columns: [periodTitles[interval], "Registrations", "Renewals"],
    rows: periods.map(({ start, registrations, renewals }) => [start, registrations, renewals]),
  }),
});

/** Revenue in ether. */
export const revenue = (interval: Interval): Figure<Purchases> => ({
  operation: "/ens-stats/purchases",
  given: { interval },
  sheetOf: ({ periods }) => ({
    columns: [periodTitles[interval], "Registrations, ETH", "Renewals, ETH", "Premiums, ETH"],
    rows: periods.map((period) => [
      period.start,
      toEther(period.registration_cost_wei),
      toEther(period.renewal_cost_wei),
      toEther(period.premium_wei),
    ]),
  }),
});

/** The same in dollars, without periods whose price of ether is unknown. */
export const dollars = (interval: Interval): Figure<Purchases> => ({
  operation: "/ens-stats/purchases",
  given: { interval },
  sheetOf: ({ periods }) => ({
    columns: [periodTitles[interval], "Registrations, USD", "Renewals, USD", "Premiums, USD"],
    rows: periods.flatMap((period): Sheet["rows"] => {
      const amounts = [period.registration_cost_usd, period.renewal_cost_usd, period.premium_usd];
      return amounts.every((amount) => amount !== null) ? [[period.start, ...amounts.map(Number)]] : [];
    }),
  }),
});

/** Revenue from ENSv2 names: a column for each token. */
export const tokenRevenue = (interval: Interval): Figure<Purchases> => ({
  operation: "/ens-stats/purchases",
  given: { interval },
  sheetOf: ({ periods }) => {
    const tokens = tokenColumns(periods);
    return {
      columns: [periodTitles[interval], ...tokens.map(({ title }) => title)],
      rows: periods.map((period, i) => [period.start, ...tokens.map(({ values }) => values[i] ?? 0)]),
    };
  },
});

type States = {
  eth: Record<"registered" | "grace" | "premium" | "available" | "unregistered", number>;
  others: Record<"without_expiry" | "registered" | "expired", number>;
};

export const states: Figure<States> = {
  operation: "/ens-stats/states",
  sheetOf: ({ eth, others }) => ({
    columns: ["State", "Names"],
    rows: [
      [".eth: registered", eth.registered],
      [".eth: in grace", eth.grace],
      [".eth: premium", eth.premium],
      [".eth: available again", eth.available],
      [".eth: in no registrar", eth.unregistered],
      ["Others: without expiry", others.without_expiry],
      ["Others: until an expiry", others.registered],
      ["Others: expired", others.expired],
    ],
  }),
};

type Distribution = { eth_label_length: { length: number; count: number }[] };

/** The few longer labels share one row. */
const LONGEST = 30;

/** Active .eth names by the length of their label. */
export const lengths: Figure<Distribution> = {
  operation: "/ens-stats/distribution",
  sheetOf: ({ eth_label_length: counts }) => {
    const sumOf = (isWanted: (length: number) => boolean) =>
      counts.filter(({ length }) => isWanted(length)).reduce((sum, { count }) => sum + count, 0);
    const longer = sumOf((length) => length > LONGEST);
    const most = Math.min(LONGEST, Math.max(0, ...counts.map(({ length }) => length)));
    const rows = Array.from({ length: most }, (_, i): [string, number] => [
      String(i + 1),
      sumOf((length) => length === i + 1),
    ]);
    return {
      columns: ["Length", "Names"],
      rows: longer > 0 ? [...rows, [`over ${LONGEST}`, longer]] : rows,
    };
  },
};

type Sellers = {
  sellers: { contract: string; title?: string; first_day: string; registrations: number; renewals: number }[];
};

/** A contract that sells names by its title. Other registrars stand for sales of controllers that no deployment lists. */
const sellerName = ({ contract, title, first_day: firstDay }: Sellers["sellers"][number]): string =>
  /^(CONTROLLER|REGISTRAR_AUCTION$|ENSV2_)/.test(contract)
    ? contractInWords(title ?? contract)
    : `Unlisted controllers, from ${firstDay.slice(0, 4)}`;

export const sellers: Figure<Sellers> = {
  operation: "/ens-stats/sellers",
  sheetOf: ({ sellers: listed }) => ({
    columns: ["Contract", "Registrations", "Renewals"],
    rows: listed.map((one) => [sellerName(one), one.registrations, one.renewals]),
  }),
};

type Referrers = {
  referrers: {
    referrer: string;
    address?: string;
    registrations: number;
    renewals: number;
    registration_cost_wei: string;
    renewal_cost_wei: string;
    registration_cost_usd: string | null;
    renewal_cost_usd: string | null;
  }[];
};

/** What was sold through each referrer; in dollars where the price of ether is known for all. */
export const referrers: Figure<Referrers> = {
  operation: "/ens-stats/referrers",
  sheetOf: ({ referrers: listed }) => {
    const usd = listed.map((one) => [one.registration_cost_usd, one.renewal_cost_usd]);
    const isKnown = usd.flat().every((amount) => amount !== null);
    return {
      columns: ["Referrer", "Registrations", "Renewals", "Paid, ETH", ...(isKnown ? ["Paid, USD"] : [])],
      rows: listed.map((one, i) => [
        one.address ?? one.referrer,
        one.registrations,
        one.renewals,
        toEther(String(BigInt(one.registration_cost_wei) + BigInt(one.renewal_cost_wei))),
        ...(isKnown ? [(usd[i] ?? []).reduce((sum, amount) => sum + Number(amount), 0)] : []),
      ]),
    };
  },
};

export const rankings = ["7", "30", "365"] as const;

export type Ranking = (typeof rankings)[number];

type Largest = {
  registrations: { name: string; cost_wei: string; premium_wei: string; cost_usd?: string }[];
};

/** The most expensive registrations of the last days. */
export const largest = (days: Ranking): Figure<Largest> => ({
  operation: "/ens-stats/largest-registrations",
  given: { days },
  sheetOf: ({ registrations }) => {
    const isKnown = registrations.every((one) => one.cost_usd !== undefined);
    return {
      columns: ["Name", "Paid, ETH", "Premium, ETH", ...(isKnown ? ["Paid, USD"] : [])],
      rows: registrations.map((one) => [
        one.name,
        toEther(one.cost_wei),
        toEther(one.premium_wei),
        ...(isKnown ? [Number(one.cost_usd)] : []),
      ]),
    };
  },
});

type Expiries = {
  months: { month: string; eth: number; others: number }[];
};

/** Names by the month of their expiry. */
export const expiries: Figure<Expiries> = {
  operation: "/ens-stats/expiries",
  sheetOf: ({ months }) => ({
    columns: ["Month", ".eth names", "Subnames"],
    rows: months.map(({ month, eth, others }) => [month, eth, others]),
  }),
};

type PrimaryNames = { by_registrar: { registrar: string; chain: string; with_name: number }[] };

const registrarNames: Record<string, string> = {
  REVERSE_REGISTRAR: "",
  DEFAULT_REVERSE_REGISTRAR: ", default for all chains",
  L2_REVERSE_REGISTRAR: "",
};

export const primaryNames: Figure<PrimaryNames> = {
  operation: "/ens-stats/primary-names",
  sheetOf: ({ by_registrar: registrars }) => ({
    columns: ["Chain", "Addresses"],
    rows: registrars.map(({ registrar, chain, with_name }) => [
      `${chain}${registrarNames[registrar] ?? `, ${registrar}`}`,
      with_name,
    ]),
  }),
};

type Holders = { holders: { address: string; active_domains: number; percentage: number }[] };

export const holders: Figure<Holders> = {
  operation: "/ens-stats/holders",
  sheetOf: ({ holders: listed }) => ({
    columns: ["Address", "Names", "Share, %"],
    rows: listed.map(({ address, active_domains, percentage }) => [address, active_domains, percentage]),
  }),
};
