// Part of the patch logSync: the source of a chain's past logs. Samples are compared with the node before its logs are stored.

import { type NodeLog, storableTransaction } from "../backfill/cacheRows.ts";
import type { Hex, Interval, Wanted } from "../backfill/logGroups.ts";
import type { NodeRequests } from "../backfill/nodeRequests.ts";
import type { Chain, Ponder } from "../backfill/ponderSync.ts";
import { type Connection, executeAs } from "../connection.ts";
import type { Query } from "../ponderInternals.ts";
import {
  describeFalseSource,
  type FalseSource,
  holdCache,
  listFalseSources,
  noteFalseSource,
} from "./falseSources.ts";
import { type LogSource, openLogSource, SourceError } from "./logSource.ts";
import type { Receipt } from "./receiptsRoot.ts";
import { noteSourceBlocks } from "./sourceBlocks.ts";
import {
  type CheckedBy,
  type Difference,
  findDifference,
  type Header,
  type ReadTransaction,
} from "./sourceChecks.ts";

type Checked = {
  interval: Interval;
  logs: NodeLog[];
  node: Pick<CheckedBy, "logs" | "isCompared">;
};

const toHex = (number: number): Hex => `0x${number.toString(16)}`;

const queryOn =
  (connection: Connection): Query =>
  (text) =>
    executeAs("log_source")(connection, text);

export function createCheckedSource(
  ponder: Ponder,
  { chain, database, syncProgress: { finalized } }: Chain,
  { node, onRequest }: { node: NodeRequests; onRequest: () => void },
) {
  const configured = globalThis.namedexLogSources?.byChain[chain.id];
  const variable = configured?.variable ?? "LOG_SOURCE";
  const schema = globalThis.namedexLogSources?.schema ?? "";
  let source: Promise<LogSource | null> | undefined;
  let refusal: Error | null = null;
  let hasReceipts = true;

  /** The configured source, opened at the first range; null if only the node is used. */
  async function findSource(): Promise<LogSource | null> {
    if (configured === undefined) return null;
    const found = await openLogSource(configured.location, {
      chainId: chain.id,
      onRequest: () => onRequest(),
    });
    await refuseKnown(queryOn(database.syncQB), found);
    const newest = Math.min(found.last.number, Number(finalized.number));
    const hash = await found.hashOf(newest);
    const header = await headerOf(newest);
    if (hash === null || hash === header.hash) return found;
    throw await refuseSource(found, { block: newest, what: `its hash is ${header.hash}, not ${hash}` });
  }

  async function refuseKnown(query: Query, { name }: LogSource): Promise<void> {
    const known = (await listFalseSources(query, chain.id)).find(({ location }) => location === name);
    if (known !== undefined) throw refuse(known);
  }

  /** All later attempts fail too: Ponder retries a failed transaction, which would compare other blocks. */
  function refuse(found: FalseSource): Error {
    refusal ??= new ponder.NonRetryableUserError(describeFalseSource(variable, found));
    return refusal;
  }

  async function refuseSource({ name }: LogSource, difference: Difference): Promise<Error> {
    const found = { ...difference, location: name, schema };
    const refused = refuse(found);
    await database.syncQB.transaction((inside) =>
      noteFalseSource(queryOn(inside), { ...found, chainId: chain.id }),
    );
    return refused;
  }

  const headerOf = async (block: number): Promise<Header> =>
    (await node.fetchHeader(toHex(block))) as unknown as Header;

  const transactionOf = async ({
    blockNumber,
    transactionIndex,
  }: NodeLog): Promise<ReadTransaction | null> => {
    const params = [blockNumber, transactionIndex];
    const found = (await node.ask(
      "eth_getTransactionByBlockNumberAndIndex",
      params,
    )) as ReadTransaction | null;
    return found && storableTransaction(found);
  };

  async function receiptsOf(block: number): Promise<Receipt[] | null> {
    if (!hasReceipts) return null;
    const receipts = await node.ask("eth_getBlockReceipts", [toHex(block)]).catch(() => null);
    hasReceipts = Array.isArray(receipts);
    return hasReceipts ? (receipts as Receipt[]) : null;
  }

  return {
    /** The source, opened at the first range; null if only the node is used. */
    async open(): Promise<LogSource | null> {
      if (refusal !== null) throw refusal;
      source ??= findSource();
      return source.catch((error) => {
        source = undefined;
        throw error;
      });
    },

    /** Compares the source's logs of a range, and records that the range came from it. @throws Error if they are false */
    async check(from: LogSource, { interval, logs, node: wanted }: Checked): Promise<void> {
      const asked = { ...wanted, header: headerOf, receipts: receiptsOf, transaction: transactionOf };
      const difference = await findDifference(
        { interval, logs },
        asked,
        globalThis.namedexLogSources?.sample,
      );
      if (difference !== null) throw await refuseSource(from, difference);
      const noted = { chainId: chain.id, location: from.name, schema, from: interval[0], to: interval[1] };
      await noteSourceBlocks(queryOn(database.syncQB), noted);
    },

    /**
     * Call this in the writing transaction, before writing: since this range was compared, another indexer or the next range may have
     * found the source false. This transaction and the removal of the source's blocks wait for each other.
     */
    async confirm(inside: Connection): Promise<void> {
      const from = await source;
      if (!from) return;
      await holdCache(queryOn(inside));
      await refuseKnown(queryOn(inside), from);
    },

    /** A source that cannot answer once cannot answer the next time: such an error ends Ponder. */
    finalError: (error: unknown): unknown =>
      error instanceof SourceError
        ? new ponder.NonRetryableUserError(`${variable}: ${error.message}`)
        : error,
  };
}

/** Logs of several queries; queries for the same blocks share one request to the source. */
export async function fetchFromSource(from: LogSource, queries: readonly Wanted[]): Promise<NodeLog[]> {
  const byBlocks = Map.groupBy(queries, ({ interval }) => interval.join());
  const asked = [...byBlocks.values()].map((same) => from.logs(same, (same[0] as Wanted).interval));
  return (await Promise.all(asked)).flat();
}
