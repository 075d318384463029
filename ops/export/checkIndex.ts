import type pg from "pg";
import type { Settings } from "../../settings/settings.ts";
import { withClient } from "../../src/api/server/postgres/client.ts";
import { startProgress } from "../commandLine/progress.ts";
import { atSnapshot, exportSnapshot } from "../snapshot/consistentRead.ts";
import { piecesOf } from "../snapshot/source.ts";
import type { Checking } from "./checkFiles.ts";
import { fingerprintInPostgres } from "./columns.ts";
import type { ExportTable } from "./manifest.ts";
import { type BlockRange, type Index, readIndex, rowsOfBlocks, type View } from "./source.ts";

/** Rows of a part of a table, and the number that follows from them. */
type Sum = { rows: number; fingerprint: bigint };

/** The index at one state, and how to read it. */
type Reach = { index: Index; read: <T>(work: (client: pg.Client) => Promise<T>) => Promise<T> };

/**
 * Compares files with the index: log tables file by file, whatever the index's position is now; tables of state only if it is
 * still the export's.
 */
export async function checkIndex(
  checking: Checking,
  settings: Pick<Settings, "databaseUrl" | "schema">,
): Promise<void> {
  const { manifest, report } = checking;
  const config = {
    connectionString: settings.databaseUrl,
    application_name: `${settings.schema}_export`,
    options: "-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c jit=off",
  };
  await withClient(config, async (keeper) => {
    const snapshot = await exportSnapshot(keeper);
    const read: Reach["read"] = (work) =>
      withClient(config, (client) => atSnapshot(client, snapshot, () => work(client)));
    const { schema } = settings;
    const index = await read((client) => readIndex(client, { schema, format: manifest.file_format }));
    if (index.buildId !== manifest.build_id) {
      report.left.push(
        `the index "${schema}": its build is ${index.buildId}, the export's is ${manifest.build_id}`,
      );
      return;
    }
    await compareTables(checking, { index, read });
  });
}

async function compareTables(checking: Checking, reach: Reach): Promise<void> {
  const { manifest, report, screen } = checking;
  const whole = manifest.tables.reduce((sum, { rows }) => sum + rows, 0);
  const show = (rows: number) => `${Math.round(rows).toLocaleString("en")} rows`;
  const progress = startProgress(screen, { title: "Reading the index", whole, show });
  const before = report.faults.length;
  const hasPosition = isAtPosition(checking, reach, (now, then) => now === then);
  const isPast = isAtPosition(checking, reach, (now, then) => now >= then);
  const [equal, left]: [string[], string[]] = [[], []];
  for (const table of manifest.tables) {
    const view = reach.index.views.find(({ name }) => name === table.name);
    const canCompare = table.kind === "log" ? isPast : hasPosition;
    if (view === undefined || !canCompare) left.push(table.name);
    else if (await compareTable(checking, reach, { table, view })) equal.push(table.name);
    progress.add(table.rows);
  }
  progress.end();
  if (equal.length > 0) report.equal.push(`rows match the index: ${equal.join(", ")}`);
  if (left.length > 0 && report.faults.length === before) {
    report.left.push(`with the index, which is now at another position: ${left.join(", ")}`);
  }
}

const isAtPosition = (
  { manifest }: Checking,
  { index }: Reach,
  fits: (now: number, then: number) => boolean,
): boolean =>
  manifest.chains.every(({ chain_id, block_number }) => {
    const point = index.points.find(({ chainId }) => chainId === chain_id);
    return point !== undefined && fits(point.blockNumber, block_number);
  });

type Pair = { table: ExportTable; view: View };

async function compareTable(checking: Checking, reach: Reach, pair: Pair): Promise<boolean> {
  const { table, view } = pair;
  const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name).join();
  if (names(table.columns) !== names(view.columns)) {
    checking.report.faults.push(`${table.name} has different columns than the index`);
    return false;
  }
  const before = checking.report.faults.length;
  await (table.kind === "log" ? compareLog : compareState)(checking, reach, pair);
  return checking.report.faults.length === before;
}

async function compareLog(checking: Checking, { read }: Reach, { table, view }: Pair): Promise<void> {
  for (const { range, rows, fingerprint } of rangesOf(checking, table)) {
    const found = await read((client) => sumOf(client, view, rowsOfBlocks(view, range)));
    if (found.rows === rows && found.fingerprint === fingerprint) continue;
    checking.report.faults.push(
      `${table.name}, blocks ${range.first} to ${range.last} of chain ${range.chainId}: the index has ${found.rows} rows, the files ${rows}, or their contents differ`,
    );
  }
}

/** Blocks of each file, and the gaps between files. */
function rangesOf(
  { manifest: { chains, since } }: Checking,
  { files }: ExportTable,
): (Sum & { range: BlockRange })[] {
  return chains.flatMap(({ chain_id: chainId, block_number }) => {
    const begin = since?.find((chain) => chain.chain_id === chainId)?.block_number ?? -1;
    const ranges: (Sum & { range: BlockRange })[] = [];
    const gap = (first: number, last: number) => {
      if (first <= last) ranges.push({ range: { chainId, first, last }, rows: 0, fingerprint: 0n });
    };
    let next = begin + 1;
    for (const file of files.filter(({ chain_id }) => chain_id === chainId)) {
      const [first, last] = [file.first_block ?? 0, file.last_block ?? 0];
      gap(next, first - 1);
      ranges.push({
        range: { chainId, first, last },
        rows: file.rows,
        fingerprint: BigInt(file.fingerprint),
      });
      next = last + 1;
    }
    gap(next, block_number);
    return ranges;
  });
}

async function compareState(
  { report }: Checking,
  { index, read }: Reach,
  { table, view }: Pair,
): Promise<void> {
  const found: Sum = { rows: 0, fingerprint: 0n };
  for (const { select } of piecesOf({ ...index, tables: [view.source] })) {
    const part = await read((client) => sumOf(client, view, select));
    found.rows += part.rows;
    found.fingerprint += part.fingerprint;
  }
  const written = table.files.reduce((sum, file) => sum + BigInt(file.fingerprint), 0n);
  if (found.rows === table.rows && found.fingerprint === written) return;
  report.faults.push(
    `${table.name}: the index has ${found.rows} rows, the files ${table.rows}, or their contents differ`,
  );
}

async function sumOf(client: pg.Client, { columns }: View, select: string): Promise<Sum> {
  const names = columns.map(({ name }) => name);
  const { rows } = await client.query<{ rows: string; fingerprint: string }>(
    `select count(*)::text as rows, ${fingerprintInPostgres(names)} as fingerprint from (${select}) as part`,
  );
  return { rows: Number(rows[0]?.rows), fingerprint: BigInt(rows[0]?.fingerprint ?? 0) };
}
