import type { ExplorerPage } from "../page.ts";
import { Card, type Fact, Facts } from "../parts/card.tsx";
import { Text } from "../parts/text.tsx";
import { inUnits, Time } from "../parts/time.tsx";
import type { ChainStatus, Ensv2Phase, IndexingStatus } from "../replies.ts";

/** What `/indexing-status` says, as a person reads it. */
export const statusPage: ExplorerPage = {
  path: "/explore/status",
  render: async (visit) => {
    const status = await visit.ask<IndexingStatus>("/indexing-status");
    const says = inSentence(status);
    return {
      title: "Index status",
      description: `${says} Progress of each chain.`,
      canonical: "explore/status",
      section: "status",
      body: (
        <>
          <h1>Index status</h1>
          <p class="lead">
            <span class={`dot ${status.ready ? "good" : "bad"}`} /> {says}
          </p>
          {status.failing && (
            <div class="notice warn">
              <p>
                A block on {status.failing.chain} could not be indexed
                {status.failing.block_number !== null &&
                  ` (${status.failing.block_number.toLocaleString("en")})`}
                . {status.failing.attempts} attempts since <Time at={status.failing.since} />:{" "}
                <Text>{status.failing.why}</Text>
              </p>
            </div>
          )}
          <div class="cards">
            {status.chains.map((chain) => (
              <Chain chain={chain} />
            ))}
            {status.ensv2 && <Ensv2 {...status.ensv2} />}
            <Card id="index" title="Index">
              <Facts facts={indexFacts(status)} />
            </Card>
          </div>
          <p class="faint">
            As JSON: <a href="indexing-status">/indexing-status</a>
          </p>
        </>
      ),
    };
  },
};

const reasons: Record<NonNullable<IndexingStatus["reason"]>, string> = {
  building: "The index is being built. Past events are still missing.",
  catching_up: "The index is catching up after a restart.",
  false_source: "The index was built from false logs and has to be built again.",
  late: "The index is behind its chain, or its indexer is not running.",
  failing: "A block could not be indexed. The indexer is retrying it.",
  no_database: "The database is not responding.",
};

export const inSentence = ({ reason, running }: IndexingStatus): string => {
  if (reason !== null) return reasons[reason];
  return running
    ? "The index is complete and up to date."
    : "The index is complete. Its indexer is not running.";
};

const number = (value: number | null) => (value === null ? "unknown" : value.toLocaleString("en"));

const Chain = ({ chain }: { chain: ChainStatus }) => {
  const { progress_percentage: done, estimated_seconds_left: left } = chain;
  return (
    <Card id={`chain-${chain.chain_id}`} title={chain.chain} aside={<span class="badge">{chain.phase}</span>}>
      {done !== null && (
        <p>
          <progress max={100} value={done} aria-label={`Progress on ${chain.chain}`} /> {done} %
          {left !== null && `, about ${inUnits(left)} left`}
        </p>
      )}
      <Facts
        facts={[
          ["Indexed block", <strong class="number">{number(chain.indexed_block_number)}</strong>],
          [
            "Block time",
            chain.indexed_block_timestamp === 0 ? "none yet" : <Time at={chain.indexed_block_timestamp} />,
          ],
          ["Latest block", number(chain.head_block_number)],
          ["Finalized block", number(chain.finalized_block_number)],
          ["Behind", chain.lag_seconds === null ? "unknown" : behind(chain)],
        ]}
      />
    </Card>
  );
};

const phasesInWords: Record<Ensv2Phase, string> = {
  deployed: "Contracts deployed",
  reserving: "ENSv1 names being reserved",
  frozen: "ENSv1 registrations closed",
  handed_over: "Renewals handled by ENSv2",
  open: "ENSv2 registrations open",
  public: "Universal Resolver switched to ENSv2",
};

const Ensv2 = ({ phase, phases }: NonNullable<IndexingStatus["ensv2"]>) => (
  <Card id="ensv2" title="Migration to ENSv2" aside={<span class="badge">{phase ?? "not started"}</span>}>
    <Facts
      facts={phases.map(
        (one): Fact => [
          phasesInWords[one.phase],
          <>
            <Time at={one.block_timestamp} /> (block {number(one.block_number)})
          </>,
        ],
      )}
    />
  </Card>
);

const behind = ({ lag_blocks, lag_seconds }: ChainStatus): string =>
  `${number(lag_blocks)} blocks, ${inUnits(lag_seconds ?? 0)}`;

const indexFacts = (status: IndexingStatus): Fact[] => [
  ["Network", status.network],
  ["Indexer", status.running ? "running" : "not running"],
  ["Maximum lag", status.max_lag_seconds === null ? "no limit" : inUnits(status.max_lag_seconds)],
  ["Tables", <span class="mono">{status.schema}</span>],
  ["Build", <span class="mono">{status.build}</span>],
];
