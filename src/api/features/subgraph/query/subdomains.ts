import { domain } from "ponder:schema";
import { sql } from "ponder";
import type { Hex } from "viem";
import { childCounts } from "../../../names/counts/childCounts.ts";
import { sqlOf } from "../../../names/query/scope.ts";
import type { Db } from "../../../server/postgres/db.ts";
import { counts, domainAt, isBlank } from "../table/domain.ts";
import type { Env } from "../table/entity.ts";

/** Runs a statement when it may be run. */
export type InTurn = <Result>(run: () => Promise<Result>) => Promise<Result>;

/**
 * How many names right below nodes count: all of them, which a counter has, without those that have no owner, no resolver and
 * no name below that has one. Few are so, and an index has them.
 */
export async function countSubdomains(
  db: Db,
  env: Env,
  { nodes, inTurn }: { nodes: readonly Hex[]; inTurn: InTurn },
): Promise<Map<Hex, number>> {
  const child = domainAt("child");
  const blank = sql`select ${child.parentNode} as node, count(*)::int as count from ${domain} as child
    where ${child.parentNode} = any(${sql.param([...nodes])}::text[]) and ${sqlOf(env.chains).holds(child.chainId)}
      and ${isBlank("child", env)} and not ${counts("child", env)}
    group by ${child.parentNode}`;
  const [all, rows] = await Promise.all([
    inTurn(() => childCounts.read(db, { chains: env.chains, nodes })),
    inTurn(async () => (await db.execute<{ node: Hex; count: number }>(blank)).rows),
  ]);
  const empty = new Map(rows.map(({ node, count }) => [node, count]));
  return new Map(nodes.map((node) => [node, (all.get(node) ?? 0) - (empty.get(node) ?? 0)]));
}
