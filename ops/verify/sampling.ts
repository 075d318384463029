import { createHash } from "node:crypto";
import type pg from "pg";
import { type Address, type Hex, numberToHex, zeroAddress } from "viem";
import type { Contracts } from "../../abis/contracts.ts";
import type { Claim, Keys, RecordKey } from "../../src/api/names/comparison/stored.ts";
import { managedNameOf } from "../../src/ens/managedNames.ts";
import { ADDR_REVERSE_NODE, ETH_NODE } from "../../src/ens/name.ts";

/** A table that has more rows is read in part: that many rows, next to each other in the order of their hashes. */
const WINDOW_ROWS = 50_000;
/** Records of one table and resolver: there are some dozens of these, and all are sorted. */
const MAX_OF_RESOLVER = 5_000;
/** Random places of the event log, and how many logs are read from each on. */
const EVENT_PLACES = 100;
const EVENTS_OF_PLACE = 100;

export type SamplePlan = {
  client: pg.ClientBase;
  contracts: Contracts;
  /** The newest indexed block. */
  block: { number: number; timestamp: number };
  samples: number;
  seed: number;
};

/**
 * Which names, records and claims of primary names to compare. Within each sort the kinds take turns, so that a rare kind
 * has as many as a common one. Hashes have no order that means anything: rows that follow a random hash are random.
 */
export async function takeSamples(plan: SamplePlan): Promise<Keys> {
  const share = (part: number) => Math.max(1, Math.round(plan.samples * part));
  const nodes = await sampleNodes(plan, share(0.4));
  const records = await sampleRecords(plan, share(0.3));
  const claims = await sampleClaims(plan, share(0.1));
  const logged = await sampleEvents(plan, share(0.2));
  return {
    nodes: [...nodes, ...logged.nodes],
    records: [...records, ...logged.records],
    claims: [...claims, ...logged.claims],
  };
}

/** Bytes that follow from the seed, as many as fit one hash. */
const drawn = (seed: number, what: string): Hex =>
  `0x${createHash("sha256").update(`${seed} ${what}`).digest("hex")}`;

type Window = { from: Hex; to: Hex | null };

/** A random part of all hashes of one length; `to` null: all of them, in order from `from` on. */
async function drawWindow(
  { client, seed }: SamplePlan,
  { table, bytes }: { table: string; bytes: number },
): Promise<Window> {
  const from = drawn(seed, table).slice(0, 2 + 2 * bytes) as Hex;
  const { rows } = await client.query<{ rows: number }>(
    "select reltuples::float8 as rows from pg_class where oid = to_regclass($1)",
    [table],
  );
  const size = rows[0]?.rows ?? 0;
  if (size <= WINDOW_ROWS) return { from, to: null };
  const all = 1n << BigInt(8 * bytes);
  const width = (all * BigInt(WINDOW_ROWS)) / BigInt(Math.ceil(size));
  return { from, to: numberToHex((BigInt(from) + width) % all, { size: bytes }) };
}

const inWindow = (column: string, { from, to }: Window): string => {
  if (to === null) return "true";
  return from < to
    ? `${column} >= '${from}' and ${column} < '${to}'`
    : `(${column} >= '${from}' or ${column} < '${to}')`;
};

/** Rows of each kind in the order of their hashes, from the window's start on, one of each kind after the other. */
const inTurn = (rows: string, { key, window }: { key: string; window: Window }): string => `
  select * from (
    select *, row_number() over (partition by kind order by ${key} < '${window.from}', ${key}) as turn from (${rows}) r
  ) t order by turn, kind limit $1`;

/** What a name is, for the indexed tables: the first that holds. */
function kindOfNode({ chainId }: Contracts, now: number): string {
  const { node, name } = managedNameOf(chainId) ?? { node: ETH_NODE, name: "eth" };
  const isSold = `parent_node = '${node}'`;
  return `case
  when parent_node = '${ADDR_REVERSE_NODE}' then 'reverse node'
  when registry = '${zeroAddress}' then 'name that ENSv2 had'
  when registry is not null then case when ${isSold} then '.${name} name' else 'subname' end || ', in ENSv2'
  when ${isSold} and is_wrapped then '.${name} name, wrapped'
  when is_wrapped then 'subname, wrapped'
  when wrapper_expiry_timestamp is not null then 'no longer wrapped'
  when ${isSold} and registrar_expiry_timestamp is null then '.${name} name, not in the registrar of 2020'
  when ${isSold} and registrar_expiry_timestamp < ${now} then '.${name} name, expired'
  when ${isSold} then '.${name} name'
  when not is_migrated then 'name in the registry of 2017'
  when parent_node is null then 'name whose parent is unknown'
  else 'subname' end || case when is_label_known or parent_node is null then '' else ', label unknown' end`;
}

