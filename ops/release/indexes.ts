import { checkpointsOf } from "../../engine/ponderInternals.ts";
import type { Queries } from "../../src/api/serviceDb/client.ts";

/** How far one chain of an index is. */
export type Position = { chainId: number; chainName: string; blockNumber: number };

/** One index of Namedex in the database. */
export type BuiltIndex = {
  schema: string;
  buildId: string;
  /** Every past event is indexed, and the indexer follows its chains. */
  isReady: boolean;
  /** An indexer has locked the tables, and its last heartbeat is at most 30 seconds old. */
  isRunning: boolean;
  /** Connections of processes that read or write it: of its indexer and of replicas. */
  connections: number;
  tables: string[];
  chains: Position[];
  bytes: number;
};

const heartbeat = "(value ->> 'heartbeat_at')::numeric > extract(epoch from now()) * 1000 - 30000";

/** An index with these tables is ours; other programs on Ponder may use the same database. */
const ours = ["domains", "events", "ownership_changes"];

/** All indexes of Namedex that the database has and that we may read, by the name of their schema. */
export async function listIndexes(queries: Queries): Promise<BuiltIndex[]> {
  const schemas = await queries.query<{ schema: string }>(
    `SELECT n.nspname AS schema FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relname = '_ponder_meta' AND c.relkind = 'r'
       AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') ORDER BY n.nspname`,
  );
  const found: BuiltIndex[] = [];
  for (const { schema } of schemas) {
    const index = await readIndex(queries, schema);
    if (index !== null) found.push(index);
  }
  return found;
}

/** The index in a schema; null if there is none of ours. */
async function readIndex({ query }: Queries, schema: string): Promise<BuiltIndex | null> {
  const [app] = await query<Omit<BuiltIndex, "chains" | "schema">>(
    `SELECT value ->> 'build_id' AS "buildId", (value ->> 'is_ready')::int = 1 AS "isReady",
      (value ->> 'is_locked')::int = 1 AND ${heartbeat} AS "isRunning",
      ARRAY(SELECT jsonb_array_elements_text(value -> 'table_names')) AS tables,
      (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()
        AND application_name IN ($1 || '_internal', $1 || '_user', $1 || '_readonly')) AS connections,
      (SELECT sum(pg_total_relation_size(oid))::float8 FROM pg_class
        WHERE relkind = 'r' AND relnamespace = quote_ident($1)::regnamespace) AS bytes
     FROM "${schema}"._ponder_meta
     WHERE key = 'app' AND value -> 'table_names' ?& $2`,
    [schema, ours],
  );
  if (app === undefined) return null;
  const rows = await query<{ chain_name: string; chain_id: string; block: string }>(
    `SELECT chain_name, chain_id, substr(checkpoint, 27, 16) AS block
     FROM (${checkpointsOf(`"${schema}".`)}) AS progress ORDER BY chain_id`,
  );
  const chains = rows.map(({ chain_id, chain_name, block }) => ({
    ...{ chainId: Number(chain_id), chainName: chain_name, blockNumber: Number(block) },
  }));
  return { schema, ...app, chains };
}
