import { domain, event, ownershipChange } from "ponder:schema";
import { type Address, namehash, parseEther } from "viem";
import { beforeEach, describe, expect, test } from "vitest";
import { openApi } from "./api.ts";
import {
  alice,
  at,
  domainRow,
  type EventRow,
  eventRow,
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
