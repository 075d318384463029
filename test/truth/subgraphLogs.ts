import { type Hex, hexToBytes, numberToHex } from "viem";
import type { LocalChain } from "../../devnet/localChain.ts";
import { isBefore, type Logged, logsOf, logsThatCount, nodeOfLog } from "../subgraph/oracle.ts";
import { type Argument, type Log, readLogged, type TextBytes } from "./chainLogs.ts";

/** The parts of a log that are read. */
type Source = Pick<Logged, "blockNumber" | "logIndex" | "transactionHash" | "args">;

/** A log as the subgraph has it: with id and type; of a name by its node, and of records at a contract. */
export type SubgraphEvent = { id: string; type: string; node: Hex; log: Source };

/** All events of names, of registrations (by the labelhash) and of records (by the resolver). */
export type SubgraphLogs = {
  domains: readonly SubgraphEvent[];
  registrations: readonly SubgraphEvent[];
  records: ReadonlyMap<string, readonly SubgraphEvent[]>;
  /** Unix seconds of a log's block. */
  timeOf: (log: Source) => Promise<bigint>;
};

const idOf = ({ blockNumber, logIndex }: Source): string => `${blockNumber}-${logIndex}`;
const hex32 = (value: unknown): Hex => numberToHex(value as bigint, { size: 32 });
const events = (log: Source, type: string, node: Hex): SubgraphEvent[] => [
  { id: idOf(log), type, node, log },
];

const ofWrapper = ["NameWrapped", "NameUnwrapped", "FusesSet", "ExpiryExtended"];

function wrapperEvents(log: Logged): SubgraphEvent[] {
  const { eventName, args } = log;
  if (ofWrapper.includes(eventName)) return events(log, eventName, args.node as Hex);
  const ids = eventName === "TransferSingle" ? [args.id] : eventName === "TransferBatch" ? args.ids : [];
  return (ids as bigint[]).map((id, i) => ({
    id: `${idOf(log)}-${i}`,
    type: "WrappedTransfer",
    node: hex32(id),
    log,
  }));
}

/** A first mint is not a transfer. */
function registrarEvents(log: Logged, _: number, all: readonly Logged[]): SubgraphEvent[] {
  const { eventName, args } = log;
  if (eventName === "NameRegistered" || eventName === "NameRenewed")
    return events(log, eventName, hex32(args.id));
  if (eventName !== "Transfer") return [];
  const wasRegistered = all.some(
    (one) => one.eventName === "NameRegistered" && one.args.id === args.tokenId && isBefore(one, log),
  );
  return wasRegistered ? events(log, "NameTransferred", hex32(args.tokenId)) : [];
}

const shownAs: Record<string, string> = {
  AddrChanged: "AddrChanged",
  AddressChanged: "MulticoinAddrChanged",
  NameChanged: "NameChanged",
  ABIChanged: "AbiChanged",
  PubkeyChanged: "PubkeyChanged",
  TextChanged: "TextChanged",
  ContenthashChanged: "ContenthashChanged",
  InterfaceChanged: "InterfaceChanged",
  AuthorisationChanged: "AuthorisationChanged",
  VersionChanged: "VersionChanged",
};

/** A name with NUL makes no event. */
const hasNul = (name: Argument | undefined): boolean =>
  hexToBytes((name as TextBytes | undefined)?.bytes ?? "0x").includes(0);

function recordEvents({ eventName, args, ...log }: Log): SubgraphEvent[] {
  const type = shownAs[eventName];
  if (type === undefined || (type === "NameChanged" && hasNul(args.name))) return [];
  return events({ ...log, blockNumber: BigInt(log.blockNumber), args }, type, args.node as Hex);
}

/**
 * Record logs count from every contract, even one that only emits them: the subgraph's data source of resolvers has no address.
 * Source: ensdomains/ens-subgraph, subgraph.yaml.
 */
async function readRecords({ anvil, deployment }: LocalChain): Promise<Map<string, SubgraphEvent[]>> {
  const { logs } = await readLogged(anvil.url, deployment);
  const ofRecords = logs.filter(({ role }) => role === "resolver");
  const byContract = Map.groupBy(ofRecords, ({ address }) => address);
  return new Map([...byContract].map(([address, its]) => [address, its.flatMap(recordEvents)]));
}

const ofRegistry = ["NewOwner", "Transfer", "NewResolver", "NewTTL"];

export async function readSubgraphLogs(local: LocalChain): Promise<SubgraphLogs> {
  const { chain } = local;
  const registry = (await logsThatCount("registry", chain)).filter(({ eventName }) =>
    ofRegistry.includes(eventName),
  );
  const times = new Map<bigint, Promise<bigint>>();
  const readTime = async (blockNumber: bigint) => (await chain.client.getBlock({ blockNumber })).timestamp;
  return {
    domains: [
      ...registry.flatMap((log) => events(log, log.eventName, nodeOfLog(log))),
      ...(await logsOf("wrapper", chain)).flatMap(wrapperEvents),
    ],
    registrations: (await logsOf("registrar", chain)).flatMap(registrarEvents),
    records: await readRecords(local),
    timeOf: ({ blockNumber }) => {
      const block = blockNumber ?? 0n;
      const time = times.get(block) ?? readTime(block);
      times.set(block, time);
      return time;
    },
  };
}
