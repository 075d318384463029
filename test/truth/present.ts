import { type Hex, parseAbi, zeroHash } from "viem";
import { ADDR_REVERSE_NODE, ETH_NODE } from "../../devnet/acts/names.ts";
import type { Log } from "./chainLogs.ts";
import { ask } from "./chainReads.ts";
import { type Ledger, ownerOf } from "./ledger.ts";
import { orNone } from "./oracle.ts";

/** The state of a name at the time of the question, by its ledger and the wrapper's answer at that time. */
export type Present = {
  owner: Hex | null;
  isWrapped: boolean;
  /** Its end in unix seconds; null for names without end, and for .eth names in no registrar. */
  expiry: bigint | null;
  isSecondLevel: boolean;
  /** Whether it counts as an owned name: not the root, and not a reverse node. */
  isCounted: boolean;
  /** Registered or in grace. */
  isActive: boolean;
  /** Whether the expiry ends the ownership: for a wrapped subname only if the wrapper returns no owner after it. */
  hasEnd: boolean;
  /** Whether the owner is current: not the last holder of a name that anyone can register, nor the wrapper. */
  isOwnerCurrent: boolean;
};

export type Availability = "registered" | "grace" | "premium" | "available" | "unknown";

/** The state in answers; a label shorter than 3 code points, or of unknown length, is not for sale. */
export function availabilityOf(
  { isSecondLevel, isActive, expiry, owner }: Present,
  { length, now }: { length: number | null; now: bigint },
): Availability {
  if (!isSecondLevel) return owner !== null && isActive ? "registered" : "unknown";
  if (expiry === null) return length !== null && length >= 3 ? "available" : "unknown";
  if (expiry > now) return "registered";
  if (expiry + GRACE >= now) return "grace";
  return expiry + PREMIUM_END > now ? "premium" : "available";
}

/** Where and when to ask. */
export type Occasion = { rpcUrl: string; wrapper: Hex | undefined; now: bigint };

const GRACE = 90n * 86_400n;
const PREMIUM_END = 111n * 86_400n;

/** Later than any expiry except those that never come. */
const FAR = 2n ** 50n;

const wrapperAbi = parseAbi([
  "function getData(uint256 id) view returns (address owner, uint32 fuses, uint64 expiry)",
]);
type Token = [owner: Hex, fuses: number, expiry: bigint];

/** The current state of each name. Names known only to a resolver are not names. */
export async function findPresent(ledgers: Map<Hex, Ledger>, occasion: Occasion): Promise<Map<Hex, Present>> {
  const nodes = [...ledgers].filter(([, ledger]) => ledger.logs.some(makesName)).map(([node]) => node);
  const stored = await askTokens(nodes, occasion, 0n);
  const current = await askTokens(nodes, occasion, occasion.now);
  const final = await askTokens(nodes, occasion, FAR);
  return new Map(
    nodes.map((node, i) => {
      const tokens = { stored: stored[i] ?? null, current: current[i] ?? null, final: final[i] ?? null };
      return [node, toPresent(node, ledgers.get(node) as Ledger, { ...occasion, ...tokens })];
    }),
  );
}

function askTokens(nodes: Hex[], { rpcUrl, wrapper }: Occasion, time: bigint): Promise<(Token | null)[]> {
  if (wrapper === undefined) return Promise.resolve([]);
  const question = { to: wrapper, abi: wrapperAbi, functionName: "getData" };
  return ask<Token>(
    rpcUrl,
    nodes.map((node) => ({ ...question, args: [BigInt(node)] })),
    { time },
  );
}

/** Logs of a registry, of the registrar of 2020 and of the wrapper: those that change holders. */
const makesName = ({ role, entry, eventName, args }: Log): boolean =>
  (role === "registry" && eventName !== "NewTTL") ||
  (role === "registrar" &&
    entry?.generation === 2 &&
    (eventName === "Transfer" || args.expires !== undefined)) ||
  (role === "wrapper" && eventName !== "Approval" && eventName !== "URI");

type Asked = Occasion & { stored: Token | null; current: Token | null; final: Token | null };

function toPresent(node: Hex, ledger: Ledger, { wrapper, now, stored, current, final }: Asked): Present {
  const { position, registrarExpiry } = ledger;
  const isSecondLevel = position?.parent === ETH_NODE;
  const owners = ledger.owners.at(-1)?.state;
  const owner = (owners && ownerOf(owners, ledger, wrapper)) ?? null;
  const isToken = owner?.reason === "wrapper";
  const isWrapped = isToken && orNone(current?.[0]) !== null;
  const expiry = isSecondLevel ? registrarExpiry : isToken ? stored?.[2] || null : null;
  const isActive = isSecondLevel ? expiry !== null && expiry + GRACE >= now : !isToken || isWrapped;
  return {
    // After a token lapsed, the name belongs to the wrapper itself, its owner by registrar and registry.
    owner: isToken && !isWrapped ? (wrapper ?? null) : (owner?.owner ?? null),
    isWrapped,
    expiry,
    isSecondLevel,
    isCounted: node !== zeroHash && position?.parent !== ADDR_REVERSE_NODE,
    isActive,
    hasEnd: isSecondLevel || !isToken || orNone(final?.[0]) === null,
    isOwnerCurrent: owner !== null && isActive && (!isToken || isWrapped),
  };
}
