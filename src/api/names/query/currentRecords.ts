import { type addressRecord, domain, resolverNode, type textRecord } from "ponder:schema";
import { and, eq, sql } from "ponder";

type RecordTable = typeof textRecord | typeof addressRecord;

/** The node of a record, or of a name at its current resolver: `resolver_nodes` has what its resolver says of it all. */
export const isNodeOf = ({ chainId, resolver, node }: RecordTable | typeof domain) =>
  and(eq(resolverNode.chainId, chainId), eq(resolverNode.resolver, resolver), eq(resolverNode.node, node));

/** A record of the version in force; of a node that was never cleared this is version 0. Needs the record's node beside it. */
export const isInForce = ({ version }: RecordTable) => eq(version, sql`coalesce(${resolverNode.version}, 0)`);

/** A record of a name at its current resolver. */
export const isAtCurrentResolver = ({ chainId, resolver, node }: RecordTable) =>
  and(eq(chainId, domain.chainId), eq(resolver, domain.resolver), eq(node, domain.node));
