import { domain, resolverNode, textRecord } from "ponder:schema";
import type { SQL } from "drizzle-orm";
import { and, eq, inArray, sql } from "ponder";
import { type Hex, keccak256, stringToBytes } from "viem";
import type { Db } from "../context.ts";

/** A row of `domains` with the name's `display` text, as its current resolver holds it. */
export type DomainRow = typeof domain.$inferSelect & { displayText: string | null };

const DISPLAY_KEY_HASH = keccak256(stringToBytes("display"));

/** The domain of a node; null if no event ever named it. */
export async function findDomain(db: Db, at: { chainId: number; node: Hex }): Promise<DomainRow | null> {
  const [row] = await listDomains(db, { chainId: at.chainId, nodes: [at.node] });
  return row ?? null;
}

/** The domains of these nodes, in no order; nodes that no event ever named are left out. */
export async function listDomains(
  db: Db,
  at: { chainId: number; nodes: readonly Hex[] },
): Promise<DomainRow[]> {
  if (at.nodes.length === 0) return [];
  return withDisplay(db, and(eq(domain.chainId, at.chainId), inArray(domain.node, [...at.nodes])));
}

async function withDisplay(db: Db, condition: SQL | undefined): Promise<DomainRow[]> {
  const rows = await db
    .select({ domain, displayText: textRecord.value })
    .from(domain)
    .leftJoin(
      resolverNode,
      and(
        eq(resolverNode.chainId, domain.chainId),
        eq(resolverNode.resolver, domain.resolver),
        eq(resolverNode.node, domain.node),
      ),
    )
    .leftJoin(
      textRecord,
      and(
        eq(textRecord.chainId, domain.chainId),
        eq(textRecord.resolver, domain.resolver),
        eq(textRecord.node, domain.node),
        eq(textRecord.version, sql`coalesce(${resolverNode.version}, 0)`),
        eq(textRecord.keyHash, DISPLAY_KEY_HASH),
        textRecord.isValueKnown,
      ),
    )
    .where(condition);
  return rows.map((row) => ({ ...row.domain, displayText: row.displayText }));
}

/** How many domains have a label of which only the hash is known. */
export async function countPending(db: Db, at: { chainId: number }): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(domain)
    .where(and(eq(domain.chainId, at.chainId), sql`not ${domain.isLabelKnown}`));
  return row?.count ?? 0;
}
