import {
  type ChainProgress,
  countConnections,
  listProgress,
  listSchemas,
  listTables,
  readIndexer,
} from "../../engine/ponderInternals.ts";
import type { Queries } from "../../src/api/server/postgres/client.ts";

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
  chains: ChainProgress[];
  bytes: number;
};

/** An index with these tables is ours; other programs on Ponder may use the same database. */
const ours = ["domains", "events", "ownership_changes"];

/** All indexes of Namedex that the database has and that we may read, by the name of their schema. */
export async function listIndexes({ query }: Queries): Promise<BuiltIndex[]> {
  const found: BuiltIndex[] = [];
  for (const schema of await listSchemas(query)) {
    const index = await readIndex({ query }, schema);
    if (index !== null) found.push(index);
  }
  return found;
}

/** The index in a schema; null if it is not one of Namedex. */
async function readIndex({ query }: Queries, schema: string): Promise<BuiltIndex | null> {
  const tables = await listTables(query, schema);
  if (!ours.every((table) => tables.includes(table))) return null;
  const indexer = await readIndexer(query, schema);
  if (indexer === null) return null;
  const connections = await countConnections(query, schema);
  const chains = await listProgress(query, schema);
  const [size] = await query<{ bytes: number }>(
    `SELECT sum(pg_total_relation_size(oid))::float8 AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = quote_ident($1)::regnamespace`,
    [schema],
  );
  const { buildId, isReady, isRunning } = indexer;
  return { schema, buildId, isReady, isRunning, connections, tables, chains, bytes: size?.bytes ?? 0 };
}
