import type { AnyColumn, SQL } from "drizzle-orm";
import { eq, sql } from "ponder";
import type { Contracts, Ensv2Contracts } from "../../../abis/contracts.ts";
import type { Condition } from "../../ens/condition.ts";
import { type LifeRules, lifeOf } from "../rules/life.ts";
import { onMainChain } from "../rules/onMainChain.ts";

/**
 * The chains whose names a statement is about; `reach` is `main` where it is the main chain alone. `ensv2` is that of the
 * deployment, whichever chains are asked.
 */
export type Chains = { ids: readonly number[]; reach: Reach; ensv2?: Ensv2Contracts | undefined };

/**
 * Statements come in two forms. That for the main chain alone compares its id, and says nothing of other registrars; so
 * PostgreSQL plans it as if there were no other chain.
 */
export type Reach = "main" | "several";

export const reaches: readonly Reach[] = ["main", "several"];

/** Makes a statement for each reach. */
export const forEachReach = <Made>(make: (reach: Reach) => Made): Record<Reach, Made> => ({
  main: make("main"),
  several: make("several"),
});

/** What decides the text of a statement about names: the reach, and whether there is ENSv2. */
export type Form = Pick<Chains, "reach" | "ensv2">;

/** The rules of a name's life where there is ENSv2, or not. */
export const lifeIn = ({ ensv2 }: Pick<Form, "ensv2">): LifeRules => lifeOf(ensv2);

/** The name of a prepared statement of a form. */
export const titleOf = (name: string, { reach, ensv2 }: Form): string =>
  `${name}${reach === "main" ? "" : `_${reach}`}${ensv2 === undefined ? "" : "_ensv2"}`;

/** Makes a statement for each form, when it is first asked for. */
export function forEachForm<Made>(make: (form: Form) => Made): (form: Form) => Made {
  const withoutEnsv2 = forEachReach((reach) => memoized(() => make({ reach })));
  const withEnsv2 = new WeakMap<Ensv2Contracts, Record<Reach, () => Made>>();
  return ({ reach, ensv2 }) => {
    if (ensv2 === undefined) return withoutEnsv2[reach]();
    const known = withEnsv2.get(ensv2);
    if (known !== undefined) return known[reach]();
    const made = forEachReach((one) => memoized(() => make({ reach: one, ensv2 })));
    withEnsv2.set(ensv2, made);
    return made[reach]();
  };
}

function memoized<Made>(make: () => Made): () => Made {
  let known: { made: Made } | undefined;
  return () => {
    known ??= { made: make() };
    return known.made;
  };
}

/** Some chains of those that are indexed. */
export const chainsOf = (ids: readonly number[], { chainId, ensv2 }: Known): Chains => ({
  ids,
  reach: ids.length === 1 && ids[0] === chainId ? "main" : "several",
  ...(ensv2 && { ensv2 }),
});

/** The condition for rows of these chains. */
export const isOfChains = (column: AnyColumn | SQL, { ids, reach }: Chains): SQL =>
  reach === "main"
    ? (eq(column as AnyColumn, ids[0]) as SQL)
    : sql`${column} = any(${sql.raw(`'{${ids.map(Number).join(",")}}'`)}::int[])`;

const { placeholder } = sql;

/** The same in a prepared statement, which `chainValues` fills. */
export const isOfAskedChains = (column: AnyColumn | SQL, reach: Reach): SQL =>
  reach === "main"
    ? (eq(column as AnyColumn, placeholder("chainId")) as SQL)
    : sql`${column} = any(${placeholder("chainIds")}::int[])`;

/** The values of a prepared statement of either reach. */
export const chainValues = ({
  ids,
}: Chains): { chainId: number | undefined; chainIds: readonly number[] } => ({
  chainId: ids[0],
  chainIds: ids,
});

/** A rule for rows of the chains that a statement is about. */
export const ruleFor = <Column extends string>(rule: Condition<Column>, reach: Reach): Condition<Column> =>
  reach === "main" ? onMainChain(rule) : rule;

type Known = Pick<Contracts, "chainId" | "chainIds" | "ensv2">;

/** The main chain alone. */
export const mainChain = (known: Known): Chains => chainsOf([known.chainId], known);

/** All chains whose names are indexed. */
export const allChains = (known: Known): Chains => chainsOf(known.chainIds, known);

/** One chain. */
export const oneChain = (id: number, known: Known): Chains => chainsOf([id], known);
