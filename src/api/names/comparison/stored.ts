import type { Address, Hex } from "viem";
import { keccak256 } from "../../../ens/keccak.ts";
import { exactText } from "../../../ens/storable.ts";
import type { Queries } from "../../server/postgres/client.ts";
import { reverseNode } from "../schemas/input.ts";

/** What a record is of, at a resolver that answers what its events said. */
export type RecordKey = { resolver: Address; node: Hex; kind: string } & (
  | { what: "address"; coinType: string }
  /** One of the two is known: the key's text, or its hash. */
  | { what: "text"; key: string | null; keyHash: Hex | null }
  | { what: "contenthash" | "name" | "version" }
);

/** An address and the coin type for which it claims a name. */
export type Claim = { address: Address; coinType: number; chainId: number; kind: string };

/** What to compare; `kind` says in a few words why it was chosen. */
export type Keys = {
  nodes: { node: Hex; kind: string }[];
  records: RecordKey[];
  claims: Claim[];
};

/** A row of `domains`, integers that may be large as digits. */
export type DomainRow = {
  parentNode: Hex | null;
  labelhash: Hex | null;
  label: string;
  isLabelKnown: boolean;
  fullName: string;
  registryOwner: Address | null;
  isMigrated: boolean;
  resolver: Address | null;
  registrarOwner: Address | null;
  registrarExpiry: string | null;
  wrapperOwner: Address | null;
  wrapperFuses: string | null;
  wrapperExpiry: string | null;
  unexplainedRenewals: number | null;
  isWrapped: boolean;
  expiry: string | null;
  effectiveOwner: Address | null;
  /** The registry of ENSv2 whose entry has the name; the zero address if none has it any more. */
  registry: Address | null;
};

/**
 * `isFound`: false if the index does not have the name; its row then says nothing. `isChanged`: it changed after the compared block,
 * so the tables no longer show its state at that block.
 */
export type StoredDomain = {
  node: Hex;
  kind: string;
  row: DomainRow;
  isFound: boolean;
  isChanged: boolean;
};

/** `key` is null if its exact text is unknown: no resolver can be asked for it then. */
export type StoredRecord = RecordKey & {
  /** The name that has the node. */
  fullName: string | null;
  value: string | null;
  isKnown: boolean;
  isChanged: boolean;
};

export type StoredClaim = Claim & {
  name: string | null;
  isKnown: boolean;
  isChanged: boolean;
  /** Of coin type 60: the resolver of the address's reverse node, by the index. */
  resolver: Address | null;
};

type Reach = Queries & {
  chainId: number;
  /** The block to compare; null if it is the one that the tables are of. */
  at: number | null;
};

/** Rows read by one statement. */
const KEYS_AT_ONCE = 5_000;

