import type pg from "pg";
import type { Address, Hex } from "viem";
import type { Contracts } from "../../abis/contracts.ts";
import { parseName } from "../../src/api/schemas/input.ts";
import { CommandError } from "../commandLine/command.ts";
import type { Keys, RecordKey } from "./keys.ts";

/** Records of each sort of one name. More than anybody gave a name of their own. */
const MAX_RECORDS = 1_000;

/** @throws CommandError for a text that is no name */
export function nodeOf(name: string): Hex {
  try {
    return parseName(name).node;
  } catch (error) {
    throw new CommandError(`--name ${JSON.stringify(name.slice(0, 100))}: ${(error as Error).message}`);
  }
}

/** Names, and all records that they have at their resolver. */
export async function namedKeys(
  nodes: readonly Hex[],
  { client, contracts }: { client: pg.ClientBase; contracts: Contracts },
): Promise<Keys> {
  const ofResolver = (table: string, columns: string) =>
    `select d.resolver, d.node, ${columns} from domains d cross join lateral (
       select * from ${table} r where r.chain_id = d.chain_id and r.resolver = d.resolver and r.node = d.node
       limit ${MAX_RECORDS}) r
     where d.chain_id = $1 and d.node = any ($2) and d.resolver = any ($3)`;
  type Row = { resolver: Address; node: Hex; coin_type: string | null; key_hash: Hex | null };
  const { rows } = await client.query<Row>(
    `${ofResolver("address_records", "r.coin_type::text, null::text as key_hash")}
     union all ${ofResolver("text_records", "null, r.key_hash")}`,
    [contracts.chainId, nodes, contracts.indexedResolvers],
  );
  return {
    nodes: nodes.map((node) => ({ node, kind: "named" })),
    claims: [],
    records: rows.map(({ resolver, node, coin_type, key_hash }): RecordKey => {
      const place = { resolver, node, kind: "record of a named name" };
      if (coin_type !== null) return { ...place, what: "address", coinType: coin_type };
      return { ...place, what: "text", key: null, keyHash: key_hash };
    }),
  };
}
