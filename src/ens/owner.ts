import type { Address } from "viem";

/** Owners of a name in each layer; null where the layer has none. */
export type Owners = {
  registryOwner: Address | null;
  registrarOwner: Address | null;
  wrapperOwner: Address | null;
};

export type OwnershipReason = "registry" | "registrar" | "wrapper";

/**
 * Whether a name is wrapped: the registry owner is the NameWrapper, its token has an owner and, for a .eth second-level
 * name, the registrar owner is the NameWrapper too. Wrapper events alone do not tell: a parent may take a name back in
 * the registry, and an expired name may be registered anew, both without one.
 * Source: ens-contracts, contracts/wrapper/README.md; NameWrapper.isWrapped.
 */
export const isWrapped = (owners: Owners, wrapper: Address | undefined, isEthSecondLevel: boolean): boolean =>
  wrapper !== undefined &&
  owners.wrapperOwner !== null &&
  owners.registryOwner === wrapper &&
  (!isEthSecondLevel || owners.registrarOwner === wrapper);

/** Who owns a name, and the layer that says so: wrapper before registrar before registry. */
export function effectiveOwner(
  owners: Owners & { isWrapped: boolean },
): { address: Address; reason: OwnershipReason } | null {
  if (owners.isWrapped && owners.wrapperOwner) return { address: owners.wrapperOwner, reason: "wrapper" };
  if (owners.registrarOwner) return { address: owners.registrarOwner, reason: "registrar" };
  if (owners.registryOwner) return { address: owners.registryOwner, reason: "registry" };
  return null;
}
