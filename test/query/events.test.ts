import { event, resolverChange } from "ponder:schema";
import { type Address, getAddress, namehash, toHex } from "viem";
import { beforeAll, expect, test } from "vitest";
import { useApi } from "./api.ts";
import {
  account,
  alice,
  at,
  CHAIN_ID,
  eventRow,
  LISTED_RESOLVER,
  NOW,
  STATIC_RESOLVER,
  STRANGE_RESOLVER,
  transaction,
  WRAPPER,
} from "./rows.ts";
import { useTables } from "./tables.ts";

const node = namehash("alice.eth");
const foreign = account(0xbad);

const tables = useTables();
const api = useApi(tables, NOW);
let events: Record<string, unknown>[];

beforeAll(async () => {
  type Fields = Partial<typeof event.$inferInsert>;
  const log = (block: number, log: number, contract: string, eventType: string, fields: Fields = {}) =>
    eventRow({ block, log }, { contract, eventType, node, ...fields });
  const resolver = (block: number, at: number, contractAddress: Address, fields: Fields) =>
    log(block, at, "RESOLVER", "TextChanged", { contractAddress, ...fields });
  const sale = {
    ownerAddress: alice,
    costWei: 3n,
    baseCostWei: 2n,
    premiumWei: 1n,
    referrer: transaction(0),
  };
  const sold = { ...sale, expiryTimestamp: 1_900_000_000n, name: "alice", contractAddress: account(0xe3) };
  const odd = { key: null, value: null, details: JSON.stringify({ key: "n\0ul", value: "v\0" }) };
  const address = { eventType: "AddressChanged" };
  await tables.writer.insert(event).values([
    resolver(9, 4, STATIC_RESOLVER, { key: "url", value: "https://alice.example" }),
    log(9, 3, "REGISTRY", "NewOwner", { newOwnerAddress: alice }),
    log(9, 5, "CONTROLLER", "NameRegistered", sold),
    resolver(10, 0, STRANGE_RESOLVER, { key: "own" }),
    resolver(10, 1, foreign, { key: "foreign" }),
    resolver(10, 2, LISTED_RESOLVER, { key: "listed" }),
    resolver(11, 0, STATIC_RESOLVER, odd),
    resolver(12, 0, STATIC_RESOLVER, { ...address, coinType: 60n, address: alice }),
    resolver(12, 1, STATIC_RESOLVER, { ...address, coinType: 0n, address: toHex(7, { size: 20 }) }),
    log(13, 0, "REGISTRY", "NewOwner", { node: namehash("bob.eth") }),
    ...["account", "owner"].map((giver, i) =>
      log(14, i, "WRAPPER", "ApprovalForAll", {
        node: null,
        contractAddress: WRAPPER,
        details: JSON.stringify({ [giver]: account(0x91fe), operator: account(0x0be), approved: true }),
      }),
    ),
  ]);
  await tables.writer.insert(resolverChange).values([{ ...at(8), node, resolver: STRANGE_RESOLVER }]);
  events = (await api.get("/domain/alice.eth/events")).body.events as Record<string, unknown>[];
});

test("events come oldest first, by their place on the chain", () => {
  expect(events.map((one) => [one.block_number, one.log_index])).toEqual([
    [9, 3],
    [9, 4],
    [9, 5],
    [10, 0],
    [10, 2],
    [11, 0],
    [12, 0],
    [12, 1],
  ]);
});

test("an event has all fields that are not null, and no others", () => {
  expect(events[0]).toEqual({
    id: `${CHAIN_ID}-9-3-0`,
    type: "authority",
    contract: "REGISTRY",
    contract_address: getAddress(account(0xe1)),
    domain: "alice.eth",
    namehash: node,
    event_type: "NewOwner",
    block_number: 9,
    block_timestamp: 1_600_000_108,
    transaction_hash: transaction(9),
    log_index: 3,
    chain: "devnet",
    new_owner_address: getAddress(alice),
  });
});

test("controllers and resolvers are named with their deployment block, unknown resolvers without it", () => {
  expect(events.map((one) => one.contract)).toEqual([
    "REGISTRY",
    "RESOLVER_5",
    "CONTROLLER_7",
    "RESOLVER",
    "RESOLVER_6",
    "RESOLVER_5",
    "RESOLVER_5",
    "RESOLVER_5",
  ]);
});

test("amounts, expiries and coin types are decimal strings", () => {
  expect(events[2]).toMatchObject({
    cost_wei: "3",
    base_cost_wei: "2",
    premium_wei: "1",
    referrer: transaction(0),
    expiry_timestamp: "1900000000",
    owner_address: getAddress(alice),
    name: "alice",
  });
});

test("an unknown contract that never was the name's resolver is ignored", () => {
  expect(events.map((one) => one.key)).not.toContain("foreign");
});

test("texts with NUL, which PostgreSQL cannot store, are returned exactly", () => {
  expect(events[5]).toMatchObject({ key: "n\0ul", value: "v\0" });
});

test("an EVM address record is an address, others are bytes", () => {
  expect(events[6]).toMatchObject({ coin_type: "60", address: getAddress(alice) });
  expect(events[7]).toMatchObject({ coin_type: "0", address: toHex(7, { size: 20 }) });
});

test("an approval for all is an event of its owner and of the operator, whatever its parameters are called", async () => {
  for (const party of [account(0x91fe), account(0x0be)]) {
    const { body } = await api.get(`/address/${party}/events?relation=party`);
    const found = body.events as { block_number: number; log_index: number }[];
    expect(found.map((one) => [one.block_number, one.log_index])).toEqual([
      [14, 1],
      [14, 0],
    ]);
  }
});

test("a name without history has no events", async () => {
  expect(await api.get("/domain/unregistered.eth/events")).toEqual({
    status: 200,
    body: { events: [], total: 0 },
  });
});

test("an event has the requested name even if the index has no row of it", async () => {
  const domains = async (query: string) => {
    const { body } = await api.get(`/domain/alice.eth/events?${query}`);
    return (body as { events: { domain: string | null }[] }).events.map(({ domain }) => domain);
  };
  expect(new Set(await domains("sort_dir=asc"))).toEqual(new Set(["alice.eth"]));
  for (const query of ["type=registration", "sort_dir=desc", "children=true"])
    expect(new Set(await domains(query)), query).toEqual(new Set(["alice.eth"]));
});
