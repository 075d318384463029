import { SearchBox } from "../layout.tsx";
import type { ExplorerPage } from "../page.ts";
import { ActivityList } from "../parts/activity.tsx";
import { Card, Empty, Figures, Unavailable } from "../parts/card.tsx";
import { PauseButton } from "../parts/pause.tsx";
import { fromNow } from "../parts/time.tsx";
import type { Activity, IndexingStatus } from "../replies.ts";
import { inSentence } from "./status.tsx";

/** Entries of the feed that the first page shows. */
const NEWEST = 12;

type Totals = {
  active_domains: number;
  unique_owners: number;
  registrations_7d: number;
  expiring_30d: number;
};

/**
 * The first page: a search box, what is indexed and how current it is, the newest activity, four figures. Parts with `data-live`
 * move by the feed of changes (browser/live.js).
 */
export const homePage: ExplorerPage = {
  path: "/",
  render: async (visit) => {
    const [status, figures, feed, now] = await Promise.all([
      visit.tryAsk<IndexingStatus>("/indexing-status"),
      visit.tryAsk<Totals>("/ens-stats"),
      visit.tryAsk<{ events: Activity[] }>("/ens-stats/recent-activity"),
      visit.now(),
    ]);
    return {
      title: "",
      description:
        "Explore the Ethereum Name Service: who owns a name, when it expires, what it points to, and its history.",
      canonical: "",
      hasSearchBox: true,
      scripts: ["live.js"],
      body: (
        <>
          <div class="hero">
            <h1>Explore the Ethereum Name Service</h1>
            <p class="lead">Who owns a name, when it expires, what it points to, and its history.</p>
            <SearchBox isLarge hint={<Hint network={status instanceof Error ? null : status.network} />} />
            <Currency status={status instanceof Error ? null : status} now={now} />
          </div>
          {figures instanceof Error ? <Unavailable error={figures} /> : <FourFigures figures={figures} />}
          <Card id="newest" title="Latest activity" aside={<PauseButton />} isWide>
            <div data-live="newest">
              {feed instanceof Error ? (
                <Unavailable error={feed} />
              ) : feed.events.length === 0 ? (
                <Empty>No activity yet.</Empty>
              ) : (
                <ActivityList entries={feed.events.slice(0, NEWEST)} now={now} />
              )}
            </div>
          </Card>
          <Programs access={visit.access} hasSignup={visit.hasSignup} hasMcp={visit.hasMcp} />
        </>
      ),
    };
  },
};

/** A name that exists on the network. */
const exampleOf = (network: string | null): string => (network === "mainnet" ? "vitalik.eth" : "alice.eth");

const Hint = ({ network }: { network: string | null }) => (
  <p class="hint">
    Try <a href={`explore/name/${exampleOf(network)}`}>{exampleOf(network)}</a>, an address, a namehash, or{" "}
    <span class="mono">agent 0</span>
  </p>
);

const Currency = ({ status, now }: { status: IndexingStatus | null; now: number }) => {
  const [chain] = status?.chains ?? [];
  if (!status || !chain) return null;
  const age = Math.floor(Date.now() / 1_000);
  return (
    <p class="currency" data-live="currency">
      <span class={`dot ${status.ready ? "good" : "bad"}`} /> {inSentence(status)}{" "}
      <a href="explore/status">
        Block <span class="number">{chain.indexed_block_number.toLocaleString("en")}</span> of{" "}
        {status.network}
      </a>
      {chain.indexed_block_timestamp > 0 && `, ${fromNow(now, Math.max(age, now))}`}
    </p>
  );
};

const FourFigures = ({ figures }: { figures: Totals }) => (
  <Figures
    figures={[
      ["Active names", figures.active_domains.toLocaleString("en")],
      ["Owners", figures.unique_owners.toLocaleString("en")],
      ["Registered in the last 7 days", figures.registrations_7d.toLocaleString("en")],
      ["Expiring within 30 days", figures.expiring_30d.toLocaleString("en")],
    ]}
  />
);

type ProgramsProps = { access: string; hasSignup: boolean; hasMcp: boolean };

const Programs = ({ access, hasSignup, hasMcp }: ProgramsProps) => (
  <Card id="programs" title="For developers" isWide>
    <p>
      Everything on these pages is also available as JSON over HTTP
      {hasMcp && (
        <>
          , and as tools for agents at <span class="mono">/mcp</span>
        </>
      )}
      . See the <a href="docs">reference</a>, <a href="openapi.json">OpenAPI</a> or{" "}
      <a href="llms.txt">llms.txt</a>. Each page lists the operations behind it.
    </p>
    <p>
      {access} {hasSignup && <a href="signup">Get a key</a>}
    </p>
  </Card>
);
