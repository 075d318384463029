import { numberToHex } from "viem";
import { openBackfill } from "./backfill.ts";
import { printSeconds } from "./print.ts";

// Fetches a range of blocks of which every thousandth has a log, as in the years before ENS was known.

const address = numberToHex(5, { size: 20 });
const { run } = await openBackfill({ address, blocks: 100_000, emitters: Array(100).fill(address) });
await printSeconds(run);
