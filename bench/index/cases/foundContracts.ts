import { numberToHex } from "viem";
import { FACTORY, openBackfill } from "./backfill.ts";
import { printOutcome } from "./print.ts";

// Counts the blocks that are fetched for the logs of a thousand found contracts, and of as many strangers.

const addressOf = (number: number) => numberToHex(0x1000 + number, { size: 20 });
const children = new Map(Array.from({ length: 1_000 }, (_, i) => [addressOf(i), 0]));
const emitters = Array.from({ length: 2_000 }, (_, i) => addressOf(i));
const { seen, run } = await openBackfill({ address: FACTORY, children, blocks: 10_000, emitters });
await run();
printOutcome(seen.fetched);
