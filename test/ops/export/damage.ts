import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { measureFile } from "../../../engine/sources/archiveManifest.ts";
import type { Manifest } from "../../../ops/export/manifest.ts";
import { isLong, partsOf } from "../../support/size.ts";
import { check, fileOf, type MadeIndex, readManifestOf, tableOf, writeManifest } from "./made.ts";

type Stage = { index: MadeIndex; folder: string };

/** What is wrong with a copy of an export, and what the check reports. */
type Case = [what: string, spoil: (folder: string, manifest: Manifest) => unknown, fault: RegExp];

function flipByte(path: string): void {
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

const pathOf = (folder: string, manifest: Manifest, name: string): string =>
  join(folder, fileOf(manifest, name).file);

const cases: Case[] = [
  [
    "a file that is cut short",
    (folder, manifest) => truncateSync(pathOf(folder, manifest, "events"), 1_000),
    /^events\/\S+ has 1000 bytes; the manifest says \d+$/,
  ],
  [
    "a byte that is changed",
    (folder, manifest) => flipByte(pathOf(folder, manifest, "domains")),
    /^domains\/000001\.parquet was changed: its checksum/,
  ],
  [
    "a file that is missing",
    (folder, manifest) => rmSync(pathOf(folder, manifest, "holders")),
    /^holders\/000001\.parquet is missing$/,
  ],
  [
    "a file that no manifest has",
    (folder) => writeFileSync(join(folder, "domains", "000002.parquet"), ""),
    /^domains\/000002\.parquet is not in the manifest: it belongs to another export$/,
  ],
  [
    "another sum in the manifest",
    (_, manifest) => (fileOf(manifest, "domains").fingerprint += "1"),
    /^domains\/000001\.parquet has different rows than the manifest says/,
  ],
  [
    "another count in the manifest",
    (_, manifest) => (tableOf(manifest, "domains").rows += 1),
    /^domains has 2001 rows in the manifest, but 2000 in its files$/,
  ],
  [
    "another type of a column",
    (_, manifest) => Object.assign(tableOf(manifest, "events").columns[0] ?? {}, { type: "BIGINT" }),
    /^events\/\S+ has different columns than the manifest says$/,
  ],
  [
    "an earlier position",
    (_, manifest) => Object.assign(manifest.chains[0] ?? {}, { block_number: 1_500 }),
    /^domains has 500 rows of blocks after the export's position$/,
  ],
];

export function damageIsFound(stageOf: () => Stage): void {
  describe("the check finds", () => {
    async function faultsOf(spoil: Case[1]): Promise<string[]> {
      const { index, folder } = stageOf();
      const copy = index.newFolder();
      cpSync(folder, copy, { recursive: true });
      const manifest = readManifestOf(copy);
      await spoil(copy, manifest);
      writeManifest(copy, manifest);
      return (await check(index, copy)).faults;
    }

    test.each(partsOf({ first: cases.slice(0, 5), rest: cases.slice(5) }))("%s", async (_, spoil, fault) => {
      expect(await faultsOf(spoil)).toContainEqual(expect.stringMatching(fault));
    });

    test.runIf(isLong())("a table of another export, even with an adjusted manifest", async () => {
      const { index } = stageOf();
      const without = "event_type = 'NewOwner' and block_number % 2 = 0";
      await index.tables.pool.query(`create table aside as select * from events where ${without}`);
      await index.tables.pool.query(`delete from events where ${without}`);
      const other = await index.write({ tables: ["events"] });
      await index.tables.pool.query("insert into events select * from aside; drop table aside");
      const faults = await faultsOf(async (copy, manifest) => {
        rmSync(join(copy, "events"), { recursive: true });
        cpSync(join(other.folder, "events"), join(copy, "events"), { recursive: true });
        Object.assign(tableOf(manifest, "events"), tableOf(other.manifest, "events"));
        const file = fileOf(manifest, "events");
        expect((await measureFile(join(copy, file.file))).sha256).toBe(file.sha256);
      });
      expect(faults).toContainEqual(
        expect.stringMatching(/^ownership_changes has 1000 rows whose event is not in events$/),
      );
      expect(faults).toContainEqual(
        expect.stringMatching(/^events, blocks 0 to 2000 of chain 31337: the index has/),
      );
    });
  });
}
