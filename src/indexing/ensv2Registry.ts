import type { Context } from "ponder:registry";
import type { Address, Hex } from "viem";
import {
  type EntryState,
  endedEntry,
  hasRegistrarRole,
  isUnderWay,
  newerNumber,
  receiverOf,
  storageIdOf,
  storageIdOfNumber,
} from "../ens/ensv2.ts";
import { isLabelOf, isPrintable, unknownLabel } from "../ens/name.ts";
import { type ArgsOf, type EventIn, on } from "./on.ts";
import { rowsOfEntries, rowsOfEthEntries } from "./rowsAhead.ts";
import { putOperator, putRoles } from "./write/approvals.ts";
import { addressesOf } from "./write/contracts.ts";
import {
  appendEntryLog,
  changeEntry,
  findEntry,
  findLogged,
  type Logged,
  MAX_MOVED_TOKENS,
  startEntry,
} from "./write/ensv2/entries.ts";
import { followClaim, rescan } from "./write/ensv2/mounts.ts";
import { reachPhase } from "./write/ensv2/phases.ts";
import {
  hasKnownCode,
  isFixedRegistry,
  isToldRegistry,
  leaveToChain,
  putCode,
} from "./write/ensv2/proxies.ts";
import { openRegistry, putClaim } from "./write/ensv2/registries.ts";
import { appendEvent, type EventValues } from "./write/events.ts";
import { familyOf } from "./write/families.ts";
import { type HandlerArgs, type LogEvent, type LogRef, nullIfZero } from "./write/logRef.ts";
import { learnLabel } from "./write/names.ts";

/*
 * Registries of ENSv2: the root registry, the ETH registry, and those that a listed factory deployed, all with the same
 * events. An entry has the name of each place at which its registry is, so one log can concern several names.
 */

type AnyRegistry = "Ensv2RootRegistry" | "Ensv2EthRegistry" | "Ensv2ProxyRegistry";
type Args<Name extends EventIn<AnyRegistry>> = ArgsOf<AnyRegistry, Name>;

/** Handles a log of any registry, whatever its code is. */
function onAnyRegistry<Name extends EventIn<AnyRegistry>>(
  name: Name,
  handle: (args: Args<Name>) => Promise<unknown>,
): void {
  on(["Ensv2RootRegistry", "Ensv2ProxyRegistry"], name, handle, rowsOfEntries);
  on("Ensv2EthRegistry", name, handle, rowsOfEthEntries);
}

/** Handles a log of a registry. What a contract with other code says is history, and changes nothing. */
function onRegistry<Name extends EventIn<AnyRegistry>>(
  name: Name,
  handle: (args: Args<Name>) => Promise<unknown>,
): void {
  onAnyRegistry(name, async (args) => {
    const { event, context, log } = args as HandlerArgs<LogEvent & { args?: Record<string, unknown> }>;
    if (await isToldRegistry(context, log.contractAddress)) await handle(args);
    else await appendEvent(context, log, withDetails(event.args ?? {}));
  });
}

const withDetails = (args: object): EventValues =>
  Object.keys(args).length > 0 ? { details: args as Record<string, unknown> } : {};

const isEthRegistry = (context: Context, { contractAddress }: LogRef): boolean =>
  addressesOf(context, "Ensv2EthRegistry").includes(contractAddress);

/** Writes: ensv2_registries, events. */
onRegistry("RegistryCreated", async ({ context, log }) => {
  await openRegistry(context, log, log.contractAddress);
  await appendEvent(context, log, {});
});

/** An entry got a holder. Writes: ensv2_entries, labels, domains and their changes, events, holders. */
onRegistry("LabelRegistered", ({ event, context, log }) => {
  const { owner, ...args } = event.args;
  return onStart(context, log, { ...args, owner: nullIfZero(owner) });
});

/** A label was reserved: it has no holder. Writes: ensv2_entries, labels, events, ensv2_phases. */
onRegistry("LabelReserved", async ({ event, context, log }) => {
  if (isEthRegistry(context, log)) await reachPhase(context, log, "reserving");
  await onStart(context, log, { ...event.args, owner: null });
});

type Started = {
  tokenId: bigint;
  labelHash: Hex;
  label: string;
  owner: Address | null;
  expiry: bigint;
  sender: Address;
};

async function onStart(
  context: Context,
  log: LogRef,
  { tokenId, labelHash: labelhash, label, owner, expiry, sender }: Started,
) {
  const details = { tokenId, sender };
  const values = { ...(owner !== null && { ownerAddress: owner }), expiryTimestamp: expiry };
  if (storageIdOfNumber(tokenId) !== storageIdOf(labelhash)) {
    const anomaly = "the token is not that of the labelhash";
    return appendEvent(context, log, { ...values, anomaly, details: { ...details, label, labelhash } });
  }
  const before = await findEntry(context, log, storageIdOf(labelhash));
  if (await isInterrupted(context, log, before)) return appendEvent(context, log, { ...values, details });
  // Bytes that are not UTF-8 arrive changed, and have another hash.
  const isText = isLabelOf(labelhash, label);
  if (isText) await learnLabel(context, log, labelhash, label);
  const isShown = isText && isPrintable(label);
  const shown = isShown ? label : unknownLabel(labelhash);
  const start = { labelhash, label: shown, tokenId, owner, expiry, sender };
  const logged = await startEntry(context, log, before, start);
  await appendEntryLog(context, log, logged, {
    values: { ...values, details: isShown ? details : { ...details, label, labelhash } },
    isNews: true,
    isHeld: true,
  });
}

