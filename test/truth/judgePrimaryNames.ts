import { type Hex, parseAbi } from "viem";
import { ADDR_REVERSE_NODE } from "../../devnet/acts/names.ts";
import { ask } from "./chainReads.ts";
import { claimedName, nodeBelowHash, reverseNodeOf, storedText } from "./names.ts";
import { contractOf, type Evidence, orNone, type Row, show } from "./oracle.ts";

const reads = parseAbi([
  "function resolver(bytes32 node) view returns (address)",
  "function name(bytes32 node) view returns (bytes)",
  "function nameForAddr(address addr) view returns (bytes)",
]);

type Tables = { current: Map<string, Row>; last: Map<string, Row> };

/** The name that each address claims, at each registrar of reverse names; and its last change. */
export async function judgePrimaryNames(evidence: Evidence): Promise<void> {
  const { query } = evidence;
  const key = (row: Row) => `${row.address} ${row.coin_type}`;
  const order = "address, coin_type, block_number desc, log_index desc";
  // Claims on a layer 2 from before ENSIP-19 are only history.
  const changes = await query(
    `select distinct on (address, coin_type) * from primary_name_changes
     where registrar <> 'REVERSE_REGISTRAR' or coin_type = 60 order by ${order}`,
  );
  const tables: Tables = {
    current: new Map((await query("select * from primary_names")).map((row) => [key(row), row])),
    last: new Map(changes.map((row) => [key(row), row])),
  };
  await judgeReverseNodes(evidence, tables);
  await judgeNamesForAddresses(evidence, tables, "default-reverse-registrar", 0x80000000);
  const layer2CoinType = (0x80000000 | evidence.deployment.chainId) >>> 0;
  await judgeNamesForAddresses(evidence, tables, "l2-reverse-registrar", layer2CoinType);
  for (const [claim, row] of tables.current) judgeLast(evidence, claim, row, tables.last.get(claim));
}

function judgeLast({ differ }: Evidence, claim: string, row: Row, last: Row | undefined): void {
  for (const column of ["name", "is_name_known", "registrar", "transaction_hash"]) {
    if (row[column] !== last?.[column])
      differ(
        `primary_names ${claim}: ${column} is ${show(row[column])}, its last change has ${show(last?.[column])}`,
      );
  }
}

/** `<address>.addr.reverse`: the name is the `name` record at the node's current resolver. */
async function judgeReverseNodes(evidence: Evidence, tables: Tables): Promise<void> {
  const { rpcUrl, differ, count } = evidence;
  const addresses = namedAddresses(evidence);
  const registry = contractOf(evidence, "registry", 2)?.address as Hex;
  const nodes = addresses.map(reverseNodeOf);
  const resolvers = await ask<Hex>(
    rpcUrl,
    nodes.map((node) => ({ to: registry, abi: reads, functionName: "resolver", args: [node] })),
  );
  const names = await ask<Hex>(
    rpcUrl,
    nodes.map((node, index) => ({
      to: resolvers[index] ?? registry,
      abi: reads,
      functionName: "name",
      args: [node],
    })),
  );
  for (const [index, address] of addresses.entries()) {
    const row = tables.current.get(`${address} 60`);
    const resolver = orNone(resolvers[index]);
    const entry = evidence.deployment.contracts.find((one) => one.address.toLowerCase() === resolver);
    const isSilent = entry?.role === "reverse-resolver";
    count("reverse names");
    if ((row?.is_name_known === false) !== isSilent)
      differ(
        `primary_names ${address} 60: is_name_known is ${show(row?.is_name_known)} at resolver ${resolver}`,
      );
    // An unlisted resolver may log and answer anything.
    if (isSilent || (resolver !== null && entry?.role !== "resolver")) continue;
    compareName(evidence, `${address} 60`, row, resolver === null ? null : (names[index] ?? null));
  }
}

/** Addresses whose reverse node a log creates, and whose label is revealed. */
function namedAddresses({ logs, revealed }: Evidence): Hex[] {
  const made = new Set<Hex>();
  for (const { role, eventName, args } of logs) {
    if (role === "registry" && eventName === "NewOwner" && args.node === ADDR_REVERSE_NODE)
      made.add(nodeBelowHash(args.node as Hex, args.label as Hex));
  }
  const addresses = [...revealed.values()].filter((label) => /^[0-9a-f]{40}$/.test(label));
  return addresses.map((label): Hex => `0x${label}`).filter((address) => made.has(reverseNodeOf(address)));
}

/** Registrars of ENSIP-19 keep names outside the registry. */
async function judgeNamesForAddresses(
  evidence: Evidence,
  tables: Tables,
  role: "default-reverse-registrar" | "l2-reverse-registrar",
  coinType: number,
): Promise<void> {
  const registrar = contractOf(evidence, role);
  if (registrar === undefined) return;
  const told = evidence.logs.filter((log) => log.role === role && log.eventName === "NameForAddrChanged");
  const claims = [...tables.current.values()].filter((row) => Number(row.coin_type) === coinType);
  const addresses = [
    ...new Set([...told.map((log) => log.args.addr as Hex), ...claims.map((row) => row.address as Hex)]),
  ];
  const names = await ask<Hex>(
    evidence.rpcUrl,
    addresses.map((address) => ({
      to: registrar.address,
      abi: reads,
      functionName: "nameForAddr",
      args: [address],
    })),
  );
  for (const [index, address] of addresses.entries()) {
    evidence.count("names of addresses");
    const row = tables.current.get(`${address} ${coinType}`);
    compareName(evidence, `${address} ${coinType}`, row, names[index] ?? null);
  }
}

function compareName({ differ }: Evidence, claim: string, row: Row | undefined, bytes: Hex | null): void {
  const claimed = claimedName(bytes ?? "0x");
  const name = claimed === null ? null : storedText(claimed);
  if ((row?.name ?? null) !== name)
    differ(`primary_names ${claim}: name is ${show(row?.name)}, chain says ${show(name)}`);
}
