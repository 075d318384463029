import { type Address, getAddress, type Hex, zeroAddress } from "viem";
import { expect } from "vitest";
import {
  addressOf,
  type Chain,
  dnsEncode,
  type EntryState,
  ETH_NODE,
  GRACE_V2,
  hashLabel,
  latestTime,
  nodeOf,
  read,
  readNamePrice,
} from "../../devnet/acts.ts";
import { readEnsv2Contracts } from "./ensv2Reads.ts";
import { expectedWhois, judged } from "./onChain.ts";
import { type DomainRecord, lower, type Stage } from "./stage.ts";

/* Expected answers about names with ENSv2, from the contracts' answers at the newest block. */

/** The entry of a name as its registry answers, and whether it was ever registered there. */
export type Found = EntryState & { registry: Hex; label: string; isEth: boolean; wasRegistered: boolean };

const orNull = (address: Address): Address | null => (address === zeroAddress ? null : getAddress(address));

type Asked = Pick<Stage, "local" | "chain">;

/** Whether the way to the names right below one has a contract whose logs do not show what it stores. */
export async function isStrange({ local, chain }: Asked, above: readonly string[]): Promise<boolean> {
  const { registries } = await readEnsv2Contracts(local);
  const ask = { contract: "universalHelper", functionName: "findRegistries", args: [dnsEncode(above)] };
  // The call to a contract that is not a registry fails.
  const way = await read<Address[]>(chain, ask).catch(() => null);
  return way === null || way.some((one) => one !== zeroAddress && !registries.includes(lower(one)));
}

/** The registry of the names right below one; null if the way there ended, or it is not one of ENSv2's. */
async function findRegistry({ local, chain }: Asked, above: readonly string[]): Promise<Hex | null> {
  const ask = { contract: "universalHelper", functionName: "findExactRegistry", args: [dnsEncode(above)] };
  const registry = lower(await read<Address>(chain, ask));
  const { registries } = await readEnsv2Contracts(local);
  return registries.includes(registry) ? registry : null;
}

/** The entry that the contracts lead to; null if none exists, or the way to it ended. */
export async function findEntry({ local, chain }: Asked, name: string): Promise<Found | null> {
  const [label = "", ...above] = name.split(".");
  const registry = await findRegistry({ local, chain }, above);
  if (registry === null) return null;
  const { logs } = await readEnsv2Contracts(local);
  const args = [BigInt(hashLabel(label))];
  const state = await read<EntryState>(chain, { contract: registry, functionName: "getState", args });
  if (state.expiry === 0n) return null;
  const wasRegistered = logs.some(
    ({ address, eventName, args: told }) =>
      address.toLowerCase() === registry &&
      eventName === "LabelRegistered" &&
      told.labelHash === hashLabel(label),
  );
  return { ...state, registry, label, isEth: nodeOf(above.join(".")) === ETH_NODE, wasRegistered };
}

/**
 * Whether an unregistered name is out of ENSv1's reach, because one above it migrated to ENSv2: unless the registry there answers
 * for it with the resolver that asks ENSv1.
 */
export async function isHistory(asked: Asked, name: string): Promise<boolean> {
  const [label = "", ...above] = name.split(".");
  let isBelow = false;
  for (let rest = above; rest.length > 1; rest = rest.slice(1)) {
    isBelow ||= (await findEntry(asked, rest.join(".")))?.wasRegistered ?? false;
  }
  const contract = isBelow ? await findRegistry(asked, above) : null;
  if (contract === null) return isBelow;
  const resolver = await read<Address>(asked.chain, { contract, functionName: "getResolver", args: [label] });
  return resolver !== addressOf(asked.chain, "ensV1Resolver");
}

/** The expected answer about a name that only ENSv1 has, below one of ENSv2: it has no owner. */
const withoutOwner = {
  protocol: "ensv2",
  expiry_timestamp: null,
  ownership: { is_wrapped: false },
  resolver: null,
  wrapper: undefined,
  availability_status: "unknown",
};

/** The state of an ENSv2 name by what its contracts allow. */
async function availabilityOf(chain: Chain, { label, isEth, status, latestOwner }: Found): Promise<string> {
  const isHeld = latestOwner !== zeroAddress;
  if (!isEth) return status !== 0 && isHeld ? "registered" : "unknown";
  if (status !== 0) return "registered";
  const question = { contract: "ethRegistrar", functionName: "isAvailable", args: [label] };
  if (!(await read<boolean>(chain, question))) return "grace";
  return (await readNamePrice(chain, { label })).premium > 0n ? "premium" : "available";
}

