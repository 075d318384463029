import type { Attack, Family } from "./attack.ts";
import { attacksByApprovals } from "./attacks/approvals.ts";
import { attacksByBranches } from "./attacks/branches.ts";
import { attacksByConnections } from "./attacks/connections.ts";
import { attacksByEvents } from "./attacks/events.ts";
import { attacksByLiveAnswers } from "./attacks/live.ts";
import { attacksByNames } from "./attacks/names.ts";
import { attacksByRecords } from "./attacks/records.ts";
import { attacksByRequests } from "./attacks/requests.ts";
import { attacksByResolvers } from "./attacks/resolvers.ts";
import { attacksByStrangers } from "./attacks/strangers.ts";
import { attacksBySubgraph } from "./attacks/subgraph.ts";
import { attacksByTexts } from "./attacks/texts.ts";

/** Sizes of the largest attacks: a check has less time than a benchmark. */
export type Size = {
  /** Names below a label that becomes known, and below several. */
  leaves: number;
  leavesBelowSeveral: number;
  reveals: number;
  logs: number;
  /** In each block of a burst. */
  burstMegabytes: number;
  /** Number of names in each bulk request, and of inputs in each lookup. */
  bulk: number;
  inputs: number;
  /** Concurrent callers who have one name compared; 300 by default. */
  comparisons?: number;
  approvals: number;
  /** Number of names that a stranger gives to one address, and points at one resolver. */
  gifts: number;
  pointed: number;
  randomLogs: number;
  reorganisations: number;
  /** How many of the 27 odd texts each parameter of each operation gets. */
  oddTexts: number;
  seed: number;
};

/** All attacks in order. The on-chain writes of earlier ones remain for the later ones. */
export const familiesOf = ({
  leaves,
  leavesBelowSeveral,
  reveals,
  logs,
  burstMegabytes,
  bulk,
  inputs,
  comparisons = 300,
  approvals,
  gifts,
  pointed,
  randomLogs,
  reorganisations,
  oddTexts,
  seed,
}: Size): readonly Family[] => [
  { name: "names", attacks: attacksByNames({ leaves, leavesBelowSeveral, reveals }) },
  { name: "records", attacks: attacksByRecords({ logs, burstMegabytes }) },
  { name: "texts", attacks: attacksByTexts({ seed }) },
  { name: "approvals", attacks: attacksByApprovals({ approvals }) },
  { name: "events", attacks: attacksByEvents({ gifts }) },
  { name: "resolvers", attacks: attacksByResolvers({ pointed }) },
  { name: "strangers", attacks: attacksByStrangers({ seed, logs: randomLogs }) },
  { name: "branches", attacks: attacksByBranches({ seed, turns: reorganisations, depth: 28 }) },
  { name: "requests", attacks: attacksByRequests({ oddTexts }) },
  { name: "connections", attacks: attacksByConnections },
  { name: "queries of the subgraph", attacks: attacksBySubgraph },
  { name: "live answers", attacks: attacksByLiveAnswers({ count: bulk, inputs, comparisons }) },
];

/** Parts of the names of attacks that represent their families if time is short. */
const triedFirst = [
  "nested names with a label of 3 by",
  "names below 1 unknown labels",
  "texts, addresses and names",
  "logs in one block",
  "odd texts in names",
  "an owner with",
  "subnames that a stranger gives",
  "names that a stranger points at",
  "random logs",
  "connections with",
  "bodies that are broken",
  "callers who read no answer",
  "queries of the subgraph that are large",
  "a resolver that answers texts of 131",
];

export const isTriedFirst = ({ name }: Pick<Attack, "name">): boolean =>
  triedFirst.some((part) => name.includes(part));
