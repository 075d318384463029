/* Sentences that the descriptions of several operations share. */

/** What the parameter `chain` says of its absence. */
export const ALL_CHAINS = "All chains with indexed names by default";
export const MAIN_CHAIN = "The registry's chain by default";

export const ACTIVE =
  "Active: `registered` or `grace`. Registrar names are active until 90 days after expiry (ENSv2: 28), emancipated subnames until expiry, others always.";

export const EXPIRED =
  "Expired: `premium` or `available`, including names that no registrar ever registered. Names with status `unknown` are neither.";

export const NAMES =
  "Counts names with an owner on the registry's chain, or on `chain`. The root, reverse nodes (`<address>.addr.reverse`) and deleted subnames are not counted.";

export const PURCHASES =
  "A registration or renewal is logged by both registrar and controller: all logs of one name in one transaction count once.";

/** Why counts of primary names lack claims that histories show. */
export const NEVER_PRIMARY =
  "Claims at the Basenames registrar before ENSIP-19 were never primary names, and do not count.";