async function sampleNodes(plan: SamplePlan, most: number): Promise<Keys["nodes"]> {
  const { client, contracts, block } = plan;
  const window = await drawWindow(plan, { table: "domains", bytes: 32 });
  const rows = `select node, ${kindOfNode(contracts, block.timestamp)} as kind from domains
    where chain_id = ${contracts.chainId} and ${inWindow("node", window)}`;
  const found = await client.query<{ node: Hex; kind: string }>(inTurn(rows, { key: "node", window }), [
    most,
  ]);
  return found.rows;
}

/** Of each resolver that answers what its events said, records of all three tables. */
async function sampleRecords(plan: SamplePlan, most: number): Promise<RecordKey[]> {
  const { client, contracts, seed } = plan;
  const from = drawn(seed, "records");
  const { chainId, indexedResolvers } = contracts;
  /** Both parts are read by the primary key, in its order, and no further than needed. */
  const of = (table: string, columns: string) =>
    indexedResolvers.map((resolver, index) =>
      [">=", "<"]
        .map(
          (
            side,
          ) => `(select '${table} ${index}' as kind, ${side === "<" ? 1 : 0} as part, resolver, node, ${columns}
          from ${table} where chain_id = ${chainId} and resolver = '${resolver}' and node ${side} '${from}'
          order by chain_id, resolver, node limit ${Math.min(most, MAX_OF_RESOLVER)})`,
        )
        .join(" union all "),
    );
  const parts = [
    ...of("address_records", "coin_type::text as coin_type, null::text as key_hash"),
    ...of("text_records", "null::text as coin_type, key_hash"),
    ...of("resolver_nodes", "null::text as coin_type, null::text as key_hash"),
  ];
  if (parts.length === 0) return [];
  type Row = { kind: string; resolver: Address; node: Hex; coin_type: string | null; key_hash: Hex | null };
  const { rows } = await client.query<Row>(
    `select * from (select *, row_number() over (partition by kind order by part, node, coin_type, key_hash) as turn
       from (${parts.join(" union all ")}) r) t order by turn, kind limit $1`,
    [most],
  );
  return rows.flatMap(({ resolver, node, coin_type, key_hash }): RecordKey[] => {
    const place = { resolver, node, kind: `record of ${labelOf(contracts, resolver)}` };
    if (coin_type !== null) return [{ ...place, what: "address", coinType: coin_type }];
    if (key_hash !== null) return [{ ...place, what: "text", keyHash: key_hash, key: null }];
    return (["version", "contenthash", "name"] as const).map((what) => ({ ...place, what }));
  });
}

const labelOf = ({ chainId, contractLabel }: Contracts, address: Address): string =>
  contractLabel({ family: "RESOLVER", chainId, address });

async function sampleClaims(plan: SamplePlan, most: number): Promise<Claim[]> {
  const { client, contracts } = plan;
  const window = await drawWindow(plan, { table: "primary_names", bytes: 20 });
  const rows = `select address, coin_type, chain_id, registrar || case
      when chain_id <> ${contracts.chainId} then ' of chain ' || chain_id
      when not is_name_known then ', not logged' when name is null then ', none' else '' end as kind
    from primary_names where ${inWindow("address", window)}`;
  type Row = { address: Address; coin_type: string; chain_id: number; kind: string };
  const found = await client.query<Row>(inTurn(rows, { key: "address", window }), [most]);
  return found.rows.map(({ address, coin_type, chain_id, kind }) => ({
    address,
    coinType: Number(coin_type),
    chainId: chain_id,
    kind: `primary name, ${kind}`,
  }));
}

type Logged = {
  node: Hex | null;
  /** The node if it is a name's. */
  name_node: Hex | null;
  contract: string;
  contract_address: Address;
  event_type: string;
  key: string | null;
  coin_type: string | null;
  address: Hex | null;
};

