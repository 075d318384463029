import type { Context } from "ponder:registry";
import { event, feedAnswer, feedCheck, feedPhase, unconfirmedPrice } from "ponder:schema";
import { type PriceFeed, phasesAt } from "../../../abis/priceFeed.ts";
import { oracleLength, rentInWei, type Time } from "../../ens/rent.ts";
import { priceFeedOf } from "./contracts.ts";
import type { LogRef } from "./logRef.ts";
import { put } from "./put.ts";

/*
 * The controller of 2023 logs the value sent for a renewal. Its price follows from the feed's newest answer before the log: the
 * last one that the aggregator of the feed's phase logged. The feed does not log its changes of phase, so the deployment says
 * when they were, as far as it knows. Registrations log their price: they confirm the phase, or refute it.
 */

/** Prices that one registration confirms at most. */
export const CONFIRMED_AT_ONCE = 500;

/** Stores the newest answer of a phase, and from when on the feed gives it. Writes: price_feed_phases, price_feed_answers. */
export async function putAnswer(context: Context, log: LogRef, answer: bigint): Promise<void> {
  const { chainId, blockNumber, contractAddress } = log;
  const feed = priceFeedOf(context);
  const place = feed?.phases.findIndex(({ aggregator }) => aggregator === contractAddress) ?? -1;
  const phase = feed?.phases[place];
  if (feed === undefined || phase === undefined) return;
  await put(context, feedPhase, { chainId, phase: phase.phase }, { answer, blockNumber });
  const isOver = blockNumber >= (feed.phases[place + 1]?.by ?? Number.POSITIVE_INFINITY);
  if (isOver || (await isStopped(context, log, feed))) return;
  const { logIndex, blockTimestamp } = log;
  const known = answer > 0n ? answer : null;
  const from =
    blockNumber < phase.by
      ? { blockNumber: phase.by, logIndex: START_OF_BLOCK, blockTimestamp: null }
      : { blockNumber, logIndex, blockTimestamp };
  await context.db
    .insert(feedAnswer)
    .values({ chainId, ...from, answer: known })
    .onConflictDoUpdate({ answer: known });
}

/** Stands before the first log of a block, in `price_feed_answers`. */
const START_OF_BLOCK = -1;

/** Whether the feed has a phase that the deployment does not know. */
const isStopped = async (context: Context, { chainId, blockNumber }: LogRef, { lastSeen }: PriceFeed) =>
  blockNumber > lastSeen && (await findCheck(context, chainId)).stoppedBlock !== null;

/** The label of a purchase: the first argument in the data of its log. Texts that are not UTF-8 arrive changed. */
function labelBytes(data: string): Uint8Array {
  const wordAt = (place: number) => Number(`0x${data.slice(place, place + 64)}`);
  const start = 2 + 2 * wordAt(2);
  return Buffer.from(data.slice(start + 64, start + 64 + 2 * wordAt(start)), "hex");
}

type Sold = { log: { data: string } };

const timeOf = ({ log }: Sold, seconds: bigint): Time => ({
  length: oracleLength(labelBytes(log.data)),
  seconds,
});

/** The price of some time by the answer of each phase that can be the feed's; none where an answer is not known. */
async function possiblePrices(context: Context, log: LogRef, feed: PriceFeed, time: Time): Promise<bigint[]> {
  const rents = feed.rents.map(BigInt);
  const prices: bigint[] = [];
  for (const { phase } of phasesAt(feed, log.blockNumber)) {
    const row = await context.db.find(feedPhase, { chainId: log.chainId, phase });
    if (row === null || row.answer <= 0n) return [];
    prices.push(rentInWei(rents, time, row.answer));
  }
  return prices;
}

/**
 * The price of a renewal by the controller of 2023. Undefined where it is not known, or not known yet: a later registration
 * confirms it then. Writes: price_feed_checks, unconfirmed_prices.
 */
