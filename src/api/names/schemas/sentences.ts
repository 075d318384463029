/* Sentences that the descriptions of several operations share. */

/** What the parameter `chain` says of its absence. */
export const ALL_CHAINS = "Left out: all chains whose names are indexed";
export const MAIN_CHAIN = "Left out: the registry's chain";

export const ACTIVE =
  "Active: `registered` or `grace`. Registrars' names are until 90 days after their expiry (in ENSv2 28), emancipated subnames until it, others always.";

export const EXPIRED =
  "Expired: `premium` or `available`, also names that no registrar ever registered. Names whose status is `unknown` are neither.";

export const NAMES =
  "Counted are names with an owner on the registry's chain, or on `chain`. The root, reverse nodes (`<address>.addr.reverse`) and deleted subnames are not.";

export const PURCHASES =
  "Registrar and controller both log a registration or renewal: all logs of one name in one transaction count once.";

/** Why counts of primary names lack claims that histories show. */
export const NEVER_PRIMARY =
  "Claims at Basenames' registrar of before ENSIP-19 never were primary names, and do not count.";
