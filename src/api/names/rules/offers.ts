import type { Availability } from "./stages.ts";

/** Why a name cannot be registered, or renewed. */
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

/** What decides it of a name that a registrar keeps. */
export type OfferedName = {
  availability: Availability;
  /** Characters of the label, as controllers count them. */
  length: number;
  /** Whether the registrar of ENSv2 keeps the name, and no account held it last: such a name ends before it can be had again. */
  isGivenUp: boolean;
};

/** The shortest label that controllers sell: .eth names, Basenames and Lineanames alike. */
export const SHORTEST_LABEL = 3;

/** Why a name cannot be registered; null where it can. */
export function refusalOfRegistration({ availability, length }: OfferedName): Refusal | null {
  if (availability === "registered" || availability === "grace") return availability;
  if (length < SHORTEST_LABEL) return "too_short";
  return availability === "unknown" ? "unknown" : null;
}

/**
 * Why a name cannot be renewed; null where it can. In its grace, too, any account may renew it. Source: ens-contracts,
 * BaseRegistrarImplementation, `renew`; ensdomains/contracts-v2, src/registrar/ETHRegistrar.sol, `_isRenewable`.
 */
export function refusalOfRenewal({ availability, length, isGivenUp }: OfferedName): Refusal | null {
  if (availability === "registered") return null;
  if (availability === "grace") return isGivenUp ? "given_up" : null;
  if (length < SHORTEST_LABEL) return "too_short";
  return availability === "unknown" ? "unknown" : "not_registered";
}
