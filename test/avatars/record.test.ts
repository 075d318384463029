import { addressRecord, domain } from "ponder:schema";
import { getAddress, type Hex, namehash } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { avatarRecord } from "../../src/api/features/avatars/record.ts";
import { parseName } from "../../src/api/names/schemas/input.ts";
import type { Ctx } from "../../src/api/server/http/context.ts";
import { DEFAULT_COIN_TYPE } from "../../src/ens/coinType.ts";
import { noChain } from "../query/noChain.ts";
import {
  account,
  CHAIN_ID,
  contracts,
  DEFAULT_ADDRESS_RESOLVER,
  registeredRow,
  STATIC_RESOLVER,
  transaction,
} from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

const NOW = 1_800_000_000;
const alice = account(0xa11ce);

let tables: Tables;
const add = async (name: string, resolver: Hex) => {
  const row = registeredRow(name, alice, BigInt(NOW + 1_000), { resolver });
  await tables.writer.insert(domain).values([row]);
  await tables.writer.insert(addressRecord).values({
    chainId: CHAIN_ID,
    resolver,
    node: namehash(name),
    version: 0,
    coinType: DEFAULT_COIN_TYPE,
    address: alice,
    blockNumber: 7,
    transactionHash: transaction(7),
  });
};
beforeAll(async () => {
  tables = await createTables();
  await add("default.eth", DEFAULT_ADDRESS_RESOLVER);
  await add("olddefault.eth", STATIC_RESOLVER);
});
afterAll(() => tables?.drop());

test("the default address decides whose image a name shows, if its resolver answers with it", async () => {
  const ctx = { ...noChain, db: tables.db, contracts, now: NOW, chainHead: async () => null } as Ctx;
  const ask = (name: string) =>
    avatarRecord(async () => {}).handle({ name: parseName(name) }, ctx, undefined as never);
  expect(await ask("default.eth")).toMatchObject({ address: getAddress(alice), is_known: true });
  expect(await ask("olddefault.eth")).toMatchObject({ address: null, is_known: true });
});