/** The resolver of an entry; a reservation has one, too. */
const resolverOf = async (chain: Chain, { registry, label }: Found): Promise<Address | null> =>
  orNull(await read<Address>(chain, { contract: registry, functionName: "getResolver", args: [label] }));

/** Fields of a name registered in ENSv2. */
export async function expectedOfEnsv2(chain: Chain, name: string, found: Found) {
  const { registry, expiry, latestOwner, isEth, status, tokenId } = found;
  const now = await latestTime(chain);
  const owner = isEth || status !== 0 ? orNull(latestOwner) : null;
  const isOver = isEth && owner !== null && now >= expiry + GRACE_V2;
  // The registry keeps the last holder of an expired entry, but not of an unregistered one.
  const last = isOver ? owner : owner === null ? orNull(latestOwner) : null;
  const lastEnd = isOver
    ? { to_timestamp: Number(expiry + GRACE_V2), ended_by: "grace_end" }
    : { to_timestamp: Number(expiry), ended_by: "expiry" };
  return {
    protocol: "ensv2",
    registry: getAddress(registry),
    namehash: nodeOf(name),
    token_id: latestOwner === zeroAddress ? null : String(tokenId),
    expiry_timestamp: String(expiry),
    ownership: {
      is_wrapped: false,
      ...(owner !== null && { owner, is_owner_current: !isOver }),
      ...(isOver && { to_timestamp: Number(expiry + GRACE_V2), ended_by: "grace_end" }),
      ...(last !== null && { last_owner: { address: last, ...lastEnd } }),
    },
    resolver: await resolverOf(chain, found),
    availability_status: await availabilityOf(chain, found),
  };
}

const judgedOfEnsv2 = (answer: DomainRecord, hasToken: boolean) => ({
  protocol: answer.protocol,
  registry: answer.registry,
  namehash: answer.namehash,
  token_id: hasToken ? answer.token_id : null,
  expiry_timestamp: answer.expiry_timestamp,
  ownership: answer.ownership,
  resolver: answer.resolver.address ?? null,
  availability_status: answer.availability_status,
});

/**
 * Asks Namedex and the contracts about a name, and expects one answer: that of ENSv2 if it was ever registered there, otherwise
 * that of ENSv1, with its reservation. The index by itself must give the same.
 */
export async function expectAnswerAsOnChain(
  stage: Stage,
  name: string,
  { wasOfEnsv2 = false }: { wasOfEnsv2?: boolean } = {},
): Promise<DomainRecord> {
  const found = await findEntry(stage, name);
  const isPast = !found?.wasRegistered && (wasOfEnsv2 || (await isHistory(stage, name)));
  const { query: _, ...answer } = await stage.whois(name);
  const record = await stage.record(nodeOf(name));
  for (const one of [answer, record]) {
    if (found?.wasRegistered) {
      const expected = await expectedOfEnsv2(stage.chain, name, found);
      expect(judgedOfEnsv2(one, expected.token_id !== null), name).toEqual(expected);
      continue;
    }
    const ofEnsv1 = { protocol: "ensv1", ...(await expectedWhois(stage.chain, name)) };
    const token_id = String(BigInt(hashLabel(name.split(".")[0] ?? "")));
    // A reservation below a name migrated to ENSv2 leaves nothing to ENSv1.
    const reserved = found && {
      expiry_timestamp: String(found.expiry),
      resolver: await resolverOf(stage.chain, found),
    };
    const expected = isPast ? { ...ofEnsv1, ...withoutOwner, token_id, ...reserved } : ofEnsv1;
    expect({ protocol: one.protocol, ...judged(one) }, name).toEqual(expected);
    expect(one.reservation?.expiry_timestamp, `reservation of ${name}`).toBe(
      found ? String(found.expiry) : undefined,
    );
  }
  return record;
}

/** The same for several names at once. */
export async function expectAnswersAsOnChain(
  stage: Stage,
  names: readonly string[],
): Promise<DomainRecord[]> {
  // Read once here, or else each name would read it.
  await readEnsv2Contracts(stage.local);
  return Promise.all(names.map((name) => expectAnswerAsOnChain(stage, name)));
}
