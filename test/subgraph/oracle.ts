import { decodeEventLog, type Hex, hexToBigInt, type Log, zeroAddress } from "viem";
import {
  addressOf,
  type Chain,
  contractOf,
  GRACE,
  latestTime,
  nodeBelow,
  ROOT_NODE,
  read,
} from "../../devnet/acts.ts";
import { nodeOfShown, readAtTime, readOnChain } from "../chain/onChain.ts";
import { eventsWithTopic } from "../truth/eventTopics.ts";
import { stage } from "./stage.ts";

/*
 * The state of a name by the contracts and their logs, in the words of the subgraph. It shares no code with the program. The
 * default chain is the stage's.
 */

type Decoded = { eventName: string; args: Record<string, unknown> };

/** Every log of a contract of the local chain, in chain order. */
export async function logsOf(contract: string, chain: Chain = stage.chain): Promise<(Log & Decoded)[]> {
  const logs = await chain.client.getLogs({ address: addressOf(chain, contract), fromBlock: 0n });
  const { abi } = contractOf(chain, contract);
  return logs.flatMap((log) => {
    try {
      const named = { abi: eventsWithTopic(abi, log.topics[0]), topics: log.topics, data: log.data };
      const decoded = decodeEventLog(named) as unknown as Decoded;
      return [{ ...(log as Log), eventName: decoded.eventName, args: decoded.args ?? {} }];
    } catch {
      return []; // An event that the contract's ABI lacks.
    }
  });
}

export type Logged = Log & Decoded;

export const nodeOfLog = ({ args, eventName }: Logged): Hex =>
  eventName === "NewOwner"
    ? nodeBelow(args.node as Hex, { labelhash: args.label as Hex })
    : (args.node as Hex);

export const isBefore = (one: Logged, other: Logged): boolean =>
  one.blockNumber === other.blockNumber
    ? Number(one.logIndex) < Number(other.logIndex)
    : (one.blockNumber ?? 0n) < (other.blockNumber ?? 0n);

/** The logs that count from both registries: from the old one those before the node was created in the new one. */
async function logsOfRegistries(chain: Chain): Promise<Logged[]> {
  const [current, old] = [await logsOf("registry", chain), await logsOf("oldRegistry", chain)];
  const made = current.filter(({ eventName }) => eventName === "NewOwner");
  const isMoved = (log: Logged) =>
    nodeOfLog(log) === ROOT_NODE
      ? log.eventName !== "NewResolver"
      : made.some((one) => nodeOfLog(one) === nodeOfLog(log) && isBefore(one, log));
  return [...current, ...old.filter((log) => !isMoved(log))];
}

/** The logs of the contracts that emit an event of the subgraph. */
export const logsThatCount = (contract: string, chain: Chain = stage.chain): Promise<Logged[]> =>
  contract === "registry" ? logsOfRegistries(chain) : logsOf(contract, chain);

/** The nodes that the registries created, and the root. */
export async function nodesOfRegistries(chain: Chain = stage.chain): Promise<Set<Hex>> {
  const logs = (await Promise.all(["registry", "oldRegistry"].map((one) => logsOf(one, chain)))).flat();
  const made = logs.filter(({ eventName }) => eventName === "NewOwner");
  return new Set([
    ROOT_NODE,
    ...made.map(({ args }) => nodeBelow(args.node as Hex, { labelhash: args.label as Hex })),
  ]);
}

const lower = (address: string | null): string => (address ?? zeroAddress).toLowerCase();

const PARENT_CANNOT_CONTROL = 65_536;

/** The wrapper's token as the contract answers it at the time of answers: the clock's, or that of the newest block. */
async function tokenNow(
  chain: Chain,
  node: Hex,
): Promise<{ owner: string; fuses: number; expiry: bigint } | null> {
  const clock = BigInt(Math.floor(Date.now() / 1_000));
  const newest = await latestTime(chain);
  const question = { contract: "wrapper", functionName: "getData", args: [hexToBigInt(node)] };
  const [owner, fuses, expiry] = await readAtTime<readonly [Hex, number, bigint]>(
    chain,
    question,
    clock > newest ? clock : newest,
  );
  return owner === zeroAddress ? null : { owner, fuses, expiry };
}

/** A domain of the subgraph, from the contracts' answers. */
export async function expectedDomain(name: string, chain: Chain = stage.chain) {
  const node = nodeOfShown(name);
  const stored = await readOnChain(chain, name);
  const isEth = name.split(".").length === 2 && name.endsWith(".eth");
  const { owner, fuses, expiry } = stored.wrapper;
  const isEmancipated = owner !== null && (fuses & PARENT_CANNOT_CONTROL) !== 0;
  const token = await tokenNow(chain, node);
  const registered = isEth && stored.registrarExpiry > 0n;
  return {
    id: node,
    name,
    owner: { id: lower(stored.registryOwner) },
    registrant: registered ? { id: lower(stored.registrarOwner) } : null,
    wrappedOwner: token && { id: lower(token.owner) },
    resolver: stored.resolver && { id: `${lower(stored.resolver)}-${node}` },
    expiryDate: registered ? String(stored.registrarExpiry + GRACE) : isEmancipated ? String(expiry) : null,
    registration: registered ? { expiryDate: String(stored.registrarExpiry) } : null,
    wrappedDomain: token && {
      expiryDate: String(token.expiry),
      fuses: token.fuses,
      owner: { id: lower(token.owner) },
      name,
    },
  };
}

/** A name's address from its resolver; null if it has none. */
export async function addressAt(name: string, chain: Chain = stage.chain): Promise<string | null> {
  const resolver = await read<Hex>(chain, {
    contract: "registry",
    functionName: "resolver",
    args: [nodeOfShown(name)],
  });
  if (resolver === zeroAddress) return null;
  const contract = Object.keys(chain.contracts).find(
    (one) => /^resolver\d$/.test(one) && addressOf(chain, one).toLowerCase() === resolver.toLowerCase(),
  );
  if (contract === undefined) return null;
  const address = await read<Hex>(chain, { contract, functionName: "addr", args: [nodeOfShown(name)] });
  return address.toLowerCase();
}
