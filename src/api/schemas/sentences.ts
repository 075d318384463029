/* Sentences that the descriptions of several operations share. */

/** What the parameter `chain` says of its absence. */
export const ALL_CHAINS = "Left out: all chains whose names are indexed";
export const MAIN_CHAIN = "Left out: the registry's chain";

export const ACTIVE =
  "Active names are registered or in grace: registrars' names until 90 days after their expiry (in ENSv2 28), wrapped subnames until it, names without expiry always.";

export const EXPIRED =
  "Expired names are over: registrars' names past their grace, others past their expiry. Names that no registrar ever registered, as those that only the old registry has, are neither active nor expired.";

export const NAMES =
  "Counted are the names of the registry's chain, or of `chain`, that have an owner. The root, reverse nodes (`<address>.addr.reverse`) and deleted subnames do not count.";

export const PURCHASES =
  "Registrar and controller both log a registration or renewal: all logs of one name in one transaction count once.";
