import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { explain } from "../../../ops/export/explain.ts";
import { readOptions } from "../../../ops/export/options.ts";
import { setReady } from "../../support/ponderState.ts";
import { type MadeIndex, readManifestOf, writeManifest } from "./made.ts";

type Stage = { index: MadeIndex; folder: string };

export function refusals(stageOf: () => Stage): void {
  describe("an export says what to do about", () => {
    test("a folder with an export, with other files, or with a file instead of a folder", async () => {
      const { index, folder } = stageOf();
      await expect(index.write({ folder })).rejects.toThrow(
        /already has an export.*--since .*manifest\.json/,
      );
      const other = index.newFolder();
      mkdirSync(other);
      writeFileSync(join(other, "thesis.txt"), "");
      await expect(index.write({ folder: other })).rejects.toThrow(
        /has other files \(thesis\.txt\): use a new or empty folder/,
      );
      await expect(index.write({ folder: join(other, "thesis.txt") })).rejects.toThrow(
        /Cannot use the folder/,
      );
    });

    test("another program's files beside an interrupted export, which it does not remove", async () => {
      const { index, folder } = stageOf();
      const other = index.newFolder();
      mkdirSync(other);
      writeManifest(other, readManifestOf(folder));
      writeFileSync(join(other, "unfinished.json"), JSON.stringify(readManifestOf(folder)));
      writeFileSync(join(other, "thesis.txt"), "");
      await expect(index.write({ folder: other })).rejects.toThrow(/already has an export/);
    });

    test("a missing view", async () => {
      const { index } = stageOf();
      await expect(index.write({ tables: ["domains", "accounts"] })).rejects.toThrow(
        /^--tables: unknown view "accounts"\. Expected some of .*domains.*, or "all"\.$/,
      );
    });

    test("a missing index, and an incomplete one", async () => {
      const { index } = stageOf();
      const { settings } = index.plan();
      await expect(index.write({ settings: { ...settings, schema: "elsewhere" } })).rejects.toThrow(
        /Schema "elsewhere" has no index/,
      );
      const { pool } = index.tables;
      await setReady(pool, 0);
      await expect(index.write()).rejects.toThrow(/is not complete/);
      await setReady(pool, 1);
    });

    test("an older export of another build", async () => {
      const { index, folder } = stageOf();
      const other = index.newFolder();
      mkdirSync(other);
      writeManifest(other, { ...readManifestOf(folder), build_id: "another" });
      await expect(index.write({ since: join(other, "manifest.json") })).rejects.toThrow(
        /^--since: the older export is from build another, this index from 0123456789/,
      );
      await expect(index.write({ since: join(other, "none.json") })).rejects.toThrow(/no such file/);
    });

    test("a role without privileges", async () => {
      const { index } = stageOf();
      const role = `reader_${process.pid}`;
      await index.tables.pool.query(`create role ${role} login password 'reader-of-none'`);
      const { settings } = index.plan();
      const url = new URL(settings.databaseUrl);
      [url.username, url.password] = [role, "reader-of-none"];
      const refused = await index
        .write({ settings: { ...settings, databaseUrl: url.href } })
        .catch((error: Error) => error);
      await index.tables.pool.query(`drop role ${role}`);
      expect(explain(refused as Error)).toMatch(/^The role in DATABASE_URL lacks a privilege/);
    });

    test.each([
      ["IO Error: Could not write file: No space left on device", /^The folder's disk is full/],
      ["Conversion Error: Could not convert string '1e40' to 'DECIMAL(38,0)'", /--format csv/],
      ["Maximum line size of 33554432 bytes exceeded. maximum line size", /larger than 32 MiB/],
    ])("an error of DuckDB: %s", (message, remedy) => {
      expect(explain(new Error(message))).toMatch(remedy);
    });

    test.each([
      [["--to", "a", "--check", "b"], /either --to or --check/],
      [["--format", "csv"], /Give a folder/],
      [["--to", "a", "--format", "xml"], /--format is "xml": expected parquet, csv, ndjson/],
      [["--to", "a", "--priority", "high"], /--priority is "high": expected low, normal/],
      [["--check", "a", "--priority", ""], /--priority is "": expected low, normal/],
      [["--to", "a", "--tables", "domains,,events"], /contains an empty name/],
      [["--check", "a", "--since", "b"], /--since does not apply to --check/],
    ])("the command line %j", (line, message) => {
      expect(() => readOptions(line)).toThrow(message);
    });

    test.each(["--to", "--check"])(
      "the priority of %s is low by default, and normal on request",
      (option) => {
        expect(readOptions([option, "a"]).priority).toBe("low");
        expect(readOptions([option, "a", "--priority", "normal"]).priority).toBe("normal");
      },
    );
  });
}
