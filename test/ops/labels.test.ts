import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { domain } from "ponder:schema";
import { namehash } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readOptions } from "../../ops/labels/options.ts";
import { importTables } from "../../ops/labels/run.ts";
import { openStore, type Store } from "../../src/api/server/serviceDb/store.ts";
import { registeredRow } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";
import { csvOf, ensrainbow, hashOf, listOf, packed, sqlDump } from "./labels/files.ts";

/*
 * Label tables in all their forms: sound, lying and broken. The index lacks the labels in
 * `lacking` and nothing else.
 */

const odd = {
  quoted: '"007"',
  comma: "a,b",
  backslash: "back\\slash",
  tab: "tab\tbed",
  emoji: "🦊",
  return: "cr\r",
};
const lacking = ["vitalik", "nick", "brantly", "late", ...Object.values(odd)];
const hiddenForGood = ["with.dot", `[${"ab".repeat(32)}]`, "nul\0", "x".repeat(1_000_000), "\xff"];

let tables: Tables;
let store: Store;
let folder: string;

beforeAll(async () => {
  tables = await createTables();
  store = openStore({ databaseUrl: tables.databaseUrl, schema: "namedex_service" });
  folder = mkdtempSync(join(tmpdir(), "namedex-labels-"));
  const rows = [...lacking, ...hiddenForGood].map((label, i) => ({
    ...registeredRow(`hidden-${i}.eth`, `0x${"a1".repeat(20)}`, 2_000_000_000n),
    node: namehash(`hidden-${i}.eth`),
    labelhash: `0x${hashOf(label)}` as const,
    label: `[${hashOf(label)}]`,
    fullName: `[${hashOf(label)}].eth`,
    isLabelKnown: false,
    isNameKnown: false,
    labelLength: null,
  }));
  await tables.writer.insert(domain).values(rows);
});
beforeEach(async () => {
  await store.query("TRUNCATE proven_labels");
  await store.query("TRUNCATE label_imports");
});
afterAll(async () => {
  await store?.close();
  await tables?.drop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

let files = 0;

function write(name: string, bytes: Buffer): string {
  const path = join(folder, `${files++}-${name}`);
  writeFileSync(path, bytes);
  return path;
}

const settings = () => ({
  databaseUrl: tables.databaseUrl,
  serviceDatabaseUrls: [tables.databaseUrl],
  schema: "public",
  viewsSchema: "views",
  serviceSchema: "namedex_service",
});

const runImport = (line: readonly string[], signal = new AbortController().signal) =>
  importTables({ options: readOptions(["import", ...line]), settings: settings(), signal });

const stored = () =>
  store.query<{ label: string; source: string }>("SELECT label, source FROM proven_labels ORDER BY label");

const storedLabels = async () => (await stored()).map(({ label }) => label).sort();

describe("every form adds the labels that the index lacks, and no others", () => {
  const entries = [...lacking, "known", "other"].map((label) => ({ label }));

  test("ENSRainbow files say their own name", async () => {
    await runImport([write("set.ensrainbow", ensrainbow("searchlight", 3, entries))]);
    expect(await storedLabels()).toEqual([...lacking].sort());
    expect((await stored()).every(({ source }) => source === "table:searchlight@3")).toBe(true);
  });

  test("The Graph's dump, with escapes", async () => {
    await runImport([write("ens_names.sql", sqlDump(entries)), "--id", "graph"]);
    expect(await storedLabels()).toEqual([...lacking].sort());
    expect((await stored()).at(0)?.source).toBe("table:graph@0");
  });

  test("hash,label, with quotes that may or may not be syntax", async () => {
    const quoted = entries.map(({ label }) =>
      label === odd.comma ? { label: `"${label}"`, hash: hashOf(label) } : { label },
    );
    await runImport([write("words.csv", csvOf(quoted)), "--version", "2"]);
    expect(await storedLabels()).toEqual([...lacking].sort());
    expect((await stored()).at(0)?.source).toMatch(/^table:\d+-words@2$/);
  });

  test("a plain list, also with Windows line ends", async () => {
    const words = lacking.filter((label) => label !== odd.return);
    await runImport([write("words.txt", listOf(words))]);
    expect(await storedLabels()).toEqual([...words].sort());
    await store.query("TRUNCATE proven_labels");
    await runImport([write("words.txt", Buffer.from(`${words.join("\r\n")}\r\n`))]);
    expect(await storedLabels()).toEqual([...words].sort());
  });

  test.each(["gzip", "zstd"] as const)("compressed with %s", async (kind) => {
    await runImport([write("set", packed[kind](ensrainbow("searchlight", 0, entries)))]);
    expect(await storedLabels()).toEqual([...lacking].sort());
  });
});

test("a stated hash is ignored: the label's own hash counts", async () => {
  const { text } = await runImport([
    write(
      "lies.csv",
      csvOf([
        { label: "evil", hash: hashOf("vitalik") },
        { label: "nick", hash: hashOf("vitalik") },
        { label: "007", hash: hashOf('"007"') },
      ]),
    ),
  ]);
  expect(await storedLabels()).toEqual(["nick"]);
  expect(text).toContain("3 had a wrong hash");
});

test("labels that no name can show are not stored", async () => {
  const entries = [
    ...hiddenForGood.slice(0, -1).map((label) => ({ label })),
    { label: Buffer.from([0xff]), hash: hashOf("\xff") },
    { label: "nick" },
  ];
  const { text } = await runImport([write("odd.ensrainbow", ensrainbow("odd", 0, entries))]);
  expect(await storedLabels()).toEqual(["nick"]);
  expect(text).toContain("4 cannot be part of a name");
});

test("a label in two versions keeps the first one imported", async () => {
  const files = [0, 1].map((version) =>
    write("set", ensrainbow("searchlight", version, [{ label: "nick" }])),
  );
  await runImport(files);
  expect(await stored()).toEqual([{ label: "nick", source: "table:searchlight@0" }]);
});

describe("a damaged table is refused with the position of the damage, and what came before is stored", () => {
  const good = ensrainbow("searchlight", 0, [{ label: "vitalik" }, { label: "nick" }]);
  const many = ensrainbow(
    "searchlight",
    0,
    [{ label: "vitalik" }, ...Array.from({ length: 200_000 }, (_, i) => ({ label: `word-${i}` }))].map(
      (entry, i) => ({ ...entry, ...(i > 0 && { hash: i.toString(16).padStart(64, "0") }) }),
    ),
  );

  test.each<[string, Buffer, string, string[]]>([
    ["a record cut short", good.subarray(0, -2), "cut short", ["vitalik"]],
    [
      "a record with a short hash",
      Buffer.concat([good, Buffer.from([3, 0x0a, 1, 7])]),
      "32 bytes",
      ["nick", "vitalik"],
    ],
    ["a length without end", Buffer.concat([good, Buffer.alloc(9, 0xff)]), "five bytes", ["nick", "vitalik"]],
    [
      "a record of gigabytes",
      Buffer.concat([good, Buffer.from([0xff, 0xff, 0xff, 0xff, 7])]),
      "16 MiB",
      ["nick", "vitalik"],
    ],
    [
      "a csv line without a hash",
      csvOf([{ label: "nick" }, { label: "late", hash: "12" }]),
      "64 hexadecimal",
      ["nick"],
    ],
    ["a dump without its end", upTo(sqlDump([{ label: "nick" }]), "\\."), "ends the rows", ["nick"]],
    [
      "a dump row with three columns",
      sqlDump([{ label: "nick" }, { label: "a", hash: "1\t2" }]),
      "two columns",
      ["nick"],
    ],
    ["gzip cut short", packed.gzip(many).subarray(0, -1_000), "broken compression", ["vitalik"]],
    ["zstd cut short", packed.zstd(many).subarray(0, -1_000), "broken compression", ["vitalik"]],
    ["gzip with changed bytes", changed(packed.gzip(many)), "damaged", ["vitalik"]],
    ["zstd with changed bytes", changed(packed.zstd(many)), "damaged", ["vitalik"]],
  ])("%s", async (_, bytes, why, before) => {
    const path = write("damaged", bytes);
    const failed = await runImport([path]).catch((error: Error) => error);
    expect(failed).toBeInstanceOf(Error);
    expect((failed as Error).message).toMatch(/is damaged at byte \d+/);
    expect((failed as Error).message).toContain(why);
    expect(await storedLabels()).toEqual(before);
  });

  /** A file up to a text. */
  function upTo(bytes: Buffer, text: string): Buffer {
    return bytes.subarray(0, bytes.indexOf(text));
  }

  /** Zeros in the last part of a file. */
  function changed(bytes: Buffer): Buffer {
    return Buffer.concat([bytes.subarray(0, -5_000), Buffer.alloc(3_000), bytes.subarray(-2_000)]);
  }

  test.each(["gzip", "zstd"] as const)("%s that unpacks to far more than any label table", async (kind) => {
    const path = write("bomb", packed[kind](listOf(["vitalik", ...new Array(2 ** 22).fill("a")])));
    const failed = await runImport([path]).catch((error: Error) => error);
    expect((failed as Error).message).toMatch(/more than 20 times its size/);
    expect(Number(/damaged at byte (\d+)/.exec((failed as Error).message)?.[1])).toBeLessThan(2 ** 21);
    expect(await storedLabels()).toEqual(["vitalik"]);
  });

  test("the position is that of the record", async () => {
    const at = ensrainbow("searchlight", 0, [{ label: "vitalik" }]).length;
    const path = write("damaged", good.subarray(0, -2));
    await expect(runImport([path])).rejects.toThrow(`${path} is damaged at byte ${at}:`);
  });
});

describe("an interrupted import", () => {
  const words = Array.from({ length: 60_000 }, (_, i) => `word-${i}`);

  test.each([
    ["plain", (bytes: Buffer) => bytes],
    ["gzip", packed.gzip],
  ])("continues where it stopped (%s)", async (_, pack) => {
    const path = write("words.txt", pack(listOf(["vitalik", ...words, "nick"])));
    const stop = new AbortController();
    stop.abort("SIGINT");
    const first = await runImport([path], stop.signal);
    expect(first.code).toBe(1);
    expect(first.text).toContain("Run the same command again to resume");
    const [half] = await store.query<{ byte: string; records: string }>(
      "SELECT byte, records FROM label_imports",
    );
    expect(Number(half?.byte)).toBeGreaterThan(0);
    expect(Number(half?.records)).toBeLessThan(words.length);
    expect(await storedLabels()).toEqual(["vitalik"]);
    const second = await runImport([path]);
    expect(second.text).toContain(`${words.length + 2} records, 2 labels stored`);
    expect(await storedLabels()).toEqual(["nick", "vitalik"]);
  });

  test("starts over once it was finished, because the index may lack more since then", async () => {
    const path = write("words.txt", listOf(["late"]));
    await runImport([path]);
    await store.query("TRUNCATE proven_labels");
    await runImport([path]);
    expect(await storedLabels()).toEqual(["late"]);
  });
});

test.each([
  [["fetch"], "Unknown command"],
  [["import"], "No files to import"],
  [["import", "a", "--form", "xml"], "expected ensrainbow, sql, csv, list"],
  [["import", "a", "--id", "A b"], "expected 1 to 50"],
  [["import", "a", "--version", "x"], "expected a whole number"],
])("an invalid command line is refused: %j", (line, why) => {
  expect(() => readOptions(line)).toThrow(why);
});

test("a missing file is named", async () => {
  await expect(runImport([join(folder, "none")])).rejects.toThrow("none (ENOENT)");
});
