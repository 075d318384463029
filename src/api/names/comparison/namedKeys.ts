import type { Address, Hex } from "viem";
import type { Contracts } from "../../../../abis/contracts.ts";
import type { Queries } from "../../server/postgres/client.ts";
import type { Keys, RecordKey } from "./stored.ts";

/** Records of each sort of one name. More than anybody gave a name of their own. */
const MAX_RECORDS = 1_000;

/** `bytes`: how long the value of each record is, in the order of the records. */
export type NamedKeys = Keys & { bytes: number[] };

/** Names, and the records that they have at their resolver; of each sort at most `most`. */
export async function namedKeys(
  nodes: readonly Hex[],
  { query, contracts, most = MAX_RECORDS }: Queries & { contracts: Contracts; most?: number },
): Promise<NamedKeys> {
  const ofResolver = (table: string, value: string, columns: string) =>
    `select d.resolver, d.node, octet_length(r.${value}) as bytes, ${columns} from domains d cross join lateral (
       select * from ${table} r where r.chain_id = d.chain_id and r.resolver = d.resolver and r.node = d.node
       limit ${most}) r
     where d.chain_id = $1 and d.node = any ($2) and d.resolver = any ($3)`;
  type Row = {
    resolver: Address;
    node: Hex;
    bytes: number | null;
    coin_type: string | null;
    key_hash: Hex | null;
  };
  const rows = await query<Row>(
    `${ofResolver("address_records", "address", "r.coin_type::text, null::text as key_hash")}
     union all ${ofResolver("text_records", "value", "null, r.key_hash")}`,
    [contracts.chainId, nodes, contracts.indexedResolvers],
  );
  return {
    nodes: nodes.map((node) => ({ node, kind: "named" })),
    claims: [],
    bytes: rows.map(({ bytes }) => bytes ?? 0),
    records: rows.map(({ resolver, node, coin_type, key_hash }): RecordKey => {
      const place = { resolver, node, kind: "record of a named name" };
      if (coin_type !== null) return { ...place, what: "address", coinType: coin_type };
      return { ...place, what: "text", key: null, keyHash: key_hash };
    }),
  };
}
