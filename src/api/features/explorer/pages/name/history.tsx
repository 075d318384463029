import type { Child } from "hono/jsx";
import type { ApiError } from "../../../../server/errors/errors.ts";
import type { Visit } from "../../page.ts";
import { Card, Empty, MayLack, Unavailable } from "../../parts/card.tsx";
import { secondOf } from "../../parts/days.ts";
import { Field } from "../../parts/form.tsx";
import { Transaction } from "../../parts/hash.tsx";
import { nameUrl } from "../../parts/name.tsx";
import { firstIn, ListPager, Pager, placeIn, withQuery } from "../../parts/pager.tsx";
import { fromNow, Time } from "../../parts/time.tsx";
import type {
  DomainEvent,
  HistoryTotal,
  OwnershipPeriod,
  Paged,
  Period,
  Registration,
} from "../../replies.ts";
import {
  type Entry,
  entriesOfLogs,
  entriesOfOwners,
  entriesOfPurchases,
  entriesOfRecords,
  entriesOfResolvers,
  type Kind,
} from "./entries.tsx";
import type { NameView } from "./view.ts";

const PAGE_SIZE = 50;

type Choice = { key: Kind | "all"; label: string };

const choices: readonly Choice[] = [
  { key: "all", label: "All" },
  { key: "owner", label: "Owners" },
  { key: "resolver", label: "Resolvers" },
  { key: "registration", label: "Registrations" },
  { key: "record", label: "Records" },
  { key: "log", label: "Logs" },
];

/** What one kind of entry is read from: the operations of histories, each with its newest entries. */
type Part = { entries: Entry[]; total: number; isIncomplete: boolean; of: string };

/** Owners, resolvers, registrations and records of a name as one time line, newest first. */
export async function historyOfName({ visit, domain, now }: NameView): Promise<Child> {
  const wanted = visit.query("kind");
  const kind = choices.find(({ key }) => key === wanted)?.key ?? "all";
  if (kind === "log") return logsOfName({ visit, domain, now });
  const page = Math.max(1, Math.min(Number.parseInt(visit.query("page") ?? "1", 10) || 1, 1_000));
  const range = rangeOf(visit);
  const parts = await readParts(visit, domain.query, kind);
  const failed = parts.find((part) => part instanceof Error);
  if (failed instanceof Error) return <Unavailable error={failed} />;
  const read = parts.filter((part): part is Part => !(part instanceof Error));
  const entries = read
    .flatMap((part) => part.entries)
    .filter(isIn(range))
    .sort(newestFirst);
  const urlOf = urlsOf(domain, range);
  const ofKind = { kind: kind === "all" ? undefined : kind };
  return (
    <Card id="history" title="History" isWide aside={<Filter present={kind} urlOf={urlOf} />}>
      <Range domain={domain} kind={kind} range={range} />
      {read.some(({ isIncomplete }) => isIncomplete) && <MayLack />}
      {read.map((part) => (
        <Cut part={part} />
      ))}
      {entries.length === 0 ? (
        <Empty>No entries of this kind.</Empty>
      ) : (
        <TimeLine
          entries={entries.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)}
          now={now}
          hasChains={domain.chain !== undefined}
        />
      )}
      <Pager
        total={entries.length}
        size={PAGE_SIZE}
        first={(page - 1) * PAGE_SIZE + 1}
        previous={page > 1 ? { page: page - 1 } : null}
        next={page * PAGE_SIZE < entries.length ? { page: page + 1 } : null}
        what="the history"
        urlOf={(other) => urlOf({ ...ofKind, ...other })}
      />
    </Card>
  );
}

/** Days from which and to which a history is shown. */
type Days = { from: string | undefined; to: string | undefined };

const rangeOf = ({ query }: Pick<Visit, "query">): Days => ({ from: query("from_day"), to: query("to_day") });

/** Entries without a time, which are left out if the visitor chose a range of days. */
const isIn =
  ({ from, to }: Days) =>
  ({ at }: Entry): boolean => {
    if (from === undefined && to === undefined) return true;
    const [first, last] = [Number(secondOf(from, "first") ?? 0), Number(secondOf(to, "last") ?? Infinity)];
    return at !== null && at >= first && at <= last;
  };

/** Other pages and kinds of a name's history, of the same days. */
const urlsOf =
  ({ name }: NameView["domain"], { from, to }: Days) =>
  (values: Record<string, string | number | undefined>): string =>
    withQuery(nameUrl(name), { view: "history", from_day: from, to_day: to, ...values });

type RangeProps = { domain: NameView["domain"]; kind: Kind | "all"; range: Days };

const Range = ({ domain, kind, range: { from, to } }: RangeProps) => (
  <form class="filters" action={nameUrl(domain.name)} method="get">
    <input type="hidden" name="view" value="history" />
    {kind !== "all" && <input type="hidden" name="kind" value={kind} />}
    <Field name="from_day" label="From" value={from} type="date" />
    <Field name="to_day" label="To" value={to} type="date" />
    <button type="submit">Apply</button>
  </form>
);

