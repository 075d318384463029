import type { domain, ensv2Entry, ensv2Role, holder } from "ponder:schema";
import type { Address } from "viem";
import { type EntryRow, ETH_REGISTRY, entryRow, FAR, MIGRATOR, REGISTRAR, ROOT, roleRow } from "./ensv2.ts";
import {
  account,
  DAY,
  domainRow,
  holderRow,
  LISTED_RESOLVER,
  NOW,
  PARENT_CANNOT_CONTROL,
  STATIC_RESOLVER,
  WRAPPER,
} from "./rows.ts";

/*
 * Names of every kind, with random owners, with ends a second to each side of now, and with what
 * the contracts would report. This is computed by plain arithmetic and shares no rule with the
 * program.
 */

export const accounts = [account(0xa1), account(0xa2), account(0xa3), account(0xa4)] as const;
const SUBREGISTRY = account(0x3001);
const ENDED_SUBREGISTRY = account(0x3002);

type Random = () => number;

export type Status = "registered" | "grace" | "premium" | "available" | "unknown";

/** A name with everything lists can be asked about it. */
export type Named = {
  name: string;
  row: typeof domain.$inferInsert;
  entry?: EntryRow;
  roles: (typeof ensv2Role.$inferInsert)[];
  holders: (typeof holder.$inferInsert)[];
  owner: Address | null;
  manager: Address | null;
  wrapperOwner: Address | null;
  status: Status;
  isActive: boolean;
  isExpired: boolean;
  isLost: boolean;
  protocols: string[];
  isMigrated: boolean;
};

const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

/** Seconds from an end to now: exactly now, and one to each side. */
const around = [-1, 0, 1];

const expiries = (ends: readonly number[]): bigint[] =>
  [0, ...ends].flatMap((end) => around.map((second) => BigInt(NOW - end * DAY + second)));

const OLD = expiries([90, 111]);
const NEW = expiries([28, 49]);
const later = [BigInt(NOW + 400 * DAY), BigInt(NOW + 20 * DAY)];

/**
 * State of a .eth name whose grace and premium end this many seconds after the expiry. Grace
 * either includes its last second or not.
 */
function statusOfEth(expiry: bigint, { grace, premium }: { grace: bigint; premium: bigint }): Status {
  const since = BigInt(NOW) - expiry;
  if (since < 0n) return "registered";
  if (since < grace) return "grace";
  return since < premium ? "premium" : "available";
}

const ofEnsv1Terms = { grace: BigInt(90 * DAY) + 1n, premium: BigInt(111 * DAY) };
const ofEnsv2Terms = { grace: BigInt(28 * DAY), premium: BigInt(49 * DAY) };

const lives = (status: Status) => {
  const isActive = status === "registered" || status === "grace";
  return { status, isActive, isExpired: !isActive, isLost: !isActive };
};

function resolverOf(random: Random) {
  return pick(random, [null, STATIC_RESOLVER, LISTED_RESOLVER]);
}

const seen = (random: Random) => ({
  createdTimestamp: 1_600_000_000 + Math.floor(random() * 5),
  registeredTimestamp: pick(random, [null, 1_600_000_000, 1_600_000_009]),
});

type Of = Omit<Named, "name" | "roles" | "holders"> & { roles?: Named["roles"] };

/** An ENSv1 .eth name, wrapped or not. */
function eth(random: Random, name: string): Of {
  const expiry = pick(random, [...OLD, ...later]);
  const isWrapped = random() < 0.5;
  const [holderOf, keeper] = [pick(random, accounts), pick(random, [...accounts, null])];
  const wrapperExpiry = pick(random, [BigInt(NOW - 1), BigInt(NOW), BigInt(NOW + 1), ...later]);
  const unexplained = random() < 0.2 ? 1 : null;
  const isLapsed = isWrapped && wrapperExpiry < BigInt(NOW);
  const isNow = isWrapped && !isLapsed;
  const isUnknown = isLapsed && unexplained !== null;
  const isOld = !isWrapped && random() < 0.2;
  const row = domainRow(name, {
    registryOwner: isWrapped ? WRAPPER : keeper,
    registrarOwner: isWrapped ? WRAPPER : holderOf,
    registrarExpiryTimestamp: expiry,
    expiryTimestamp: expiry,
    effectiveOwnerAddress: holderOf,
    isMigrated: !isOld,
    resolver: resolverOf(random),
    ...seen(random),
    ...(isWrapped && {
      isWrapped,
      wrapperOwner: holderOf,
      wrapperFuses: PARENT_CANNOT_CONTROL | 1,
      wrapperExpiryTimestamp: wrapperExpiry,
      unexplainedRenewals: unexplained,
    }),
  });
  return {
    row,
    ...lives(statusOfEth(expiry, ofEnsv1Terms)),
    owner: isUnknown ? null : isLapsed ? WRAPPER : holderOf,
    manager: isUnknown ? null : isNow ? holderOf : isWrapped ? WRAPPER : keeper,
    wrapperOwner: isNow ? holderOf : null,
    protocols: ["ensv1", isOld ? "registry_old" : "registry", ...(isNow ? ["wrapper"] : [])],
    isMigrated: false,
  };
}

