import type { Role } from "../../abis/deployments.ts";
import { type Claim, lastClaims } from "./claims.ts";
import type { Judge } from "./judge.ts";
import type { NameNow } from "./namesNow.ts";
import type { Row } from "./oracle.ts";

const familyOf: Partial<Record<Role, Claim["registrar"]>> = {
  "reverse-registrar": "REVERSE_REGISTRAR",
  "default-reverse-registrar": "DEFAULT_REVERSE_REGISTRAR",
  "l2-reverse-registrar": "L2_REVERSE_REGISTRAR",
};

/** The claimants of names, by registrar, and the number of owners among them; by the last claim of each address. */
export async function judgeAdoption(
  judge: Judge,
  { names, claims }: { names: readonly NameNow[]; claims: readonly Claim[] },
): Promise<void> {
  const { getFresh, same } = judge;
  const last = lastClaims(claims);
  const chainsOf = new Map<string, Set<string>>();
  for (const { address, name, chain } of last) {
    if (name !== null) chainsOf.set(address, (chainsOf.get(address) ?? new Set()).add(chain));
  }
  const owners = new Set(
    names.flatMap(({ isCounted, isActive, owner }) => (isCounted && isActive && owner ? [owner] : [])),
  );
  const both = [...owners].filter((owner) => chainsOf.has(owner)).length;
  const answer = await getFresh("/ens-stats/primary-names");
  if (answer === null) return;
  const expected: Row = {
    unique_addresses_with_primary_name: chainsOf.size,
    unique_domain_owners: owners.size,
    adoption_percentage: owners.size === 0 ? 0 : Math.round((both * 10_000) / owners.size) / 100,
    multi_chain_count: [...chainsOf.values()].filter(({ size }) => size > 1).length,
  };
  for (const [figure, value] of Object.entries(expected)) same(figure, answer[figure], value);
  judgeRegistrars(judge, { last, answered: (answer.by_registrar ?? []) as Row[] });
}

/** Each figure for each family of registrars on each chain, in the order of the deployment. */
function judgeRegistrars(
  { same, deployment, layer2 }: Judge,
  { last, answered }: { last: readonly Claim[]; answered: readonly Row[] },
): void {
  const places = [deployment, ...layer2.map((chain) => chain.deployment)].flatMap(({ name, contracts }) =>
    [...new Set(contracts.flatMap(({ role }) => familyOf[role] ?? []))].map((registrar) => ({
      registrar,
      chain: name,
    })),
  );
  const placesOf = (rows: readonly Row[]) => rows.map(({ registrar, chain }) => ({ registrar, chain }));
  same("registrars of primary names", placesOf(answered), places);
  for (const [i, { registrar, chain }] of places.entries()) {
    const own = last.filter((claim) => claim.registrar === registrar && claim.chain === chain);
    const nameless = own.filter(({ name }) => name === null);
    const figures: Row = {
      with_name: own.length - nameless.length,
      cleared: nameless.filter(({ isKnown }) => isKnown).length,
      unknown: nameless.filter(({ isKnown }) => !isKnown).length,
    };
    for (const [figure, value] of Object.entries(figures)) {
      same(`${figure} of ${registrar} on ${chain}`, answered[i]?.[figure], value);
    }
  }
}
