import { cpSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Manifest } from "../../../ops/export/manifest.ts";
import { isLong } from "../../support/size.ts";
import {
  check,
  FINAL_BLOCK,
  fileOf,
  type MadeIndex,
  names,
  type Rows,
  readManifestOf,
  setFinal,
  tableOf,
  writeManifest,
} from "./made.ts";
import { rowsInFiles, rowsInPostgres } from "./read.ts";
import { settle } from "./rows.ts";

type Stage = { index: MadeIndex; folder: string; expected: Map<string, Rows> };

/** A later block that becomes final. */
const LATER = FINAL_BLOCK + 30;

/**
 * Turns a complete export into what a killed one leaves: these tables are missing, and one file is
 * half written.
 */
function interrupt({ index, folder }: Stage, missing: readonly string[]): string {
  const copy = index.newFolder();
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  const manifest: Manifest = readManifestOf(copy);
  for (const name of missing) {
    const table = tableOf(manifest, name);
    for (const { file } of table.files) rmSync(join(copy, file));
    Object.assign(table, { files: [], rows: 0 });
  }
  writeManifest(copy, manifest);
  renameSync(join(copy, "manifest.json"), join(copy, "unfinished.json"));
  writeFileSync(join(copy, "domains", "000009.parquet"), "PAR1, and no more");
  return copy;
}

export function goesOn(stageOf: () => Stage): void {
  describe("an export that was interrupted", () => {
    test("resumes at the same position with the missing parts", async () => {
      const stage = stageOf();
      const copy = interrupt(stage, ["resolver_changes", "domains", "holders"]);
      const before = statSync(join(copy, "text_records/000001.parquet")).mtimeMs;
      const { manifest } = await stage.index.write({ folder: copy });
      expect(statSync(join(copy, "text_records/000001.parquet")).mtimeMs).toBe(before);
      expect(manifest.tables).toEqual(readManifestOf(stage.folder).tables);
      expect((await check(stage.index, copy)).faults).toEqual([]);
    });

    test("rewrites what a power cut damaged", async () => {
      const stage = stageOf();
      const copy = interrupt(stage, []);
      writeFileSync(join(copy, fileOf(readManifestOf(stage.folder), "events").file), "");
      const { manifest } = await stage.index.write({ folder: copy });
      expect(manifest.tables).toEqual(readManifestOf(stage.folder).tables);
    });

    test("is not mixed with another one", async () => {
      const stage = stageOf();
      const copy = interrupt(stage, ["domains"]);
      await expect(stage.index.write({ folder: copy, tables: ["events"] })).rejects.toThrow(
        /^This folder has a different interrupted export \(parquet of domains, .*Requested: parquet of events;/,
      );
    });
  });

  describe("when later blocks are final", () => {
    test("the index has none beyond them", async () => {
      const { index } = stageOf();
      await settle(index);
      await setFinal(index, LATER);
      await index.tables.pool.query(`delete from events where block_number > ${LATER}`);
      await index.tables.pool.query(`delete from ownership_changes where block_number > ${LATER}`);
      const { rows } = await index.tables.pool.query("select max(block_number)::int as newest from events");
      expect(rows).toEqual([{ newest: LATER }]);
    });

    test.runIf(isLong())(
      "an interrupted export moves to the later position: logs are continued and states rewritten",
      async () => {
        const stage = stageOf();
        const { index, folder } = stage;
        const copy = interrupt(stage, ["holders"]);
        const { manifest } = await index.write({ folder: copy });
        const [first, second] = tableOf(manifest, "events").files;
        expect(first).toEqual(fileOf(readManifestOf(folder), "events"));
        expect(second).toMatchObject({ first_block: FINAL_BLOCK + 1, last_block: LATER, rows: 30 });
        for (const name of names)
          expect(await rowsInFiles(copy, name), name).toEqual(await rowsInPostgres(index.tables.pool, name));
        const { faults, left } = await check(index, copy);
        expect([faults, left]).toEqual([[], []]);
      },
    );

    test.runIf(isLong())("--since writes the logs after the older export, and complete states", async () => {
      const { index, folder, expected } = stageOf();
      const since = join(folder, "manifest.json");
      const later = await index.write({ tables: null, since });
      expect(later.manifest.since).toEqual(readManifestOf(folder).chains);
      expect(later.manifest.tables.map(({ name }) => name)).toEqual(names);
      for (const { name, kind } of later.manifest.tables) {
        const rows = await rowsInFiles(later.folder, name);
        const older = kind === "log" ? (expected.get(name) ?? []) : [];
        expect([...older, ...rows].sort(), name).toEqual(await rowsInPostgres(index.tables.pool, name));
      }
      expect(tableOf(later.manifest, "events").rows).toBe(30);
      const { faults, left } = await check(index, later.folder);
      expect([faults, left]).toEqual([[], []]);
    });

    test.runIf(isLong())(
      "the older export's logs are still compared with the index, but its states no longer",
      async () => {
        const { index, folder } = stageOf();
        const { faults, left, equal } = await check(index, folder);
        expect(faults).toEqual([]);
        expect(equal.at(-1)).toMatch(/^rows match the index: .*events/);
        expect(left).toEqual([
          expect.stringMatching(/^with the index, which is now at another position: .*domains/),
        ]);
      },
    );
  });
}
