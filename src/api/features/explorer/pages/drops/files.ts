import { managedNames } from "../../../../../ens/managedNames.ts";
import { ETH_NODE, nodeOfNameByNode } from "../../../../../ens/name.ts";
import { lifeOfEnsv1 } from "../../../../names/rules/life.ts";
import { toCalendar } from "../../../../names/serializers/calendar.ts";
import type { ExplorerPage, Visit } from "../../page.ts";
import { csvFile } from "../../parts/csv.ts";
import { nameUrl } from "../../parts/name.tsx";
import { inUtc } from "../../parts/time.tsx";
import type { DomainItem } from "../../replies.ts";
import { askDrops, enteredAt, happensAt, kindOf, MAX_DROPS } from "./drops.ts";
import { feedFile } from "./feed.ts";

/** The first names of a kind, which happen first. @throws ApiError where they could not be read */
async function readDrops(visit: Visit) {
  const [kind, now] = [kindOf(visit), await visit.now()];
  const list = await askDrops(visit, { kind, now, size: MAX_DROPS });
  if (list instanceof Error) throw list;
  const items = list.results.filter(
    (item): item is DomainItem & { expiry_timestamp: string } => item.expiry_timestamp !== null,
  );
  return { kind, now, items };
}

const title = (label: string): string => `ENS names: ${label.toLowerCase()}`;

/** The drops as a table for spreadsheets. */
export const dropsCsv: ExplorerPage = {
  path: "/explore/drops.csv",
  render: async (visit) => {
    const { kind, items } = await readDrops(visit);
    const rows = items.map((item) => {
      const at = happensAt(kind, item.expiry_timestamp);
      const holder = item.ownership.last_owner?.address ?? item.ownership.owner ?? "";
      return [
        item.name,
        item.chain ?? "",
        String([...item.label].length),
        item.availability_status,
        inUtc(at),
        String(at),
        item.expiry_timestamp,
        holder,
        item.namehash,
      ];
    });
    const head = [
      "name",
      "chain",
      "length",
      "state",
      "at",
      "at_timestamp",
      "expiry_timestamp",
      "last_owner",
      "namehash",
    ];
    return csvFile(`drops-${kind.key}.csv`, [head, ...rows]);
  },
};

/** The drops as a calendar: the ends of each name's grace and premium, with reminders. */
export const dropsCalendar: ExplorerPage = {
  path: "/explore/drops.ics",
  render: async (visit) => {
    const { kind, now, items } = await readDrops(visit);
    const names = items.map((item) => {
      const managed =
        item.chain === undefined
          ? undefined
          : managedNames.find(({ name }) => item.name.endsWith(`.${name}`));
      return {
        node: item.namehash,
        fullName: item.name,
        expiryTimestamp: BigInt(item.expiry_timestamp),
        chainId: managed?.chainId ?? 0,
        parentNode: managed?.node ?? ETH_NODE,
      };
    });
    const text = toCalendar(names, {
      title: title(kind.label),
      now,
      life: lifeOfEnsv1,
      namesAt: null,
    });
    return new Response(text, {
      headers: { "Content-Type": "text/calendar; charset=utf-8", "Cache-Control": "no-cache" },
    });
  },
};

/** The drops as an Atom feed: a reader shows each name once, when it comes into the list. */
export const dropsFeed: ExplorerPage = {
  path: "/explore/drops.atom",
  render: async (visit) => {
    const { kind, now, items } = await readDrops(visit);
    const entries = items.map((item) => {
      const at = happensAt(kind, item.expiry_timestamp);
      const isHash = nodeOfNameByNode(item.name) !== null;
      return {
        // A renewal or a new owner gives the name another expiry, and so another entry.
        id: `urn:namedex:drop:${kind.key}:${item.chain ?? ""}:${item.namehash}:${item.expiry_timestamp}`,
        title: `${item.name} ${kind.event}: ${inUtc(at)}`,
        text: `${item.name}${item.chain ? ` on ${item.chain}` : ""}: ${kind.event}, ${inUtc(at)}.${isHash ? " Its label is not known." : ""}`,
        updated: enteredAt(kind, item.expiry_timestamp),
        path: nameUrl(item.name),
      };
    });
    const updated = Math.max(...entries.map((entry) => entry.updated), entries.length === 0 ? now : 0);
    return feedFile({ title: title(kind.label), id: `urn:namedex:drops:${kind.key}`, updated, entries });
  },
};
