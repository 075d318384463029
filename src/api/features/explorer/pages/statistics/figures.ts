import { contractInWords } from "../../parts/contract.ts";
import type { Referrer, SalesPeriod, Seller } from "../../replies.ts";

/** Rows of a name and numbers: what the chart, the table and the CSV show. */
export type Sheet = { columns: readonly string[]; rows: readonly (readonly [string, ...number[]])[] };

/** What a visitor chooses: the length of the periods, and the days of the ranking. */
export const choices = {
  interval: {
    usual: "day",
    options: { day: "Days", week: "Weeks", month: "Months", quarter: "Quarters", year: "Years" },
  },
  days: { usual: "30", options: { "7": "7 days", "30": "30 days", "365": "A year" } },
} as const;

export type Choice = keyof typeof choices;

/** One card of the page, made from the answer of an operation. */
export type Figure = {
  id: string;
  title: string;
  note: string;
  operation: string;
  /** The operation's parameter that the visitor chooses. */
  choice?: Choice;
  /** Shown as a chart of lines, with its table below. Other figures are tables. */
  isChart?: true;
  /** Numbers of a row that its bar in the table adds up; the first ones. */
  bars?: number;
  isWide?: true;
  /** Left out where the index has no such sales. */
  isRare?: true;
  /** What the first column names, which links to its page. */
  names?: "domain" | "address";
  sheetOf: (reply: never) => Sheet;
};

type Numbers<Item> = Record<string, (item: Item) => number | string | undefined | null>;

/** A row for each item. A column whose number is unknown for one of them is left out. */
function sheet<Item>(
  title: string,
  items: readonly Item[],
  nameOf: (item: Item) => string,
  numbers: Numbers<Item>,
): Sheet {
  const known = Object.entries(numbers).filter(([, read]) => items.every((item) => read(item) != null));
  return {
    columns: [title, ...known.map(([column]) => column)],
    rows: items.map((item) => [nameOf(item), ...known.map(([, read]) => Number(read(item)))]),
  };
}

/** Ether of an amount in wei, to six digits after the point. */
const toEther = (wei: string | bigint): number => Number(BigInt(wei) / 10n ** 12n) / 1_000_000;

/** Figures over time, from the same answer. */
const purchases = {
  operation: "/ens-stats/purchases",
  choice: "interval",
  isChart: true,
  isWide: true,
} as const;

const periodSheet = (periods: readonly SalesPeriod[], numbers: Numbers<SalesPeriod>): Sheet =>
  sheet("From", periods, ({ start }) => start, numbers);

/** A token's amount in a period, in whole tokens. */
const paidIn =
  ({ token, decimals }: NonNullable<SalesPeriod["payments"]>[number]) =>
  ({ payments = [] }: SalesPeriod): number => {
    const paid = payments.find((one) => one.token === token);
    const units = BigInt(paid?.registration_amount ?? 0) + BigInt(paid?.renewal_amount ?? 0);
    return Number(units) / 10 ** (decimals ?? 0);
  };

type Distribution = { eth_label_length: { length: number; count: number }[] };

/** The few longer labels share one row. */
const LONGEST = 30;

/** A contract that sells names by its title. Other registrars stand for sales of controllers that no deployment lists. */
const sellerName = ({ contract, title, first_day: firstDay }: Seller): string =>
  /^(CONTROLLER|REGISTRAR_AUCTION$|ENSV2_)/.test(contract)
    ? contractInWords(title ?? contract)
    : `Unlisted controllers, from ${firstDay.slice(0, 4)}`;

const paidUsd = ({ registration_cost_usd: first, renewal_cost_usd: later }: Referrer): number | null =>
  first === null || later === null ? null : Number(first) + Number(later);

const registrarNames: Record<string, string> = {
  REVERSE_REGISTRAR: "",
  DEFAULT_REVERSE_REGISTRAR: ", default for all chains",
  L2_REVERSE_REGISTRAR: "",
};

