// Also runs as: long
import { type domain, ensv2Entry, ensv2Phase } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import fc from "fast-check";
import { sql } from "ponder";
import type { Address } from "viem";
import { beforeAll, expect, test } from "vitest";
import { classCondition, classExpiresWithin, classOf } from "../../src/api/names/counts/classes.ts";
import { asCounted, onMainChain } from "../../src/api/names/rules/assumeFalse.ts";
import { availabilityOf } from "../../src/api/names/rules/availability.ts";
import { toSql } from "../../src/api/names/rules/conditionSql.ts";
import { ownerText, toRowText } from "../../src/api/names/rules/conditionText.ts";
import { type LifeRules, lifeOf, lifeOfEnsv1 } from "../../src/api/names/rules/life.ts";
import { isCounted, isEnsv2, isNotRoot, isOfRegistrar } from "../../src/api/names/rules/nameRules.ts";
import { lapsed, ownersAt, unexplained, wrapped } from "../../src/api/names/rules/ownership.ts";
import { ownerAt } from "../../src/api/names/rules/ownershipSql.ts";
import { availabilities, phases } from "../../src/api/names/rules/stages.ts";
import { all, any, type Condition, holds, not } from "../../src/ens/condition.ts";
import { managedNames } from "../../src/ens/managedNames.ts";
import { ADDR_REVERSE_NODE, ETH_NODE, ROOT_NODE } from "../../src/ens/name.ts";
import { ETH_REGISTRY, entryRow } from "../query/ensv2.ts";
import { account, CHAIN_ID, transaction, WRAPPER } from "../query/rows.ts";
import { useTables } from "../query/tables.ts";
import { isLong } from "../support/size.ts";

const DAY = 86_400n;

/** Where there is no ENSv2, and where there is: with other times than those of ENSv1. */
const nonOwners = [account(0x91), account(0x92)];
const terms = { graceSeconds: 28 * 86_400, premiumSeconds: 21 * 86_400, ethRegistry: ETH_REGISTRY };
const lives: [string, LifeRules][] = [
  ["ENSv1", lifeOfEnsv1],
  ["ENSv1 and ENSv2", lifeOf({ ...terms, nonOwners: new Set(nonOwners) })],
  ["ENSv2 without graveyards", lifeOf({ ...terms, nonOwners: new Set<string>() })],
  [
    "ENSv2 without grace",
    lifeOf({ ...terms, graceSeconds: 0, premiumSeconds: 0, nonOwners: new Set<string>() }),
  ],
];

/** The registrar of ENSv2 is open, and its registry saw the first of these labels. */
const [SEEN, UNSEEN] = [transaction(0x5e00000000), transaction(0x0e00000000)];

const tables = useTables();

beforeAll(async () => {
  const block = { blockNumber: 1, blockTimestamp: 1, transactionHash: transaction(1) };
  await tables.writer.insert(ensv2Phase).values([{ chainId: CHAIN_ID, phase: "open", ...block }]);
  await tables.writer.insert(ensv2Entry).values([entryRow(ETH_REGISTRY, "seen", { storageId: SEEN })]);
});

type Columns = Pick<
  typeof domain.$inferSelect,
  | "chainId"
  | "node"
  | "parentNode"
  | "labelLength"
  | "registryOwner"
  | "registrarOwner"
  | "wrapperOwner"
  | "wrapperFuses"
  | "wrapperExpiryTimestamp"
  | "unexplainedRenewals"
  | "isWrapped"
  | "expiryTimestamp"
  | "effectiveOwnerAddress"
  | "registry"
  | "pathExpiryTimestamp"
  | "labelhash"
>;

/** A row with what the tables of ENSv2 say of it. */
type Row = Columns & { isUnseen: boolean };

const isUnseenRow = ({ chainId, parentNode, registry, labelhash }: Columns): boolean =>
  chainId === CHAIN_ID && parentNode === ETH_NODE && registry === null && labelhash === UNSEEN;

type Rules = Record<string, Condition<keyof Row>>;

/** Rules by which names of a class are counted: the counters' tables have no times. */
const classRulesOf = ({ active, expired, lost, owned, availability, inPhase, terms }: LifeRules) =>
  ({
    active,
    expired,
    lost,
    isOfRegistrar,
    owned,
    ...availability,
    ...(terms && { isEnsv2 }),
    ...Object.fromEntries(phases.map((phase) => [phase, inPhase(phase)])),
  }) satisfies Rules;

const rulesOf = (life: LifeRules): Rules => ({
  ...classRulesOf(life),
  isNotRoot,
  isCounted,
  lapsed,
  wrapped,
  unexplained,
  hasEnd: life.hasEnd,
  held: life.held,
  "expiring in 30 days": life.expiringWithin(30),
  "expiring in 90 days": life.expiringWithin(90),
  "not lapsed": not(lapsed),
  "none of no rules": any(),
  "all of no rules": all(),
  "not in two phases apart": not(life.inPhase("registered", "premium")),
});

