import { sql } from "ponder";
import type { Hex } from "viem";
import { versionColumn } from "../../server/indexState/position.ts";
import { ifThere } from "../../server/postgres/absent.ts";
import type { Db } from "../../server/postgres/db.ts";
import { noteVersion } from "../../server/postgres/seenState.ts";
import { type DomainRow, listDomains, onNodes, selectDomains, toRow } from "../query/domains.ts";
import { labelSourceOfRow } from "../query/labels.ts";
import { type Scope, statementOf } from "../query/scope.ts";
import { sourceInIndex } from "../rules/labelSource.ts";
import { childCountOfRow } from "./childCounts.ts";
import { COUNTERS } from "./counters.ts";

/**
 * A row with the additional columns of a domain record: the number of direct subnames, absent without counters, and the source of
 * the label's text, absent if the index does not have the text.
 */
export type RecordRow = DomainRow & { subnameCount?: number; labelSource?: string | null };

/**
 * The domains of these nodes with the details of domain records, where only the main chain is indexed. Sending a statement costs
 * more than reading these columns, so one statement reads everything. Direct subnames come from the counters only: without them,
 * callers that need the number count the rows. A single row comes with the state of the tables, so that no further query has to
 * read it (`seenState.ts`).
 *
 * @returns in any order; nodes that no event named are left out
 */
export async function listRecordRows(
  db: Db,
  { chains, nodes }: { chains: Scope; nodes: readonly Hex[] },
): Promise<RecordRow[]> {
  if (nodes.length === 0) return [];
  const rows = await ifThere(COUNTERS, () => recordRows(db, chains, { nodes }));
  if (rows === null) return listDomains(db, { chainId: chains.ids[0] as number, nodes });
  const [first] = rows;
  if (first?.version) noteVersion(first.version);
  return rows.map(({ subnameCount, storedSource, version: _, ...row }) => {
    const read: RecordRow = toRow(row);
    if (subnameCount !== null) read.subnameCount = subnameCount;
    const labelSource = sourceInIndex(read, storedSource);
    if (labelSource !== undefined) read.labelSource = labelSource;
    return read;
  });
}

/** With many rows, each would repeat the state. */
const noVersion = sql<string | null>`null`;

const recordRows = statementOf((of, db) =>
  onNodes((isAsked, form) =>
    selectDomains(db, {
      subnameCount: childCountOfRow(of),
      storedSource: labelSourceOfRow(of),
      version: form === "one" ? versionColumn : noVersion,
    })
      .where(isAsked)
      .prepare(of.title(`record_rows_${form}`)),
  ),
);