/**
 * What logs are about (those of resolvers of ENSv2 are about records, not names), taken from random blocks of the event log: it finds rows that are missing, and contracts of every
 * age have their turn.
 */
async function sampleEvents(plan: SamplePlan, most: number): Promise<Keys> {
  const { client, contracts, seed, block } = plan;
  const { rows: ends } = await client.query<{ first: number | null }>(
    "select min(block_number) as first from events where chain_id = $1",
    [contracts.chainId],
  );
  const first = ends[0]?.first;
  if (typeof first !== "number") return { nodes: [], records: [], claims: [] };
  const span = BigInt(block.number - first + 1);
  const places = Array.from(
    { length: EVENT_PLACES },
    (_, index) => first + Number(BigInt(drawn(seed, `event ${index}`)) % span),
  );
  const { rows } = await client.query<Logged>(
    `with near as (
       select e.* from unnest($2::int[]) with ordinality as p(block, place) cross join lateral (
         select p.place, node, contract, contract_address, event_type, key, coin_type::text, address, block_number, log_index
         from events where chain_id = $3 and block_number >= p.block
         order by chain_id, block_number, log_index limit ${EVENTS_OF_PLACE}) e),
     turns as (
       select *, row_number() over (partition by contract, contract_address, event_type order by place, block_number, log_index)
         as turn from near)
     select case when ${isName(contracts)} then node end as name_node, node, contract, contract_address, event_type, key,
       coin_type, address from turns
     where case contract when 'RESOLVER' then contract_address = any ($4) else contract <> 'ENSV2_RESOLVER' end
     order by turn, contract, contract_address, event_type limit $1`,
    [most, places, contracts.chainId, contracts.indexedResolvers],
  );
  return {
    nodes: rows.flatMap(({ name_node: node, ...log }) =>
      node === null ? [] : [{ node, kind: kindOfLog(contracts, log) }],
    ),
    records: rows.flatMap((log) => recordOf(contracts, log)),
    claims: rows.flatMap((log) => claimOf(contracts, log)),
  };
}

/**
 * On a layer 2 the registry also has nodes that are not names, from the set-up and reverse records. Logs of its
 * registrar, controllers and wrapper always name one.
 */
const isName = ({ chainId }: Contracts): string =>
  managedNameOf(chainId) === undefined
    ? "true"
    : `contract in ('REGISTRAR', 'REGISTRAR_DNS', 'CONTROLLER', 'NAME_WRAPPER')
       or exists (select from domains d where d.chain_id = ${chainId} and d.node = turns.node)`;

const kindOfLog = (
  contracts: Contracts,
  { contract, contract_address }: Pick<Logged, "contract" | "contract_address">,
): string =>
  `in logs of ${contracts.contractLabel({ family: contract, chainId: contracts.chainId, address: contract_address })}`;

function recordOf(contracts: Contracts, log: Logged): RecordKey[] {
  const { node, contract_address: resolver, event_type, key, coin_type } = log;
  if (log.contract !== "RESOLVER" || node === null) return [];
  const place = { resolver, node, kind: kindOfLog(contracts, log) };
  if (event_type === "TextChanged") {
    // U+2400 may stand for NUL, and U+FFFD for bytes that are not text: then this is not the key.
    return key === null || /[\u2400\ufffd]/.test(key) ? [] : [{ ...place, what: "text", key, keyHash: null }];
  }
  if (event_type === "AddrChanged" || event_type === "AddressChanged") {
    return coin_type === null ? [] : [{ ...place, what: "address", coinType: coin_type }];
  }
  const named = {
    ContenthashChanged: "contenthash",
    NameChanged: "name",
    VersionChanged: "version",
  } as const;
  const what = Object.hasOwn(named, event_type) ? named[event_type as keyof typeof named] : undefined;
  return what === undefined ? [] : [{ ...place, what }];
}

function claimOf(contracts: Contracts, log: Logged): Claim[] {
  const { event_type, address, coin_type } = log;
  if (address === null || address.length !== 42) return [];
  const claim = { address, chainId: contracts.chainId, kind: kindOfLog(contracts, log) };
  if (event_type === "ReverseClaimed") return [{ ...claim, coinType: 60 }];
  if (event_type !== "NameForAddrChanged" || coin_type === null) return [];
  return [{ ...claim, coinType: Number(coin_type) }];
}