/** Times at which a rule changes, to one second, and any others. */
const timeFrom = (now: bigint): fc.Arbitrary<bigint> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.constantFrom(0n, 30n, 90n, -28n, -49n, -90n, -111n), fc.constantFrom(-2n, -1n, 0n, 1n, 2n))
        .map(([days, seconds]) => now + days * DAY + seconds),
    },
    { weight: 2, arbitrary: fc.bigInt({ min: 0n, max: 2n * now }) },
    { weight: 1, arbitrary: fc.constantFrom(0n, 2n ** 64n - 1n) },
  );

const owner = fc.option(fc.constantFrom(account(1), account(2), WRAPPER, ...nonOwners));

const rowFrom = (now: bigint): fc.Arbitrary<Row> =>
  fc
    .record<Columns>({
      chainId: fc.constantFrom(CHAIN_ID, CHAIN_ID, ...managedNames.map(({ chainId }) => chainId)),
      node: fc.constantFrom(ROOT_NODE, transaction(1), transaction(2)),
      parentNode: fc.option(
        fc.constantFrom(
          ...[ETH_NODE, ETH_NODE, ADDR_REVERSE_NODE, transaction(3)],
          ...managedNames.map(({ node }) => node),
        ),
      ),
      labelLength: fc.option(fc.integer({ min: 1, max: 5 })),
      registryOwner: owner,
      registrarOwner: owner,
      wrapperOwner: owner,
      effectiveOwnerAddress: owner,
      wrapperFuses: fc.option(fc.constantFrom(0, 1, 65_536, 65_537, 0xffff_ffff, 0x8000_0000)),
      wrapperExpiryTimestamp: fc.option(timeFrom(now)),
      unexplainedRenewals: fc.option(fc.integer({ min: 1, max: 3 })),
      isWrapped: fc.boolean(),
      expiryTimestamp: fc.option(timeFrom(now)),
      registry: fc.option(fc.constant(account(0xe9))),
      pathExpiryTimestamp: fc.option(timeFrom(now)),
      labelhash: fc.constantFrom(SEEN, UNSEEN),
    })
    .map((row) => {
      const ofChain = { ...row, pathExpiryTimestamp: row.registry && row.pathExpiryTimestamp };
      return { ...ofChain, isUnseen: isUnseenRow(ofChain) };
    });

const ROWS = 300;

/** How many times each of them is tried. */
const runsOf = (runs: number): number => (isLong() ? runs : Math.ceil(runs / 3));

const states = fc.integer({ min: 1_500_000_000, max: 2_500_000_000 }).chain((now) =>
  fc.record({
    now: fc.constant(now),
    rows: fc.array(rowFrom(BigInt(now)), { minLength: ROWS, maxLength: ROWS }),
  }),
);

/** Rows as a table, so that one statement judges all of them. */
function tableOf(rows: Row[]): string {
  const common = { label: "", full_name: "", is_label_known: true };
  const columns = rows.map((row) => ({
    ...common,
    ...Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        typeof value === "bigint" ? value.toString() : value,
      ]),
    ),
  }));
  return JSON.stringify(columns);
}

async function judge(rows: Row[], from: string, columns: SQL[]): Promise<Record<string, unknown>[]> {
  const table = sql`json_populate_recordset(null::domains, ${tableOf(rows)}::json) with ordinality as ${sql.raw(from)}`;
  const { rows: found } = await tables.db.execute<Record<string, unknown>>(
    sql`select ${sql.join(columns, sql`, `)} from ${table} order by ordinality`,
  );
  return found;
}

const named = (expression: SQL, column: string) => sql`${expression} as ${sql.identifier(column)}`;

/** What the rules say of a row in TypeScript. */
const inTypeScript = (of: Rules, row: Row, now: number) =>
  Object.fromEntries(Object.entries(of).map(([title, rule]) => [title, holds(rule, row, BigInt(now))]));

test.each(lives)(
  "%s: each rule is the same in TypeScript, in statements of the API and in triggers, and never null",
  async (_, life) => {
    const rules = rulesOf(life);
    const both = fc.asyncProperty(states, async ({ now, rows }) => {
      const wanted = rows.map((row) => inTypeScript(rules, row, now));
      const inApi = Object.entries(rules).map(([title, rule]) => named(toSql(rule, now), title));
      expect(await judge(rows, "domains", inApi)).toEqual(wanted);
      const asSeen = rows.map((row) => ({ ...row, isUnseen: false }));
      const inTrigger = Object.entries(rules).map(([title, rule]) =>
        named(sql.raw(toRowText(asCounted<keyof Row>(rule), `${now}::bigint`)), title),
      );
      const wantedAsSeen = asSeen.map((row) => inTypeScript(rules, row, now));
      expect(await judge(rows, "d", inTrigger)).toEqual(wantedAsSeen);
    });
    await fc.assert(both, { numRuns: runsOf(6), endOnFailure: true });
  },
);

