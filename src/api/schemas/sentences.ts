/* Sentences that the descriptions of several operations share. */

/** What the parameter `chain` says of its absence. */
export const ALL_CHAINS = "Left out: all chains whose names are indexed";
export const MAIN_CHAIN = "Left out: the registry's chain";

export const ACTIVE =
  "Active: registered or in grace, registrars' names until 90 days after their expiry (in ENSv2 28), wrapped subnames until it, others always.";

export const EXPIRED =
  "Expired: past a registrar's grace, others past their expiry. Names no registrar registered are neither.";

export const NAMES =
  "Counted are names with an owner on the registry's chain, or on `chain`. The root, reverse nodes (`<address>.addr.reverse`) and deleted subnames are not.";

export const PURCHASES =
  "Registrar and controller both log a registration or renewal: all logs of one name in one transaction count once.";

/** Why counts of primary names lack claims that histories show. */
export const NEVER_PRIMARY =
  "Claims at Basenames' registrar of before ENSIP-19 never were primary names, and do not count.";
