import type { Context } from "ponder:registry";
import { domain as domains } from "ponder:schema";
import type { Hex } from "viem";
import { GRACE_PERIOD } from "../../ens/wrapper.ts";
import { addressesOf } from "./contracts.ts";
import { maySilentlyRenew } from "./controllers.ts";
import { type Domain, type DomainPatch, keyOfRegistrar, patchDomain } from "./domains.ts";
import type { LogRef } from "./logRef.ts";

/*
 * A renewal through the NameWrapper moves the wrapper's expiry, too, and the wrapper logs nothing. The registrar logs the same
 * for every renewal, so the log of the controller, which comes next, says which way it went. Where the wrapper has a controller
 * that the deployment does not list, that log may be missing: then the wrapper's expiry is not known until a later log tells
 * it.
 */

/** A renewal, as a controller logs it. */
type Renewal = { labelhash: Hex; expires: bigint };

/**
 * Whether a renewal through the wrapper moves the wrapper's expiry: if the wrapper is the owner in registrar and registry and
 * the name is no longer expired.
 * Source: ens-contracts, contracts/wrapper/NameWrapper.sol, `renew`.
 */
function mayMove(
  context: Context,
  log: LogRef,
  { registrarOwner, registryOwner }: Domain,
  expires: bigint,
): boolean {
  const wrapper = addressesOf(context, "NameWrapper")[0];
  const isWrappers = registrarOwner === wrapper && registryOwner === wrapper;
  return wrapper !== undefined && isWrappers && expires > BigInt(log.blockTimestamp);
}

/** What the registrar's log of a renewal changes of a domain: where the log after it may be missing, nothing explains it yet. */
export async function unexplainedBy(
  context: Context,
  log: LogRef,
  expires: bigint,
): Promise<(domain: Domain) => DomainPatch> {
  if (!(await maySilentlyRenew(context))) return () => ({});
  return (domain) =>
    mayMove(context, log, domain, expires)
      ? { unexplainedRenewals: (domain.unexplainedRenewals ?? 0) + 1 }
      : {};
}

/** A controller says that a renewal went through the wrapper. Writes: domains. */
export const renewedThroughWrapper = (context: Context, log: LogRef, { labelhash, expires }: Renewal) =>
  patchDomain(context, log, keyOfRegistrar(log.chainId, labelhash), (domain) =>
    mayMove(context, log, domain, expires)
      ? {
          wrapperExpiryTimestamp: expires + GRACE_PERIOD,
          wrapperFuses: domain.wrapperFuses ?? 0,
          unexplainedRenewals: null,
        }
      : {},
  );

/**
 * A controller says that a renewal asked the registrar itself. The first controllers renewed at a registrar whose names have
 * no row. Writes: domains.
 */
export async function renewedDirectly(
  context: Context,
  log: LogRef,
  { labelhash, expires }: Renewal,
): Promise<void> {
  if (!(await maySilentlyRenew(context))) return;
  const key = keyOfRegistrar(log.chainId, labelhash);
  const row = await context.db.find(domains, { chainId: log.chainId, node: key.node });
  const count = row?.unexplainedRenewals ?? null;
  if (row === null || count === null || !mayMove(context, log, row, expires)) return;
  await patchDomain(context, log, key, () => ({ unexplainedRenewals: count > 1 ? count - 1 : null }));
}
