import type { Address } from "viem";
import { type Contracts, contractsOf } from "../../../../abis/contracts.ts";
import { type Deployment, listContracts } from "../../../../abis/deployments.ts";
import { hasTokenNames, registrarNode } from "../../../ens/managedNames.ts";
import { liveContractsOf } from "../live/deployment.ts";
import type { Answered } from "./askContracts.ts";
import type { Check } from "./check.ts";
import { type ClaimSetting, claimCheck } from "./claimCheck.ts";
import { type DomainSetting, domainChecks } from "./domainChecks.ts";
import { type ResolverSetting, recordCheck } from "./recordChecks.ts";
import type { StoredClaim, StoredDomain, StoredRecord } from "./stored.ts";

/** What the comparison has to know of a chain's contracts. */
export type ComparisonSetting = {
  contracts: Contracts;
  domains: Omit<DomainSetting, "now">;
  resolvers: ReadonlyMap<Address, ResolverSetting>;
  claims: ClaimSetting;
};

/** What a request needs to compare rows with what the contracts answer. */
export type Comparison = {
  setting: ComparisonSetting;
  /** Hears what each comparison found. */
  note: (answers: readonly Answered[]) => void;
};

/** Rows of the tables, as of one block. */
export type StoredRows = {
  domains: StoredDomain[];
  records: StoredRecord[];
  claims: StoredClaim[];
};

export function comparisonSetting(deployment: Deployment): ComparisonSetting {
  const contracts = contractsOf(deployment);
  return {
    contracts,
    domains: {
      contracts: liveContractsOf(deployment),
      registrarNode: registrarNode(deployment.chainId),
      hasTokens: hasTokenNames(deployment.chainId),
    },
    resolvers: resolverSettings(deployment, contracts),
    claims: claimSetting(deployment, contracts),
  };
}

/** Every value that can be compared at a block of this time. */
export function listChecks(setting: ComparisonSetting, rows: StoredRows, timestamp: number): Check[] {
  const { domains, resolvers, claims } = setting;
  const unchanged = <Row extends { isChanged: boolean }>(all: readonly Row[]) =>
    all.filter((row) => !row.isChanged);
  return [
    ...unchanged(rows.domains).flatMap((row) => domainChecks(row, { ...domains, now: BigInt(timestamp) })),
    ...unchanged(rows.records).flatMap((row) => {
      const resolver = resolvers.get(row.resolver);
      return resolver === undefined ? [] : [recordCheck(row, resolver)];
    }),
    ...unchanged(rows.claims).map((row) => claimCheck(row, claims)),
  ];
}

/** First generation of the public resolver that knows addresses of other chains. */
const FIRST_WITH_COIN_TYPES = 3;

const lowerCase = (address: Address): Address => address.toLowerCase() as Address;

const resolverSettings = (deployment: Deployment, contracts: Contracts): Map<Address, ResolverSetting> =>
  new Map(
    listContracts(deployment, "resolver").map(({ address, generation }) => [
      lowerCase(address),
      {
        hasOneAddress: generation < FIRST_WITH_COIN_TYPES,
        answersDefault: contracts.answersDefaultAddress(address),
      },
    ]),
  );

function claimSetting(deployment: Deployment, { chainId, isIndexedResolver }: Contracts): ClaimSetting {
  const addressesOf = (role: "default-reverse-registrar" | "l2-reverse-registrar") =>
    listContracts(deployment, role).map(({ address }) => address);
  return {
    chainId,
    isIndexed: isIndexedResolver,
    registry: liveContractsOf(deployment).registry,
    defaultRegistrars: addressesOf("default-reverse-registrar"),
    layer2Registrars: addressesOf("l2-reverse-registrar"),
  };
}
