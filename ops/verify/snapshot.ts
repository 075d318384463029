import type pg from "pg";
import { type Contracts, contractsOf } from "../../abis/contracts.ts";
import type { Deployment } from "../../abis/deployments.ts";
import { listProgress, readIndexer } from "../../engine/ponderInternals.ts";
import { readRows } from "../../src/api/names/comparison/readRows.ts";
import type { Keys, StoredClaim, StoredDomain, StoredRecord } from "../../src/api/names/comparison/stored.ts";
import { inTransaction, queriesOf } from "../../src/api/server/postgres/client.ts";
import { CommandError } from "../commandLine/command.ts";

/** The block that the tables represent. */
export type IndexedBlock = { number: number; timestamp: number };

export type SnapshotPlan = {
  client: pg.ClientBase;
  /** Schema of the index. */
  schema: string;
  deployment: Deployment;
  /** Block to compare; null for the newest indexed one. */
  at: number | null;
  /** The rows to compare, at this block. */
  choose: (reach: { client: pg.ClientBase; contracts: Contracts; block: IndexedBlock }) => Promise<Keys>;
};

export type Snapshot = {
  indexed: IndexedBlock;
  domains: StoredDomain[];
  records: StoredRecord[];
  claims: StoredClaim[];
};

/** Rows are found by keys, or next to each other: a statement that takes longer would disturb the indexer. */
const STATEMENT_TIMEOUT_MS = 120_000;

/**
 * Reads the rows to compare and their block in one transaction, so that they belong together and the indexer need not
 * wait.
 *
 * @throws CommandError if there is no index that is ready, or it is not at that block yet
 */
export const takeSnapshot = (plan: SnapshotPlan): Promise<Snapshot> =>
  inTransaction(plan.client, async () => {
    const { client, deployment } = plan;
    await client.query("set transaction isolation level repeatable read read only");
    await client.query(`set local search_path to "${plan.schema}"`);
    await client.query(`set local statement_timeout to ${STATEMENT_TIMEOUT_MS}`);
    await client.query("set local jit to off");
    const contracts = contractsOf(deployment);
    const indexed = await readIndexedBlock(plan, contracts);
    const { at } = plan;
    if (at !== null && at > indexed.number) {
      throw new CommandError(
        `--at is ${at}, but the index is at block ${indexed.number}: expected that block or an earlier one.`,
      );
    }
    const keys = await plan.choose({ client, contracts, block: indexed });
    return {
      indexed,
      ...(await readRows(keys, { ...queriesOf(client), contracts, at: at === indexed.number ? null : at })),
    };
  });

async function readIndexedBlock(
  { client, schema }: SnapshotPlan,
  { chainId }: Contracts,
): Promise<IndexedBlock> {
  const { query } = queriesOf(client);
  const [found] = await query<{ has: boolean }>("select to_regclass($1) is not null as has", [
    `"${schema}".domains`,
  ]);
  const indexer = found?.has ? await readIndexer(query, schema) : null;
  if (indexer === null) throw new CommandError(`DATABASE_SCHEMA: schema "${schema}" has no index.`);
  if (!indexer.isReady) {
    throw new CommandError(
      "The index is still being built, or its indexer has just restarted. See /indexing-status.",
    );
  }
  const chain = (await listProgress(query, schema)).find((one) => one.chainId === chainId);
  if (chain === undefined)
    throw new CommandError(`The index in schema "${schema}" is not of chain ${chainId}.`);
  return { number: chain.blockNumber, timestamp: chain.blockTimestamp };
}
