import { parseAbi } from "viem";

/**
 * Events of the aggregators behind a price feed: one contract for each phase of the feed. The feed itself, the proxy that price
 * oracles ask, logs nothing, not even a change of phase.
 * Source: smartcontractkit/libocr, contract/OffchainAggregator.sol; chainlink, contracts/src/v0.6/AggregatorProxy.sol.
 */
export const priceFeedAbi = parseAbi([
  "event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt)",
]);

/** Reads of the proxy. */
export const priceFeedReads = parseAbi(["function phaseId() view returns (uint16)"]);

/** What handlers know of the feed by which the controllers of 2023 and 2025 turn dollars into wei. */
export type PriceFeed = {
  /** AttoUSD per second for labels of 1, 2, 3, 4, and of 5 and more characters. */
  rents: readonly number[];
  /** In their order. A phase began after one block, and at another one at the latest. */
  phases: readonly { phase: number; aggregator: string; after: number; by: number }[];
  /** A block at which the last phase was still the feed's. */
  lastSeen: number;
};

/** The phases that a feed can have at a block: two around a change whose block is not known. */
export const phasesAt = ({ phases }: PriceFeed, block: number): PriceFeed["phases"] =>
  phases.filter(({ after }, i) => block > after && block < (phases[i + 1]?.by ?? Number.POSITIVE_INFINITY));
