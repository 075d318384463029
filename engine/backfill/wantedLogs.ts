// Part of the patch foundContracts.

type Factory = { id: string };
type LogFilter = { address?: unknown };
type Log = { address: string; blockNumber: `0x${string}` };
/** Contracts that logs told of, each with the block from which it is followed. */
type Children = ReadonlyMap<string, number>;

/** What Ponder knows of filters (runtime/filter.js). */
export type FilterRules = {
  isAddressFactory: (address: unknown) => address is Factory;
  isAddressMatched: (seen: {
    address: string;
    blockNumber: number;
    childAddresses: Children | undefined;
  }) => boolean;
  isLogFilterMatched: (pair: { filter: LogFilter; log: Log }) => boolean;
};

type Fetched<Some extends Log> = {
  logs: readonly Some[];
  filters: readonly LogFilter[];
  childAddresses: ReadonlyMap<string, Children>;
  /** From this number of contracts on Ponder asks for logs without their addresses. */
  threshold: number;
};

/** Makes the function that leaves out logs of contracts that no filter wants, where Ponder asked for those of all. */
export const wantedLogsBy =
  ({ isAddressFactory, isAddressMatched, isLogFilterMatched }: FilterRules) =>
  <Some extends Log>({ logs, filters, childAddresses, threshold }: Fetched<Some>): readonly Some[] => {
    const childrenOf = ({ address }: LogFilter) =>
      isAddressFactory(address) ? childAddresses.get(address.id) : undefined;
    if (!filters.some((filter) => (childrenOf(filter)?.size ?? 0) >= threshold)) return logs;
    const isWantedBy = (filter: LogFilter, log: Some): boolean => {
      if (!isLogFilterMatched({ filter, log })) return false;
      if (!isAddressFactory(filter.address)) return true;
      const seen = { address: log.address, blockNumber: Number(log.blockNumber) };
      return isAddressMatched({ ...seen, childAddresses: childrenOf(filter) });
    };
    return logs.filter((log) => filters.some((filter) => isWantedBy(filter, log)));
  };
