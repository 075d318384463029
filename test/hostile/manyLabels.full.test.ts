import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type Chain,
  ETH_NODE,
  ethNode,
  hashLabel,
  mineBlocks,
  registerReferred,
  rpc,
} from "../../devnet/acts.ts";
import { readOptions } from "../../ops/labels/options.ts";
import { importTables } from "../../ops/labels/run.ts";
import { MAX_GIVEN_PER_BLOCK } from "../../src/indexing/write/applyLabels.ts";
import { MAX_WORK_PER_BLOCK } from "../../src/indexing/write/blockQueue.ts";
import { openStage, type Stage } from "../chain/stage.ts";
import { type Entry, ensrainbow, hashOf, packed } from "../ops/labels/files.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { child, emitLogs, type Log, spell, takeContracts } from "./takenContracts.ts";

/*
 * Hundreds of thousands of names with labels in a table that the operator imports, while blocks come: with renewals that spell
 * some out, and with a stranger who creates hundreds of names with labels of the piece being applied.
 */

const NAMES = 100_000;
/** Records of the table that belong to no name, with wrong hashes. */
const FOREIGN = 10_000_000;
const FOREIGN_AT_ONCE = 100_000;
const LABELS_AT_ONCE = 10_000;
const LOGS_IN_A_BLOCK = 2_000;
/** Names that the stranger creates in a block. */
const FLOOD = 300;

let stage: Stage;
let emitters: Chain;
let folder: string;

