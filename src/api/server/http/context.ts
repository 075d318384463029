import type { Contracts } from "../../../../abis/contracts.ts";
import type { Comparison } from "../../names/comparison/listChecks.ts";
import type { Live } from "../../names/live/live.ts";
import type { ReadPrices } from "../../names/live/prices/priceTerms.ts";
import type { Heads } from "../indexState/chainHead.ts";
import type { Freshness } from "../indexState/freshness.ts";
import type { Db } from "../postgres/db.ts";
import type { Block } from "../serviceDb/liveAnswers.ts";
import type { ProvenLabels } from "../serviceDb/provenLabels.ts";

/** What an operation works with. Each request gets its own; operations use nothing global. */
export type Ctx = {
  db: Db;
  contracts: Contracts;
  /** The time of the request, in unix seconds: the same for everything in one answer. */
  now: number;
  /** Reads of the chain, for what the index cannot know. */
  live: Live;
  /** The block at which the chain is read. @throws LiveFailure if the chain is needed to find it and no node answers */
  liveBlock: () => Promise<Block>;
  /** Contracts that sell names, with their prices: read once a block for all callers, at no cost to them. */
  prices: ReadPrices;
  /** Compares rows of the index with the contracts, and reports the results. */
  comparison: Comparison;
  /** Labels that callers proved and the index knows only by hash. */
  provenLabels: ProvenLabels;
  /** Newest block of a chain by its node; null if no node answers. */
  chainHead: Heads;
  /** URL of a name's page, without the name; null if the service's own URL is unknown. */
  namesAt: string | null;
  /** How far the index is. */
  freshness: Freshness;
};
