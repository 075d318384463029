import { z } from "@hono/zod-openapi";
import { withoutKeys } from "../../server/errors/foreignText.ts";
import { endpoint } from "../../server/http/endpoint.ts";
import type { ChainReport, IndexReport } from "../../server/indexState/freshness.ts";
import { listMissingTransactions } from "../../server/indexState/progress.ts";
import { listPhases } from "../query/ensv2.ts";
import { blockNumber, count, hash } from "../schemas/answers.ts";

const phase = z.enum(["backfill", "realtime"]).openapi({
  description:
    "`backfill` while past events and database indexes are processed, also after a restart; then `realtime`",
});

const chainShape = z.strictObject({
  chain: z.string().openapi({ example: "mainnet" }),
  chain_id: count.openapi({ example: 1 }),
  phase,
  head_block_number: blockNumber
    .nullable()
    .openapi({ description: "From the node; null if it cannot be reached" }),
  indexed_block_number: blockNumber.openapi({ description: "The last indexed block" }),
  indexed_block_timestamp: count.openapi({ description: "Unix seconds; 0 before the first block" }),
  finalized_block_number: blockNumber.openapi({ description: "Reorganisations do not go below it" }),
  lag_blocks: count.nullable().openapi({ description: "Null if `head_block_number` is null" }),
  lag_seconds: count.nullable().openapi({
    description:
      "Age of the indexed block in the chain's time: compared with the clock on public chains, elsewhere with the newest block; null if unknown",
  }),
  progress_percentage: z
    .number()
    .nullable()
    .openapi({ example: 43.1, description: "Of the blocks, during `backfill`; null if unknown" }),
  estimated_seconds_left: count
    .nullable()
    .openapi({ description: "Of the backfill, at the speed of the last minutes; null if unknown" }),
  source_comparison: z
    .strictObject({
      blocks: count.openapi({ description: "Past blocks whose logs came from `LOG_SOURCE`" }),
      compared_blocks: count.openapi({
        description: "Of these, compared with the node; behind a ready index",
      }),
      differing_block_number: blockNumber
        .nullable()
        .openapi({ description: "Where the source was false; null as long as nothing differs" }),
    })
    .nullable()
    .openapi({ description: "Null if all past logs came from the node" }),
  missing_transactions: count.optional().openapi({
    description:
      "Texts and reverse nodes whose past transactions are still to be fetched. Until then, the texts are read live, and lists of addresses by primary name lack those addresses. Absent while the database does not respond",
  }),
});

const ensv2Phases = ["deployed", "reserving", "frozen", "handed_over", "open", "public"] as const;
const ensv2Phase = z.enum(ensv2Phases);

const ensv2 = z
  .strictObject({
    phase: ensv2Phase.nullable().openapi({
      description:
        "The latest phase: `reserving`: ENSv1 names are reserved; `frozen`: ENSv1 registers no more names; `handed_over`: renewals go through ENSv2; `open`: names are registered in ENSv2; `public`: its Universal Resolver answers. Null before the first",
    }),
    phases: z.array(
      z.strictObject({
        phase: ensv2Phase,
        block_number: blockNumber,
        block_timestamp: count,
        transaction_hash: hash,
      }),
    ),
  })
  .optional()
  .openapi({
    description:
      "Present if ENSv2 is indexed: progress of the migration to it, and when each phase was reached",
  });

const reply = z.strictObject({
  ready: z.boolean().openapi({
    description: "Whether operations on names are served; otherwise they fail with `INDEX_NOT_READY`",
  }),
  reason: z
    .enum(["building", "catching_up", "late", "failing", "false_source", "no_database"])
    .nullable()
    .openapi({
      description:
        "Why not, null if ready: past events are missing; the indexer restarted and its tables are at an older block; it lags behind the chain, or is not running; it retries a block that could not be indexed; its `LOG_SOURCE` was false, so a new index has to be built; the database does not respond",
    }),
  database: z.enum(["reachable", "unreachable"]).openapi({
    description:
      "`unreachable` while it does not respond. Everything else is then the last known state, with `running` false; if nothing is known, `chains` and `build` are empty",
  }),
  standby: z
    .strictObject({
      lag_seconds: count.nullable().openapi({
        description:
          "Age of the newest replayed transaction, 0 if there is no later one; null while the primary does not respond",
      }),
      lag_bytes: count.nullable().openapi({
        description: "Log of the primary not replayed yet; null while the primary does not respond",
      }),
      paused: z.boolean().openapi({ description: "Whether an operator paused the replay" }),
    })
    .nullable()
    .openapi({
      description:
        "For a standby, the lag of the database behind its primary; otherwise null. `chains` describes the standby",
    }),
  failing: z
    .strictObject({
      chain: z.string().openapi({ example: "mainnet" }),
      block_number: blockNumber.nullable().openapi({ description: "Null for a range of past blocks" }),
      attempts: count.openapi({ example: 3 }),
      since: count.openapi({ description: "Unix seconds of the first attempt" }),
      why: z.string().openapi({ example: "Error: Connection terminated" }),
    })
    .nullable()
    .openapi({
      description: "The block being retried; null if none. Replicas learn it from the indexer a second later",
    }),
  running: z.boolean().openapi({ description: "Whether an indexer is alive" }),
  phase,
  network: z.string().openapi({ example: "mainnet", description: "The chain of the registry" }),
  schema: z.string().openapi({ example: "namedex_index", description: "PostgreSQL schema of the tables" }),
  active: z.boolean().openapi({
    description: "Whether `npm run release` chose this index; false everywhere if none was ever chosen",
  }),
  build: z
    .string()
    .openapi({ example: "1c7a4bd2f0", description: "Code and configuration that wrote the tables" }),
  max_lag_seconds: count
    .nullable()
    .openapi({ description: "`MAX_LAG_SECONDS`: the index serves up to this lag; null for any" }),
  verification: z
    .strictObject({
      finished_timestamp: count.openapi({ description: "Unix seconds" }),
      block_number: blockNumber.openapi({ description: "The block of the comparison" }),
      samples: count.openapi({ example: 1000, description: "Names, records and primary names" }),
      values: count.openapi({ example: 6500, description: "Values compared" }),
      differences: count.openapi({ example: 0, description: "Values that differ from the chain" }),
    })
    .nullable()
    .openapi({
      description: "The last comparison with the contracts (`npm run verify`); null if there was none",
    }),
  chains: z.array(chainShape).openapi({ description: "The registry's chain first" }),
  ensv2,
});