const label = (i: number): string => (i % 50 === 0 ? `🦊 ${i}` : `name-${i}`);
const labels = Array.from({ length: NAMES }, (_, i) => label(i));
/** Nine of ten are in the table. */
const isInTable = (i: number): boolean => i % 10 !== 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "namedex-many-"));
  stage = await openStage();
  const { chain, cast } = stage;
  for (const name of ["wide", "flood"]) await registerReferred(chain, { from: cast.alice, label: name });
  emitters = await takeContracts(chain);
});
afterAll(async () => {
  await stage?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const emit = (logs: readonly Log[]) => emitLogs(emitters, logs);

/**
 * The table in two versions: the second one repeats some labels. False labels, and those that no name can show, are in between.
 */
function writeTables(): string[] {
  const known = labels.flatMap((text, i) => (isInTable(i) ? [{ label: text }] : []));
  const bad: Entry[] = [
    ...labels.slice(0, 50).map((text) => ({ label: `lie ${text}`, hash: hashOf(text) })),
    ...["with.dot", "nul\0", `[${"ab".repeat(32)}]`, "m".repeat(1_000_000)].map((text) => ({ label: text })),
  ];
  return [
    write("words.ensrainbow", ensrainbow("words", 0, [...bad, ...known.slice(0, NAMES / 2)])),
    write("words.ensrainbow.gz", packed.gzip(ensrainbow("words", 1, known.slice(NAMES / 2 - 100)))),
    writeForeign(),
  ];
}

/** Records of no name in the index. Their hashes are made up: computing ten million would take a minute. */
function writeForeign(): string {
  const path = write("foreign.csv", Buffer.alloc(0));
  for (let i = 0; i < FOREIGN; i += FOREIGN_AT_ONCE) {
    const lines = Array.from({ length: Math.min(FOREIGN_AT_ONCE, FOREIGN - i) }, (_, n) => {
      return `${(i + n).toString(16).padStart(64, "0")},foreign ${i + n}\n`;
    });
    appendFileSync(path, lines.join(""));
  }
  return path;
}

let written = 0;

function write(name: string, bytes: Buffer): string {
  const path = join(folder, `${written++}-${name}`);
  writeFileSync(path, bytes);
  return path;
}

const importInto = (stack: Pick<Stack, "databaseUrl" | "schema">, files: string[]) =>
  importTables({
    options: readOptions(["import", ...files]),
    settings: {
      databaseUrl: stack.databaseUrl,
      serviceDatabaseUrls: [stack.databaseUrl],
      schema: stack.schema,
      viewsSchema: "namedex",
      serviceSchema: "namedex_service",
    },
    signal: new AbortController().signal,
  });

type State = { position: string; waiting: number; newest: string | null; done: number };

async function readState(): Promise<State> {
  const [row] = await stage.sql<State>(
    `select position, (select count(*)::int from work_lists where next_item is not null) as waiting,
       (select max(position) from namedex_service.proven_labels) as newest,
       coalesce((select done from work_queues), 0) as done
     from label_progress`,
  );
  if (row === undefined) throw new Error("The index has no progress of labels");
  return row;
}

/** What happens after a block while labels are applied, by its number. */
const disturbances: Readonly<Record<number, () => Promise<unknown>>> = {
  10: () => takeBack(2),
  25: async () => {
    await stage.stack.kill();
    await stage.stack.expireLock();
    stage.stack.restart();
    await stage.stack.ready();
  },
  60: () => takeBack(12),
};

/** A reorganisation: these blocks are removed, and an empty one replaces them. */
async function takeBack(blocks: number): Promise<void> {
  await rpc(stage.chain, "anvil_rollback", [blocks]);
  await mineBlocks(stage.chain, { count: 1 });
  await stage.stack.waitForHead();
}

let tables: string[];

test("an import stores the labels that the index lacks, and nothing else", async () => {
  const logs = labels.map((text) => child(ETH_NODE, hashLabel(text)));
  for (let i = 0; i < logs.length; i += LOGS_IN_A_BLOCK) {
    await emit(logs.slice(i, i + LOGS_IN_A_BLOCK));
    await stage.stack.waitForHead();
  }
  tables = writeTables();
  await importInto(stage.stack, tables);
  const [row] = await stage.sql<{ count: number; lies: number }>(
    `select count(*)::int as count, (count(*) filter (where label like 'lie %' or label like 'foreign %'))::int as lies
     from namedex_service.proven_labels`,
  );
  expect(row).toEqual({ count: labels.filter((_, i) => isInTable(i)).length, lies: 0 });
}, 1_800_000);

test("they are applied in pieces, while others' logs arrive", async () => {
  let blocks = 0;
  for (let state = await readState(); ; state = await readState()) {
    if (state.newest !== null && state.position === state.newest && state.waiting === 0) break;
    expect(blocks).toBeLessThan(NAMES);
    expect(state.done).toBeLessThanOrEqual(MAX_WORK_PER_BLOCK);
    // A label of the next piece, in hundreds of the stranger's names; another one that a renewal spells out.
    const victim = labels[(blocks * 997 + 1) % NAMES] ?? "";
    const flood = Array.from({ length: FLOOD }, (_, i) =>
      child(ethNode(i % 2 === 0 ? "flood" : "wide"), hashLabel(`${blocks} ${i}`)),
    );
    const spelled = labels[(blocks * 10) % NAMES] ?? "";
    await emit([child(ethNode("flood"), hashLabel(victim)), ...(blocks < 40 ? flood : []), spell(spelled)]);
    await stage.stack.waitForHead();
    await disturbances[++blocks]?.();
  }
  expect(blocks).toBeGreaterThanOrEqual(Math.ceil((NAMES * 0.9) / MAX_GIVEN_PER_BLOCK));
}, 3_600_000);

test("names, order, counts and searches equal those of an index that had the labels from its first block", async () => {
  const other = await startStack({
    rpcUrl: stage.local.anvil.url,
    deployment: stage.local.deployment,
    prepare: async (databaseUrl) => {
      await copyLabels(stage.stack, databaseUrl);
      return {};
    },
  });
  try {
    await stage.stack.waitForHead();
    await other.waitForHead();
    for (const text of [
      "select node, full_name, label, label_length, is_label_known, is_name_known from domains order by node",
      "select full_name from domains where parent_node = $1 order by left(full_name, 128), node limit 500",
      "select is_label_known, label_length, count(*) from domains group by 1, 2 order by 1, 2",
      "select labelhash, label, source from labels where label is not null order by 1",
    ]) {
      const values = text.includes("$1") ? [ETH_NODE] : [];
      expectSame(await stage.stack.sql(text, values), await other.sql(text, values));
    }
    for (const path of [
      "/search-domains?q=name-1&page_size=50",
      "/search-domains?q=flood&page_size=50",
      "/domain/eth/subdomains",
    ]) {
      const [one, same] = [await stage.stack.api(path), await other.api(path)];
      expect(one.status).toBe(same.status);
      expect(one.body).toEqual(same.body);
    }
  } finally {
    await other.destroy();
  }
}, 1_800_000);

/** Shows the first differing row: writing a difference of a hundred thousand rows would take minutes. */
function expectSame(rows: readonly object[], others: readonly object[]): void {
  const at = rows.findIndex((row, i) => JSON.stringify(row) !== JSON.stringify(others[i]));
  expect([rows.length, rows[at]]).toEqual([others.length, others[at]]);
}

/** The labels of one service, which another one has from the start. */
async function copyLabels(from: Stack, databaseUrl: string): Promise<void> {
  const { openStore } = await import("../../src/api/server/serviceDb/store.ts");
  const rows = await from.sql<{ hash: Buffer; label: string; source: string }>(
    "select labelhash as hash, label, source from namedex_service.proven_labels",
  );
  const store = openStore({ databaseUrl, schema: "namedex_service" });
  try {
    for (let i = 0; i < rows.length; i += LABELS_AT_ONCE) {
      const some = rows.slice(i, i + LABELS_AT_ONCE);
      await store.query(
        "INSERT INTO proven_labels (labelhash, label, source) SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[])",
        [some.map(({ hash }) => hash), some.map(({ label: text }) => text), some.map(({ source }) => source)],
      );
    }
  } finally {
    await store.close();
  }
}