/** An ENSv1 subname, wrapped or not. */
function subname(random: Random, name: string): Of {
  const isWrapped = random() < 0.5;
  const keeper = pick(random, accounts);
  const isEmancipated = random() < 0.6;
  const expiry = pick(random, [BigInt(NOW - 1), BigInt(NOW), BigInt(NOW + 1), ...later]);
  const isLapsed = isWrapped && isEmancipated && expiry < BigInt(NOW);
  const isNow = isWrapped && !isLapsed;
  const row = domainRow(name, {
    registryOwner: isWrapped ? WRAPPER : keeper,
    effectiveOwnerAddress: keeper,
    resolver: resolverOf(random),
    ...seen(random),
    registeredTimestamp: null,
    ...(isWrapped && {
      isWrapped,
      wrapperOwner: keeper,
      wrapperFuses: isEmancipated ? PARENT_CANNOT_CONTROL : 0,
      wrapperExpiryTimestamp: expiry,
      expiryTimestamp: expiry,
    }),
  });
  return {
    row,
    status: isLapsed ? "unknown" : "registered",
    isActive: !isLapsed,
    isExpired: false,
    isLost: false,
    owner: isLapsed ? WRAPPER : keeper,
    manager: isLapsed ? WRAPPER : keeper,
    wrapperOwner: isNow ? keeper : null,
    protocols: ["ensv1", "registry", ...(isNow ? ["wrapper"] : [])],
    isMigrated: false,
  };
}

type Place = { registry: Address; parentExpiry: bigint | null };

/** An ENSv2 name, by its entry. */
function ofEntry(
  random: Random,
  name: string,
  { registry, parentExpiry }: Place,
  fixed: Partial<EntryRow> = {},
): Of {
  const isEth = registry === ETH_REGISTRY;
  const expiry = fixed.expiry ?? pick(random, [...NEW, ...later, FAR]);
  const owner = pick(random, accounts);
  const isMigrated = random() < 0.4;
  const resolver = resolverOf(random);
  const registeredTimestamp = pick(random, [1_600_000_000, 1_600_000_009]);
  const [label = ""] = name.split(".");
  const entry = entryRow(registry, label, {
    owner,
    expiry,
    resolver,
    registeredTimestamp,
    registeredBy: isMigrated ? (isEth ? MIGRATOR : registry) : REGISTRAR,
    ...fixed,
  });
  const isOver = expiry <= BigInt(NOW) || (parentExpiry !== null && parentExpiry <= BigInt(NOW));
  const life = isEth
    ? lives(statusOfEth(expiry, ofEnsv2Terms))
    : { status: isOver ? "unknown" : "registered", isActive: !isOver, isExpired: false, isLost: isOver };
  const row = domainRow(name, {
    registry,
    expiryTimestamp: expiry,
    effectiveOwnerAddress: owner,
    resolver,
    pathExpiryTimestamp: parentExpiry,
    createdTimestamp: seen(random).createdTimestamp,
    registryOwner: pick(random, [null, ...accounts]),
    registeredTimestamp,
  });
  const roles = accounts.map((of) =>
    roleRow(registry, entry.resource, of, pick(random, [0n, 0n, 1n, 1n << 20n])),
  );
  return {
    row,
    entry,
    ...(life as ReturnType<typeof lives>),
    owner,
    manager: null,
    wrapperOwner: null,
    protocols: ["ensv2"],
    isMigrated,
    roles: roles.filter(() => random() < 0.7),
  };
}

const live = BigInt(NOW + 300 * DAY);
const ended = BigInt(NOW);

/** Names below `eth`, below a live ENSv2 name, and below one that ended with this second. */
export function worldOf(random: Random): Named[] {
  const eths = Array.from({ length: 70 }, (_, i) => {
    const name = `eth${i}.eth`;
    return complete(random, name, eth(random, name));
  });
  const subs = Array.from({ length: 50 }, (_, i) => {
    const name = `sub${i}.eth${i % 7}.eth`;
    return complete(random, name, subname(random, name));
  });
  const place = { registry: ETH_REGISTRY, parentExpiry: null };
  const v2 = Array.from({ length: 60 }, (_, i) => {
    const name = `v2-${i}.eth`;
    return complete(random, name, ofEntry(random, name, place));
  });
  const parents = [
    { name: "live.eth", fixed: { expiry: live, subregistry: SUBREGISTRY } },
    { name: "ended.eth", fixed: { expiry: ended, subregistry: ENDED_SUBREGISTRY } },
  ].map(({ name, fixed }) => complete(random, name, ofEntry(random, name, place, fixed)));
  const below = Array.from({ length: 50 }, (_, i) => {
    const isLive = i % 2 === 0;
    const name = `v2sub${i}.${isLive ? "live" : "ended"}.eth`;
    const at = isLive
      ? { registry: SUBREGISTRY, parentExpiry: live }
      : { registry: ENDED_SUBREGISTRY, parentExpiry: ended };
    return complete(random, name, ofEntry(random, name, at));
  });
  return [...eths, ...subs, ...v2, ...parents, ...below];
}

function complete(random: Random, name: string, { roles = [], ...of }: Of): Named {
  const holders = [...accounts, WRAPPER]
    .filter(() => random() < 0.4)
    .map((address) => holderRow(address, name, 5));
  return { name, ...of, roles, holders };
}

export const rootEntry: typeof ensv2Entry.$inferInsert = entryRow(ROOT, "eth", {
  expiry: FAR,
  owner: account(8),
  subregistry: ETH_REGISTRY,
});

export const subregistries = [SUBREGISTRY, ENDED_SUBREGISTRY];

/** The relations of an address to a name. */
export function relationsTo(address: Address, named: Named): string[] {
  const { row, owner, isLost } = named;
  const isHolder = named.roles.some(({ account: of, roles }) => of === address && roles !== 0n);
  const is: [string, boolean][] = [
    ["effective_owner", owner === address],
    ["registry_owner", row.registryOwner === address],
    ["registrar_owner", row.registrarOwner === address],
    ["wrapper_owner", named.wrapperOwner === address],
    ["resolver", row.resolver === address],
    ["manager", named.manager === address],
    ["role_holder", isHolder],
    ["former_owner", named.holders.some((one) => one.address === address) && (owner !== address || isLost)],
  ];
  return is.flatMap(([relation, holds]) => (holds ? [relation] : []));
}
