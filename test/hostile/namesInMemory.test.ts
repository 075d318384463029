import { domain } from "ponder:schema";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createConsistentRead } from "../../src/api/indexState/consistentRead.ts";
import { prepareIndexPool } from "../../src/api/indexState/indexPool.ts";
import { readTablesState } from "../../src/api/indexState/position.ts";
import { AT_ONCE, WAITING } from "../../src/api/nameStore/nameStore.ts";
import { createTextCounts } from "../../src/api/nameStore/textCounts.ts";
import { caseInsensitiveCondition } from "../../src/api/query/caseInsensitive.ts";
import { mainChain } from "../../src/api/query/scope.ts";
import { countSearch } from "../../src/api/query/search.ts";
import { MAX_LABEL_BYTES } from "../../src/ens/name.ts";
import { endByError, noteWritesOf, type Stores, startStores, untilState } from "../nameStore/stores.ts";
import { openApi, type TestApi } from "../query/api.ts";
import { account, answerable, CHAIN_ID, contracts, registeredRow } from "../query/rows.ts";
import { createTables, setProgress, type Tables } from "../query/tables.ts";
import { isSlow, sizeOf } from "../support/size.ts";

/*
 * What strangers can do to the names in memory by which searches are counted: by what they search for, by how much at once, and by
 * what they register.
 */

const NOW = 1_800_000_000;
const FLOOD = sizeOf({ short: 100, long: 2_000 });
/** Names with labels of the greatest length. */
const LONG_LABELS = sizeOf({ short: 4_000, long: 40_000 });
/** Memory for the names before these, and not for half of these. */
const FEW_BYTES = (LONG_LABELS * MAX_LABEL_BYTES) / 2 + createTextCounts().bytes();

/** Signs of LIKE and of regular expressions, letters whose case changes their length, and what UTF-8 has in several bytes. */
const signs = [
  "%",
  "_",
  "\\",
  "%%",
  "\\%",
  "_\\",
  "'",
  "*",
  "(",
  "$",
  "😀",
  "İ",
  "ß",
  "ς",
  "Σ",
  "\u200d",
  "é",
  "e\u0301",
];

let tables: Tables;
let stores: Stores;
let withStore: TestApi;
let without: TestApi;
let block = 0;
const counted = { memory: 0, database: 0 };

const rowsOf = (labels: readonly string[]) =>
  answerable(labels.map((label) => registeredRow(`${label}.eth`, account(7), BigInt(NOW + 1_000))));

/** Registers names in a block. */
async function register(labels: readonly string[]): Promise<void> {
  const rows = rowsOf(labels);
  for (let i = 0; i < rows.length; i += 1_000)
    await tables.writer.insert(domain).values(rows.slice(i, i + 1_000));
  await setProgress(tables, { chainId: CHAIN_ID, block: ++block, time: NOW });
}

const longest = (number: number): string => `${number}x`.padEnd(MAX_LABEL_BYTES, "long");

beforeAll(async () => {
  tables = await createTables();
  prepareIndexPool(tables.pool); // It counts statements: an answer from memory is not of the state of its rows for want of these.
  const around = signs.flatMap((sign) => [sign, `a${sign}`, `${sign}b`, `a${sign}b`, sign.repeat(9)]);
  await register([
    ...around,
    "ab",
    "abc",
    "a.b",
    ...Array.from({ length: 2_000 }, (_, i) => `plain${i}`),
    longest(0),
  ]);
  await noteWritesOf(tables);
  stores = startStores(tables, { onSearch: (by) => counted[by]++ });
  await untilState(stores, "ready");
  withStore = apiOf(stores, "a caller");
  without = openApi(tables, NOW, { readConsistently: createConsistentRead(tables.db) });
});

afterAll(async () => {
  await stores?.stop();
  await tables?.drop();
});

const apiOf = (of: Stores, caller: string): TestApi =>
  openApi(tables, NOW, { nameStore: of.of(caller), readConsistently: createConsistentRead(tables.db) });

const all = { filters: {}, chainIds: [CHAIN_ID], now: NOW };
const versionNow = async () => (await readTablesState(tables.db)).version;

test("a caller with many searches at once takes a share of the thread, and others are counted", async () => {
  const version = await versionNow();
  const count = (caller: string) => stores.of(caller).count(tables.db, version, all);
  const flood = Array.from({ length: FLOOD }, () => count("many"));
  const others = await Promise.all(["one", "another"].map(count));
  expect(others).not.toContain(null);
  const answered = (await Promise.all(flood)).filter((counts) => counts !== null);
  expect(answered).toHaveLength(AT_ONCE.each + WAITING.each);
});

