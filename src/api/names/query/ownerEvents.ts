import { ownershipChange } from "ponder:schema";
import { sql } from "ponder";
import type { Address, Hex } from "viem";
import type { Db } from "../../server/postgres/db.ts";

/** The position of a log. */
export type LogPlace = {
  blockNumber: number;
  logIndex: number;
  blockTimestamp: number;
  transactionHash: Hex;
};

/** An owner of a name, by a column of its ownership changes. */
export type OwnerIn = {
  node: Hex;
  column: "registryOwner" | "registrarOwner" | "wrapperOwner" | "ownerAddress";
  owner: Address;
};

/**
 * The logs by which accounts became owners in one layer, in the order of the accounts. Each is the first change after the last
 * one that gave the layer to another account. One index finds both, from the newest change back. Null if no change set the owner.
 */
export async function listOwnerEvents(
  db: Db,
  { chainId, owners }: { chainId: number; owners: readonly OwnerIn[] },
): Promise<(LogPlace | null)[]> {
  if (owners.length === 0) return [];
  const { node, blockNumber, logIndex, ordinal, blockTimestamp, transactionHash } = ownershipChange;
  const ofName = sql`${node} = wanted.node and ${ownershipChange.chainId} = ${chainId}`;
  const rows = await db
    .select({
      number: sql<number>`wanted.number::int`,
      blockNumber: sql<number>`found.block_number`,
      logIndex: sql<number>`found.log_index`,
      blockTimestamp: sql`found.block_timestamp`.mapWith(Number),
      transactionHash: sql<Hex>`found.transaction_hash`,
    })
    .from(sql`unnest(
        ${sql.param(owners.map((one) => one.node))}::text[],
        ${sql.param(owners.map((one) => one.column))}::text[],
        ${sql.param(owners.map((one) => one.owner))}::text[]) with ordinality as wanted (node, layer, owner, number)
      cross join lateral (
        select coalesce(max(other.block), -1) as block, coalesce(max(other.log), -1) as log,
          coalesce(max(other.ordinal), -1) as ordinal
        from (select ${blockNumber} as block, ${logIndex} as log, ${ordinal} as ordinal from ${ownershipChange}
          where ${ofName} and ${held} is distinct from wanted.owner
          order by ${blockNumber} desc, ${logIndex} desc, ${ordinal} desc limit 1) as other
      ) as last
      cross join lateral (
        select ${blockNumber} as block_number, ${logIndex} as log_index, ${blockTimestamp} as block_timestamp,
          ${transactionHash} as transaction_hash
        from ${ownershipChange}
        where ${ofName} and ${held} = wanted.owner
          and (${blockNumber}, ${logIndex}, ${ordinal}) > (last.block, last.log, last.ordinal)
        order by ${blockNumber}, ${logIndex}, ${ordinal} limit 1
      ) as found`);
  const byNumber = new Map(rows.map(({ number, ...place }) => [number, place]));
  return owners.map((_, i) => byNumber.get(i + 1) ?? null);
}

const held = sql`case wanted.layer when 'registryOwner' then ${ownershipChange.registryOwner}
  when 'registrarOwner' then ${ownershipChange.registrarOwner} when 'wrapperOwner' then ${ownershipChange.wrapperOwner}
  else ${ownershipChange.ownerAddress} end`;
