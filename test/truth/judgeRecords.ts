import { type Hex, hexToBytes, keccak256, parseAbi } from "viem";
import type { Log, TextBytes } from "./chainLogs.ts";
import { exactText, shownText } from "./chainLogs.ts";
import { ask } from "./chainReads.ts";
import { storedText } from "./names.ts";
import { type Evidence, orNone, plain, type Row, show } from "./oracle.ts";
import { textQuestion } from "./textTruth.ts";

const reads = parseAbi([
  "function addr(bytes32 node, uint256 coinType) view returns (bytes)",
  "function hasAddr(bytes32 node, uint256 coinType) view returns (bool)",
  "function contenthash(bytes32 node) view returns (bytes)",
  "function recordVersions(bytes32 node) view returns (uint64)",
  "function name(bytes32 node) view returns (bytes)",
]);

/** The address of Ethereum, which is all that the oldest resolvers can be asked for. */
const singleRead = parseAbi(["function addr(bytes32 node) view returns (address)"]);

/** Everything ever set for one node at one listed resolver. */
type Touched = {
  resolver: Hex;
  generation: number;
  node: Hex;
  keys: Map<Hex, TextBytes>;
  coinTypes: Set<bigint>;
};

type Tables = { nodes: Map<string, Row>; texts: Map<string, Row>; addresses: Map<string, Row> };

/**
 * Each record of each listed resolver, for every node in its logs: texts for every key ever set, addresses for every coin type
 * ever set, contenthash and name, including cleared ones.
 */
export async function judgeRecords(evidence: Evidence): Promise<void> {
  const tables = await readTables(evidence);
  const touched = touchedOf(evidence.logs);
  await judgeNodes(evidence, touched, tables);
  await judgeTexts(evidence, touched, tables);
  await judgeAddresses(evidence, touched, tables);
}

async function readTables({ query }: Evidence): Promise<Tables> {
  const index = (rows: Row[], key: (row: Row) => string) => new Map(rows.map((row) => [key(row), row]));
  const place = (row: Row) => `${row.resolver} ${row.node}`;
  return {
    nodes: index(await query("select * from resolver_nodes"), place),
    texts: index(
      await query("select * from text_records"),
      (row) => `${place(row)} ${row.version} ${row.key_hash}`,
    ),
    addresses: index(
      await query("select * from address_records"),
      (row) => `${place(row)} ${row.version} ${row.coin_type}`,
    ),
  };
}

function touchedOf(logs: readonly Log[]): Touched[] {
  const all = new Map<string, Touched>();
  for (const { role, entry, eventName, address, args } of logs) {
    if (role !== "resolver" || entry?.role !== "resolver" || typeof args.node !== "string") continue;
    const place = `${address} ${args.node}`;
    const touched = all.get(place) ?? {
      resolver: address,
      generation: entry.generation,
      node: args.node as Hex,
      keys: new Map(),
      coinTypes: new Set(),
    };
    all.set(place, touched);
    const key = args.key as TextBytes | undefined;
    if (eventName === "TextChanged" && key !== undefined)
      touched.keys.set(keccak256(hexToBytes(key.bytes)), key);
    if (eventName === "AddrChanged") touched.coinTypes.add(60n);
    if (eventName === "AddressChanged") touched.coinTypes.add(args.coinType as bigint);
  }
  return [...all.values()];
}

const placeOf = ({ resolver, node }: Touched): string => `${resolver} ${node}`;
const versionOf = (tables: Tables, touched: Touched): number =>
  Number(tables.nodes.get(placeOf(touched))?.version ?? 0);

/** Version, contenthash and name. Generations that lack one of them answer nothing. */
async function judgeNodes(evidence: Evidence, touched: readonly Touched[], tables: Tables): Promise<void> {
  const { rpcUrl, differ, count } = evidence;
  const each = <Result>(functionName: string) =>
    ask<Result>(
      rpcUrl,
      touched.map(({ resolver, node }) => ({ to: resolver, abi: reads, functionName, args: [node] })),
    );
  const versions = await each<bigint>("recordVersions");
  const contenthashes = await each<Hex>("contenthash");
  const names = await each<Hex>("name");
  for (const [index, one] of touched.entries()) {
    const row = tables.nodes.get(placeOf(one)) ?? {};
    count("resolver nodes");
    const check = (column: string, is: unknown, should: unknown) => {
      if (plain(is) !== plain(should))
        differ(
          `resolver_nodes ${placeOf(one)}: ${column} is ${show(is)}, resolver ${one.generation} says ${show(should)}`,
        );
    };
    check("version", row.version ?? 0, versions[index] ?? 0n);
    check("contenthash", row.contenthash, emptyAsNone(contenthashes[index]));
    const name = names[index] === null ? "" : shownText({ bytes: names[index] ?? "0x" });
    check("name", row.name, name === "" ? null : storedText(name));
  }
}

