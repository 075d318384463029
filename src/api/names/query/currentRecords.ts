import { type addressRecord, domain, resolverNode, type textRecord } from "ponder:schema";
import { and, eq, sql } from "ponder";

type RecordTable = typeof textRecord | typeof addressRecord;

/**
 * Joins `resolver_nodes`, which has the version of a node's records at a resolver, to a record, or to a name at its current
 * resolver.
 */
export const isNodeOf = ({ chainId, resolver, node }: RecordTable | typeof domain) =>
  and(eq(resolverNode.chainId, chainId), eq(resolverNode.resolver, resolver), eq(resolverNode.node, node));

/** Matches records of the version in force; version 0 if the node was never cleared. Needs a join by `isNodeOf`. */
export const isInForce = ({ version }: RecordTable) => eq(version, sql`coalesce(${resolverNode.version}, 0)`);

/** Matches records of a name at its current resolver. */
export const isAtCurrentResolver = ({ chainId, resolver, node }: RecordTable) =>
  and(eq(chainId, domain.chainId), eq(resolver, domain.resolver), eq(node, domain.node));
