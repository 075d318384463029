import ICAL from "ical.js";
import { expect } from "vitest";

type Request = (path: string) => Response | Promise<Response>;

/** One event as a calendar program reads it; times are unix seconds. */
type CalendarEvent = {
  uid: string;
  summary: string;
  at: number;
  /** When the calendar was made. */
  stamp: number;
  url: string;
  sequence: number;
  /** Before the event, as iCalendar writes it. */
  alarms: string[];
};

type Calendar = { text: string; name: string; events: CalendarEvent[] };

/** Asks for a calendar, and reads it by a library of its own. */
export async function readCalendar(request: Request, path: string): Promise<Calendar> {
  const reply = await request(path);
  const text = await reply.text();
  expect(reply.status, text).toBe(200);
  expect(reply.headers.get("content-type")).toBe("text/calendar; charset=utf-8");
  const calendar = new ICAL.Component(ICAL.parse(text));
  expect(calendar.getFirstPropertyValue("version")).toBe("2.0");
  expect(calendar.getFirstPropertyValue("method")).toBe("PUBLISH");
  const events = calendar.getAllSubcomponents("vevent").map(toEvent);
  return { text, name: String(calendar.getFirstPropertyValue("name")), events };
}

function toEvent(component: ICAL.Component): CalendarEvent {
  const { uid, summary, startDate, sequence } = new ICAL.Event(component);
  const alarms = component.getAllSubcomponents("valarm");
  return {
    uid,
    summary,
    sequence,
    at: startDate.toUnixTime(),
    stamp: (component.getFirstPropertyValue("dtstamp") as ICAL.Time).toUnixTime(),
    url: String(component.getFirstPropertyValue("url")),
    alarms: alarms.map((alarm) => String(alarm.getFirstPropertyValue("trigger"))),
  };
}

type Item = {
  name: string;
  namehash: string;
  expiry_timestamp: string | null;
  ownership: { is_wrapped: boolean };
  wrapper?: { fuse_names: string[] };
};

/** All pages of the JSON operation, with names past their end too. */
export async function listOwned(request: Request, address: string): Promise<Item[]> {
  const page = async (number: number): Promise<Item[]> => {
    const reply = await request(`/address/${address}/domains?include_expired=true&page=${number}`);
    const { results } = (await reply.json()) as { results: Item[] };
    return results.length === 0 ? [] : [...results, ...(await page(number + 1))];
  };
  return page(1);
}

const DAY = 86_400;
const kinds = ["expiry", "grace-end", "premium-end"];

/** The ends of names by the rules as people know them, for names that have one to come. Grace has its last second. */
export function endsToCome(
  items: readonly Item[],
  { now, chainId }: { now: number; chainId: number },
): { uid: string; at: number }[] {
  const secondsOf = ({ name, ownership, wrapper }: Item): number[] => {
    if (name.endsWith(".eth") && name.split(".").length === 2) return [0, 90 * DAY + 1, 111 * DAY];
    if (!ownership.is_wrapped) return [0];
    // Its owner has an emancipated subname in the second of the expiry, and any other for good.
    return wrapper?.fuse_names.includes("PARENT_CANNOT_CONTROL") ? [1] : [];
  };
  const endsOf = (item: Item) => {
    const { namehash, expiry_timestamp: expiry } = item;
    return secondsOf(item).map((after, i) => ({
      uid: `${namehash}-${kinds[i]}@${chainId}.namedex`,
      at: Number(expiry) + after,
    }));
  };
  return items
    .filter((item) => item.expiry_timestamp !== null)
    .map(endsOf)
    .filter((ends) => ends.some(({ at }) => at > now))
    .flat()
    .sort(byUid);
}

/** What of events says when which name ends. */
export const endsIn = (events: readonly CalendarEvent[]): { uid: string; at: number }[] =>
  events.map(({ uid, at }) => ({ uid, at })).sort(byUid);

const byUid = (a: { uid: string }, b: { uid: string }): number => (a.uid < b.uid ? -1 : 1);
