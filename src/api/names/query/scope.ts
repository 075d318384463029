import type { AnyColumn, SQL } from "drizzle-orm";
import { eq, sql } from "ponder";
import { zeroAddress } from "viem";
import type { Contracts, Ensv2Contracts } from "../../../../abis/contracts.ts";
import type { Condition } from "../../../ens/condition.ts";
import type { Db } from "../../server/postgres/db.ts";
import { prepared } from "../../server/postgres/prepared.ts";
import { onMainChain } from "../rules/assumeFalse.ts";
import { type LifeRules, lifeOf } from "../rules/life.ts";

/**
 * The scope of a request, and its SQL. A statement has one form for the main chain alone and one for several chains. No other
 * file knows the form: it takes its conditions from `ScopeSql`. The ENSv2 tables always exist, and are empty where ENSv2 is not
 * deployed.
 *
 * The main chain keeps its own form because a single form is slower. With 200,000 names, `/ens-stats/expiries` takes 162 ms in
 * the form for several chains and 14 ms in its own. With `any`, the first pages of an owner of 20,000 names take 150 to 240 ms
 * more.
 */

/** The chains whose names are requested, and the ENSv2 contracts on the main chain. */
export type Scope = {
  ids: readonly number[];
  /** Determines, together with `ensv2`, the text of a statement. Only this file reads it. */
  reach: Reach;
  ensv2: Ensv2Contracts;
};

/** Stands for the ENSv2 contracts where ENSv2 is not deployed. No log comes from these addresses. */
export const noEnsv2: Ensv2Contracts = {
  rootRegistry: zeroAddress,
  ethRegistry: zeroAddress,
  registryCode: new Set(),
  wrapperCode: new Set(),
  resolverCode: new Set(),
  migrationControllers: new Set(),
  nonOwners: new Set(),
  ensV1Resolvers: new Set(),
  helper: undefined,
  paymentTokens: [],
  graceSeconds: 0,
  premiumSeconds: 0,
  bonusSeconds: 0,
};

type Reach = "main" | "several";

const reaches: readonly Reach[] = ["main", "several"];

type Known = Pick<Contracts, "chainId" | "chainIds" | "ensv2">;

/** Some of the indexed chains. */
export const scopeOf = (ids: readonly number[], { chainId, ensv2 }: Known): Scope => ({
  ids,
  reach: ids.length === 1 && ids[0] === chainId ? "main" : "several",
  ensv2: ensv2 ?? noEnsv2,
});

/** The main chain only. */
export const mainChain = (known: Known): Scope => scopeOf([known.chainId], known);

/** All chains with indexed names. */
export const allChains = (known: Known): Scope => scopeOf(known.chainIds, known);

/** One chain. */
export const oneChain = (id: number, known: Known): Scope => scopeOf([id], known);

/**
 * The chains of one node, where several chains are indexed. The statement names the chain even for the main chain alone, because
 * the node can have rows on others.
 */
export const chainsOfNode = (ids: readonly number[], { ensv2 }: Known): Scope => ({
  ids,
  reach: "several",
  ensv2: ensv2 ?? noEnsv2,
});

/** One scope per chain, each in the form of the whole. */
export const chainByChain = (scope: Scope): Scope[] => scope.ids.map((id) => ({ ...scope, ids: [id] }));

/** One scope for each form that this deployment has, for code that depends on the text of all forms. */
export const formsLike = ({ ensv2 }: Scope): Scope[] => reaches.map((reach) => ({ ids: [0], reach, ensv2 }));

/** The SQL of a scope. */
export type ScopeSql = {
  /** The condition for rows on the chains of the scope. */
  holds: (column: AnyColumn | SQL) => SQL;
  /** A rule, as it applies to rows on the chains. */
  rule: <Column extends string>(rule: Condition<Column>) => Condition<Column>;
  /** The life rules of names. */
  life: LifeRules;
  /** The name of a prepared statement. */
  title: (name: string) => string;
  /** True if an answer can contain names of several chains. */
  isSeveral: boolean;
  /** The ENSv2 contracts; {@link noEnsv2} where ENSv2 is not deployed. */
  ensv2: Ensv2Contracts;
};

type Form = Pick<Scope, "reach" | "ensv2">;

const sqlOfForm = ({ reach, ensv2 }: Form, holds: ScopeSql["holds"]): ScopeSql => {
  const isMain = reach === "main";
  const isDeployed = ensv2 !== noEnsv2;
  return {
    holds,
    rule: (rule) => (isMain ? onMainChain(rule) : rule),
    life: lifeOf(isDeployed ? ensv2 : undefined),
    title: (name) => `${name}${isMain ? "" : "_several"}${isDeployed ? "_ensv2" : ""}`,
    isSeveral: !isMain,
    ensv2,
  };
};

/** For a statement that is built per request. */
export const sqlOf = (scope: Scope): ScopeSql =>
  sqlOfForm(scope, (column) =>
    scope.reach === "main"
      ? sql`${column} = ${sql.raw(String(Number(scope.ids[0])))}`
      : sql`${column} = any(${sql.raw(`'{${scope.ids.map(Number).join(",")}}'`)}::int[])`,
  );

/** For a prepared statement: `scopeValues` fills the placeholders. */
const preparedSqlOf = (form: Form): ScopeSql =>
  sqlOfForm(form, (column) =>
    form.reach === "main"
      ? (eq(column as AnyColumn, sql.placeholder("chainId")) as SQL)
      : sql`${column} = any(${sql.placeholder("chainIds")}::int[])`,
  );

const scopeValues = ({ ids }: Scope) => ({ chainId: ids[0], chainIds: ids });

/** Builds something lazily for each form. Its chain conditions are those of a prepared statement. */
function forEachForm<Made>(make: (of: ScopeSql) => Made): (scope: Scope) => Made {
  const madeFor = new WeakMap<Ensv2Contracts, Map<Reach, Made>>();
  return ({ reach, ensv2 }) => {
    const made = madeFor.get(ensv2) ?? new Map<Reach, Made>();
    madeFor.set(ensv2, made);
    const known = made.get(reach);
    if (known !== undefined) return known;
    const one = make(preparedSqlOf({ reach, ensv2 }));
    made.set(reach, one);
    return one;
  };
}

type Values = Record<string, unknown>;

/**
 * A prepared statement for each form. The caller passes the scope and the values of the other placeholders.
 *
 * @example
 * const named = statementOf((of, db) =>
 *   db.select().from(domain).where(of.holds(domain.chainId)).prepare(of.title("named")),
 * );
 * const rows = await named(db, scope, {});
 */
export function statementOf<Rows>(
  prepare: (of: ScopeSql, db: Db) => { execute: (values: Values) => Promise<Rows> },
): (db: Db, scope: Scope, values: Values) => Promise<Rows> {
  const statements = forEachForm((of) => prepared((db) => prepare(of, db)));
  return (db, scope, values) => statements(scope)(db).execute({ ...scopeValues(scope), ...values });
}
