import type { Address } from "viem";
import type { Call } from "./chain.ts";

/** A new answer of the feed, in USD for one ether with 8 decimals: a call to send, alone or among others of its block. */
export const feedAnswer = (
  answer: bigint,
  { from, aggregator = "feedAggregator" }: { from: Address; aggregator?: string },
): Call => ({ from, contract: aggregator, functionName: "transmit", args: [answer] });
