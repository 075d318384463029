import { DAY } from "../../../../names/rules/seconds.ts";
import { GRACE_DAYS, PREMIUM_DAYS } from "../../../../names/rules/stages.ts";
import type { Given, Visit } from "../../page.ts";
import { withQuery } from "../../parts/pager.tsx";
import type { UrlOf } from "../../parts/sort.ts";
import type { Domains } from "../../replies.ts";

/** Days ahead, or back, that a list of drops covers. */
const DROP_DAYS = 7;

/** Names of one CSV, calendar or feed. */
export const MAX_DROPS = 200;

export type Kind = {
  key: "grace" | "premium" | "in_premium" | "free";
  label: string;
  /** What happens to the names, and when, in a sentence. */
  says: string;
  availability: "grace" | "premium" | "available";
  /** Days after the expiry, from which to which, the names are in the list. */
  expired: readonly [from: number, to: number];
  /** Days from the expiry to what happens. */
  happens: number;
  /** The heading of the times. */
  when: string;
  /** What happens, of one name. */
  event: string;
  sort: "asc" | "desc";
};

const PREMIUM_END = GRACE_DAYS + PREMIUM_DAYS;

/** The kinds of drops; the first is shown unless the visit asks for another. */
export const kinds: readonly [Kind, ...Kind[]] = [
  {
    key: "grace",
    label: "Leaving grace",
    availability: "grace",
    sort: "asc",
    happens: GRACE_DAYS,
    expired: [GRACE_DAYS - DROP_DAYS, GRACE_DAYS],
    event: "leaves grace",
    when: "Grace ends",
    says: `Names whose grace period ends within ${DROP_DAYS} days. Until then they can be renewed. Afterwards, anyone can register them at a premium.`,
  },
  {
    key: "premium",
    label: "Premium ending",
    availability: "premium",
    sort: "asc",
    happens: PREMIUM_END,
    expired: [PREMIUM_END - DROP_DAYS, PREMIUM_END],
    event: "has no premium left",
    when: "Premium ends",
    says: `Names whose premium ends within ${DROP_DAYS} days. They can be registered now, and the premium halves every day.`,
  },
  {
    key: "in_premium",
    label: "All in premium",
    availability: "premium",
    sort: "asc",
    expired: [GRACE_DAYS, PREMIUM_END],
    happens: PREMIUM_END,
    event: "has no premium left",
    when: "Premium ends",
    says: "All names that can be registered at a premium, lowest premium first.",
  },
  {
    key: "free",
    label: "Available now",
    availability: "available",
    sort: "desc",
    happens: PREMIUM_END,
    expired: [GRACE_DAYS, PREMIUM_END + DROP_DAYS],
    event: "became available",
    when: "Available since",
    says: `Names that became available in the last ${DROP_DAYS} days and are still unregistered.`,
  },
];

export const kindOf = (visit: Pick<Visit, "query">): Kind =>
  kinds.find(({ key }) => key === visit.query("kind")) ?? kinds[0];

const filters = ["min_length", "max_length", "chain"] as const;

/** The filters of a visit, as links carry them on. */
export const filtersOf = (visit: Pick<Visit, "query">): Given =>
  Object.fromEntries(filters.map((name) => [name, visit.query(name)]));

/** Where a kind of drops with these filters is found: the page, or one of its files. */
export const dropsUrl = (file: string, { key }: Kind, given: Parameters<UrlOf>[0]): string =>
  withQuery(`explore/${file}`, { kind: key === kinds[0].key ? undefined : key, ...given });

/** The query for a kind. ENSv2 names are left out: their grace and premium end at other times. */
export function askDrops(visit: Visit, { kind, now, size }: { kind: Kind; now: number; size?: number }) {
  const [from, to] = kind.expired;
  return visit.tryAsk<Domains>("/search-domains", {
    availability_status: kind.availability,
    protocol: "ensv1",
    ...filtersOf(visit),
    expiry_from: String(now - to * DAY),
    expiry_to: String(now - from * DAY),
    sort_by: "expiry_timestamp",
    sort_dir: kind.sort,
    ...(size === undefined
      ? { page: visit.query("page"), cursor: visit.query("cursor") }
      : { page_size: String(size) }),
  });
}

/** When it happens to a name. */
export const happensAt = ({ happens }: Kind, expiry: string): number => Number(expiry) + happens * DAY;

/** When a name came into the list: an entry of a feed keeps this time. */
export const enteredAt = ({ expired: [from] }: Kind, expiry: string): number => Number(expiry) + from * DAY;
