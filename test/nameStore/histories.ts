import { domain } from "ponder:schema";
import fc from "fast-check";
import type pg from "pg";
import { and, eq } from "ponder";
import { expect, vi } from "vitest";
import type { Ensv2Contracts } from "../../abis/contracts.ts";
import { readTablesState } from "../../src/api/indexState/position.ts";
import { startNameStores } from "../../src/api/nameStore/nameStore.ts";
import { noteWrites } from "../../src/api/nameStore/touched.ts";
import { withClient } from "../../src/api/postgres/client.ts";
import { caseInsensitiveCondition } from "../../src/api/query/caseInsensitive.ts";
import type { Scope } from "../../src/api/query/scope.ts";
import { countSearch, type SearchFilters } from "../../src/api/query/search.ts";
import { lifeOf } from "../../src/api/rules/life.ts";
import { managedNames, tokenNames } from "../../src/ens/managedNames.ts";
import { ADDR_REVERSE_NODE, ETH_NODE } from "../../src/ens/name.ts";
import { account, CHAIN_ID, type DomainRow, domainRow } from "../query/rows.ts";
import { createTables, setProgress, type Tables } from "../query/tables.ts";
import { endByError } from "./stores.ts";

/*
 * A store of names beside tables that random blocks, reorganisations, starts and faults change, held against PostgreSQL's own count
 * for random searches.
 */

const NOW = 1_800_000_000;
const DAY = 86_400;
const LAYER2 = managedNames[0];
const CHAINS = [CHAIN_ID, LAYER2?.chainId ?? 0, tokenNames[0]?.chainId ?? 0];

/** Letters of which a database knows the case, or not, and the signs of LIKE. */
const letters = ["a", "b", "A", "B", "é", "É", "σ", "ς", "Σ", "İ", "ß", "😀", "%", "_", "\\", "-"];
const label = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 5 }).map((of) => of.join(""));
const text = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 2 }).map((of) => of.join("")),
  },
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "eth",
      "th",
      ".",
      "a.",
      "b.a.",
      "é.e",
      "a.eth",
      "Σ.σ",
      "σ.e",
      "..",
      "b..a",
      ".b..",
      "[",
      `[${"0".repeat(64)}]`,
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom("0".repeat(64), "") },
);
/** What stands after a label in a name: also labels that are not known, and names that have the label nowhere. */
const above = fc.constantFrom(
  ...["", ".eth", ".eth", ".a.eth", ".Σ.eth", ".σb.Eth"],
  ...[`.[${"1".repeat(64)}].eth`, `.b.[${"0".repeat(64)}].a.eth`, null],
);
const seconds = fc
  .constantFrom(-120, -111, -91, -90, -62, -28, -1, 0, 1, 29, 30, 31, 89, 90, 91, 400)
  .chain((days) => fc.integer({ min: -1, max: 1 }).map((more) => BigInt(NOW + days * DAY + more)));
const time = fc.option(
  fc.oneof(
    { weight: 9, arbitrary: seconds },
    { weight: 1, arbitrary: fc.constantFrom(0n, 2n ** 32n, 2n ** 64n - 1n) },
  ),
);
const address = fc.integer({ min: 1, max: 3 }).map(account);

/** Anything that a row can say, also what no handler writes. */
const anyRow = (nonOwner: string | undefined): fc.Arbitrary<DomainRow> =>
  fc
    .record({
      ...{ label, chainId: fc.constantFrom(...CHAINS), isLabelKnown: fc.boolean() },
      parentNode: fc.constantFrom(
        ETH_NODE,
        LAYER2?.node ?? ETH_NODE,
        ADDR_REVERSE_NODE,
        null,
        domainRow("x.eth").node,
      ),
      ...{
        expiryTimestamp: time,
        wrapperExpiryTimestamp: time,
        pathExpiryTimestamp: fc.option(seconds, { freq: 1 }),
      },
      ...{ isWrapped: fc.boolean(), wrapperFuses: fc.option(fc.constantFrom(0, 65_536, 131_072)) },
      effectiveOwnerAddress: fc.option(
        nonOwner === undefined ? address : fc.oneof(address, fc.constant(nonOwner as `0x${string}`)),
      ),
      resolver: fc.option(address),
      registry: nonOwner === undefined ? fc.constant(null) : fc.option(address),
      ...{ hasLength: fc.boolean(), above },
    })
    .map(({ hasLength, above, ...row }) => {
      const known = domainRow(`${row.label}.eth`, row);
      const label = row.isLabelKnown ? row.label : `[${known.labelhash?.slice(2)}]`;
      return {
        ...{ ...known, label },
        fullName: above === null ? `[namehash:${known.node.slice(2)}]` : `${label}${above}`,
        isNameKnown: row.isLabelKnown && !above?.includes("["),
        labelLength: hasLength ? (known.labelLength ?? null) : null,
      };
    });

