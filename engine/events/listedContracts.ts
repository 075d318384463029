import type { FilterRules } from "../backfill/wantedLogs.ts";

// Part of the change listedContracts.

type LogFilter = { address?: unknown; topic0: string };
type Log = { address: string; blockNumber: `0x${string}`; topics: readonly (string | null)[] };
type EventCallback = { filter: LogFilter };

/** Makes the test whether a log is of a contract that an entry of the configuration lists by its address. */
export function listedBy(
  callbacks: readonly EventCallback[],
  { isAddressFactory, isLogFilterMatched }: Pick<FilterRules, "isAddressFactory" | "isLogFilterMatched">,
): (log: Log) => boolean {
  const listed = new Map<string | null | undefined, LogFilter[]>();
  for (const { filter } of callbacks) {
    if (filter.address === undefined || isAddressFactory(filter.address)) continue;
    const others = listed.get(filter.topic0);
    if (others === undefined) listed.set(filter.topic0, [filter]);
    else others.push(filter);
  }
  return (log) => listed.get(log.topics[0])?.some((filter) => isLogFilterMatched({ filter, log })) ?? false;
}
