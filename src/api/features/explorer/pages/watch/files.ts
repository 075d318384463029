import { DAY } from "../../../../names/rules/seconds.ts";
import { type Ended, toCalendarOfEnds } from "../../../../names/serializers/calendar.ts";
import type { ExplorerPage, Visit } from "../../page.ts";
import { nameUrl } from "../../parts/name.tsx";
import { endsOf } from "../../parts/state.tsx";
import { inUtc } from "../../parts/time.tsx";
import { type FeedEntry, feedFile } from "../drops/feed.ts";
import { askWatched, domainsOf, namesIn } from "./watched.ts";

const TITLE = "Watched ENS names";

/** @throws ApiError where the names could not be read */
async function readWatched(visit: Visit) {
  const watched = await askWatched(visit, namesIn(visit.query("names")).names);
  if (watched instanceof Error) throw watched;
  return { domains: domainsOf(watched), now: await visit.now() };
}

/** The ends of the names of a list, as a calendar with reminders. */
export const watchCalendar: ExplorerPage = {
  path: "/explore/watch.ics",
  render: async (visit) => {
    const { domains, now } = await readWatched(visit);
    const names = domains.map(
      (domain): Ended => ({
        chainId: 0,
        node: domain.namehash as Ended["node"],
        fullName: domain.name,
        ends: endsOf(domain),
      }),
    );
    return new Response(toCalendarOfEnds(names, { title: TITLE, now, namesAt: null }), {
      headers: { "Content-Type": "text/calendar; charset=utf-8", "Cache-Control": "no-cache" },
    });
  },
};

/** Days before an end at which it comes into the feed. */
const AHEAD_DAYS = 30;

const happens: Record<string, string> = {
  registered: "expires",
  grace: "leaves grace",
  premium: "has no premium any more",
};

/** The ends of the names of a list as an Atom feed: each comes into it 30 days before. */
export const watchFeed: ExplorerPage = {
  path: "/explore/watch.atom",
  render: async (visit) => {
    const { domains, now } = await readWatched(visit);
    const entries = domains.flatMap((domain) =>
      endsOf(domain).flatMap(({ phase, at }): FeedEntry[] => {
        const updated = Number(at) - AHEAD_DAYS * DAY;
        if (updated > now) return [];
        const says = `${domain.name} ${happens[phase]}: ${inUtc(Number(at))}`;
        return [
          {
            // A renewal gives the name another expiry, and so another entry.
            id: `urn:namedex:watch:${phase}:${domain.chain ?? ""}:${domain.namehash}:${at}`,
            title: says,
            text: `${says}.`,
            updated,
            path: nameUrl(domain.name),
          },
        ];
      }),
    );
    const updated = Math.max(...entries.map((entry) => entry.updated), entries.length === 0 ? now : 0);
    return feedFile({ title: TITLE, id: "urn:namedex:watch", updated, entries });
  },
};
