import type { Availability } from "./stages.ts";

/** Reasons why a name cannot be registered or renewed. */
export const refusals = [
  "registered",
  "grace",
  "not_registered",
  "given_up",
  "too_short",
  "label_unknown",
  "subname",
  "not_sold",
  "chain_not_indexed",
  "closed",
  "unknown",
] as const;

export type Refusal = (typeof refusals)[number];

/** The facts about a registrar's name that decide whether it can be sold. */
export type OfferedName = {
  availability: Availability;
  /** Characters of the label, as counted by controllers. */
  length: number;
  /** True for an ENSv2 registrar name without a last holder: such a name ends before it can be registered again. */
  isGivenUp: boolean;
};

/** The shortest label that controllers sell, for .eth names, Basenames and Lineanames alike. */
export const SHORTEST_LABEL = 3;

/** Why a name cannot be registered; null if it can. */
export function refusalOfRegistration({ availability, length }: OfferedName): Refusal | null {
  if (availability === "registered" || availability === "grace") return availability;
  if (length < SHORTEST_LABEL) return "too_short";
  return availability === "unknown" ? "unknown" : null;
}

/**
 * Why a name cannot be renewed; null if it can. Any account may renew it, also in its grace. Source: ens-contracts,
 * BaseRegistrarImplementation, `renew`; ensdomains/contracts-v2, src/registrar/ETHRegistrar.sol, `_isRenewable`.
 */
export function refusalOfRenewal({ availability, length, isGivenUp }: OfferedName): Refusal | null {
  if (availability === "registered") return null;
  if (availability === "grace") return isGivenUp ? "given_up" : null;
  if (length < SHORTEST_LABEL) return "too_short";
  return availability === "unknown" ? "unknown" : "not_registered";
}