/** All figures, in the order of the page. */
export const figures: readonly Figure[] = [
  {
    ...purchases,
    id: "sales",
    title: "Registrations and renewals",
    note: "Names registered and renewed in each period.",
    sheetOf: ({ periods }: { periods: SalesPeriod[] }) =>
      periodSheet(periods, { Registrations: (one) => one.registrations, Renewals: (one) => one.renewals }),
  },
  {
    ...purchases,
    id: "revenue",
    title: "Revenue in ether",
    note: "In ether, as logged by the controllers. Registrations include premiums. Renewals whose cost is not known exactly count with its upper bound.",
    sheetOf: ({ periods }: { periods: SalesPeriod[] }) =>
      periodSheet(periods, {
        "Registrations, ETH": (one) => toEther(one.registration_cost_wei),
        "Renewals, ETH": (one) => toEther(one.renewal_cost_wei),
        "Premiums, ETH": (one) => toEther(one.premium_wei),
      }),
  },
  {
    ...purchases,
    id: "dollars",
    title: "Revenue in dollars",
    note: "At the price of ether when each name was sold. Registrations include premiums. Periods without a known price of ether are left out.",
    isRare: true,
    sheetOf: ({ periods }: { periods: SalesPeriod[] }) =>
      periodSheet(
        periods.filter((one) => one.registration_cost_usd && one.renewal_cost_usd && one.premium_usd),
        {
          "Registrations, USD": (one) => one.registration_cost_usd,
          "Renewals, USD": (one) => one.renewal_cost_usd,
          "Premiums, USD": (one) => one.premium_usd,
        },
      ),
  },
  {
    ...purchases,
    id: "tokens",
    title: "Revenue from ENSv2 names",
    note: "In whole tokens, as logged by the registrars. Registrations include premiums.",
    isRare: true,
    sheetOf: ({ periods }: { periods: SalesPeriod[] }) => {
      const tokens = new Map(periods.flatMap(({ payments = [] }) => payments.map((one) => [one.token, one])));
      return periodSheet(
        periods,
        Object.fromEntries([...tokens.values()].map((one) => [one.symbol ?? one.token, paidIn(one)])),
      );
    },
  },
  {
    id: "largest",
    title: "Largest registrations",
    note: "The registrations that cost the most ether, any premium included.",
    operation: "/ens-stats/largest-registrations",
    choice: "days",
    isWide: true,
    names: "domain",
    sheetOf: (reply: {
      registrations: { name: string; cost_wei: string; premium_wei: string; cost_usd?: string }[];
    }) =>
      sheet("Name", reply.registrations, ({ name }) => name, {
        "Paid, ETH": (one) => toEther(one.cost_wei),
        "Premium, ETH": (one) => toEther(one.premium_wei),
        "Paid, USD": (one) => one.cost_usd,
      }),
  },
  {
    id: "states",
    title: "Names by state",
    note: "Names with an owner on the registry's chain.",
    operation: "/ens-stats/states",
    bars: 1,
    sheetOf: ({ eth, others }: Record<"eth" | "others", Record<string, number>>) =>
      sheet(
        "State",
        [
          [".eth: registered", eth.registered],
          [".eth: in grace", eth.grace],
          [".eth: premium", eth.premium],
          [".eth: available again", eth.available],
          [".eth: in no registrar", eth.unregistered],
          ["Others: without expiry", others.without_expiry],
          ["Others: until an expiry", others.registered],
          ["Others: expired", others.expired],
        ] as const,
        ([state]) => state,
        { Names: ([, names]) => names },
      ),
  },
  {
    id: "lengths",
    title: "Names by length",
    note: "Active second-level .eth names by number of characters.",
    operation: "/ens-stats/distribution",
    bars: 1,
    sheetOf: ({ eth_label_length: counts }: Distribution) => {
      const groups = Map.groupBy(counts, ({ length }) =>
        length > LONGEST ? `over ${LONGEST}` : String(length),
      );
      return sheet("Length", [...groups], ([length]) => length, {
        Names: ([, group]) => group.reduce((sum, { count }) => sum + count, 0),
      });
    },
  },
  {
    id: "expiries",
    title: "Expiries ahead",
    note: "Names by month of expiry. A renewal moves a name to a later month.",
    operation: "/ens-stats/expiries",
    bars: 2,
    isWide: true,
    sheetOf: ({ months }: { months: { month: string; eth: number; others: number }[] }) =>
      sheet("Month", months, ({ month }) => month, {
        ".eth names": (one) => one.eth,
        Subnames: (one) => one.others,
      }),
  },
  {
    id: "sellers",
    title: "Sales by contract",
    note: "Registrations and renewals at each controller. A name registered twice counts twice.",
    operation: "/ens-stats/sellers",
    bars: 2,
    sheetOf: ({ sellers }: { sellers: Seller[] }) =>
      sheet("Contract", sellers, sellerName, {
        Registrations: (one) => one.registrations,
        Renewals: (one) => one.renewals,
      }),
  },
  {
    id: "primary-names",
    title: "Primary names by chain",
    note: "Addresses that claim a name, whether or not the name resolves to them. Claims on Base from before ENSIP-19 do not count.",
    operation: "/ens-stats/primary-names",
    bars: 1,
    sheetOf: (reply: { by_registrar: { registrar: string; chain: string; with_name: number }[] }) =>
      sheet(
        "Chain",
        reply.by_registrar,
        ({ registrar, chain }) => `${chain}${registrarNames[registrar] ?? `, ${registrar}`}`,
        { Addresses: (one) => one.with_name },
      ),
  },
  {
    id: "referrers",
    title: "Referrers",
    note: "The referrers with the most registrations and renewals. Buyers can name any referrer.",
    operation: "/ens-stats/referrers",
    bars: 2,
    isWide: true,
    names: "address",
    sheetOf: ({ referrers }: { referrers: Referrer[] }) =>
      sheet("Referrer", referrers, ({ address, referrer }) => address ?? referrer, {
        Registrations: (one) => one.registrations,
        Renewals: (one) => one.renewals,
        "Paid, ETH": (one) => toEther(BigInt(one.registration_cost_wei) + BigInt(one.renewal_cost_wei)),
        "Paid, USD": paidUsd,
      }),
  },
  {
    id: "holders",
    title: "Largest holders",
    note: "The addresses that own the most active names.",
    operation: "/ens-stats/holders",
    bars: 1,
    isWide: true,
    names: "address",
    sheetOf: (reply: { holders: { address: string; active_domains: number; percentage: number }[] }) =>
      sheet("Address", reply.holders, ({ address }) => address, {
        Names: (one) => one.active_domains,
        "Share, %": (one) => one.percentage,
      }),
  },
];
