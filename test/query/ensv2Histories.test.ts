import { domain, ensv2Link, ensv2Proxy, event, ownershipChange, resolverChange } from "ponder:schema";
import { type Address, getAddress, namehash } from "viem";
import { beforeAll, expect, test } from "vitest";
import { openApi, useApi } from "./api.ts";
import {
  contracts,
  ETH_REGISTRY,
  GRAVEYARD,
  linkRow,
  MIGRATOR,
  proxyRow,
  RESOLVER,
  RESOLVER_CODE,
  record,
  STRANGE,
} from "./ensv2.ts";
import {
  account,
  alice,
  at,
  bob,
  CHAIN_ID,
  DAY,
  domainRow,
  type EventRow,
  eventRow,
  NOW,
  ownershipRow,
  transaction,
} from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

/* Histories of names that moved from ENSv1 to ENSv2, or that only ENSv2 knows. */

const timeOf = (block: number) => at(block).blockTimestamp;

const [ALICE, BOB] = [getAddress(alice), getAddress(bob)];
const moved = "moved.eth";
const sub = "sub.moved.eth";
/**
 * Names whose parent expires before them, and whose parent had expired before they were created.
 */
const [led, late] = ["led.moved.eth", "late.moved.eth"] as const;
/** A name whose ends passed and were later moved. */
const lapsed = "lapsed.moved.eth";

const tables = useTables();
const api = useApi(tables, NOW, { contracts });
const ask = (path: string) => api.ask<Record<string, unknown[]>>(path);

type Change = {
  block: number;
  log?: number;
  name?: string;
  owner: Address | null;
  reason?: "registrar" | "token";
  /**
   * The blocks at whose times the entry and the path to it ended, according to what was stored
   * until then.
   */
  before?: { expiry: number; path?: number };
};
const change = ({ block, log, name = moved, owner, reason = "registrar", before }: Change) =>
  ownershipRow({ block, log }, name, owner, {
    reason,
    registrarOwner: reason === "registrar" ? owner : null,
    previousExpiryTimestamp: before === undefined ? null : BigInt(timeOf(before.expiry)),
    previousPathExpiryTimestamp: before?.path === undefined ? null : BigInt(timeOf(before.path)),
  });

const registry = (at: { block: number; log?: number }, eventType: string, fields: Partial<EventRow> = {}) =>
  eventRow(at, {
    contract: "ENSV2_REGISTRY",
    contractAddress: ETH_REGISTRY,
    eventType,
    node: namehash(moved),
    ...fields,
  });
const resolver = (at: { block: number; log?: number }, eventType: string, fields: Partial<EventRow> = {}) =>
  eventRow(at, { contract: "ENSV2_RESOLVER", contractAddress: RESOLVER, eventType, ...fields });
const linked = (at: { block: number; log?: number }, name: string, recordId: number, by = RESOLVER) =>
  resolver(at, "Linked", {
    node: namehash(name),
    contractAddress: by,
    details: JSON.stringify({ recordId: `${recordId}` }),
  });
const text = (block: number, number: number, value: string) =>
  resolver({ block }, "TextUpdated", { node: record(number), key: "url", value });

const END = BigInt(NOW - 10 * DAY);
const details = (sender: Address) => JSON.stringify({ tokenId: "1", sender });

const ofRegistrar = { contract: "REGISTRAR", contractAddress: account(0xe1) };
const bought = (block: number, ownerAddress: Address, expiryTimestamp: bigint) =>
  registry({ block }, "NameRegistered", { ...ofRegistrar, ownerAddress, expiryTimestamp });