/** Given in one of four searches: with more filters no name would be found. */
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
/** Given in half of all searches. */
const often = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof(fc.constant(undefined), value);
const bound = fc.oneof(seconds.map(Number), fc.constantFrom(0, 2 ** 32 - 2, 2 ** 32, 999_999_999_999_999));

/** Windows in order, of which none reaches into the next. */
const toWindows = (bounds: number[]) => {
  const [a = 0, b = 0, c = 0, d = 0] = bounds.sort((one, other) => one - other);
  return [
    { from: a, to: b },
    { from: c, to: d },
  ];
};

const anyFilters: fc.Arbitrary<SearchFilters> = fc.record({
  text: often(text),
  isFullName: often(fc.constant(true as const)),
  availability: optional(
    fc.subarray(["registered", "grace", "premium", "available"] as const, { minLength: 1 }),
  ),
  ...{
    minLength: optional(fc.integer({ min: 0, max: 5 })),
    maxLength: optional(fc.integer({ min: 0, max: 5 })),
  },
  ...{ resolver: optional(fc.integer({ min: 1, max: 4 }).map(account)), isWrapped: optional(fc.boolean()) },
  ...{ expiryFrom: optional(bound), expiryTo: optional(bound) },
  expiryWindows: optional(fc.uniqueArray(bound, { minLength: 4, maxLength: 4 }).map(toWindows)),
  expiryOf: optional(fc.constantFrom("wrapper" as const, "reservation" as const)),
  protocol: optional(fc.constantFrom("ensv1" as const, "ensv2" as const)),
  registryOwner: optional(address),
});

/** Filters that the store does not hold are in one of some searches, or nearly none would be its own. */
const anySearch = fc.tuple(anyFilters, fc.integer({ min: 0, max: 5 })).map(([filters, keep]) =>
  keep === 0
    ? filters
    : {
        ...filters,
        registryOwner: undefined,
        expiryOf: filters.expiryOf === "wrapper" ? filters.expiryOf : undefined,
      },
);

type Step =
  | { kind: "block"; rows: DomainRow[]; gone: number }
  | { kind: "reorganise"; depth: number; rows: DomainRow[] }
  | { kind: "restart"; rows: DomainRow[] }
  | { kind: "die" }
  | { kind: "fault"; fault: keyof typeof faults; rows: DomainRow[] };

/** Ways in which writes are no longer noted. Upkeep mends the last two. */
const faults = {
  refused: "alter table name_store_touched add constraint refused check (false) not valid",
  withoutTrigger: "drop trigger name_store_insert on domains",
  missing: "drop table name_store_touched, name_store_state",
} as const;

const stepsOf = (row: fc.Arbitrary<DomainRow>, { hasFaults }: { hasFaults: boolean }): fc.Arbitrary<Step> => {
  const rows = fc.array(row, { minLength: 1, maxLength: 12 });
  const of = <Kind extends string>(kind: Kind) => fc.constant(kind);
  return fc.oneof(
    { weight: 10, arbitrary: fc.record({ kind: of("block"), rows, gone: fc.integer({ min: 0, max: 3 }) }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: of("reorganise"), depth: fc.integer({ min: 1, max: 3 }), rows }),
    },
    { weight: 2, arbitrary: fc.record({ kind: of("restart"), rows }) },
    ...(hasFaults
      ? [
          { weight: 1, arbitrary: fc.record({ kind: of("die") }) },
          {
            weight: 1,
            arbitrary: fc.record({
              ...{ kind: of("fault"), rows },
              fault: fc.constantFrom(...(Object.keys(faults) as (keyof typeof faults)[])),
            }),
          },
        ]
      : []),
  ) as fc.Arbitrary<Step>;
};

type Snapshot = (typeof domain.$inferSelect)[];

/** Tables that an indexer writes, as far as a store can see. */
class Index {
  block = 0;
  /** The rows after each block that can be taken back. */
  history: Snapshot[] = [];
  readonly tables: Tables;
  constructor(tables: Tables) {
    this.tables = tables;
  }

  /** A block, or several writes of other kinds, in one transaction. */
  async write(work: (tx: Tables["writer"], client: Pick<pg.Pool, "query">) => Promise<void>): Promise<void> {
    await this.tables.writer.transaction(async (tx) => {
      const client = { query: (query: string, values?: unknown[]) => clientOf(tx).query(query, values) };
      await work(tx as never, client as never);
    });
  }

  async put(tx: Tables["writer"], rows: readonly DomainRow[]): Promise<void> {
    for (const row of rows) {
      await tx
        .insert(domain)
        .values(row)
        .onConflictDoUpdate({ target: [domain.chainId, domain.node], set: row });
    }
  }

  async index(rows: readonly DomainRow[], gone = 0): Promise<void> {
    this.block++;
    await this.write(async (tx, client) => {
      await this.put(tx, rows);
      const old = await tx.select().from(domain).limit(gone);
      for (const { chainId, node } of old)
        await tx.delete(domain).where(and(eq(domain.chainId, chainId), eq(domain.node, node)));
      for (const chainId of CHAINS)
        await setProgress({ pool: client as never }, { chainId, block: this.block, time: NOW });
    });
    this.history.push(await this.tables.writer.select().from(domain));
  }