async function judgeTexts(evidence: Evidence, touched: readonly Touched[], tables: Tables): Promise<void> {
  const { rpcUrl, differ, count } = evidence;
  const pairs = touched.flatMap((one) => [...one.keys].map(([hash, key]) => ({ one, hash, key })));
  const values = await ask<Hex>(
    rpcUrl,
    pairs.map(({ one, key }) => textQuestion(one.resolver, one.node, key)),
  );
  for (const [index, { one, hash, key }] of pairs.entries()) {
    const row = tables.texts.get(`${placeOf(one)} ${versionOf(tables, one)} ${hash}`);
    const what = `text_records ${placeOf(one)} ${show(shownText(key))}`;
    count("texts");
    if (row?.is_value_known === false) {
      count("texts whose value is unknown");
      if (row.value !== null) differ(`${what}: value is unknown and ${show(row.value)} at once`);
      // A key that is not UTF-8 cannot be requested by its text.
      if (evidence.archiveReads && exactText(key) !== null)
        differ(`${what}: value is unknown, a read at its block could tell`);
      continue;
    }
    const text = shownText({ bytes: values[index] ?? "0x" });
    const should = text === "" ? null : text;
    const is = row === undefined ? null : exactValue(row);
    if (is !== should) differ(`${what}: is ${show(is)}, resolver ${one.generation} says ${show(should)}`);
    if (row !== undefined && exactKey(row) !== shownText(key)) differ(`${what}: key is ${show(row.key)}`);
  }
}

const exactValue = (row: Row): string | null =>
  typeof row.exact === "string"
    ? (JSON.parse(row.exact) as { value: string | null }).value
    : (row.value as string | null);
const exactKey = (row: Row): string =>
  typeof row.exact === "string" ? (JSON.parse(row.exact) as { key: string }).key : String(row.key);

/** Addresses as stored: an ENSIP-19 default that the newest generation answers instead does not count. */
async function judgeAddresses(
  evidence: Evidence,
  touched: readonly Touched[],
  tables: Tables,
): Promise<void> {
  const { rpcUrl, differ, count } = evidence;
  const pairs = touched.flatMap((one) => [...one.coinTypes].map((coinType) => ({ one, coinType })));
  const ofCoin = (functionName: string) =>
    pairs.map(({ one, coinType }) => ({
      to: one.resolver,
      abi: reads,
      functionName,
      args: [one.node, coinType],
    }));
  const values = await ask<Hex>(rpcUrl, ofCoin("addr"));
  const stored = await ask<boolean>(rpcUrl, ofCoin("hasAddr"));
  const singles = await ask<Hex>(
    rpcUrl,
    pairs.map(({ one }) => ({ to: one.resolver, abi: singleRead, functionName: "addr", args: [one.node] })),
  );
  for (const [index, { one, coinType }] of pairs.entries()) {
    const row = tables.addresses.get(`${placeOf(one)} ${versionOf(tables, one)} ${coinType}`);
    const isOld = one.generation < 3;
    const own = stored[index] === false && one.generation >= 5 ? null : emptyAsNone(values[index]);
    const should = isOld ? orNone(singles[index]) : own;
    const is = isOld ? orNone(row?.address as string) : (row?.address ?? null);
    count("addresses");
    if (plain(is) !== plain(should))
      differ(
        `address_records ${placeOf(one)} ${coinType}: is ${show(is)}, resolver ${one.generation} says ${show(should)}`,
      );
  }
}

const emptyAsNone = (bytes: Hex | null | undefined): Hex | null =>
  bytes === null || bytes === undefined || bytes === "0x" ? null : bytes;