/** Every log of a name, page by page, newest first. */
async function logsOfName({ visit, domain, now }: Omit<NameView, "records">): Promise<Child> {
  const range = rangeOf(visit);
  const list = await visit.tryAsk<{ events: DomainEvent[]; is_incomplete?: true } & Paged>(
    "/domain/{name}/events",
    {
      name: domain.query,
      sort_dir: "desc",
      page_size: String(PAGE_SIZE),
      ...placeIn(visit),
      time_from: secondOf(range.from, "first"),
      time_to: secondOf(range.to, "last"),
    },
  );
  if (list instanceof Error) return <Unavailable error={list} />;
  const urlOf = urlsOf(domain, range);
  const entries = entriesOfLogs(list.events);
  return (
    <Card id="history" title="History" isWide aside={<Filter present="log" urlOf={urlOf} />}>
      <Range domain={domain} kind={"log"} range={range} />
      {list.is_incomplete && <MayLack />}
      {entries.length === 0 ? (
        <Empty>No entries of this kind.</Empty>
      ) : (
        <TimeLine entries={entries} now={now} hasChains={domain.chain !== undefined} />
      )}
      <ListPager
        list={list}
        first={firstIn(visit, list)}
        what={"the history"}
        urlOf={(place) => urlOf({ kind: "log", ...place })}
      />
    </Card>
  );
}

type Events = { events: DomainEvent[] } & HistoryTotal;
type Purchases = { registrations: Registration[]; renewals: Registration[] } & HistoryTotal;

/** Registrations have no time of their own: their logs have. */
async function readParts(visit: Visit, name: string, kind: Kind | "all"): Promise<(Part | ApiError)[]> {
  const isAsked = (...kinds: Kind[]) => kind === "all" || kinds.includes(kind);
  const ask = <Reply,>(history: string) => visit.tryAsk<Reply>(`/domain/{name}/${history}`, { name });
  const [events, owners, resolvers, purchases] = await Promise.all([
    isAsked("record", "registration") ? ask<Events>("events") : null,
    isAsked("owner") ? ask<{ history: OwnershipPeriod[] } & HistoryTotal>("ownership-history") : null,
    isAsked("resolver") ? ask<{ history: Period[] } & HistoryTotal>("resolver-history") : null,
    isAsked("registration") ? ask<Purchases>("registration-history") : null,
  ]);
  const logs = events instanceof Error || events === null ? [] : events.events;
  const isWhole = !(events instanceof Error) && (events?.total ?? 0) <= AT_ONCE && !events?.is_incomplete;
  return [
    partOf(events, "logs", () => (kind === "registration" ? [] : entriesOfRecords(logs, isWhole))),
    partOf(owners, "owners", ({ history }) => entriesOfOwners(history)),
    partOf(resolvers, "resolvers", ({ history }) => entriesOfResolvers(history)),
    partOf(purchases, "registrations", (reply) => entriesOfPurchases(reply, logs)),
  ].filter((part) => part !== null);
}

/** What an operation answered, or that it failed; null if it was not asked. */
function partOf<Reply extends HistoryTotal>(
  reply: Reply | ApiError | null,
  of: string,
  entriesOf: (reply: Reply) => Entry[],
): Part | ApiError | null {
  if (reply === null || reply instanceof Error) return reply;
  return { entries: entriesOf(reply), total: reply.total, isIncomplete: reply.is_incomplete ?? false, of };
}

/** Entries of a history that its operation gives at once; of longer ones, the newest. */
const AT_ONCE = 1_000;

const Cut = ({ part: { total, of } }: { part: Part }) =>
  total <= AT_ONCE ? null : (
    <p class="faint">
      {`Showing the latest ${AT_ONCE.toLocaleString("en")} of ${total.toLocaleString("en")} ${of}. The JSON has all of them.`}
    </p>
  );

const newestFirst = (a: Entry, b: Entry): number =>
  (b.at ?? 0) - (a.at ?? 0) || (b.block ?? 0) - (a.block ?? 0) || b.order - a.order;

type FilterProps = { present: string; urlOf: (values: Record<string, string | undefined>) => string };

const Filter = ({ present, urlOf }: FilterProps) => (
  <nav class="choices" aria-label="Kinds of entries">
    {choices.map(({ key, label }) => (
      <a
        href={urlOf({ kind: key === "all" ? undefined : key })}
        {...(key === present && { "aria-current": "true" as const })}
      >
        {label}
      </a>
    ))}
  </nav>
);

type TimeLineProps = { entries: readonly Entry[]; now: number; hasChains: boolean };

/** A layer 2 name may have entries on two chains: each block is then shown with its chain. */
const TimeLine = ({ entries, now, hasChains }: TimeLineProps) => (
  <ol class="timeline">
    {entries.map((entry) => (
      <li class={entry.kind}>
        <div class="when">
          {entry.at === null ? null : <Time at={entry.at} />}
          <span class="faint number">
            {[entry.at === null ? null : fromNow(entry.at, now), blockOf(entry, hasChains)]
              .filter((part) => part !== null)
              .join(" · ")}
          </span>
        </div>
        <div class="what">
          <strong>{entry.title}</strong>
          <div>{entry.detail}</div>
        </div>
        {entry.transaction === null ? (
          <span class="faint">no transaction</span>
        ) : (
          <Transaction hash={entry.transaction} chain={entry.chain} />
        )}
      </li>
    ))}
  </ol>
);

const blockOf = ({ block, chain }: Entry, hasChains: boolean): string | null =>
  block === null ? null : `block ${block.toLocaleString("en")}${hasChains && chain ? ` on ${chain}` : ""}`;
