import type { AnyColumn, SQL } from "drizzle-orm";
import { eq, sql } from "ponder";
import type { Contracts } from "../../../abis/contracts.ts";
import type { Condition } from "../../ens/condition.ts";
import { onMainChain } from "../rules/onMainChain.ts";

/** The chains whose names a statement is about; `reach` is `main` where it is the main chain alone. */
export type Chains = { ids: readonly number[]; reach: Reach };

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

/** Some chains of those that are indexed. */
export const chainsOf = (ids: readonly number[], mainId: number): Chains => ({
  ids,
  reach: ids.length === 1 && ids[0] === mainId ? "main" : "several",
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

type Known = Pick<Contracts, "chainId" | "chainIds">;

/** The main chain alone. */
export const mainChain = ({ chainId }: Known): Chains => ({ ids: [chainId], reach: "main" });

/** All chains whose names are indexed. */
export const allChains = ({ chainId, chainIds }: Known): Chains => chainsOf(chainIds, chainId);

/** One chain. */
export const oneChain = (id: number, { chainId }: Known): Chains => chainsOf([id], chainId);