export async function priceByFeed(
  context: Context,
  log: LogRef,
  feed: PriceFeed,
  renewal: Sold & { seconds: bigint },
): Promise<bigint | undefined> {
  const [price, ...others] = await possiblePrices(context, log, feed, timeOf(renewal, renewal.seconds));
  if (price === undefined || others.some((other) => other !== price)) return undefined;
  if (price >= 2n ** 256n) return undefined; // No account has as much, and no column takes it.
  const { chainId, blockNumber, logIndex } = log;
  if (blockNumber <= feed.lastSeen) return price;
  const { stoppedBlock, nextUnconfirmed: number } = await findCheck(context, chainId);
  if (stoppedBlock !== null) return undefined;
  await context.db
    .insert(unconfirmedPrice)
    .values({ chainId, number, blockNumber, logIndex, priceWei: price });
  await patchCheck(context, chainId, { nextUnconfirmed: number + 1 });
  return undefined;
}

/**
 * Checks the feed's answer by the price that a registration logged: false if the feed gives another price. Writes: price_feed_checks,
 * price_feed_answers, unconfirmed_prices, events.
 */
export async function checkPrice(
  context: Context,
  log: LogRef,
  sale: Sold & { seconds: bigint; baseCostWei: bigint },
): Promise<boolean> {
  const feed = priceFeedOf(context);
  if (feed === undefined) return true;
  const prices = await possiblePrices(context, log, feed, timeOf(sale, sale.seconds));
  if (prices.length === 0) return true;
  const { chainId, blockNumber } = log;
  const { matches, differences, stoppedBlock, ...unconfirmed } = await findCheck(context, chainId);
  if (!prices.includes(sale.baseCostWei)) {
    const stops = stoppedBlock === null && blockNumber > feed.lastSeen;
    await patchCheck(context, chainId, {
      differences: differences + 1,
      stoppedBlock: stops ? blockNumber : stoppedBlock,
    });
    if (stops) {
      const { blockTimestamp } = log;
      const key = { chainId, blockNumber, logIndex: START_OF_BLOCK };
      await put(context, feedAnswer, key, { blockTimestamp, answer: null });
    }
    return false;
  }
  const isConfirmed = stoppedBlock === null;
  const firstUnconfirmed = isConfirmed
    ? await confirm(context, chainId, unconfirmed)
    : unconfirmed.firstUnconfirmed;
  await patchCheck(context, chainId, { matches: matches + 1, lastMatchBlock: blockNumber, firstUnconfirmed });
  return true;
}

type Unconfirmed = { firstUnconfirmed: number; nextUnconfirmed: number };

/** Puts waiting prices into the rows of their renewals, and gives the number of the first that still waits. */
async function confirm(
  context: Context,
  chainId: number,
  { firstUnconfirmed, nextUnconfirmed }: Unconfirmed,
) {
  const end = Math.min(nextUnconfirmed, firstUnconfirmed + CONFIRMED_AT_ONCE);
  for (let number = firstUnconfirmed; number < end; number++) {
    const row = await context.db.find(unconfirmedPrice, { chainId, number });
    if (row === null) continue;
    const { blockNumber, logIndex, priceWei } = row;
    await context.db
      .update(event, { chainId, blockNumber, logIndex, ordinal: 0 })
      .set({ exactCostWei: priceWei });
    await context.db.delete(unconfirmedPrice, { chainId, number });
  }
  return end;
}

type Check = Omit<typeof feedCheck.$inferSelect, "chainId">;

const unchecked: Check = {
  matches: 0,
  differences: 0,
  lastMatchBlock: null,
  stoppedBlock: null,
  firstUnconfirmed: 0,
  nextUnconfirmed: 0,
};

const findCheck = async ({ db }: Context, chainId: number): Promise<Check> =>
  (await db.find(feedCheck, { chainId })) ?? unchecked;

const patchCheck = ({ db }: Context, chainId: number, patch: Partial<Check>) =>
  db
    .insert(feedCheck)
    .values({ chainId, ...unchecked, ...patch })
    .onConflictDoUpdate(patch);
