import { domain, event, ownershipChange, primaryNameChange } from "ponder:schema";
import { type Address, getAddress, namehash, parseEther, zeroAddress } from "viem";
import { beforeEach, describe, expect, test } from "vitest";
import { openApi } from "./api.ts";
import {
  account,
  alice,
  at,
  bob,
  claimRow,
  domainRow,
  type EventRow,
  eventRow,
  LAYER2_CHAIN_ID,
  NOW,
  ownershipRow,
  registeredRow,
  transaction,
  WRAPPER,
} from "./rows.ts";
import { emptied, useTables } from "./tables.ts";

const YEAR = 31_536_000n;

const tables = useTables();
const feed = async (now = NOW) =>
  (await openApi(tables, now).get("/ens-stats/recent-activity")).body.events as Record<string, unknown>[];

const happened = (block: number) => ({
  block_number: block,
  block_timestamp: at(block).blockTimestamp,
  transaction_hash: transaction(block),
});

const of = (name: string) => ({ node: namehash(name) });

/** The logs of a registrar and of a controller for one registration or renewal. */
const purchase = (block: number, eventType: string, name: string, fields: Partial<EventRow>) => [
  eventRow({ block, log: 1 }, { contract: "REGISTRAR", eventType, ...of(name), durationSeconds: YEAR }),
  eventRow({ block, log: 2 }, { contract: "CONTROLLER", eventType, ...of(name), ...fields }),
];

const change = (block: number, name: string, owner: Address | null, log = 0) =>
  ownershipRow({ block, log }, name, owner);

beforeEach(async () => {
  Object.assign(tables, await emptied(tables));
  const names = ["alice.eth", "bob.eth", "carol.eth", "sub.alice.eth", `${alice.slice(2)}.addr.reverse`];
  await tables.writer.insert(domain).values(names.map((name) => domainRow(name)));
});

