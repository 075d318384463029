import { domain, event } from "ponder:schema";
import { namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { useApi } from "./api.ts";
import { account, alice, domainRow, type EventRow, eventRow, NOW, transaction } from "./rows.ts";
import { useTables } from "./tables.ts";

/* Names moved from an older registrar to the next. A move is not a purchase. */

const HOUR = 3_600;
const migrator = account(0x317);
const END_OF_TRANSFERS = 1_588_550_400n;
const [FIRST, SECOND, THIRD] = [1_700_000_000n, 1_710_000_000n, 1_720_000_000n];

const tables = useTables();
const api = useApi(tables, NOW);
const ask = (path: string) => api.ask(path);

/** A log in its block's transaction. All happened within the last hours. */
const log = (
  block: number,
  contract: string,
  eventType: string,
  fields: Partial<EventRow> & { name?: never } = {},
) => ({ block, contract, eventType, fields });

const stories: Record<string, ReturnType<typeof log>[]> = {
  "of-2019.eth": [
    log(1, "REGISTRAR_OLD", "NameRegistered", { expiryTimestamp: FIRST }),
    log(1, "CONTROLLER", "NameRegistered", { expiryTimestamp: FIRST, costWei: 5n }),
    log(2, "REGISTRAR_OLD", "NameRenewed", { expiryTimestamp: SECOND }),
    log(3, "REGISTRAR", "NameRegistered", { expiryTimestamp: SECOND, ownerAddress: migrator }),
    log(4, "REGISTRAR", "NameRegistered", { expiryTimestamp: THIRD }),
  ],
  "auctioned.eth": [
    log(5, "REGISTRAR_AUCTION", "HashRegistered", { costWei: 1n }),
    log(6, "REGISTRAR_OLD", "NameMigrated", { expiryTimestamp: END_OF_TRANSFERS }),
    log(6, "REGISTRAR_OLD", "NameRegistered", { expiryTimestamp: END_OF_TRANSFERS }),
    log(7, "REGISTRAR", "NameRegistered", { expiryTimestamp: END_OF_TRANSFERS, ownerAddress: migrator }),
  ],
  "auctioned-and-moved-at-once.eth": [
    log(8, "REGISTRAR_AUCTION", "HashRegistered", { costWei: 1n }),
    log(9, "REGISTRAR", "NameRegistered", { expiryTimestamp: END_OF_TRANSFERS, ownerAddress: migrator }),
  ],
  "bought-again.eth": [
    log(10, "REGISTRAR_OLD", "NameRegistered", { expiryTimestamp: FIRST }),
    log(11, "REGISTRAR", "NameRegistered", { expiryTimestamp: THIRD }),
  ],
  "auctioned-and-bought-again.eth": [
    log(12, "REGISTRAR_AUCTION", "HashRegistered", { costWei: 1n }),
    log(13, "REGISTRAR", "NameRegistered", { expiryTimestamp: THIRD }),
  ],
};

/** Blocks of registrations that are purchases. */
const bought: Record<string, number[]> = {
  "of-2019.eth": [1, 4],
  "auctioned.eth": [5],
  "auctioned-and-moved-at-once.eth": [8],
  "bought-again.eth": [10, 11],
  "auctioned-and-bought-again.eth": [12, 13],
};
const names = Object.keys(stories);

beforeAll(async () => {
  await tables.writer.insert(domain).values(names.map((name) => domainRow(name)));
  const rows = Object.entries(stories).flatMap(([name, logs]) =>
    logs.map(({ block, contract, eventType, fields }, log) => {
      const of = { node: namehash(name), ownerAddress: alice, blockTimestamp: NOW - HOUR + block };
      return eventRow({ block, log }, { contract, eventType, ...of, ...fields });
    }),
  );
  await tables.writer.insert(event).values(rows);
});

type Entry = { block_number: number; transaction_hash: string };

describe("a migration is not a registration", () => {
  test.each(names)("in the history of %s", async (name) => {
    for (const query of ["", "?merged=false"]) {
      const { registrations } = await ask(`/domain/${name}/registration-history${query}`);
      const blocks = (registrations as Entry[]).map(({ block_number }) => block_number);
      expect([...new Set(blocks)]).toEqual(bought[name]);
    }
  });

  test("in recent activity, nor a transfer there", async () => {
    const { events } = await ask("/ens-stats/recent-activity");
    const registered = (events as (Entry & { type: string; name: string })[]).filter(
      ({ type }) => type === "registration",
    );
    const expected = names.flatMap((name) =>
      (bought[name] ?? []).map((block) => `${name} ${transaction(block)}`),
    );
    const told = registered.map(({ name, transaction_hash }) => `${name} ${transaction_hash}`);
    expect(told.toSorted()).toEqual(expected.toSorted());
  });

  test("in statistics", async () => {
    const registrations = Object.values(bought).flat().length;
    const figures = { registrations_24h: registrations, registrations_7d: registrations, renewals_7d: 1 };
    expect(await ask("/ens-stats")).toMatchObject(figures);
    const { daily } = await ask("/ens-stats/registrations");
    expect((daily as object[]).at(-1)).toMatchObject({ registrations, renewals: 1 });
  });

  test("but appears in the events", async () => {
    const { events } = await ask("/domain/of-2019.eth/events");
    expect((events as Entry[]).map(({ block_number }) => block_number)).toContain(3);
  });
});
