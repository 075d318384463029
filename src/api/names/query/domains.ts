import { domain, resolverNode, textRecord } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { and, eq, sql } from "ponder";
import type { Hex } from "viem";
import { keccak256 } from "../../../ens/keccak.ts";
import type { Db } from "../../server/postgres/db.ts";
import { prepared } from "../../server/postgres/prepared.ts";
import { beginningOf } from "./beginnings.ts";
import { isAtCurrentResolver, isInForce, isNodeOf } from "./currentRecords.ts";
import { type Scope, sqlOf, statementOf } from "./scope.ts";

/**
 * A row of `domains` with the beginning of the `display` text at the name's current resolver. That text counts only if it is the
 * name itself with different capitals, and no name is longer than the beginning.
 */
export type DomainRow = typeof domain.$inferSelect & { displayText: string | null };

const DISPLAY_KEY_HASH = keccak256("display");

/** The domains of these nodes, in any order. Nodes that no event named are left out. */
export async function listDomains(
  db: Db,
  at: { chainId: number; nodes: readonly Hex[] },
): Promise<DomainRow[]> {
  if (at.nodes.length === 0) return [];
  const rows = await domainsOfNodes(db).execute({ chainId: at.chainId, nodes: at.nodes });
  return rows.map(toRow);
}

/** The key of a row of `domains`. */
type DomainKey = { chainId: number; node: Hex };

export const nameKey = ({ chainId, node }: { chainId: number; node: Hex | null }): string =>
  `${chainId} ${node}`;

/** Reads these domains in this order, with one statement per chain. */
export async function listInOrder(db: Db, keys: readonly DomainKey[]): Promise<DomainRow[]> {
  const byChain = [...Map.groupBy(keys, ({ chainId }) => chainId)];
  const rows = await Promise.all(
    byChain.map(([chainId, ofChain]) => listDomains(db, { chainId, nodes: ofChain.map(({ node }) => node) })),
  );
  const byKey = new Map(rows.flat().map((row) => [nameKey(row), row]));
  return keys.flatMap((key) => byKey.get(nameKey(key)) ?? []);
}

type Statement<Rows> = { execute: (values: Record<string, unknown>) => Promise<Rows> };

const isOneOfNodes = sql`${domain.node} = any(${sql.placeholder("nodes")}::text[])`;

/**
 * A prepared statement on the names in the placeholder `nodes`, with a second form for a single name. PostgreSQL keeps the plan
 * of the single form. It plans a list at every use, because it cannot know the length beforehand, and this takes ten times as
 * long as finding a row.
 *
 * @param prepare builds a form from its condition and the end of its title
 */
export function onNodes<Rows>(
  prepare: (isAsked: SQL | undefined, form: "one" | "many") => Statement<Rows>,
): Statement<Rows> {
  const isOnChain = eq(domain.chainId, sql.placeholder("chainId"));
  const one = prepare(and(isOnChain, eq(domain.node, sql.placeholder("node"))), "one");
  const many = prepare(and(isOnChain, isOneOfNodes), "many");
  return {
    execute: (values) => {
      const [node, ...others] = values.nodes as readonly Hex[];
      return others.length === 0 ? one.execute({ ...values, node }) : many.execute(values);
    },
  };
}

/** The `display` text in force at the current resolver. */
const isDisplay = and(
  isAtCurrentResolver(textRecord),
  isInForce(textRecord),
  eq(textRecord.keyHash, DISPLAY_KEY_HASH),
  textRecord.isValueKnown,
);

/** Selects domains with additional columns. The caller adds the condition. */
export const selectDomains = <More extends Record<string, SQL | SQL.Aliased | AnyPgColumn>>(
  db: Db,
  more: More,
) =>
  db
    .select({ domain, displayText: beginningOf(textRecord.value), ...more })
    .from(domain)
    .leftJoin(resolverNode, isNodeOf(domain))
    .leftJoin(textRecord, isDisplay);

const domainsOfNodes = prepared((db) =>
  onNodes((isAsked, form) => selectDomains(db, {}).where(isAsked).prepare(`domains_of_nodes_${form}`)),
);

/** The domains of these nodes on several chains. */
export async function listDomainsOnChains(
  db: Db,
  { chains, nodes }: { chains: Scope; nodes: readonly Hex[] },
): Promise<DomainRow[]> {
  if (nodes.length === 0) return [];
  const rows = await domainsOnChains(db, chains, { nodes });
  return rows.map(toRow);
}

const domainsOnChains = statementOf((of, db) =>
  selectDomains(db, {})
    .where(and(of.holds(domain.chainId), isOneOfNodes))
    .prepare(of.title("domains_on_chains")),
);

/** A row of `selectDomains`. */
export const toRow = (row: {
  domain: typeof domain.$inferSelect;
  displayText: string | null;
}): DomainRow => ({
  ...row.domain,
  displayText: row.displayText,
});

/** Counts domains whose label is unknown: answers show only its hash. */
export const countPending = async (db: Db, chains: Scope): Promise<number> =>
  db.$count(domain, and(sqlOf(chains).holds(domain.chainId), sql`not ${domain.isLabelKnown}`));
