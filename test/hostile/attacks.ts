import type { Family } from "./attack.ts";
import { attacksByApprovals } from "./attacks/approvals.ts";
import { attacksByBranches } from "./attacks/branches.ts";
import { attacksByEvents } from "./attacks/events.ts";
import { attacksByLiveAnswers } from "./attacks/live.ts";
import { attacksByNames } from "./attacks/names.ts";
import { attacksByRecords } from "./attacks/records.ts";
import { attacksByRequests } from "./attacks/requests.ts";
import { attacksByStrangers } from "./attacks/strangers.ts";

/** How large the largest attacks are: a check has less time than a benchmark. */
export type Size = {
  leaves: number;
  reveals: number;
  logs: number;
  /** Of each block of a burst. */
  burstMegabytes: number;
  bulk: number;
  randomLogs: number;
  reorganisations: number;
  seed: number;
};

/** More than a page has, by far; `query/permissions.test.ts` has 100,000. */
const APPROVALS = 1_200;

/** Everything that is tried, in its order. What the earlier ones put on chain is there for the later ones. */
export const familiesOf = ({
  leaves,
  reveals,
  logs,
  burstMegabytes,
  bulk,
  randomLogs,
  reorganisations,
  seed,
}: Size): readonly Family[] => [
  { name: "names", attacks: attacksByNames({ leaves, reveals }) },
  { name: "records", attacks: attacksByRecords({ logs, burstMegabytes }) },
  { name: "approvals", attacks: attacksByApprovals({ approvals: APPROVALS }) },
  { name: "events", attacks: attacksByEvents },
  { name: "strangers", attacks: attacksByStrangers({ seed, logs: randomLogs }) },
  { name: "branches", attacks: attacksByBranches({ seed, turns: reorganisations, depth: 28 }) },
  { name: "requests", attacks: attacksByRequests },
  { name: "live answers", attacks: attacksByLiveAnswers({ count: bulk }) },
];
