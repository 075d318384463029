import { type Hex, parseAbi } from "viem";
import { ADDR_REVERSE_NODE } from "../../devnet/acts/names.ts";
import type { Log, TextBytes } from "./chainLogs.ts";
import { ask } from "./chainReads.ts";
import type { Judge } from "./judge.ts";
import { claimedName, nodeBelowHash, revealedLabels } from "./names.ts";
import { orNone } from "./oracle.ts";

const reads = parseAbi(["function name(bytes32 node) view returns (bytes)"]);

/** A name that an address claimed in one log. `isKnown` is false at a resolver without logs. */
export type Claim = {
  address: Hex;
  /** The chain's name in answers. */
  chain: string;
  registrar: "REVERSE_REGISTRAR" | "DEFAULT_REVERSE_REGISTRAR" | "L2_REVERSE_REGISTRAR";
  name: string | null;
  isKnown: boolean;
  log: Log;
};

const registrars: Partial<Record<Log["role"], Claim["registrar"]>> = {
  "default-reverse-registrar": "DEFAULT_REVERSE_REGISTRAR",
  "l2-reverse-registrar": "L2_REVERSE_REGISTRAR",
};

/**
 * Every claim that its transaction left, in the order of each chain: those of ENSIP-19 registrars, and those of reverse nodes.
 */
export async function listClaims(judge: Judge): Promise<Claim[]> {
  const claims = [...listDirectClaims(judge), ...(await listReverseClaims(judge))];
  claims.sort((a, b) => a.log.blockNumber - b.log.blockNumber || a.log.logIndex - b.log.logIndex);
  return settled([...claims, ...judge.layer2.flatMap(listDirectClaims)]);
}

/** The last claim of each address at one registrar in one transaction. */
const settled = (claims: readonly Claim[]): Claim[] => {
  const keyOf = ({ chain, registrar, address, log }: Claim) =>
    `${chain} ${registrar} ${address} ${log.transactionHash}`;
  const last = new Map(claims.map((claim) => [keyOf(claim), claim]));
  return claims.filter((claim) => last.get(keyOf(claim)) === claim);
};

const listDirectClaims = ({ deployment, logs }: Pick<Judge, "deployment" | "logs">): Claim[] =>
  logs.flatMap((log): Claim[] => {
    const registrar = registrars[log.role];
    if (registrar === undefined || log.eventName !== "NameForAddrChanged") return [];
    const name = textOf(log.args.name as TextBytes);
    return [{ address: log.args.addr as Hex, chain: deployment.name, registrar, name, isKnown: true, log }];
  });

const textOf = ({ bytes }: TextBytes) => claimedName(bytes);

/** The last claim of each address at one registrar of one chain. */
export const lastClaims = (claims: readonly Claim[]): Claim[] => [
  ...new Map(claims.map((claim) => [`${claim.chain} ${claim.registrar} ${claim.address}`, claim])).values(),
];

/** The state of a reverse node while its logs are read. */
type Told = { address: Hex | null; resolver: Hex | null; claim: Claim | null };

/**
 * A reverse node claims the name at its resolver. Setting or clearing a name at the resolver is a claim even if it changes
 * nothing; a new resolver, or a log of the registrar, is one if it changes the name. Nothing is claimed by a node before a log
 * has given its address.
 */
async function listReverseClaims(judge: Judge): Promise<Claim[]> {
  const { logs, ledgers, transactions } = judge;
  const names = new Map<string, string | null>();
  const nodes = new Map<Hex, Told>();
  const claims: Claim[] = [];
  const resolverAt = new Map<Log, Map<Hex, Hex | null>>();
  for (const [node, { position, resolvers }] of ledgers) {
    if (position?.parent !== ADDR_REVERSE_NODE) continue;
    nodes.set(node, { address: null, resolver: null, claim: null });
    for (const { log, state } of resolvers)
      resolverAt.set(log, (resolverAt.get(log) ?? new Map()).set(node, state));
  }
  const made = new Set<Hex>();
  for (const log of logs) {
    for (const [hash, label] of revealedLabels([log], () => transactions.get(log.transactionHash)?.from)) {
      const told = nodes.get(nodeBelowHash(ADDR_REVERSE_NODE, hash));
      if (told !== undefined && /^[0-9a-f]{40}$/.test(label)) told.address = `0x${label}`;
    }
    if (log.role === "registry" && log.eventName === "NewOwner") {
      made.add(nodeBelowHash(log.args.node as Hex, log.args.label as Hex));
    }
    const node = log.args.node as Hex;
    const isName = log.eventName === "NameChanged" || log.eventName === "VersionChanged";
    if (isName) {
      const name = log.eventName === "NameChanged" ? textOf(log.args.name as TextBytes) : null;
      names.set(`${log.address} ${node}`, name);
    }
    const told = nodes.get(node);
    const isClaim = isName && told?.resolver === log.address;
    const touched = new Set(isClaim || (log.eventName === "ReverseClaimed" && made.has(node)) ? [node] : []);
    for (const [changed, resolver] of resolverAt.get(log) ?? []) {
      const one = nodes.get(changed);
      if (one !== undefined) one.resolver = resolver;
      touched.add(changed);
    }
    for (const one of touched) {
      const reverse = nodes.get(one);
      if (!reverse?.address) continue;
      const claim = await claimOf(judge, { ...reverse, node: one, address: reverse.address }, { names, log });
      const before = reverse.claim ?? { name: null, isKnown: true };
      if (!isClaim && before.name === claim.name && before.isKnown === claim.isKnown) continue;
      reverse.claim = claim;
      claims.push(claim);
    }
  }
  return claims;
}

type Reverse = { node: Hex; address: Hex; resolver: Hex | null };

/** The name at a resolver without logs is read at the log's block. */
async function claimOf(
  { rpcUrl, deployment }: Judge,
  { node, address, resolver }: Reverse,
  { names, log }: { names: Map<string, string | null>; log: Log },
): Promise<Claim> {
  const entry = deployment.contracts.find((one) => orNone(one.address) === resolver);
  const claim = { address, chain: deployment.name, registrar: "REVERSE_REGISTRAR" as const, log };
  if (resolver === null || entry?.role !== "reverse-resolver") {
    const isTold = resolver === null || entry?.static === true || names.has(`${resolver} ${node}`);
    return { ...claim, name: names.get(`${resolver} ${node}`) ?? null, isKnown: isTold };
  }
  const question = { to: resolver, abi: reads, functionName: "name", args: [node] };
  const [bytes] = await ask<Hex>(rpcUrl, [question], { block: BigInt(log.blockNumber) });
  return { ...claim, name: textOf({ bytes: bytes ?? "0x" }), isKnown: false };
}
