import { createHash } from "node:crypto";
import type { AnyColumn, Placeholder, SQL } from "drizzle-orm";
import { eq, sql } from "ponder";
import { zeroAddress } from "viem";
import type { Contracts, Ensv2Contracts } from "../../../../abis/contracts.ts";
import type { Condition } from "../../../ens/condition.ts";
import type { Db } from "../../server/postgres/db.ts";
import { prepared } from "../../server/postgres/prepared.ts";
import { withQuickRows } from "../../server/postgres/quickRows.ts";
import { onMainChain } from "../rules/assumeFalse.ts";
import { type LifeRules, lifeOf } from "../rules/life.ts";

/*
 * What a question is about, and how a statement says so. A statement has one form for the main chain alone and one for
 * several chains. No other file knows which form it has: it takes its conditions from `ScopeSql`. The tables of ENSv2 are
 * always there, and empty where ENSv2 is not deployed.
 *
 * The form for the main chain stays because a single form is slower: at 200,000 names `/ens-stats/expiries` takes 162 ms
 * with that for several chains, and 14 ms with its own; first pages of an owner of 20,000 names by `any` 150 to 240 ms more.
 */

/** The chains whose names a question is about, and the contracts of ENSv2 on the main one. */
export type Scope = {
  ids: readonly number[];
  /** Decides, with `ensv2`, the text of a statement. Only this file reads it. */
  reach: Reach;
  ensv2: Ensv2Contracts;
};

/** Stands for the contracts of ENSv2 where it is not deployed. No log is of these addresses. */
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

/** Some chains of those that are indexed. */
export const scopeOf = (ids: readonly number[], { chainId, ensv2 }: Known): Scope => ({
  ids,
  reach: ids.length === 1 && ids[0] === chainId ? "main" : "several",
  ensv2: ensv2 ?? noEnsv2,
});

/** The main chain alone. */
export const mainChain = (known: Known): Scope => scopeOf([known.chainId], known);

/** All chains whose names are indexed. */
export const allChains = (known: Known): Scope => scopeOf(known.chainIds, known);

/** One chain. */
export const oneChain = (id: number, known: Known): Scope => scopeOf([id], known);

/**
 * The chains of one node, where several are indexed. Even where it is the main chain alone the statement has to say so:
 * the node can have rows on others.
 */
export const chainsOfNode = (ids: readonly number[], { ensv2 }: Known): Scope => ({
  ids,
  reach: "several",
  ensv2: ensv2 ?? noEnsv2,
});

/** Each chain by itself, in the form of all. */
export const chainByChain = (scope: Scope): Scope[] => scope.ids.map((id) => ({ ...scope, ids: [id] }));

/** A scope of each form that this one's deployment has: for what depends on the text of all of them. */
export const formsLike = ({ ensv2 }: Scope): Scope[] => reaches.map((reach) => ({ ids: [0], reach, ensv2 }));

/** What a statement says of its scope. */
export type ScopeSql = {
  /** The condition for rows of the chains. */
  holds: (column: AnyColumn | SQL) => SQL;
  /** A rule, for rows of the chains. */
  rule: <Column extends string>(rule: Condition<Column>) => Condition<Column>;
  /** The rules of a name's life. */
  life: LifeRules;
  /** The name of a prepared statement. */
  title: (name: string) => string;
  /** Whether more than the main chain may be in one answer. */
  isSeveral: boolean;
  /** The contracts of ENSv2; {@link noEnsv2} where it is not deployed. */
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

/** For a statement that is made for one question. */
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

/** Makes something for each form, when it is first needed. Conditions on chains are those of a prepared statement. */
export function forEachForm<Made>(make: (of: ScopeSql) => Made): (scope: Scope) => Made {
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
 * A prepared statement of each form. Who runs it gives the scope and the values of the other placeholders.
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

/** A value, or the placeholder that stands for it in a statement. */
export type Value<Of> = Of | Placeholder;

type Statement<Rows> = { execute: (values: Values) => Promise<Rows> };

const statementsOfShapes = forEachForm(() => prepared(() => new Map<string, Statement<unknown>>()));

/**
 * Runs a statement that is built once for each scope and shape, and planned once for each connection. The shape is what its text
 * depends on besides the scope; all else is a placeholder. Only for few shapes, and for plans that are right for all values.
 */
export function runOfShape<Rows>(
  db: Db,
  scope: Scope,
  shape: readonly unknown[],
  build: () => { prepare: (name: string) => Statement<Rows> },
  values: Values,
): Promise<Rows> {
  const statements = statementsOfShapes(scope)(db);
  const key = sqlOf(scope).title(JSON.stringify([scope.ids, ...shape]));
  const name = () => createHash("sha256").update(key).digest("base64url");
  const known = statements.get(key) as Statement<Rows> | undefined;
  const statement = known ?? withQuickRows(build().prepare(name()));
  statements.set(key, statement);
  return statement.execute(values);
}
