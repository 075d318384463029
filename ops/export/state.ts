import { rm } from "node:fs/promises";
import { join } from "node:path";
import { atSnapshot } from "../snapshot/consistentRead.ts";
import { inParallel } from "../snapshot/parallel.ts";
import { piecesOf } from "../snapshot/source.ts";
import type { Exporting } from "./create.ts";
import { stagingOf } from "./folder.ts";
import { extensionOf } from "./formats.ts";
import type { View } from "./source.ts";
import { stageRows } from "./stage.ts";
import { type Staged, writeSorted } from "./write.ts";

/** Rows of one file: some 100 MB of names. */
export const FILE_ROWS = 1_000_000;

/** Digits of a file's number. */
const DIGITS = 6;

/** Writes a table of state whole, unless an interrupted export of the same position did. */
export async function writeState(exporting: Exporting, view: View): Promise<void> {
  const { files, format, note, progress } = exporting;
  if (files.has(view.name)) return progress.add(view.expectedRows);
  const staged = await stageTable(exporting, view);
  const written = await writeSorted(exporting, view, {
    staged,
    most: FILE_ROWS,
    nameOf: (number) => ({
      file: `${view.name}/${String(number + 1).padStart(DIGITS, "0")}.${extensionOf[format]}`,
      chain_id: null,
      first_block: null,
      last_block: null,
    }),
  });
  for (const file of staged.files) await rm(file);
  files.set(view.name, written);
  await note();
}

/** Reads the table piece by piece, as a snapshot of the index does: in the order of the disk, in short transactions. */
async function stageTable(exporting: Exporting, view: View): Promise<Staged> {
  const { config, snapshot, folder, index, priority, progress } = exporting;
  const pieces = piecesOf({ ...index, tables: [view.source] });
  const files = pieces.map((_, number) => join(stagingOf(folder), `${view.name}-${number}.csv.gz`));
  let rows = 0;
  await inParallel(
    pieces.map(({ select }, number) => ({ select, file: files[number] ?? "", priority })),
    {
      config,
      work: async (client, staging) => {
        const staged = await atSnapshot(client, snapshot, () => stageRows(client, staging));
        rows += staged;
        progress.add(staged);
      },
    },
  );
  return { files, rows };
}