const events: EventRow[] = [
  bought(5, alice, END),
  registry({ block: 10 }, "LabelReserved", { expiryTimestamp: END, details: details(account(0xba7c)) }),
  registry({ block: 20, log: 2 }, "LabelRegistered", {
    expiryTimestamp: END,
    ownerAddress: bob,
    details: details(MIGRATOR),
  }),
  // A graveyard keeps what remains in ENSv1 for ever. That is not a purchase.
  bought(21, GRAVEYARD, 2n ** 64n - 1n),
  registry({ block: 40, log: 1 }, "LabelRegistered", {
    node: namehash(sub),
    expiryTimestamp: BigInt(timeOf(60)),
    ownerAddress: bob,
    details: details(bob),
  }),
  registry({ block: 50 }, "ExpiryUpdated", {
    node: namehash(sub),
    expiryTimestamp: BigInt(timeOf(70)),
    details: details(bob),
  }),
  ...[led, late].map((name, log) =>
    registry({ block: 40, log: 10 + log }, "LabelRegistered", { node: namehash(name), expiryTimestamp: END }),
  ),
  // The record exists before the name gets the resolver, and belongs to the root until the name has
  // its own.
  text(14, 1, "https://first.example"),
  linked({ block: 15 }, "", 1),
  text(25, 1, "https://second.example"),
  text(26, 2, "https://own.example"),
  linked({ block: 30 }, moved, 2),
  text(31, 1, "no word of this name any more"),
  linked({ block: 32 }, "", 3),
  linked({ block: 33 }, moved, 2),
  linked({ block: 45 }, moved, 9),
  // Anyone can deploy a resolver and link any name in it.
  ...Array.from({ length: 20 }, (_, i) => linked({ block: 35, log: i }, moved, 7, STRANGE)),
];

/** An ENSv2 name, and its parent's expiry if it has one. */
const entryRow = (name: string, expiryTimestamp: bigint, pathEnd: number | null = null) =>
  domainRow(name, {
    registry: STRANGE,
    expiryTimestamp,
    pathExpiryTimestamp: pathEnd === null ? null : BigInt(pathEnd),
  });

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: 1_000, time: NOW });
  const { writer } = tables;
  await writer.insert(event).values(events);
  await writer
    .insert(domain)
    .values([
      entryRow(moved, END),
      entryRow(sub, BigInt(timeOf(70))),
      entryRow(led, END, timeOf(65)),
      entryRow(late, END, timeOf(30)),
      entryRow(lapsed, BigInt(NOW + DAY)),
    ]);
  await writer
    .insert(ensv2Proxy)
    .values([proxyRow(RESOLVER, RESOLVER_CODE), proxyRow(STRANGE, RESOLVER_CODE)]);
  await writer.insert(ensv2Link).values([{ ...linkRow(moved, 2), ...at(30) }]);
  await writer.insert(ownershipChange).values([
    change({ block: 5, owner: alice }),
    change({ block: 20, owner: MIGRATOR }),
    change({ block: 20, log: 1, owner: GRAVEYARD }),
    change({ block: 20, log: 2, owner: bob, reason: "token" }),
    change({ block: 40, log: 1, name: sub, owner: bob, reason: "token" }),
    change({ block: 41, name: led, owner: alice, reason: "token" }),
    change({ block: 42, name: led, owner: bob, reason: "token", before: { expiry: 900, path: 65 } }),
    change({ block: 43, name: late, owner: bob, reason: "token" }),
    change({ block: 100, name: lapsed, owner: alice, reason: "token" }),
    ...[
      { block: 120, before: { expiry: 900, path: 110 } },
      { block: 140, before: { expiry: 900, path: 130 } },
      // The parent was renewed, but not for long enough.
      { block: 150, before: { expiry: 900, path: 145 } },
      { block: 160, before: { expiry: 900, path: 148 } },
      // Its own end passed, and its parent's a second later.
      { block: 180, before: { expiry: 170, path: 171 } },
      // A row of the last second: there was no time without owner.
      { block: 190, before: { expiry: 900, path: 190 } },
    ].map((one) => change({ ...one, name: lapsed, owner: alice, reason: "token" })),
    change({ block: 200, name: lapsed, owner: bob, reason: "token", before: { expiry: 195 } }),
  ]);
  await writer.insert(resolverChange).values({ ...at(20, 3), node: namehash(moved), resolver: RESOLVER });
});

test("registrations: bought, reserved, migrated; a graveyard buys nothing", async () => {
  const { registrations, renewals } = await ask("/domain/moved.eth/registration-history");
  expect(registrations).toMatchObject([
    { event_type: "NameRegistered", owner_address: ALICE },
    { event_type: "LabelReserved", kind: "reserved", owner_address: null },
    { event_type: "LabelRegistered", kind: "migrated", owner_address: BOB },
  ]);
  expect(renewals).toEqual([]);
});

test("a subname's renewal is a single log of its registry", async () => {
  expect(await ask("/domain/sub.moved.eth/registration-history")).toMatchObject({
    registrations: [{ kind: "registered", owner_address: BOB }],
    renewals: [{ event_type: "ExpiryUpdated", expiry_timestamp: String(timeOf(70)) }],
  });
});

