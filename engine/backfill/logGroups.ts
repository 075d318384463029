// Part of the patch logSync: which logs can be asked for together.

export type Hex = `0x${string}`;
export type Interval = [first: number, last: number];
type Words = Hex | readonly Hex[] | null | undefined;

/** Contracts that a log of others tells of. */
export type Factory = {
  id: string;
  address?: Hex | readonly Hex[] | undefined;
  eventSelector: Hex;
};

/** Logs that a handler wants. */
export type LogFilter = {
  type: string;
  address?: Hex | readonly Hex[] | Factory | undefined;
  topic0: Words;
  topic1?: Words;
  topic2?: Words;
  topic3?: Words;
  hasTransactionReceipt: boolean;
};

/** What one request asks for; a field that is null takes anything. */
export type LogQuery = {
  address: Hex[] | null;
  topics: [Hex[] | null, Hex[] | null, Hex[] | null, Hex[] | null];
};

/** A query, and the blocks whose logs it is for. */
export type Wanted = LogQuery & { interval: Interval; kind: string };

const listOf = (words: Words): Hex[] | null =>
  words === null || words === undefined ? null : typeof words === "string" ? [words] : [...words];

/** The words of both; null, which stands for any word, absorbs the other. */
const union = (a: Hex[] | null, b: Hex[] | null): Hex[] | null =>
  a === null || b === null ? null : [...new Set([...a, ...b])];

/** What a filter wants of contracts with these addresses (null: of any). */
export function wantedBy(filter: LogFilter, address: Hex[] | null, interval: Interval): Wanted {
  const { topic0, topic1, topic2, topic3 } = filter;
  const topics: Wanted["topics"] = [listOf(topic0), listOf(topic1), listOf(topic2), listOf(topic3)];
  return { address, topics, interval, kind: address === null ? "any" : "listed" };
}

/** What a factory's own logs are. */
export function wantedByFactory({ address, eventSelector }: Factory, interval: Interval): Wanted {
  const listed = listOf(address);
  return {
    address: listed,
    topics: [[eventSelector], null, null, null],
    interval,
    kind: listed === null ? "any" : "listed",
  };
}

/**
 * Queries that together find all that is wanted: those of one kind, of the same blocks and with words at the same topics become
 * one, with the addresses and words of all. It also finds logs that nobody wants.
 */
export function mergeWanted(all: readonly Wanted[]): Wanted[] {
  const merged = new Map<string, Wanted>();
  for (const one of all) {
    const places = one.topics.map((words) => (words === null ? "-" : "+")).join("");
    const kind = `${one.kind} ${places}`;
    const key = `${kind} ${one.interval}`;
    const before = merged.get(key);
    const topics = one.topics.map((words, i) => union(before?.topics[i] ?? words, words)) as Wanted["topics"];
    const address = before === undefined ? one.address : union(before.address, one.address);
    merged.set(key, { address, topics, interval: one.interval, kind });
  }
  return [...merged.values()];
}

/** A contract that logs told of is a stranger, so its logs are asked for by the topics of its own filters only. */
export function mergeFound(all: readonly Wanted[]): Wanted[] {
  // First the filters of one list of contracts, then lists of which the same is wanted.
  const byContracts = mergeWanted(
    all.map((one) => ({ ...one, kind: `found ${one.address?.join() ?? "any"}` })),
  );
  return mergeWanted(
    byContracts.map((one) => {
      const topics = one.topics.map((words) => words?.toSorted().join() ?? "-").join(" ");
      return { ...one, kind: `found ${one.address === null ? "any" : "listed"} ${topics}` };
    }),
  );
}