/** The entry ends now. Writes: ensv2_entries, domains and their changes, events. */
onRegistry("LabelUnregistered", ({ event, context, log }) => {
  const { tokenId, sender } = event.args;
  return onChange(context, log, tokenId, {
    patch: () => endedEntry(log.blockTimestamp),
    values: () => ({ details: { tokenId, sender } }),
    isSet: true,
  });
});

/** The entry's end moved, which can still be past. Writes: ensv2_entries, domains, events. */
onRegistry("ExpiryUpdated", ({ event, context, log }) => {
  const { tokenId, newExpiry, sender } = event.args;
  return onChange(context, log, tokenId, {
    patch: ({ entry }) => ({ expiry: newExpiry, tokenId: newerNumber(entry.tokenId, tokenId) }),
    values: (logged) => ({
      expiryTimestamp: newExpiry,
      durationSeconds: logged === null ? null : newExpiry - logged.entry.expiry,
      details: { tokenId, sender },
    }),
  });
});

/** What is below the entry changed. Writes: ensv2_entries, ensv2 mounts, domains and their changes, events. */
onRegistry("SubregistryUpdated", ({ event, context, log }) => {
  const { tokenId, subregistry, sender } = event.args;
  return onChange(context, log, tokenId, {
    patch: () => ({ subregistry: nullIfZero(subregistry) }),
    values: () => ({ details: { tokenId, subregistry, sender } }),
    isSet: true,
  });
});

/** Writes: ensv2_entries, domains, resolver_changes, events. */
onRegistry("ResolverUpdated", ({ event, context, log }) => {
  const { tokenId, resolver, sender } = event.args;
  return onChange(context, log, tokenId, {
    patch: () => ({ resolver: nullIfZero(resolver) }),
    values: () => ({ resolverAddress: resolver, details: { tokenId, sender } }),
    isSet: true,
  });
});

/** Under which key the roles of the entry are from here on. Writes: ensv2_entries, events. */
onRegistry("TokenResource", ({ event, context, log }) => {
  const { tokenId, resource } = event.args;
  return onChange(context, log, tokenId, {
    patch: ({ entry }) => ({ resource: newerNumber(entry.resource, resource) }),
    values: () => ({ details: { tokenId, resource } }),
  });
});

/** The token got another number, because its roles changed; the holder is the same. Writes: ensv2_entries, events. */
onRegistry("TokenRegenerated", ({ event, context, log }) => {
  const { oldTokenId, newTokenId } = event.args;
  return onChange(context, log, newTokenId, {
    patch: ({ entry }) => ({ tokenId: newerNumber(entry.tokenId, newTokenId) }),
    values: () => ({ details: { oldTokenId, tokenId: newTokenId } }),
  });
});

/** Writes: ensv2_entries, domains and their changes, events, holders. */
onRegistry("TransferSingle", ({ event, context, log }) => {
  const { operator, from, to, id, value } = event.args;
  return onMove(context, log, { operator, from, to, id, value });
});

/**
 * Several tokens at once, with a row for each moved one. Tokens moved with value 0 have no row, because they cost their
 * sender next to nothing. Writes: ensv2_entries, domains and their changes, events, holders.
 */
onRegistry("TransferBatch", async ({ event, context, log }) => {
  const { operator, from, to, ids, values } = event.args;
  const moved = ids
    .map((id, index) => ({ id, value: values[index] ?? 0n }))
    .filter(({ value }) => value > 0n);
  const shown = moved.slice(0, MAX_MOVED_TOKENS);
  let ordinal = 0;
  for (const { id, value } of shown) {
    ordinal += await onMove(context, { ...log, ordinal }, { operator, from, to, id, value });
  }
  if (shown.length > 0 && shown.length === moved.length) return;
  await appendEvent(
    context,
    { ...log, ordinal },
    {
      fromAddress: from,
      toAddress: to,
      details: { operator, tokens: ids.length },
      ...(shown.length < moved.length && { anomaly: "more tokens than a transaction can move" }),
    },
  );
});

type Move = { operator: Address; from: Address; to: Address; id: bigint; value: bigint };

/** Gives how many rows there are. */
async function onMove(context: Context, log: LogRef, { operator, from, to, id, value }: Move) {
  const receiver = receiverOf({ to, value });
  return onChange(context, log, id, {
    patch: ({ entry }) =>
      receiver === undefined ? {} : { owner: receiver, tokenId: newerNumber(entry.tokenId, id) },
    values: () => ({
      fromAddress: from,
      toAddress: to,
      details: { tokenId: id, operator, ...(value !== 1n && { value }) },
    }),
    // A mint comes with LabelRegistered, which has the holder, or leaves the holder as it is.
    isHeld: receiver !== undefined && nullIfZero(from) !== null,
  });
}