describe("the strangest texts find what PostgreSQL finds", () => {
  const texts = [
    ...signs.flatMap((sign) => [
      sign,
      `a${sign}`,
      `${sign}b`,
      sign.repeat(3),
      sign.toUpperCase(),
      sign.toLowerCase(),
    ]),
    ...[
      "",
      " ",
      ".",
      "[",
      "]",
      "a.b",
      "\u2400",
      "\ufffd",
      "\n",
      "longx",
      "0".repeat(64),
      `[${"0".repeat(64)}]`,
    ],
    ...[
      longest(0),
      longest(0).slice(1),
      `${longest(0).slice(1)}x`,
      "%".repeat(MAX_LABEL_BYTES),
      "İ".repeat(127),
    ],
  ];

  test("as a caller asks", async () => {
    const before = counted.memory;
    const paths = texts.flatMap((text) =>
      ["", "&search_full_name=true"].map(
        (whole) => `/search-domains?q=${encodeURIComponent(text)}&page_size=200${whole}`,
      ),
    );
    for (const path of paths) {
      const found = await withStore.get(path);
      expect(found, path).toEqual(await without.get(path));
      expect([200, 400]).toContain(found.status);
    }
    expect(counted.memory - before).toBeGreaterThan(texts.length / 2);
  });

  test.each(["%00", "a%00b", "%ED%A0%80", "%FF", "%C3", "a%F0%9F"])(
    "as no text is written: %s",
    async (written) => {
      const found = await withStore.get(`/search-domains?q=${written}`);
      expect(found).toEqual(await without.get(`/search-domains?q=${written}`));
      expect([200, 400]).toContain(found.status);
    },
  );

  test("halves of a character, which JSON can hold", async () => {
    const version = await versionNow();
    const chains = mainChain(contracts);
    for (const text of ["\ud83d", "\ude00", "a\ud800", "\udc00b"]) {
      const counts = await stores.of("a caller").count(tables.db, version, { ...all, filters: { text } });
      const where = caseInsensitiveCondition({ text }, { chains, now: NOW });
      expect(counts, JSON.stringify(text)).toEqual(await countSearch(tables.db, where, { chains, now: NOW }));
    }
  });
});

test("a thread that dies under searches keeps no caller waiting, and takes no place with it", async () => {
  const version = await versionNow();
  const askAll = () =>
    Promise.all(
      Array.from({ length: AT_ONCE.most + WAITING.most }, (_, i) =>
        stores.of(`caller ${i % 8}`).count(tables.db, version, all),
      ),
    );
  const asked = askAll();
  const begun = performance.now();
  await endByError(stores);
  const died = await asked;
  expect(died).toContain(null);
  // Each would wait for a minute otherwise.
  expect(performance.now() - begun).toBeLessThan(20_000);
  const path = "/search-domains?q=plain1";
  expect(await withStore.get(path)).toEqual(await without.get(path));
  if (!isSlow()) return; // It is started again after five seconds.
  await untilState(stores, "ready");
  expect(await askAll()).not.toContain(null);
});

test("a thread ends by itself when it is stopped: to end it in the middle of its work can crash Node", async () => {
  const other = startStores(tables);
  await untilState(other, "ready");
  const terminate = vi.spyOn(other.worker(), "terminate");
  const asked = other.of("a caller").count(tables.db, await versionNow(), all);
  await other.stop();
  expect(terminate).not.toHaveBeenCalled();
  await asked; // It waits for nothing.
});

describe("labels of the greatest length, registered in masses", () => {
  test("that a block brings are no longer stored, and PostgreSQL counts", async () => {
    const lines: string[] = [];
    const few = startStores(tables, { maxBytes: FEW_BYTES, log: (line) => lines.push(line) });
    onTestFinished(() => few.stop());
    await untilState(few, "ready");
    const search = "/search-domains?q=xlong&page_size=1";
    const bystander = apiOf(few, "a bystander");
    expect((await bystander.get(search)).body.total).toBe(1);
    await register(Array.from({ length: LONG_LABELS }, (_, i) => longest(i + 1)));
    // The state is another one: memory answers nothing of before. A search that finds it full does not wait, which were a minute.
    const begun = performance.now();
    expect((await bystander.get(search)).body.total).toBe(LONG_LABELS + 1);
    expect(performance.now() - begun).toBeLessThan(20_000);
    await untilState(few, "failed");
    expect(few.state()).toMatchObject({ names: 0, bytes: 0 });
    expect(lines).toEqual([
      "The store of names is not used: Names take more memory than NAME_STORE_MB allows.",
    ]);
    expect((await bystander.get(search)).body.total).toBe(LONG_LABELS + 1);
  });

  test("that are there at the start are not loaded, and PostgreSQL counts", async () => {
    const few = startStores(tables, { maxBytes: FEW_BYTES });
    onTestFinished(() => few.stop());
    await untilState(few, "failed");
    expect(few.state()).toMatchObject({ names: 0, bytes: 0 });
    expect(await few.of("a caller").count(tables.db, await versionNow(), all)).toBeNull();
  });

  test("are stored where there is room, and found to the last byte", async () => {
    const roomy = startStores(tables);
    onTestFinished(() => roomy.stop());
    await untilState(roomy, "ready");
    const api = apiOf(roomy, "a caller");
    for (const text of [longest(17), longest(LONG_LABELS), longest(17).slice(1), "glongx"]) {
      const path = `/search-domains?q=${text}`;
      expect(await api.get(path)).toEqual(await without.get(path));
    }
    expect((await api.get(`/search-domains?q=${longest(17)}`)).body.total).toBe(1);
    expect(roomy.state().bytes).toBeGreaterThan(LONG_LABELS * MAX_LABEL_BYTES);
  });
});
