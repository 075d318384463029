import { beforeAll, expect, test } from "vitest";
import type { Live } from "../../src/api/names/live/live.ts";
import { newestBlock } from "../../src/api/names/resolution/chain.ts";
import { noChain } from "../query/noChain.ts";
import { CHAIN_ID } from "../query/rows.ts";
import { setProgress, useTables } from "../query/tables.ts";
import { setHeartbeat } from "../support/ponderState.ts";

const TIME = 1_700_000_000;

const tables = useTables();

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: 90, time: TIME });
});

/** A node at block 100. */
const live: Live = { ...noChain.live, newestBlock: async () => 100 };
const find = (clock: number | null, by = live) =>
  newestBlock({ db: tables.db, live: by }, { chainId: CHAIN_ID, clock });

test("live answers are read at the newest block of the index, without a request to a node", async () => {
  expect(await find(TIME + 120, noChain.live)).toEqual({ number: 90, timestamp: TIME });
  expect(await find(null, noChain.live)).toEqual({ number: 90, timestamp: TIME });
});

test("an index behind the clock is known to be late: the chain's own newest block counts", async () => {
  expect(await find(TIME + 121)).toEqual({ number: 100, timestamp: 0 });
  await expect(find(TIME + 121, noChain.live)).rejects.toThrow(/LIVE_RPC_URL/);
});

test("so is one whose indexer has ended", async () => {
  await setHeartbeat(tables.pool, 0);
  expect(await find(null)).toEqual({ number: 100, timestamp: 0 });
});
