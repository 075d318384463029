import type { Address } from "viem";

/** Owners of a name in each layer; null where the layer has none. */
export type Owners = {
  registryOwner: Address | null;
  registrarOwner: Address | null;
  wrapperOwner: Address | null;
};

export type OwnershipReason = "registry" | "registrar" | "wrapper";

/**
 * Whether a name is wrapped: the registry owner is the NameWrapper, its token has an owner and, for a name of the
 * registrar, the registrar owner is the NameWrapper too. The wrapper's events alone do not show this: it emits none when a
 * parent takes a name back in the registry, or when an expired name is registered again.
 * Source: ens-contracts, contracts/wrapper/README.md; NameWrapper.isWrapped.
 *
 * @param isRegistrars whether the name is one of a registrar, such as a .eth second-level name
 */
export const isWrapped = (owners: Owners, wrapper: Address | undefined, isRegistrars: boolean): boolean =>
  wrapper !== undefined &&
  owners.wrapperOwner !== null &&
  owners.registryOwner === wrapper &&
  (!isRegistrars || owners.registrarOwner === wrapper);

/** The owner of a name in the first layer that has one: wrapper, registrar, registry. Null if none has. */
export function effectiveOwner(
  owners: Owners & { isWrapped: boolean },
): { address: Address; reason: OwnershipReason } | null {
  if (owners.isWrapped && owners.wrapperOwner) return { address: owners.wrapperOwner, reason: "wrapper" };
  if (owners.registrarOwner) return { address: owners.registrarOwner, reason: "registrar" };
  if (owners.registryOwner) return { address: owners.registryOwner, reason: "registry" };
  return null;
}
