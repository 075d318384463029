import { domain, ensv2Entry, ensv2Phase } from "ponder:schema";
import type { SQL, SQLWrapper } from "drizzle-orm";
import { and, eq, sql } from "ponder";
import { ETH_NODE } from "../../../ens/name.ts";

/** The columns of a row of `domains` that show whether ENSv2 saw its name. */
type Row = Record<"chainId" | "parentNode" | "labelhash" | "registry", SQLWrapper>;

/** Columns of a row `d`. */
export const rowD: Row = {
  chainId: sql`d.chain_id`,
  parentNode: sql`d.parent_node`,
  labelhash: sql`d.labelhash`,
  registry: sql`d.registry`,
};

/**
 * Rule: an ENSv1 .eth name that this ENSv2 registry never saw, while its registrar is open. Never null. `livesIn` has its
 * meaning.
 */
export const isUnseenSql = (ethRegistry: string, row: Row = domain): SQL =>
  sql`(${row.registry} is null and ${row.parentNode} is not distinct from ${sql.raw(`'${ETH_NODE}'`)}
    and exists (select from ${ensv2Phase} where ${isOpen(row.chainId)})
    and not exists (select from ${ensv2Entry} where ${eq(ensv2Entry.chainId, row.chainId)}
      and ${ensv2Entry.registry} = ${sql.raw(`'${ethRegistry}'`)} and ${ensv2Entry.storageId} = ${storageIdText(row.labelhash)}))`;

const isOpen = (chainId: SQLWrapper | number): SQL | undefined =>
  and(eq(ensv2Phase.chainId, chainId), sql`${ensv2Phase.phase} = 'open'`);

/** A labelhash with its low 32 bits set to zero. */
export const storageIdText = (labelhash: SQLWrapper): SQL => sql`left(${labelhash}, 58) || '00000000'`;
