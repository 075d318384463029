import type { Child } from "hono/jsx";
import { endingExpiryOf } from "../../../../names/rules/lifeEnds.ts";
import { DAY } from "../../../../names/rules/seconds.ts";
import { Card, Empty, Unavailable } from "../../parts/card.tsx";
import { NameLink } from "../../parts/name.tsx";
import { StateBadge } from "../../parts/state.tsx";
import { dayOf } from "../../parts/time.tsx";
import type { DomainItem, Domains } from "../../replies.ts";
import type { AddressView } from "./view.ts";

/** Expiries that the calendar shows, the soonest: one page of the portfolio. */
const MAX_CALENDAR_NAMES = 100;

/** The expiries of an address, month by month, soonest first. */
export async function calendarOfAddress({ visit, address, now }: AddressView): Promise<Child> {
  const list = await visit.tryAsk<Domains>("/address/{address}/domains", {
    address,
    sort_by: "expiry_timestamp",
    page_size: String(MAX_CALENDAR_NAMES),
  });
  if (list instanceof Error) return <Unavailable error={list} />;
  const dated = list.results.filter((item) => endingExpiryOf(item) !== null);
  const months = Map.groupBy(dated, (item) => dayOf(Number(item.expiry_timestamp)).slice(0, 7));
  return (
    <>
      <p class="lead">
        Subscribe to <a href={`address/${address}/expiries.ics`}>expiries.ics</a> in your calendar to be
        reminded 30 and 7 days before each expiry.
      </p>
      {dated.length === 0 && <Empty>No names of this address expire.</Empty>}
      <div class="months">
        {[...months].map(([month, items]) => (
          <Month month={month} items={items} today={dayOf(now)} />
        ))}
      </div>
      {list.total > list.results.length && (
        <p class="faint">{`Showing the next ${list.results.length} of ${list.total.toLocaleString("en")} names to expire.`}</p>
      )}
    </>
  );
}

const monthName = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString("en", {
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });

type MonthProps = { month: string; items: readonly DomainItem[]; today: string };

const Month = ({ month, items, today }: MonthProps) => (
  <Card id={`month-${month}`} title={/^\d{4}-\d\d$/.test(month) ? monthName(month) : "Later"}>
    {/^\d{4}-\d\d$/.test(month) && <Days month={month} items={items} today={today} />}
    <ul class="expiries">
      {items.map((item) => (
        <li>
          <span class="number faint">{dayOf(Number(item.expiry_timestamp)).slice(8)}</span>
          <NameLink name={item.name} display={item.display} />
          {item.availability_status !== "registered" && <StateBadge state={item.availability_status} />}
        </li>
      ))}
    </ul>
  </Card>
);

const weekdays = ["M", "T", "W", "T", "F", "S", "S"];

/** The days of a month in weeks from Monday; the list beside it says the same in words. */
const Days = ({ month, items, today }: MonthProps) => {
  const first = Date.parse(`${month}-01T00:00:00Z`) / 1_000;
  const before = (new Date(first * 1_000).getUTCDay() + 6) % 7;
  const days = Array.from({ length: 31 }, (_, i) => dayOf(first + i * DAY)).filter((day) =>
    day.startsWith(month),
  );
  const expiring = new Set(items.map((item) => dayOf(Number(item.expiry_timestamp))));
  return (
    <div class="days" aria-hidden="true">
      {weekdays.map((letter) => (
        <span class="weekday">{letter}</span>
      ))}
      {Array.from({ length: before }, () => (
        <span />
      ))}
      {days.map((day) => (
        <span class={`${expiring.has(day) ? "expires" : ""}${day === today ? " today" : ""}`}>
          {Number(day.slice(8))}
        </span>
      ))}
    </div>
  );
};
