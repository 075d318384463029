import type { Queries } from "./client.ts";

/** A PostgreSQL server, and the database of a connection to it. */
export type Server = {
  /** Whether it replays what another server writes, and can only be read. */
  isStandby: boolean;
  /** Of a primary: grows with each promotion. 0 for a standby. */
  timeline: number;
  /** Primary and standbys have the same. */
  cluster: string;
  /** Object id of the database within the cluster. */
  database: string;
};

/** Reads what a server is. @throws Error of PostgreSQL */
export async function readServer({ query }: Queries): Promise<Server> {
  const [row] = await query<Server>(
    `select pg_is_in_recovery() as "isStandby", case when pg_is_in_recovery() then 0 else
       ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end as timeline,
       (select system_identifier::text from pg_control_system()) as cluster,
       (select oid::text from pg_database where datname = current_database()) as database`,
  );
  if (row === undefined) throw new Error("PostgreSQL gave no row");
  return row;
}

/** Whether two connections are to the same database, on one server or on a primary and a standby of it. */
export const isSameDatabase = (one: Server, other: Server): boolean =>
  one.cluster === other.cluster && one.database === other.database;

/**
 * Of several servers the primary; null if all are standbys. A primary that was replaced and does not know it is an older timeline.
 */
export function primaryOf<Found extends { server: Server }>(found: readonly Found[]): Found | null {
  const primaries = found.filter(({ server }) => !server.isStandby);
  return primaries.reduce<Found | null>(
    (best, one) => (best === null || one.server.timeline > best.server.timeline ? one : best),
    null,
  );
}