/**
 * Roles of an account, for an entry or for the whole contract. Resolvers deployed by a factory log it too. Writes:
 * ensv2_roles, events, ensv2_phases.
 */
onAnyRegistry("EACRolesChanged", async ({ event, context, log: emitted }) => {
  const { resource, account, oldRoleBitmap, newRoleBitmap } = event.args;
  const contract = await familyOfProxy(context, emitted);
  const log = { ...emitted, contract };
  const details = { resource, account, oldRoles: oldRoleBitmap, roles: newRoleBitmap };
  const isResolver = contract !== emitted.contract;
  const isRegistry = !isResolver && (await isToldRegistry(context, log.contractAddress));
  if (isRegistry || isResolver) await putRoles(context, log, { resource, account, roles: newRoleBitmap });
  if (isRegistry && resource === 0n) await onRootRoles(context, log, account, newRoleBitmap);
  if (isRegistry && resource !== 0n) await onChange(context, log, resource, { values: () => ({ details }) });
  else await appendEvent(context, log, { details });
});

/** Roles for a whole registry; often the first log of the root registry. Writes: ensv2_registries, ensv2_phases. */
async function onRootRoles(context: Context, log: LogRef, account: Address, roles: bigint) {
  await openRegistry(context, log, log.contractAddress);
  const isRegistrar = addressesOf(context, "Ensv2Registrar").includes(account) && hasRegistrarRole(roles);
  if (isRegistrar && isEthRegistry(context, log)) await reachPhase(context, log, "open");
}

/** Resolvers come from the same factories as registries. */
async function familyOfProxy(context: Context, { contract, contractAddress }: LogRef): Promise<string> {
  if (isFixedRegistry(context, contractAddress)) return contract;
  return (await hasKnownCode(context, contractAddress)) ? familyOf("Ensv2Resolver") : contract;
}

/** Writes: ensv2_registries, events, and what {@link followClaim} writes. */
onRegistry("ParentUpdated", async ({ event, context, log }) => {
  const { parent, label, sender } = event.args;
  const registry = await openRegistry(context, log, log.contractAddress);
  await putClaim(context, registry, { parent: nullIfZero(parent), label });
  await appendEvent(context, log, { details: { parent, label, sender } });
  await followClaim(context, log, log.contractAddress);
});

/** Writes: events. */
onRegistry("URIUpdated", ({ event, context, log }) => {
  const { uri, renderer, sender } = event.args;
  return appendEvent(context, log, { value: uri, details: { renderer, sender } });
});

/** An account may act for a holder of tokens, or no longer. Writes: events, operators. */
onRegistry("ApprovalForAll", async ({ event, context, log }) => {
  const { account: owner, operator, approved: isApproved } = event.args;
  await appendEvent(context, log, { details: event.args });
  if (await isToldRegistry(context, log.contractAddress))
    await putOperator(context, log, { owner, operator, isApproved });
});

/** A proxy got its code, or other code. Writes: ensv2_proxies, events, and what {@link rescan} writes. */
onAnyRegistry("Upgraded", async ({ event, context, log }) => {
  const { implementation } = event.args;
  const isProxy = !isFixedRegistry(context, log.contractAddress);
  const isChanged = isProxy && (await putCode(context, log, implementation));
  const contract = await familyOfProxy(context, log);
  await appendEvent(context, { ...log, contract }, { details: { implementation } });
  if (isChanged) await rescan(context, log, log.contractAddress);
});

type Change = {
  patch?: (logged: Logged) => Parameters<typeof changeEntry>[2];
  values: (before: Logged | null) => EventValues;
  /** Whether `register` logs the same, so that a log within a registration does not determine what is stored. */
  isSet?: boolean;
  isHeld?: boolean;
};

/** Applies a log to its entry and to the entry's names. Gives how many rows of events there are. */
async function onChange(
  context: Context,
  log: LogRef,
  number: bigint,
  { patch = () => ({}), values, isSet = false, isHeld = false }: Change,
): Promise<number> {
  const found = await findLogged(context, log, number);
  if (found === null || (isSet && (await isInterrupted(context, log, found.entry)))) {
    await appendEvent(context, log, values(found));
    return 1;
  }
  const { logged, isChanged } = await changeEntry(context, found, patch(found));
  return appendEntryLog(context, log, logged, { values: values(found), isNews: isChanged, isHeld });
}

/**
 * Whether a log came within a registration of its entry: see {@link isUnderWay}. From here on only the chain knows what
 * the registry stores. This cannot happen in the root registry and the ETH registry, where no account has a role for
 * it. Writes: ensv2_proxies, and what {@link rescan} writes.
 */
async function isInterrupted(context: Context, log: LogRef, entry: EntryState | null): Promise<boolean> {
  if (entry === null || !isUnderWay(entry) || isFixedRegistry(context, log.contractAddress)) return false;
  if (await leaveToChain(context, log)) await rescan(context, log, log.contractAddress);
  return true;
}