  /** Ponder takes rows back without a checkpoint, and makes the triggers of the tables again in the same transaction. */
  async takeBack(depth: number): Promise<void> {
    this.history.splice(Math.max(1, this.history.length - depth));
    await this.write(async (tx, client) => {
      await tx.delete(domain);
      for (const row of this.history.at(-1) ?? []) await tx.insert(domain).values(row);
      await client.query(
        `create or replace function undo() returns trigger language plpgsql as 'begin return null; end'`,
      );
      await client.query("drop trigger if exists ponder_undo on domains");
      await client.query(
        "create trigger ponder_undo after insert on domains for each row execute function undo()",
      );
    });
  }
}

const clientOf = (tx: unknown): Pick<pg.Pool, "query"> =>
  (tx as { session: { client: Pick<pg.Pool, "query"> } }).session.client;

export type HistoryPlan = {
  runs: number;
  steps: number;
  ensv2?: Ensv2Contracts;
  locale?: "C";
  /** Whether the thread dies and notes of writes fail, which takes a new load each time. */
  hasFaults?: boolean;
};

/** Plays random histories. @returns how many searches the store counted, and left to PostgreSQL, and how many found names */
export async function playHistories({ runs, steps, ensv2, locale, hasFaults = false }: HistoryPlan) {
  const tables = await createTables(locale ? { locale } : {});
  const index = new Index(tables);
  const upkeep = () =>
    withClient({ connectionString: tables.databaseUrl }, async (client) => {
      await vi.waitUntil(() => noteWrites(client, { schema: "public", isWanted: true }), {
        timeout: 20_000,
        interval: 50,
      });
    });
  await index.index([]);
  await upkeep();
  const seen = { memory: 0, database: 0, found: 0 };
  const log: string[] = [];
  const stores = startNameStores({
    ...{ databaseUrl: tables.databaseUrl, schema: "public", rules: lifeOf(ensv2), maxBytes: 2 ** 26 },
    onSearch: (by) => seen[by]++,
    log: (line) => log.push(line),
    ...{ waitMs: 1_500, few: 0 },
  });
  const store = stores.of("a caller");
  const isReady = () => vi.waitUntil(() => store.state().state === "ready", { timeout: 60_000, interval: 5 });
  const compare = async (filters: SearchFilters, ids: readonly number[]) => {
    const isMain = ids.length === 1 && ids[0] === CHAIN_ID;
    const chains: Scope = { ids, reach: isMain ? "main" : "several", ...(ensv2 && { ensv2 }) };
    const at = { chains, now: NOW };
    const { version } = await readTablesState(tables.db);
    const counts = await store.count(tables.db, version, { filters, chainIds: ids, now: NOW });
    if (counts === null) return;
    if (counts.total > 0) seen.found++;
    expect(counts, JSON.stringify(filters)).toEqual(
      await countSearch(tables.db, caseInsensitiveCondition(filters, at), at),
    );
  };
  const run = async (step: Step) => {
    const before = (await readTablesState(tables.db)).version;
    if (step.kind === "die") {
      await endByError(stores);
      return;
    }
    if (step.kind === "fault") {
      await tables.pool.query(faults[step.fault]).catch(() => {});
      await index.index(step.rows);
      return;
    }
    if (step.kind === "reorganise") await index.takeBack(step.depth);
    if (step.kind === "restart") {
      await index.takeBack(index.history.length);
      await index.write((tx) => index.put(tx, step.rows));
    }
    await index.index(step.rows, step.kind === "block" ? step.gone : 0);
    // What a caller asks of the state before is not answered by that of now.
    const search = { filters: {}, chainIds: CHAINS, now: NOW };
    expect(await store.count(tables.db, `${before} past`, search)).toBe(null);
  };
  const chains = fc.constantFrom([CHAIN_ID], CHAINS, [CHAINS[1] as number]);
  const nonOwner = ensv2 && [...ensv2.nonOwners][0];
  const turn = fc.tuple(
    stepsOf(anyRow(nonOwner), { hasFaults }),
    fc.array(fc.tuple(anySearch, chains), { minLength: 6, maxLength: 6 }),
  );
  try {
    await isReady();
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: steps, maxLength: steps }), async (history) => {
        for (const [step, searches] of history) {
          await run(step);
          await Promise.all(searches.map(([filters, ids]) => compare(filters, ids)));
        }
        if (!hasFaults) return;
        await tables.pool
          .query("alter table name_store_touched drop constraint if exists refused")
          .catch(() => {});
        await upkeep();
        await isReady();
      }),
      { numRuns: runs, endOnFailure: true },
    );
    return { ...seen, log };
  } finally {
    await stores.stop();
    await tables.drop();
  }
}
