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
      title: "State of the index",
      description: `${says} How far each chain is indexed.`,
      canonical: "explore/status",
      section: "status",
      body: (
        <>
          <h1>State of the index</h1>
          <p class="lead">
            <span class={`dot ${status.ready ? "good" : "bad"}`} /> {says}
          </p>
          {status.failing && (
            <div class="notice warn">
              <p>
                A block of {status.failing.chain} could not be indexed
                {status.failing.block_number !== null &&
                  ` (${status.failing.block_number.toLocaleString("en")})`}
                . It was tried {status.failing.attempts} times since <Time at={status.failing.since} />:{" "}
                <Text>{status.failing.why}</Text>
              </p>
            </div>
          )}
          <div class="cards">
            {status.chains.map((chain) => (
              <Chain chain={chain} />
            ))}
            {status.ensv2 && <Ensv2 {...status.ensv2} />}
            <Card id="index" title="The index">
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
  building: "The index is being built: past events are still missing.",
  catching_up: "The index is catching up after a restart.",
  late: "The index is behind its chain, or its indexer does not run.",
  failing: "A block could not be indexed, and is tried again.",
  no_database: "The database does not answer.",
};

export const inSentence = ({ reason, running }: IndexingStatus): string => {
  if (reason !== null) return reasons[reason];
  return running ? "The index is complete and current." : "The index is complete. Its indexer does not run.";
};

const number = (value: number | null) => (value === null ? "not known" : value.toLocaleString("en"));

const Chain = ({ chain }: { chain: ChainStatus }) => {
  const { progress_percentage: done, estimated_seconds_left: left } = chain;
  return (
    <Card id={`chain-${chain.chain_id}`} title={chain.chain} aside={<span class="badge">{chain.phase}</span>}>
      {done !== null && (
        <p>
          <progress max={100} value={done} aria-label={`Progress of ${chain.chain}`} /> {done} %
          {left !== null && `, about ${inUnits(left)} left`}
        </p>
      )}
      <Facts
        facts={[
          ["Indexed block", <strong class="number">{number(chain.indexed_block_number)}</strong>],
          [
            "Its time",
            chain.indexed_block_timestamp === 0 ? "not yet" : <Time at={chain.indexed_block_timestamp} />,
          ],
          ["Newest block", number(chain.head_block_number)],
          ["Finalised block", number(chain.finalized_block_number)],
          ["Behind", chain.lag_seconds === null ? "not known" : behind(chain)],
        ]}
      />
    </Card>
  );
};

const phasesInWords: Record<Ensv2Phase, string> = {
  deployed: "Its contracts are there",
  reserving: "Names of ENSv1 are reserved",
  frozen: "ENSv1 registers no more names",
  handed_over: "Renewals go through ENSv2",
  open: "Names are registered in ENSv2",
  public: "Its Universal Resolver answers",
};

const Ensv2 = ({ phase, phases }: NonNullable<IndexingStatus["ensv2"]>) => (
  <Card id="ensv2" title="Change to ENSv2" aside={<span class="badge">{phase ?? "not begun"}</span>}>
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
  ["Indexer", status.running ? "runs" : "does not run"],
  [
    "Largest lag with answers",
    status.max_lag_seconds === null ? "no limit" : inUnits(status.max_lag_seconds),
  ],
  ["Tables", <span class="mono">{status.schema}</span>],
  ["Build", <span class="mono">{status.build}</span>],
];