async function inParts<Key, Row>(
  keys: readonly Key[],
  read: (part: readonly Key[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
    rows.push(...(await read(keys.slice(from, from + KEYS_AT_ONCE))));
  }
  return rows;
}

/** Rows of `domains`, in the order of the nodes. */
export const readDomains = (
  { query, chainId, at }: Reach,
  keys: readonly { node: Hex; kind: string }[],
): Promise<StoredDomain[]> =>
  inParts(keys, async (part) => {
    const rows = await query<DomainRow & { node: Hex | null; isChanged: boolean }>(
      `select d.node, parent_node as "parentNode", labelhash, coalesce(label, '') as label,
         coalesce(is_label_known, false) as "isLabelKnown", coalesce(full_name, '') as "fullName",
         registry_owner as "registryOwner", coalesce(is_migrated, false) as "isMigrated", resolver,
         registrar_owner as "registrarOwner", registrar_expiry_timestamp::text as "registrarExpiry",
         wrapper_owner as "wrapperOwner", wrapper_fuses::text as "wrapperFuses",
         wrapper_expiry_timestamp::text as "wrapperExpiry", unexplained_renewals as "unexplainedRenewals",
         coalesce(is_wrapped, false) as "isWrapped",
         expiry_timestamp::text as expiry, effective_owner_address as "effectiveOwner", registry,
         $3::int is not null and exists (
           select from events e where e.node = k.node and e.chain_id = $1 and e.block_number > $3) as "isChanged"
       from unnest($2::text[]) with ordinality as k(node, place)
       left join domains d on d.chain_id = $1 and d.node = k.node order by place`,
      [chainId, part.map(({ node }) => node), at],
    );
    return rows.map(({ node: found, isChanged, ...row }, index) => {
      const { node, kind } = part[index] ?? { node: "0x" as Hex, kind: "" };
      return { node, kind, row, isFound: found !== null, isChanged };
    });
  });

type RecordRow = {
  full_name: string | null;
  address: Hex | null;
  key: string | null;
  value: string | null;
  exact: string | null;
  is_value_known: boolean | null;
  contenthash: Hex | null;
  name: string | null;
  version: string;
  changed: number | null;
};

/** The records in force, in the order of the keys; null for none. */
export const readRecords = (
  { query, chainId, at }: Reach,
  keys: readonly RecordKey[],
): Promise<StoredRecord[]> =>
  inParts(keys, async (part) => {
    const rows = await query<RecordRow>(
      `select d.full_name, a.address, t.key, t.value, t.exact, t.is_value_known, n.contenthash, n.name,
         coalesce(n.version, 0)::text as version, greatest(n.block_number, a.block_number, t.block_number) as changed
       from unnest($2::text[], $3::text[], $4::numeric[], $5::text[])
         with ordinality as k(resolver, node, coin_type, key_hash, place)
       left join domains d on d.chain_id = $1 and d.node = k.node
       left join resolver_nodes n on n.chain_id = $1 and n.resolver = k.resolver and n.node = k.node
       left join address_records a on a.chain_id = $1 and a.resolver = k.resolver and a.node = k.node
         and a.version = coalesce(n.version, 0) and a.coin_type = k.coin_type
       left join text_records t on t.chain_id = $1 and t.resolver = k.resolver and t.node = k.node
         and t.version = coalesce(n.version, 0) and t.key_hash = k.key_hash
       order by place`,
      [
        chainId,
        part.map(({ resolver }) => resolver),
        part.map(({ node }) => node),
        part.map((one) => (one.what === "address" ? one.coinType : null)),
        part.map((one) => (one.what === "text" ? keyHashOf(one) : null)),
      ],
    );
    return rows.map((row, index) => toStored(part[index] as RecordKey, row, at));
  });

const keyHashOf = ({ key, keyHash }: { key: string | null; keyHash: Hex | null }): Hex | null =>
  keyHash ?? (key === null ? null : keccak256(key));

function toStored(key: RecordKey, row: RecordRow, at: number | null): StoredRecord {
  const isChanged = at !== null && row.changed !== null && row.changed > at;
  const stored = { fullName: row.full_name, isChanged, isKnown: true };
  if (key.what === "address") return { ...key, ...stored, value: row.address };
  if (key.what === "text") {
    const exact = row.exact === null ? row : (JSON.parse(row.exact) as { key: string; value: string | null });
    return {
      ...key,
      ...stored,
      isKnown: row.is_value_known ?? true,
      key: exactKey(key, exact.key),
      value: exact.value,
    };
  }
  const values = { contenthash: row.contenthash, name: exactText(row.name), version: row.version };
  return { ...key, ...stored, value: values[key.what] };
}

/** A key is exact if it has the hash by which it is stored. */
function exactKey(asked: { key: string | null; keyHash: Hex | null }, stored: string | null): string | null {
  const key = asked.key ?? stored;
  return key !== null && keccak256(key) === keyHashOf(asked) ? key : null;
}

type ClaimRow = {
  name: string | null;
  is_name_known: boolean | null;
  changed: number | null;
  resolver: Address | null;
};

/** Rows of `primary_names`, in the order of the claims; without a name if none is set. */
export const readClaims = ({ query, chainId, at }: Reach, claims: readonly Claim[]): Promise<StoredClaim[]> =>
  inParts(claims, async (part) => {
    const rows = await query<ClaimRow>(
      `select p.name, p.is_name_known, d.resolver, p.block_number as changed
       from unnest($2::text[], $3::int8[], $4::text[]) with ordinality as k(address, coin_type, node, place)
       left join primary_names p on p.address = k.address and p.coin_type = k.coin_type
       left join domains d on d.chain_id = $1 and d.node = k.node order by place`,
      [
        chainId,
        part.map(({ address }) => address),
        part.map(({ coinType }) => coinType),
        part.map(({ address }) => reverseNode(address)),
      ],
    );
    return rows.map(({ name, is_name_known, changed, resolver }, index) => ({
      ...(part[index] as Claim),
      name: exactText(name),
      resolver,
      isKnown: is_name_known ?? true,
      isChanged: at !== null && changed !== null && changed > at,
    }));
  });