test.each(lives)(
  "%s: on the main chain a rule is the same without what it says of other chains",
  (_, life) => {
    const rules = rulesOf(life);
    fc.assert(
      fc.property(states, ({ now, rows }) => {
        for (const row of rows.map((one) => ({ ...one, chainId: CHAIN_ID }))) {
          const folded = Object.fromEntries(
            Object.entries(rules).map(([title, rule]) => [title, onMainChain(rule)]),
          );
          expect(inTypeScript(folded, row, now)).toEqual(inTypeScript(rules, row, now));
        }
      }),
      { numRuns: runsOf(3), endOnFailure: true },
    );
    for (const [title, rule] of Object.entries(rules)) {
      expect(toRowText(onMainChain(asCounted<keyof Row>(rule)), "now"), title).not.toContain("chain_id");
    }
  },
);

test.each(lives)(
  "%s: each rule is the same of a name and of the class as which the name is counted",
  async (_, life) => {
    const classRules = classRulesOf(life);
    const both = fc.asyncProperty(states, async ({ now, rows }) => {
      const wanted = rows.map((row) => inTypeScript(classRules, { ...row, isUnseen: false }, now));
      const classes = Object.entries(classRules).map(([title, rule]) =>
        named(sql.raw(classCondition(rule)), title),
      );
      const expiring = ([30, 90] as const).map((days) => named(sql.raw(classExpiresWithin(days)), `${days}`));
      const found = await tables.db.execute<Record<string, unknown>>(sql`
      select ${sql.join([...classes, ...expiring], sql`, `)} from (
        select ordinality, ${sql.raw(classOf(`${now}::bigint`, life))}
        from json_populate_recordset(null::domains, ${tableOf(rows)}::json) with ordinality as d
      ) as class order by ordinality`);
      expect(found.rows).toEqual(
        wanted.map((all, i) => ({
          ...all,
          30: holds(life.expiringWithin(30), rows[i] as Row, BigInt(now)),
          90: holds(life.expiringWithin(90), rows[i] as Row, BigInt(now)),
        })),
      );
    });
    await fc.assert(both, { numRuns: runsOf(4), endOnFailure: true });
  },
);

test.each(lives)("%s: a name is in one phase, and in one state of availability at most", (_, life) => {
  const { inPhase, availability: availabilityRules } = life;
  fc.assert(
    fc.property(states, ({ now, rows }) => {
      for (const row of rows) {
        expect(phases.filter((phase) => holds(inPhase(phase), row, BigInt(now)))).toHaveLength(1);
        const known = availabilities.filter(
          (state) => state !== "unknown" && holds(availabilityRules[state], row, BigInt(now)),
        );
        expect(known.length).toBeLessThanOrEqual(1);
        expect(availabilityOf(row, now, life)).toBe(known[0] ?? "unknown");
      }
    }),
    { numRuns: runsOf(4), endOnFailure: true },
  );
});

/**
 * As the index stores them: wrapped names belong to the wrapper below, and the effective owner follows from the
 * layers.
 */
function asStored(row: Row): Row {
  const wrapper: Address = WRAPPER;
  const layers = row.isWrapped
    ? { ...row, registryOwner: wrapper, registrarOwner: row.registrarOwner && wrapper }
    : { ...row, wrapperOwner: null };
  const { wrapperOwner, registrarOwner, registryOwner } = layers;
  const isWrapped = row.isWrapped && wrapperOwner !== null;
  return {
    ...layers,
    registry: null,
    isWrapped,
    effectiveOwnerAddress: (isWrapped ? wrapperOwner : null) ?? registrarOwner ?? registryOwner,
  };
}

test("the owner at a time is the same in TypeScript and in both kinds of SQL", async () => {
  const both = fc.asyncProperty(states, async ({ now, rows: any }) => {
    const rows = any.map(asStored);
    const wanted = rows.map((row) => ({ owner: ownersAt(row, now).owner?.address ?? null }));
    expect(await judge(rows, "domains", [named(ownerAt(now), "owner")])).toEqual(wanted);
    expect(await judge(rows, "d", [named(sql.raw(ownerText(`${now}::bigint`)), "owner")])).toEqual(wanted);
  });
  await fc.assert(both, { numRuns: runsOf(4), endOnFailure: true });
});
