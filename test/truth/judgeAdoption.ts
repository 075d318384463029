import { type Claim, lastClaims } from "./claims.ts";
import type { Judge } from "./judgeAnswers.ts";
import type { NameNow } from "./namesNow.ts";

const familyOf: Record<string, Claim["registrar"]> = {
  "reverse-registrar": "REVERSE_REGISTRAR",
  "default-reverse-registrar": "DEFAULT_REVERSE_REGISTRAR",
  "l2-reverse-registrar": "L2_REVERSE_REGISTRAR",
};

/** Who claims a name, at which registrar, and how many owners do; by the last claim of each address. */
export async function judgeAdoption(
  { get, same, deployment }: Judge,
  { names, claims }: { names: readonly NameNow[]; claims: readonly Claim[] },
): Promise<void> {
  const last = lastClaims(claims);
  const claimants = new Set(last.flatMap(({ address, name }) => (name === null ? [] : [address])));
  const owners = new Set(
    names.flatMap(({ isCounted, isActive, owner }) => (isCounted && isActive && owner ? [owner] : [])),
  );
  const both = [...owners].filter((owner) => claimants.has(owner)).length;
  const families = new Set(deployment.contracts.flatMap(({ role }) => familyOf[role] ?? []));
  const { generated_at, ...answer } = await get("/ens-stats/primary-names");
  same("figures of primary names", answer, {
    unique_addresses_with_primary_name: claimants.size,
    unique_domain_owners: owners.size,
    adoption_percentage: owners.size === 0 ? 0 : Math.round((both * 10_000) / owners.size) / 100,
    // The chain is one alone: what is claimed there at several registrars is on one chain.
    multi_chain_count: 0,
    by_registrar: [...families].map((registrar) => {
      const own = last.filter((claim) => claim.registrar === registrar);
      const nameless = own.filter(({ name }) => name === null);
      return {
        ...{ registrar, chain: "devnet", with_name: own.length - nameless.length },
        cleared: nameless.filter(({ isKnown }) => isKnown).length,
        unknown: nameless.filter(({ isKnown }) => !isKnown).length,
      };
    }),
  });
}
