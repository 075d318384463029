import { rm } from "node:fs/promises";
import { join } from "node:path";
import { withClient } from "../../src/api/server/postgres/client.ts";
import { atSnapshot } from "../snapshot/consistentRead.ts";
import type { Exporting } from "./create.ts";
import { stagingOf } from "./folder.ts";
import { extensionOf } from "./formats.ts";
import type { ExportFile } from "./manifest.ts";
import { type BlockRange, findCut, rowsOfBlocks, type View } from "./source.ts";
import { stageRows } from "./stage.ts";
import { type Named, writeSorted } from "./write.ts";

/**
 * Rows of one file, which are read in one transaction: some seconds, because its lock makes a reorganisation wait. A file
 * ends with a block, so it may have the rest of that block's rows more.
 */
export const FILE_ROWS = 500_000;

/** Digits of a block's number in a name, so that names have the order of blocks. */
const DIGITS = 10;

/** Writes a log table: of each chain, ranges of blocks that follow each other without a gap. */
export async function writeLog(exporting: Exporting, view: View): Promise<void> {
  const { index, files, note } = exporting;
  const written = files.get(view.name) ?? [];
  files.set(view.name, written);
  exporting.progress.add(written.reduce((sum, { rows }) => sum + rows, 0));
  for (const { chainId, blockNumber: last } of index.points) {
    let first = nextBlock(exporting, { chainId, written });
    while (first <= last) {
      const { range, file } = await writeRange(exporting, view, { chainId, first, last });
      if (file !== null) {
        written.push(file);
        await note();
      }
      first = range.last + 1;
    }
  }
  if (written.length > 0) return;
  written.push(await writeEmpty(exporting, view));
  await note();
}

/** The first block whose rows are in no file. */
function nextBlock(
  { since }: Exporting,
  { chainId, written }: { chainId: number; written: readonly ExportFile[] },
): number {
  const begin = since?.find((chain) => chain.chain_id === chainId)?.block_number ?? -1;
  const own = written.filter((file) => file.chain_id === chainId).map((file) => file.last_block ?? -1);
  return Math.max(begin, ...own) + 1;
}

/** Writes as many blocks as one file may have; none if they have no rows. */
async function writeRange(
  exporting: Exporting,
  view: View,
  wanted: BlockRange,
): Promise<{ range: BlockRange; file: ExportFile | null }> {
  const { config, snapshot, folder, priority, progress } = exporting;
  const staged = join(stagingOf(folder), `${view.name}.csv.gz`);
  const { range, rows } = await withClient(config, (client) =>
    atSnapshot(client, snapshot, async () => {
      const cut = await findCut(client, view, { range: wanted, rows: FILE_ROWS });
      const range = { ...wanted, last: cut ?? wanted.last };
      const select = rowsOfBlocks(view, range);
      return { range, rows: await stageRows(client, { select, file: staged, priority }) };
    }),
  );
  const [file = null] =
    rows === 0
      ? []
      : await writeSorted(exporting, view, {
          staged: { files: [staged], rows },
          most: Number.MAX_SAFE_INTEGER,
          nameOf: () => nameOf(exporting, view, range),
        });
  await rm(staged);
  progress.add(rows);
  return { range, file };
}

function nameOf({ format }: Exporting, { name }: View, { chainId, first, last }: BlockRange): Named {
  const [from, to] = [first, last].map((block) => String(block).padStart(DIGITS, "0"));
  return {
    file: `${name}/${chainId}-${from}-${to}.${extensionOf[format]}`,
    chain_id: chainId,
    first_block: first,
    last_block: last,
  };
}

/** A table without rows has a file with its columns, so that a question about it has an answer. */
async function writeEmpty(exporting: Exporting, view: View): Promise<ExportFile> {
  const { config, snapshot, folder, format, priority } = exporting;
  const staged = join(stagingOf(folder), `${view.name}.csv.gz`);
  const select = rowsOfBlocks(view, { chainId: -1, first: 0, last: -1 });
  const rows = await withClient(config, (client) =>
    atSnapshot(client, snapshot, () => stageRows(client, { select, file: staged, priority })),
  );
  const file = `${view.name}/none.${extensionOf[format]}`;
  const [empty] = await writeSorted(exporting, view, {
    staged: { files: [staged], rows },
    most: Number.MAX_SAFE_INTEGER,
    nameOf: () => ({ file, chain_id: null, first_block: null, last_block: null }),
  });
  await rm(staged);
  if (empty === undefined) throw new Error(`${view.name}: no file was written`);
  return empty;
}