test("owners: the person before and after, with no gap", async () => {
  const { history } = await ask("/domain/moved.eth/ownership-history");
  expect(history).toMatchObject([
    { address: ALICE, reason: "registrar", to_timestamp: timeOf(20), to_tx: transaction(20) },
    { address: BOB, reason: "token", from_timestamp: timeOf(20), to_timestamp: null },
  ]);
});

test.each([
  [-1, null],
  [0, "grace_end"],
])("a .eth name's owner ends with the grace of ENSv2, %i s after it: %s", async (seconds, ended_by) => {
  const end = Number(END) + 28 * DAY;
  const { body } = await openApi(tables, end + seconds, { contracts }).get(
    "/domain/moved.eth/ownership-history",
  );
  const last = (body.history as Record<string, unknown>[]).at(-1);
  expect(last).toMatchObject({ address: BOB, to_timestamp: ended_by && end });
  expect(last?.ended_by ?? null).toBe(ended_by);
});

test("a subname's owner ends at its expiry", async () => {
  const { history } = await ask("/domain/sub.moved.eth/ownership-history");
  expect(history).toMatchObject([
    { address: BOB, to_timestamp: timeOf(70), to_block: null, ended_by: "expiry" },
  ]);
});

test.each([
  [-1, null],
  [0, "expiry"],
])("a subname's owner ends when its parent expires, %i s after it: %s", async (seconds, ended_by) => {
  const { body } = await openApi(tables, timeOf(65) + seconds, { contracts }).get(
    "/domain/led.moved.eth/ownership-history",
  );
  const ends = ended_by && { to_timestamp: timeOf(65), to_block: null, ended_by };
  expect(body.history).toMatchObject([
    { address: ALICE, to_block: 42 },
    { address: BOB, from_block: 42, to_timestamp: null, ...ends },
  ]);
});

test("an end that passed and was moved later leaves a gap", async () => {
  const { history } = await ask("/domain/lapsed.moved.eth/ownership-history");
  const byTime = { to_block: null, from_tx: expect.anything(), ended_by: "expiry" };
  expect(history).toMatchObject([
    { address: ALICE, from_block: 100, to_timestamp: timeOf(110), ...byTime },
    { address: ALICE, from_block: 120, to_timestamp: timeOf(130), ...byTime },
    { address: ALICE, from_block: 140, to_timestamp: timeOf(145), ...byTime },
    { address: ALICE, from_block: 160, to_timestamp: timeOf(170), ...byTime },
    { address: ALICE, from_block: 180, to_timestamp: timeOf(195), ...byTime },
    { address: BOB, from_block: 200, to_timestamp: null },
  ]);
  expect(history).toHaveLength(6);
});

test("a token below a parent that had expired creates no owner", async () => {
  expect(await ask("/domain/late.moved.eth/ownership-history")).toMatchObject({ history: [], total: 0 });
});

test("a text comes from the record that was the name's at the time", async () => {
  const { history } = await ask("/domain/moved.eth/records/text/url/history");
  expect(history).toMatchObject([
    { value: null, block_number: 45, source: "resolver_change" },
    { value: "https://own.example", block_number: 30, transaction_hash: transaction(26) },
    { value: "https://second.example", block_number: 25 },
    { value: "https://first.example", block_number: 20, transaction_hash: transaction(14) },
  ]);
  expect(history).toHaveLength(4);
});

test("events come from both systems, with records of the name's own resolvers and without strangers' links", async () => {
  const { events: found } = (await ask("/domain/moved.eth/events")) as { events: Record<string, unknown>[] };
  expect(found.map(({ contract, event_type, block_number }) => [contract, event_type, block_number])).toEqual(
    [
      ["REGISTRAR", "NameRegistered", 5],
      ["ENSV2_REGISTRY", "LabelReserved", 10],
      ["ENSV2_RESOLVER", "TextUpdated", 14],
      ["ENSV2_RESOLVER", "Linked", 15],
      ["ENSV2_REGISTRY", "LabelRegistered", 20],
      ["REGISTRAR", "NameRegistered", 21],
      ["ENSV2_RESOLVER", "TextUpdated", 25],
      ["ENSV2_RESOLVER", "TextUpdated", 26],
      ["ENSV2_RESOLVER", "Linked", 30],
      ["ENSV2_RESOLVER", "TextUpdated", 31],
      ...[32, 33, 45].map((block) => ["ENSV2_RESOLVER", "Linked", block]),
    ],
  );
});
