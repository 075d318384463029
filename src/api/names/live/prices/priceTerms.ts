import { LRUCache } from "lru-cache";
import type { Address } from "viem";
import type { Block } from "../../../server/serviceDb/liveAnswers.ts";
import type { PriceTerms } from "../../rules/pricing.ts";
import { LiveFailure } from "../failure.ts";
import type { ContractReach } from "../multicall.ts";
import { type Description, describe, descriptionReads, movingReads, termsOf } from "./oracle.ts";
import { readTogether } from "./reads.ts";
import type { Sellers } from "./sellers.ts";
import { readSelling, type Selling } from "./selling.ts";

/** A contract that sells names, and the parameters of its oracle's prices; null for an oracle of an unknown kind. */
export type Seller = Selling & { terms: PriceTerms | null };

/** The contracts that sell a chain's names at a block, or null. */
export type ChainPrices = {
  chainId: number;
  block: Block;
  /** In ENSv1, or on a layer 2. */
  controller: Seller | null;
  /** In ENSv2. */
  registrar: Seller | null;
  /** Renews ENSv1 names that ENSv2 reserves. */
  renewer: Seller | null;
};

/** Reads the sellers of a chain's names at a block; null for a chain that sells none. @throws LiveFailure */
export type ReadPrices = (chainId: number, block: Block) => Promise<ChainPrices> | null;

export type PricesPlan = {
  sellers: readonly Sellers[];
  /** How to reach a chain. Called once per reading. */
  reach: (chainId: number) => Omit<ContractReach, "multicall3">;
};

/** How long a failure is remembered, so that visitors do not burden a node in trouble. */
export const FAILURE_MS = 3_000;

/** Blocks whose prices are remembered: the newest of each chain, and the one before it for requests under way. */
const MAX_BLOCKS_OF_CHAIN = 2;

/** Oracles whose descriptions are remembered, across all chains. */
const MAX_ORACLES = 32;

/**
 * Reads prices, at most once per block of a chain, and shares them between all callers. It takes one call for the selling
 * contracts, one for changing values, and one more for an oracle not seen before.
 */
export function createPrices({ sellers, reach }: PricesPlan): ReadPrices {
  const descriptions = new LRUCache<string, Description>({ max: MAX_ORACLES });
  const max = Math.max(1, sellers.length * MAX_BLOCKS_OF_CHAIN);
  const readings = new LRUCache<string, Promise<ChainPrices>>({ max });
  return (chainId, block) => {
    const ofChain = sellers.find((one) => one.chainId === chainId);
    if (ofChain === undefined) return null;
    const key = `${chainId}/${block.number}/${block.timestamp}`;
    const known = readings.get(key);
    if (known !== undefined) return known;
    const { multicall3 } = ofChain;
    const asked = { ...reach(chainId), multicall3 };
    const reading = readPrices(asked, { sellers: ofChain, block, descriptions }).catch((error: unknown) => {
      throw toFailure(error);
    });
    readings.set(key, reading);
    reading.catch(() => setTimeout(() => forget(readings, key, reading), FAILURE_MS).unref());
    return reading;
  };
}

function forget(
  readings: LRUCache<string, Promise<ChainPrices>>,
  key: string,
  reading: Promise<ChainPrices>,
) {
  if (readings.peek(key) === reading) readings.delete(key);
}

/** A timeout is a failure of the chain. Unexpected errors are rethrown. */
function toFailure(error: unknown): unknown {
  const isLate = error instanceof Error && (error.name === "TimeoutError" || error.name === "AbortError");
  return isLate ? new LiveFailure("deadline", "Prices could not be read in the time for one answer.") : error;
}

type Reading = { sellers: Sellers; block: Block; descriptions: LRUCache<string, Description> };

async function readPrices(reach: ContractReach, reading: Reading): Promise<ChainPrices> {
  const { sellers, block } = reading;
  if (!reach.rpc.isConfigured) throw needsNode();
  const { timestamp, selling } = await readSelling(reach, { sellers, blockNumber: block.number });
  const oracles = [...new Set(Object.values(selling).flatMap((one) => one?.oracle ?? []))];
  const described = await describeAll(reach, { ...reading, oracles });
  const terms = await readTerms(reach, { ...reading, timestamp, described });
  const toSeller = (one: Selling | null): Seller | null =>
    one && { ...one, terms: terms.get(one.oracle) ?? null };
  return {
    chainId: sellers.chainId,
    block: { number: block.number, timestamp: Number(timestamp) },
    controller: toSeller(selling.controller),
    registrar: toSeller(selling.registrar),
    renewer: toSeller(selling.renewer),
  };
}

const needsNode = () =>
  new LiveFailure(
    "rpc",
    "A price needs a node of the name's chain, and the chain is never asked here (LIVE_RPC_URL).",
  );

/** Descriptions of oracles. Those not seen before are read. */
async function describeAll(
  reach: ContractReach,
  { sellers, block, descriptions, oracles }: Reading & { oracles: readonly Address[] },
): Promise<ReadonlyMap<Address, Description>> {
  const described = new Map<Address, Description>();
  for (const oracle of oracles) {
    const key = `${sellers.chainId}/${oracle}`;
    const known = descriptions.get(key);
    const description =
      known ??
      describe(await readTogether(reach, { reads: descriptionReads(oracle), blockNumber: block.number }));
    if (description === null) continue;
    descriptions.set(key, description);
    described.set(oracle, description);
  }
  return described;
}

type Described = Reading & { timestamp: bigint; described: ReadonlyMap<Address, Description> };

/** The oracles' parameters at the block, in one call; no call if none of them changes. */
async function readTerms(
  reach: ContractReach,
  { sellers, block, timestamp, described }: Described,
): Promise<ReadonlyMap<Address, PriceTerms | null>> {
  const tokens = sellers.ensv2?.paymentTokens.map(({ address }) => address) ?? [];
  const ofOracle = (oracle: Address, name: string) => `${oracle} ${name}`;
  const reads = Object.fromEntries(
    [...described].flatMap(([oracle, description]) =>
      Object.entries(movingReads({ oracle, description }, { timestamp, tokens })).map(
        ([name, read]) => [ofOracle(oracle, name), read] as const,
      ),
    ),
  );
  const hasReads = Object.keys(reads).length > 0;
  const values = hasReads ? await readTogether(reach, { reads, blockNumber: block.number }) : {};
  return new Map(
    [...described].map(([oracle, description]) => {
      const own = Object.entries(values).filter(([name]) => name.startsWith(ofOracle(oracle, "")));
      const moving = Object.fromEntries(own.map(([name, value]) => [name.split(" ")[1] ?? "", value]));
      return [oracle, termsOf(description, moving)] as const;
    }),
  );
}
