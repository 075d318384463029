import type { Context } from "ponder:registry";
import type { Address, Hex } from "viem";
import { childNode, decodeDnsName, isLabelOf, nodeOfLabels } from "../ens/name.ts";
import { on } from "./on.ts";
import { addressesOf } from "./write/contracts.ts";
import { type DomainKey, patchDomain } from "./write/domains.ts";
import { appendEventAndHolders } from "./write/events.ts";
import { type LogRef, nullIfZero } from "./write/logRef.ts";
import { learnLabel } from "./write/names.ts";

/*
 * 3DNS keeps names of the DNS on Optimism: top-level names that it sells below, and names right below these. Its contract
 * is registry and registrar in one, and has one resolver for all names. Source: 3dns-xyz/contracts,
 * src/regcontrol/modules/types/Registry.sol.
 */

/**
 * A name was registered, for the first time or again after its expiry, when the old token is not burnt. NewOwner and
 * Transfer follow. The log spells the whole name. Writes: events, labels, domains, ownership_changes.
 */
on("DnsToken", "RegistrationCreated", async ({ event, context, log }) => {
  const { node, tld, fqdn, registrant, expiry } = event.args;
  const key = await readName(context, log, { node, tld, fqdn });
  const after = await patchName(context, log, key ?? { node }, {
    registryOwner: nullIfZero(registrant),
    registrarExpiryTimestamp: expiry,
    registeredTimestamp: log.blockTimestamp,
  });
  await appendEventAndHolders(
    context,
    log,
    {
      node,
      ownerAddress: registrant,
      expiryTimestamp: expiry,
      durationSeconds: expiry - event.block.timestamp,
      ...(key === null && { details: { fqdn }, anomaly: "the DNS name is not that of the node" }),
    },
    after,
  );
});

/** Only a name that has not expired can be renewed. Writes: events, domains. */
on("DnsToken", "RegistrationExtended", async ({ event, context, log }) => {
  const { node, duration, newExpiry } = event.args;
  await patchName(context, log, { node }, { registrarExpiryTimestamp: newExpiry });
  await appendEventAndHolders(context, log, { node, expiryTimestamp: newExpiry, durationSeconds: duration });
});

/** Writes: events, domains, ownership_changes. */
on("DnsToken", "RegistrationTransferred", async ({ event, context, log }) => {
  const { node, newOwner, operator } = event.args;
  const after = await patchName(context, log, { node }, { registryOwner: nullIfZero(newOwner) });
  await appendEventAndHolders(
    context,
    log,
    { node, newOwnerAddress: newOwner, details: { operator } },
    after,
  );
});

/** The contract forgets owner and expiry. Writes: events, domains, ownership_changes. */
on("DnsToken", "RegistrationBurned", async ({ event, context, log }) => {
  const { node, burner } = event.args;
  await patchName(context, log, { node }, { registryOwner: null, registrarExpiryTimestamp: null });
  await appendEventAndHolders(context, log, { node, fromAddress: burner });
});

/** A name, or a top-level name that names will be sold below. Writes: events, domains, ownership_changes. */
on("DnsToken", "NewOwner", async ({ event, context, log }) => {
  const { node: parentNode, label: labelhash, owner } = event.args; // on chain `label` is the labelhash
  const key = { node: childNode(parentNode, labelhash), parentNode, labelhash };
  const after = await patchName(context, log, key, { registryOwner: nullIfZero(owner) });
  await appendEventAndHolders(context, log, { node: key.node, ownerAddress: owner }, after);
});

/** Writes: events, domains, ownership_changes. */
on("DnsToken", "Transfer", async ({ event, context, log }) => {
  const { node, owner } = event.args;
  const after = await patchName(context, log, { node }, { registryOwner: nullIfZero(owner) });
  await appendEventAndHolders(context, log, { node, newOwnerAddress: owner }, after);
});

type Patch = {
  registryOwner?: Address | null;
  registrarExpiryTimestamp?: bigint | null;
  registeredTimestamp?: number;
};

/** Every name has the contract's one resolver, which no log tells: the only one that the deployment lists there. */
async function patchName(context: Context, log: LogRef, key: DomainKey, patch: Patch) {
  const [resolver = null] = addressesOf(context, "Resolver");
  const { after } = await patchDomain(context, log, key, () => ({ ...patch, resolver, isMigrated: true }));
  return after;
}

/**
 * Reads the name of a registration and learns its labels, the leftmost last, so that each finds its parent named. Null if
 * the bytes are not the name of the node. Writes: labels, domains.
 */
async function readName(
  context: Context,
  log: LogRef,
  { node, tld, fqdn }: { node: Hex; tld: Hex; fqdn: Hex },
): Promise<DomainKey | null> {
  const labels = decodeDnsName(fqdn) ?? [];
  const [own, ...above] = labels.map(({ labelhash }) => labelhash);
  if (own === undefined || nodeOfLabels(above) !== tld || childNode(tld, own) !== node) return null;
  for (const { labelhash, label } of labels.toReversed()) {
    if (isLabelOf(labelhash, label)) await learnLabel(context, log, labelhash, label);
  }
  return { node, parentNode: tld, labelhash: own };
}