export type IndexingStatus = z.infer<typeof reply>;

export const indexingStatus = endpoint({
  method: "get",
  path: "/indexing-status",
  group: "System",
  summary: "Status of the index",
  description:
    "Head, indexed and finalised block of each chain, and the progress of a backfill. Operations on names are served only while `ready` is true.",
  reply: reply.openapi("IndexingStatus"),
  cost: 0,
  index: "any state",
  tool: "get_status",
  handle: async (_, { db, freshness, contracts }) => {
    const report = await freshness.report();
    const withPhases = contracts.ensv2 !== undefined && !report.isDatabaseAway;
    const late = report.isDatabaseAway ? null : await listMissingTransactions(db);
    return {
      ...toStatus(report, contracts, late),
      ...(withPhases && { ensv2: toEnsv2(await listPhases(db, contracts.chainId)) }),
    };
  },
});

/** Only phases in {@link ensv2Phases} are stored; unknown ones are left out. */
function toEnsv2(rows: Awaited<ReturnType<typeof listPhases>>): z.infer<typeof ensv2> {
  const phases = rows.flatMap((row) => {
    const phase = ensv2Phases.find((one) => one === row.phase);
    if (phase === undefined) return [];
    const { blockNumber, blockTimestamp, transactionHash } = row;
    return [
      {
        phase,
        block_number: blockNumber,
        block_timestamp: blockTimestamp,
        transaction_hash: transactionHash,
      },
    ];
  });
  const reached = new Set(phases.map(({ phase }) => phase));
  return { phase: ensv2Phases.findLast((phase) => reached.has(phase)) ?? null, phases };
}

type Names = { chainId: number; chainName: (chainId: number) => string };

type Late = Awaited<ReturnType<typeof listMissingTransactions>>;

function toStatus(report: IndexReport, { chainId, chainName }: Names, late: Late | null) {
  const { indexer, isActive, unfit, maxLagSeconds, failing, verification, chains, standby } = report;
  const phase = indexer.isReady ? ("realtime" as const) : ("backfill" as const);
  return {
    ...({
      ready: unfit === null,
      reason: unfit,
      database: report.isDatabaseAway ? "unreachable" : "reachable",
    } as const),
    standby: standby && {
      lag_seconds: standby.lagSeconds,
      lag_bytes: standby.lagBytes,
      paused: standby.isPaused,
    },
    running: indexer.isRunning,
    phase,
    network: chainName(chainId),
    schema: indexer.schema,
    active: isActive,
    build: indexer.buildId,
    max_lag_seconds: maxLagSeconds,
    failing: failing && {
      chain: chainName(failing.chainId),
      block_number: failing.blockNumber,
      attempts: failing.attempts,
      since: failing.since,
      why: withoutKeys(failing.why),
    },
    verification: verification && {
      finished_timestamp: verification.finishedAt,
      block_number: verification.blockNumber,
      samples: verification.samples,
      values: verification.values,
      differences: verification.differences,
    },
    chains: chains.map((chain) => ({
      chain: chainName(chain.chainId),
      chain_id: chain.chainId,
      phase,
      ...toChain(chain),
      ...(late && {
        missing_transactions: late.find((one) => one.chainId === chain.chainId)?.missing ?? 0,
      }),
    })),
  };
}

const toChain = ({ head, indexed, lagBlocks, lagSeconds, backfill, comparison }: ChainReport) => ({
  head_block_number: head && Math.max(head.number, indexed.blockNumber),
  indexed_block_number: indexed.blockNumber,
  indexed_block_timestamp: indexed.blockTimestamp,
  finalized_block_number: indexed.finalizedBlock,
  lag_blocks: lagBlocks,
  lag_seconds: lagSeconds,
  progress_percentage: backfill?.percentage ?? null,
  estimated_seconds_left: backfill?.secondsLeft ?? null,
  source_comparison: comparison && {
    blocks: comparison.blocks,
    compared_blocks: comparison.compared,
    differing_block_number: comparison.differingBlock,
  },
});