describe("GET /ens-stats/recent-activity", () => {
  test("is empty if nothing happened", async () => {
    expect(await feed()).toEqual([]);
  });

  test("shows a registration once, with the controller's price", async () => {
    const cost = { costWei: parseEther("0.0125"), baseCostWei: parseEther("0.01") };
    await tables.writer.insert(event).values(purchase(5, "NameRegistered", "alice.eth", cost));
    expect(await feed()).toEqual([
      { type: "registration", name: "alice.eth", cost_eth: "0.0125", years: 1, ...happened(5) },
    ]);
  });

  test("takes the number of years from the controller if an old registrar does not log it", async () => {
    const old = { contract: "REGISTRAR_OLD", eventType: "NameRegistered", ...of("alice.eth") };
    const sold = { ...old, contract: "CONTROLLER", durationSeconds: YEAR * 3n, costWei: 1n };
    await tables.writer
      .insert(event)
      .values([eventRow({ block: 5 }, old), eventRow({ block: 5, log: 1 }, sold)]);
    expect(await feed()).toMatchObject([{ type: "registration", years: 3 }]);
  });

  test("marks unknown prices and prices that are an upper bound", async () => {
    const bound = { costWei: parseEther("3"), costIsUpperBound: true };
    await tables.writer
      .insert(event)
      .values([
        eventRow({ block: 4 }, { contract: "REGISTRAR", eventType: "NameRenewed", ...of("carol.eth") }),
        ...purchase(5, "NameRenewed", "alice.eth", bound),
        ...purchase(6, "NameRenewed", "bob.eth", { ...bound, exactCostWei: parseEther("0.5") }),
      ]);
    expect(await feed()).toEqual([
      { type: "renewal", name: "bob.eth", cost_eth: "0.5", years: 1, ...happened(6) },
      {
        type: "renewal",
        name: "alice.eth",
        cost_eth: "3",
        cost_is_upper_bound: true,
        years: 1,
        ...happened(5),
      },
      { type: "renewal", name: "carol.eth", cost_eth: null, years: null, ...happened(4) },
    ]);
  });

  test("shows each name of a transaction that renews several", async () => {
    const log = (at: number, contract: string, name: string, fields: Partial<EventRow>) =>
      eventRow({ block: 9, log: at }, { contract, eventType: "NameRenewed", ...of(name), ...fields });
    await tables.writer
      .insert(event)
      .values([
        log(1, "REGISTRAR", "alice.eth", { durationSeconds: YEAR * 2n + 1n }),
        log(2, "CONTROLLER", "alice.eth", { costWei: parseEther("2") }),
        log(3, "REGISTRAR", "bob.eth", { durationSeconds: YEAR - 1n }),
        log(4, "CONTROLLER", "bob.eth", { costWei: parseEther("1") }),
      ]);
    const events = await feed();
    expect(events).toHaveLength(2);
    expect(events).toContainEqual(expect.objectContaining({ name: "alice.eth", cost_eth: "2", years: 2 }));
    expect(events).toContainEqual(expect.objectContaining({ name: "bob.eth", cost_eth: "1", years: 0 }));
  });

  test("a transfer means that a transaction leaves the name with another owner", async () => {
    await tables.writer.insert(ownershipChange).values([
      change(1, "alice.eth", alice),
      change(2, "alice.eth", bob, 0),
      change(2, "alice.eth", account(7), 1),
      change(3, "bob.eth", bob),
      change(4, "bob.eth", alice, 0),
      change(4, "bob.eth", bob, 1), // Back in the same transaction.
      change(5, "sub.alice.eth", alice),
      change(6, "sub.alice.eth", null), // Deleted.
      change(7, "sub.alice.eth", bob), // And created again.
      change(8, "carol.eth", alice),
      change(9, "carol.eth", bob),
      change(10, `${alice.slice(2)}.addr.reverse`, alice),
      change(11, `${alice.slice(2)}.addr.reverse`, bob),
    ]);
    await tables.writer
      .insert(event)
      .values(
        purchase(9, "NameRegistered", "carol.eth", { costWei: 1n }).map((row) => ({ ...row, contract: "X" })),
      );
    expect(await feed()).toEqual([
      {
        type: "transfer",
        name: "alice.eth",
        from_address: getAddress(alice),
        to_address: getAddress(account(7)),
        ...happened(2),
      },
    ]);
  });

  test("shows wraps and unwraps, but not those that are part of something else", async () => {
    const wrapper = (block: number, eventType: string, name: string, fields: Partial<EventRow>, log = 5) =>
      eventRow({ block, log }, { contract: "NAME_WRAPPER", eventType, ...of(name), ...fields });
    await tables.writer
      .insert(ownershipChange)
      .values([change(1, "alice.eth", alice), change(2, "alice.eth", bob), change(4, "alice.eth", alice)]);
    await tables.writer
      .insert(event)
      .values([
        wrapper(2, "NameWrapped", "alice.eth", { ownerAddress: bob }),
        ...purchase(3, "NameRegistered", "carol.eth", { costWei: 1n }),
        wrapper(3, "NameWrapped", "carol.eth", { ownerAddress: alice }),
        wrapper(3, "NameWrapped", "bob.eth", { ownerAddress: alice }, 6),
        wrapper(4, "NameUnwrapped", "alice.eth", { newOwnerAddress: alice }),
        wrapper(5, "NameUnwrapped", "bob.eth", { newOwnerAddress: zeroAddress }),
      ]);
    const events = await feed();
    expect(events.map(({ type, name }) => `${type} ${name}`)).toEqual([
      "unwrap alice.eth",
      "registration carol.eth",
      "wrap bob.eth",
      "wrap alice.eth",
    ]);
    expect(events[0]).toEqual({
      type: "unwrap",
      name: "alice.eth",
      owner_address: getAddress(alice),
      ...happened(4),
    });
    expect(events[3]).toMatchObject({ owner_address: getAddress(bob) });
  });

  test("shows changes of primary name claims on all chains", async () => {
    const claim = (block: number, name: string | null, fields = {}) =>
      claimRow({ block }, alice, name, fields);
    await tables.writer.insert(primaryNameChange).values([
      claim(1, "alice.eth"),
      claim(2, null),
      claim(3, null, { isNameKnown: false }),
      claim(4, "l2.eth", { chainId: LAYER2_CHAIN_ID }),
      // Set and replaced in one transaction.
      claim(3, "for no time.eth", { logIndex: -1 }),
    ]);
    const item = (block: number, name: string | null, fields = {}) => ({
      type: "primary_name",
      address: getAddress(alice),
      name,
      chain: "devnet",
      ...happened(block),
      ...fields,
    });
    expect(await feed()).toEqual([
      item(4, "l2.eth", { chain: "devnet2" }),
      item(3, null, { is_name_known: false }),
      item(2, null),
      item(1, "alice.eth"),
    ]);
  });

  test("keeps the newest fifty of all kinds, newest first", async () => {
    const owner = registeredRow("x.eth", WRAPPER, 1n).registryOwner ?? null;
    const renewals = Array.from({ length: 60 }, (_, i) =>
      purchase(2 * i + 1, "NameRenewed", "alice.eth", { costWei: 1n }),
    );
    await tables.writer.insert(event).values(renewals.flat());
    await tables.writer
      .insert(ownershipChange)
      .values(Array.from({ length: 61 }, (_, i) => change(2 * i, "bob.eth", i % 2 ? owner : alice)));
    const events = await feed();
    expect(events).toHaveLength(50);
    expect(events.map(({ block_number }) => block_number)).toEqual(
      Array.from({ length: 50 }, (_, i) => 120 - i),
    );
  });

  test("is computed again after half a minute", async () => {
    await feed();
    await tables.writer.insert(event).values(purchase(5, "NameRegistered", "alice.eth", { costWei: 1n }));
    expect(await feed(NOW + 30)).toEqual([]);
    expect(await feed(NOW + 61)).toHaveLength(1);
  });
});
