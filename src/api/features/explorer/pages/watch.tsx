import { endingExpiryOf } from "../../../names/rules/lifeEnds.ts";
import { statusOf } from "../errorWords.ts";
import type { ExplorerPage } from "../page.ts";
import { Card, Empty, Unavailable } from "../parts/card.tsx";
import { Expiry, Owner } from "../parts/domainList.tsx";
import { Icon } from "../parts/icon.tsx";
import { ChainMark, NameLink, nameUrl } from "../parts/name.tsx";
import { PauseButton } from "../parts/pause.tsx";
import { StateBadge } from "../parts/state.tsx";
import { ItemTable } from "../parts/table.tsx";
import { Text } from "../parts/text.tsx";
import { askWatched, domainsOf, MAX_WATCHED, namesIn, type Watched, watchUrl } from "./watch/watched.ts";

/**
 * A list of names that a visitor watches. The browser keeps it; its address has all names, so no one else needs to. It moves by the
 * feed of changes (browser/live.js).
 */
export const watchPage: ExplorerPage = {
  path: "/explore/watch",
  render: async (visit) => {
    const { names, others } = namesIn(visit.query("names"));
    const [watched, now] = await Promise.all([askWatched(visit, names), visit.now()]);
    return {
      title: "Watched names",
      description: "Names with their states and expiries, with a calendar and a feed.",
      canonical: watchUrl("watch", names),
      section: "watch",
      status: statusOf(watched),
      scripts: ["watch.js", "live.js"],
      body: (
        <>
          <div class="heading" data-watched={names.join(",")}>
            <h1>Watched names</h1>
            <p class="lead">This list stays in your browser. Its calendar and feed have their own URLs.</p>
            {names.length > 0 && <Files names={names} />}
          </div>
          {others > 0 && (
            <div class="notice warn">
              <Icon name="warning" />
              <p>{`A list holds at most ${MAX_WATCHED} names. ${others.toLocaleString("en")} were left out.`}</p>
            </div>
          )}
          {watched instanceof Error ? (
            <Unavailable error={watched} />
          ) : (
            <Card id="watched" title="Names" aside={watched.length > 0 && <PauseButton />} isWide>
              {watched.length === 0 ? (
                <Empty>No names yet. Use the Watch button on a name's page.</Empty>
              ) : (
                <div data-live="watched" data-live-names={spellingsOf(watched).join(",")}>
                  <List watched={watched} now={now} />
                </div>
              )}
            </Card>
          )}
          <Edit names={names} />
        </>
      ),
    };
  },
};

/** Each name in both spellings: as typed and as normalised. Changes may carry either. */
const spellingsOf = (watched: readonly Watched[]): string[] => [
  ...new Set(
    watched.flatMap(({ query, whois }) => (whois && "name" in whois ? [query, whois.name] : [query])),
  ),
];

const Files = ({ names }: { names: readonly string[] }) => (
  <p class="actions">
    <a class="button" href={watchUrl("watch.ics", names)}>
      <Icon name="calendar" /> Calendar
    </a>
    <a class="button" href={watchUrl("watch.atom", names)}>
      <Icon name="code" /> Feed
    </a>
  </p>
);

const List = ({ watched, now }: { watched: readonly Watched[]; now: number }) => (
  <ItemTable
    caption="Watched names"
    items={watched}
    columns={[
      { title: "Name", cell: (one) => <Named one={one} /> },
      { title: "State", cell: ({ whois }) => whois && <StateBadge state={whois.availability_status} /> },
      { title: "Expiry", cell: (one) => <KnownExpiry one={one} now={now} /> },
      { title: "Owner", cell: (one) => <Owner ownership={domainsOf([one])[0]?.ownership ?? {}} /> },
    ]}
  />
);

const Named = ({ one: { query, whois, fault } }: { one: Watched }) => {
  if (whois === null)
    return (
      <>
        <Text>{query}</Text> <span class="faint">{fault}</span>
      </>
    );
  return "name" in whois ? (
    <>
      <NameLink name={whois.name} display={whois.display} />
      <ChainMark chain={whois.chain} />
    </>
  ) : (
    <a class="name" href={nameUrl(query)}>
      <Text>{query}</Text>
    </a>
  );
};

/** Nothing where the index does not have the name. */
const KnownExpiry = ({ one, now }: { one: Watched; now: number }) => {
  const [domain] = domainsOf([one]);
  return <Expiry at={domain === undefined ? null : endingExpiryOf(domain)} now={now} />;
};

/** The list as text, to change it. Without JavaScript it is the way to make one, and the address is what to keep. */
const Edit = ({ names }: { names: readonly string[] }) => (
  <Card id="change" title="Edit the list">
    <form class="edit" action="explore/watch" method="get" data-watch-list>
      <label for="watch-names">{`One name per line, up to ${MAX_WATCHED}`}</label>
      <textarea id="watch-names" name="names" rows={6} spellcheck={false}>
        {names.join("\n")}
      </textarea>
      <p class="actions">
        <button type="submit" class="first">
          Save
        </button>
      </p>
    </form>
  </Card>
);
