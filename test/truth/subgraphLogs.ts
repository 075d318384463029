import { type Hex, numberToHex } from "viem";
import type { Chain } from "../devnet/acts.ts";
import { isBefore, type Logged, logsOf, logsThatCount, nodeOfLog } from "../subgraph/oracle.ts";

/** A log as the subgraph has it: by its id and type, of a name by its node, and for records at a contract. */
export type SubgraphEvent = { id: string; type: string; node: Hex; log: Logged };

/** All events of names, of registrations (by the labelhash) and of records (by the resolver). */
export type SubgraphLogs = {
  domains: readonly SubgraphEvent[];
  registrations: readonly SubgraphEvent[];
  records: ReadonlyMap<string, readonly SubgraphEvent[]>;
  /** Unix seconds of a log's block. */
  timeOf: (log: Logged) => Promise<bigint>;
};

const idOf = ({ blockNumber, logIndex }: Logged): string => `${blockNumber}-${logIndex}`;
const hex32 = (value: unknown): Hex => numberToHex(value as bigint, { size: 32 });
const events = (log: Logged, type: string, node: Hex): SubgraphEvent[] => [
  { id: idOf(log), type, node, log },
];

const ofWrapper = ["NameWrapped", "NameUnwrapped", "FusesSet", "ExpiryExtended"];

function wrapperEvents(log: Logged): SubgraphEvent[] {
  const { eventName, args } = log;
  if (ofWrapper.includes(eventName)) return events(log, eventName, args.node as Hex);
  const ids = eventName === "TransferSingle" ? [args.id] : eventName === "TransferBatch" ? args.ids : [];
  return (ids as bigint[]).map((id, i) => ({
    ...{ id: `${idOf(log)}-${i}`, type: "WrappedTransfer", node: hex32(id), log },
  }));
}

/** A first mint is no transfer. */
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
  ...{ AddrChanged: "AddrChanged", AddressChanged: "MulticoinAddrChanged", NameChanged: "NameChanged" },
  ...{ ABIChanged: "AbiChanged", PubkeyChanged: "PubkeyChanged", TextChanged: "TextChanged" },
  ...{ ContenthashChanged: "ContenthashChanged", InterfaceChanged: "InterfaceChanged" },
  ...{ AuthorisationChanged: "AuthorisationChanged", VersionChanged: "VersionChanged" },
};

/** A name with NUL makes no event. */
function recordEvents(log: Logged): SubgraphEvent[] {
  const type = shownAs[log.eventName];
  const isEvent = type !== undefined && !(type === "NameChanged" && String(log.args.name).includes("\0"));
  return isEvent ? events(log, type, log.args.node as Hex) : [];
}

const ofRegistry = ["NewOwner", "Transfer", "NewResolver", "NewTTL"];

export async function readSubgraphLogs(chain: Chain): Promise<SubgraphLogs> {
  const registry = (await logsThatCount("registry", chain)).filter(({ eventName }) =>
    ofRegistry.includes(eventName),
  );
  const resolvers = Object.keys(chain.contracts).filter((name) => /^resolver\d$/.test(name));
  const records = resolvers.map(async (name) => {
    const address = chain.contracts[name]?.address.toLowerCase() ?? "";
    return [address, (await logsOf(name, chain)).flatMap(recordEvents)] as const;
  });
  const times = new Map<bigint, Promise<bigint>>();
  const readTime = async (blockNumber: bigint) => (await chain.client.getBlock({ blockNumber })).timestamp;
  return {
    domains: [
      ...registry.flatMap((log) => events(log, log.eventName, nodeOfLog(log))),
      ...(await logsOf("wrapper", chain)).flatMap(wrapperEvents),
    ],
    registrations: (await logsOf("registrar", chain)).flatMap(registrarEvents),
    records: new Map(await Promise.all(records)),
    timeOf: ({ blockNumber }) => {
      const block = blockNumber ?? 0n;
      const time = times.get(block) ?? readTime(block);
      times.set(block, time);
      return time;
    },
  };
}
