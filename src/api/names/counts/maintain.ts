import type pg from "pg";
import { inTransactionUnlessLocked, lockTables } from "../../server/postgres/changeCapture.ts";
import { inTransaction } from "../../server/postgres/client.ts";
import { type Scope, sqlOf } from "../query/scope.ts";
import { type LifeRules, lifeOf } from "../rules/life.ts";
import type { Ensv2Terms } from "../rules/stages.ts";
import { mayDiffer } from "./classes.ts";
import {
  countClaims,
  countEvents,
  countedTables,
  counterTables,
  countNames,
  createCounterTriggers,
  createTables,
  dropTables,
  rulesNumber,
} from "./counterTables.ts";
import { lookedAfterBy, madeBy, mayReplace } from "./maintainer.ts";

/**
 * The tables to count. `schema` is an SQL identifier, quoted where necessary. `ensv2` has the deployment's ENSv2 terms.
 * `startedAt` is when the maintaining program started, in Unix milliseconds; programs that count once and exit leave it out.
 */
export type CountsTarget = {
  client: pg.ClientBase;
  schema: string;
  ensv2?: Ensv2Terms | undefined;
  startedAt?: number | undefined;
};

/** The ENSv2 terms by which the names of some chains are counted; undefined where ENSv2 is not deployed. */
export const countedTerms = (chains: Scope): Ensv2Terms | undefined => sqlOf(chains).life.terms;

/** Returns true if these tables have counters made by the rules of this program and deployment. */
export async function hasCounters({ client, schema, ensv2 }: CountsTarget): Promise<boolean> {
  return (await listColumns({ client, schema })).has("rules") && areMadeBy({ client, schema }, lifeOf(ensv2));
}

/** Returns true if counters may be built where none follow this program's rules: see {@link mayReplace}. */
export const mayCreateCounters = ({ client, schema, startedAt = Date.now() }: CountsTarget) =>
  mayReplace({ client, schema, state: "figures_state", counted: "domains", startedAt });

/**
 * The same as {@link hasCounters} for a caller that does not know the ENSv2 terms of the index's deployment. They are stored with
 * the counters.
 */
export async function hasCountersOfItsDeployment({ client, schema }: CountsTarget): Promise<boolean> {
  const columns = await listColumns({ client, schema });
  if (!columns.has("ensv2_terms")) return hasCounters({ client, schema });
  const { rows } = await client.query<{ terms: string }>(
    `select ensv2_terms as terms from ${schema}.figures_state`,
  );
  return rows[0] !== undefined && hasCounters({ client, schema, ensv2: termsOf(rows[0].terms) });
}

async function listColumns({ client, schema }: CountsTarget): Promise<ReadonlySet<string>> {
  const { rows } = await client.query<{ name: string }>(
    "select attname as name from pg_attribute where attrelid = to_regclass($1)",
    [`${schema}.figures_state`],
  );
  return new Set(rows.map(({ name }) => name));
}

async function areMadeBy({ client, schema }: CountsTarget, life: LifeRules): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from ${schema}.figures_state where counted = '${schema}.domains'::regclass::oid and rules = ${rulesNumber(life)}`,
  );
  return rowCount === 1;
}

/** The stored form that `hasCountersOfItsDeployment` reads. */
const textOf = ({ graceSeconds, premiumSeconds, nonOwners, ethRegistry }: Ensv2Terms): string =>
  JSON.stringify({ graceSeconds, premiumSeconds, nonOwners: [...nonOwners], ethRegistry });

function termsOf(text: string): Ensv2Terms {
  const { nonOwners, ...others } = JSON.parse(text) as Omit<Ensv2Terms, "nonOwners"> & {
    nonOwners: string[];
  };
  return { ...others, nonOwners: new Set(nonOwners) };
}

/**
 * Counts everything once, and from then on with every write. The indexer waits meanwhile. All locks are taken at once or not at
 * all, so the two never wait for each other. Existing counters are dropped first, so that a reader finds none instead of waiting
 * for the count.
 *
 * @returns false if the tables were in use
 */
export async function createCounters(
  { client, schema, ensv2, startedAt = Date.now() }: CountsTarget,
  now: number,
): Promise<boolean> {
  const counted = { schema, life: lifeOf(ensv2) };
  const isDone =
    (await inTransactionUnlessLocked(client, async () => {
      await client.query(dropTables(schema));
    })) &&
    (await inTransactionUnlessLocked(client, async () => {
      await client.query(lockTables(schema, countedTables));
      await client.query(createTables(counted));
      await client.query(createCounterTriggers(counted));
      await client.query(countNames(counted, [{ sign: 1, rows: `${schema}.domains`, at: `${now}::bigint` }]));
      await client.query(countClaims(schema, [{ sign: 1, rows: `${schema}.primary_names` }]));
      await client.query(countEvents(schema, [{ sign: 1, rows: `${schema}.events` }]));
      await client.query(
        `insert into ${schema}.figures_state
         select ${now}, '${schema}.domains'::regclass::oid, ${rulesNumber(counted.life)}, ${madeBy(startedAt)}${ensv2 === undefined ? "" : `, '${textOf(ensv2)}'`}`,
      );
    }));
  if (!isDone) return false;
  await client.query(`analyze ${counterTables.map((table) => `${schema}.${table}`).join(", ")}`);
  return true;
}

/** Advances the counters' moment to now, so that readers have few rows to correct. */
export async function advanceCounters(
  { client, schema, ensv2, startedAt = 0 }: CountsTarget,
  now: number,
): Promise<void> {
  const counted = { schema, life: lifeOf(ensv2) };
  await inTransaction(client, async () => {
    // Each writer holds this row until its transaction ends, so everything that was counted is visible here.
    const { rows } = await client.query<{ moment: string }>(
      `select taken_at as moment from ${schema}.figures_state for update`,
    );
    const moment = rows[0]?.moment;
    if (moment === undefined) return;
    const [from, to] = [`${moment}::bigint`, `${now}::bigint`];
    const due = `due as materialized (select d.* from ${schema}.domains d where ${mayDiffer(from, to, counted.life)}),`;
    const parts = [
      { sign: -1, rows: "due", at: from },
      { sign: 1, rows: "due", at: to },
    ] as const;
    await client.query(countNames(counted, parts, due));
    await client.query(`update ${schema}.figures_state set taken_at = ${now}, ${lookedAfterBy(startedAt)}`);
  });
}
