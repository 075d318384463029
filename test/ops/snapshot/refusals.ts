import { createHash } from "node:crypto";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MAX_MANIFEST_BYTES, MAX_PART_BYTES, type Manifest } from "../../../ops/snapshot/manifest.ts";
import { ask, createTestDatabase } from "../../support/database.ts";
import { isLong } from "../../support/size.ts";
import { expectEnd, hasIndex, PATIENCE_MS, readManifestOf, type SnapshotStage } from "./stage.ts";

type Part = Manifest["parts"][number];

/** What is wrong with a copy of the snapshot, and what the operator is told. */
type Case = [what: string, spoil: (folder: string, manifest: Manifest) => unknown, message: RegExp];

const firstOf = ({ parts }: Manifest): Part => {
  const part = parts.find(({ table }) => table === "domains");
  if (part === undefined) throw new Error("The snapshot has no names");
  return part;
};

const chainOf = ({ chains }: Manifest): Manifest["chains"][number] => {
  const [chain] = chains;
  if (chain === undefined) throw new Error("The snapshot has no chain");
  return chain;
};

function flipByte(path: string): void {
  const bytes = readFileSync(path);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

const strange = (of: Part["of"], table: string) => (_: string, manifest: Manifest) =>
  manifest.parts.push({ ...firstOf(manifest), of, table, file: "other-000001.zst" });

const cases: Case[] = [
  [
    "a broken part",
    (folder, manifest) => flipByte(join(folder, firstOf(manifest).file)),
    /is damaged: its checksum/,
  ],
  [
    "a part that is cut off",
    (folder, manifest) => writeFileSync(join(folder, firstOf(manifest).file), ""),
    /is broken/,
  ],
  [
    "a missing part",
    (folder, manifest) => rmSync(join(folder, firstOf(manifest).file)),
    /Cannot read .*ENOENT/,
  ],
  [
    "another network",
    (_, manifest) => (manifest.network = "mainnet"),
    /is from mainnet, but ENS_NETWORK is devnet/,
  ],
  [
    "other chains",
    (_, manifest) => (chainOf(manifest).chain_id = 1),
    /has the chains .* \(1\), and the settings have/,
  ],
  [
    "another build",
    (_, manifest) => (manifest.build_id = "0123456789"),
    /is from build 0123456789, but this program/,
  ],
  [
    "another Ponder",
    (_, manifest) => (manifest.versions.ponder = "0.18.0"),
    /was written with Ponder 0\.18\.0/,
  ],
  [
    "another chain of the same number",
    (_, manifest) => (chainOf(manifest).block_hash = `0x${"ab".repeat(32)}`),
    /Block \d+ of \S+ is 0xabab\S+ in the snapshot but 0x/,
  ],
  [
    "a checkpoint of another block",
    (_, manifest) => (chainOf(manifest).block_number -= 1),
    /match its checkpoint/,
  ],
  ["a table that is not ours", strange("index", "accounts"), /the index has no table "accounts"/],
  ["a table that is not the cache's", strange("cache", "domains"), /no table "domains" in namedex_cache/],
  ["a name that is SQL", strange("index", 'x"; drop schema public; --'), /manifest\.json is damaged/],
  [
    "a file elsewhere",
    (_, manifest) => (firstOf(manifest).file = "../x-000001.zst"),
    /manifest\.json is damaged/,
  ],
  ["a part named twice", (_, manifest) => manifest.parts.push(firstOf(manifest)), /lists a part twice/],
  [
    "a part without end",
    (_, manifest) => (firstOf(manifest).text_bytes = MAX_PART_BYTES + 1),
    /manifest\.json is damaged[\s\S]*text_bytes/,
  ],
  [
    "a later format",
    (_, manifest) => Object.assign(manifest, { format: 2 }),
    /has format 2, but this version .* reads 1/,
  ],
  ["no manifest", (folder) => rmSync(join(folder, "manifest.json")), /There is no complete snapshot/],
];

/** Everything in a database that a restore could have written. */
const stateOf = (databaseUrl: string) =>
  ask(
    databaseUrl,
    `select nspname as name from pg_namespace where nspname !~ '^pg_(toast|temp)' union
     select relname from pg_class where relnamespace = 'public'::regnamespace union select extname from pg_extension order by 1`,
  );

const leftInSchema = `select relname as name from pg_class where relnamespace = 'namedex_index'::regnamespace
  union all select proname from pg_proc where pronamespace = 'namedex_index'::regnamespace
  union all select typname from pg_type where typnamespace = 'namedex_index'::regnamespace`;

/** The database fails in the middle of a restore, for a reason unrelated to the snapshot. */
const breakOffStatements = `
  create function public.break_off() returns event_trigger language plpgsql as
    'begin raise exception ''the disk is full'' using errcode = ''53100''; end';
  create event trigger break_off on ddl_command_start when tag in ('CREATE TRIGGER') execute function public.break_off()`;

/** Puts another text into a part, with its correct checksum. */
function rewrite(folder: string, part: Part, change: (text: string) => string): void {
  const path = join(folder, part.file);
  const text = change(zstdDecompressSync(readFileSync(path)).toString());
  const bytes = zstdCompressSync(text);
  writeFileSync(path, bytes);
  part.text_bytes = Buffer.byteLength(text);
  part.bytes = bytes.length;
  part.sha256 = createHash("sha256").update(bytes).digest("hex");
}

/** The content after whose refusal other restores are tried. */
const TRIED_AGAIN = "a row twice";

/** Faults that only loading detects: the snapshot's maker wrote it that way. */
const contents: Case[] = [
  ["rows that are missing", (_, manifest) => (firstOf(manifest).rows += 1), /it has \d+ rows instead of/],
  [
    "another size",
    (_, manifest) => (firstOf(manifest).text_bytes += 1),
    /its uncompressed size differs from the manifest/,
  ],
  [
    "values of another type",
    (folder, manifest) => rewrite(folder, firstOf(manifest), (text) => text.replaceAll("\t", "\tx")),
    /The snapshot is damaged/,
  ],
  [
    "a row twice",
    (folder, manifest) => {
      const part = firstOf(manifest);
      part.rows += 1;
      rewrite(folder, part, (text) => `${text.slice(0, text.indexOf("\n") + 1)}${text}`);
    },
    /it contains a row twice/,
  ],
  [
    "a part that is not compressed",
    (folder, manifest) => {
      const part = firstOf(manifest);
      const bytes = Buffer.from("not compressed");
      writeFileSync(join(folder, part.file), bytes);
      part.bytes = bytes.length;
      part.sha256 = createHash("sha256").update(bytes).digest("hex");
    },
    /./,
  ],
];

export function refusesWhatDoesNotFit(stageOf: () => SnapshotStage): void {
  describe("refused before anything is written:", () => {
    let database: Awaited<ReturnType<typeof createTestDatabase>>;
    beforeAll(async () => {
      database = await createTestDatabase();
    });
    afterAll(async () => database?.drop());

    /** A copy of the demo's snapshot with a fault. */
    function copyDemo(spoil: Case[1]): string {
      const { demo, folder } = stageOf();
      const copy = join(folder, "spoiled");
      rmSync(copy, { recursive: true, force: true });
      cpSync(demo, copy, { recursive: true });
      const manifest = readManifestOf(copy);
      spoil(copy, manifest);
      if (existsSync(join(copy, "manifest.json"))) {
        writeFileSync(join(copy, "manifest.json"), JSON.stringify(manifest));
      }
      return copy;
    }

    // Every third in `npm test`.
    test.each(cases.filter((_, i) => isLong() || i % 3 === 0))(
      "%s",
      async (_, spoil, message) => {
        const before = await stateOf(database.url);
        const { code, stdout, stderr } = await stageOf().snapshot(database.url, "restore", copyDemo(spoil));
        expect(stderr).toMatch(message);
        expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
        expect(stderr).not.toMatch(/\n {4}at /);
        expect(await stateOf(database.url)).toEqual(before);
      },
      PATIENCE_MS,
    );

    test("a manifest that is too large, is not JSON, or belongs to something else", async () => {
      const { snapshot } = stageOf();
      const texts: [string, RegExp][] = [
        [" ".repeat(MAX_MANIFEST_BYTES + 1), /a manifest has at most/],
        ["{", /it is not JSON/],
        ['{"namedex":"backup"}', /is not from a Namedex snapshot/],
      ];
      for (const [text, message] of texts) {
        const copy = copyDemo(() => {});
        writeFileSync(join(copy, "manifest.json"), text);
        expect((await snapshot(database.url, "inspect", copy)).stderr).toMatch(message);
      }
    });

    test(
      "a schema that is not empty, an existing cache, and a role without rights",
      async () => {
        const { snapshot, demo, source } = stageOf();
        const taken = await snapshot(source.databaseUrl, "restore", demo);
        expect(taken.stderr).toMatch(/Schema "namedex_index" is not empty/);
        await ask(
          database.url,
          "create schema namedex_cache; create table namedex_cache.logs as select 1 as one",
        );
        const cached = await snapshot(database.url, "restore", demo);
        expect(cached.stderr).toMatch(/already has a cache of past events[\s\S]*--without-cache/);
        await ask(database.url, "drop schema namedex_cache cascade");
        const role = `reader_${process.pid}`;
        await ask(database.url, `create role ${role} login password 'reader-of-all'`);
        const url = new URL(database.url);
        [url.username, url.password] = [role, "reader-of-all"];
        const powerless = await snapshot(url.href, "restore", demo);
        await ask(database.url, `drop role ${role}`);
        expect(powerless.stderr).toMatch(/may not create the schema "namedex_index"[\s\S]*GRANT CREATE/);
      },
      PATIENCE_MS,
    );
  });

  test(
    "create writes into no folder with other content",
    async () => {
      const { demo, folder, snapshot, source } = stageOf();
      const again = await snapshot(source.databaseUrl, "create", demo);
      expect(again.stderr).toMatch(/already has a snapshot/);
      const foreign = await snapshot(source.databaseUrl, "create", folder);
      expect(foreign.stderr).toMatch(/has other files/);
      const file = join(folder, "deployment.json");
      expect((await snapshot(source.databaseUrl, "create", file)).stderr).toMatch(/Cannot use the folder/);
    },
    PATIENCE_MS,
  );
}

/** Faults that only a restore in progress detects. */
export function leavesNothingBehind(stageOf: () => SnapshotStage): void {
  describe("content refused while loading leaves nothing behind:", () => {
    /**
     * After a refusal, another restore into the same database is refused likewise, and one of a
     * good snapshot succeeds.
     */
    async function tryAgain(databaseUrl: string, copy: string): Promise<void> {
      const { demo, snapshot } = stageOf();
      // An existing schema stays, with its rights.
      await ask(
        databaseUrl,
        "create schema namedex_index; alter default privileges in schema namedex_index grant select on tables to public",
      );
      await snapshot(databaseUrl, "restore", copy);
      expect(await ask(databaseUrl, leftInSchema)).toEqual([]);
      const [kept] = await ask<{ count: number }>(
        databaseUrl,
        "select count(*)::int as count from pg_default_acl",
      );
      expect(kept?.count).toBe(1);
      expectEnd(await snapshot(databaseUrl, "restore", demo));
    }

    test.each(contents)(
      "%s",
      async (what, spoil, message) => {
        const { demo, folder, snapshot } = stageOf();
        const database = await createTestDatabase();
        try {
          const copy = join(folder, `refused-${what.replaceAll(" ", "-")}`);
          cpSync(demo, copy, { recursive: true });
          const manifest = readManifestOf(copy);
          spoil(copy, manifest);
          writeFileSync(join(copy, "manifest.json"), JSON.stringify(manifest));
          const before = await stateOf(database.url);
          const stopped = await snapshot(database.url, "restore", copy);
          expect(stopped.stderr).toMatch(message);
          expect(stopped.stderr).toMatch(/Its tables were removed/);
          expect(await stateOf(database.url)).toEqual(before);
          if (what === TRIED_AGAIN) await tryAgain(database.url, copy);
        } finally {
          await database.drop();
        }
      },
      PATIENCE_MS,
    );
  });

  test(
    "until a restore is complete, no program takes the tables for an index, and no other snapshot is restored",
    async () => {
      const { demo, folder, snapshot } = stageOf();
      const database = await createTestDatabase();
      try {
        const copy = join(folder, "other-one");
        cpSync(demo, copy, { recursive: true });
        const manifest = readManifestOf(copy);
        manifest.created_at = new Date(0).toISOString();
        writeFileSync(join(copy, "manifest.json"), JSON.stringify(manifest));
        await ask(database.url, breakOffStatements);
        const stopped = await snapshot(database.url, "restore", copy);
        expect(stopped.stderr).toMatch(/The restore is not complete[\s\S]*Run the same command again/);
        await ask(database.url, "drop event trigger break_off");
        expect(await hasIndex(database.url)).toBe(false);
        const other = await snapshot(database.url, "restore", demo);
        expect(other.stderr).toMatch(/of another snapshot[\s\S]*DROP SCHEMA "namedex_index" CASCADE/);
        // Tables without an indexer that has reached the head: nothing to take a snapshot of.
        const unfinished = await snapshot(database.url, "create", join(folder, "never"));
        expect(unfinished.stderr).toMatch(/Schema "namedex_index" has no index/);
        await ask(
          database.url,
          "drop schema namedex_index cascade; drop schema if exists namedex_cache cascade",
        );
        expectEnd(await snapshot(database.url, "restore", demo, "--without-cache"));
        const early = await snapshot(database.url, "create", join(folder, "never"));
        expect(early.stderr).toMatch(/The index "namedex_index" is not complete/);
      } finally {
        await database.drop();
      }
    },
    PATIENCE_MS,
  );
}
