import { domain } from "ponder:schema";
import { namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { MAX_ENDING } from "../../src/api/names/query/addresses/ending.ts";
import { MAX_JSON_BYTES } from "../../src/api/server/http/writeReply.ts";
import { endsIn, endsToCome, listOwned, readCalendar } from "../support/calendars.ts";
import { useApi } from "./api.ts";
import {
  account,
  alice,
  bob,
  CHAIN_ID,
  DAY,
  domainRow,
  inDays,
  NOW,
  ownedBy,
  registeredRow,
  subnameRow,
} from "./rows.ts";
import { useTables } from "./tables.ts";

const mallory = account(0xbad);
const crowded = account(0xc0de);
const longNamed = account(0x1046);

const tables = useTables();
const api = useApi(tables, NOW);

/**
 * Labels as strangers write them. The registry takes any bytes, and the index everything except
 * NUL, dots and brackets.
 */
const hostileLabels = [
  "a,b;c\\n",
  "x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:forged",
  "\nBEGIN:VALARM",
  "tab\tbell\u0007",
  "next\u0085line\u2028paragraph\u2029",
  'quo"te:colon',
  "\u202egnp-exe",
  "🦊".repeat(40),
  "é".repeat(70),
  "語".repeat(85),
  "%2F%00",
  "https://evil/?a=b&c=d#e",
  "a ".repeat(60),
];

beforeAll(async () => {
  await tables.writer
    .insert(domain)
    .values([
      registeredRow("alice.eth", alice, inDays(100)),
      registeredRow("soon.eth", alice, inDays(30)),
      registeredRow("grace.eth", alice, inDays(-90)),
      registeredRow("premium.eth", alice, BigInt(NOW - 90 * DAY - 1)),
      registeredRow("last.eth", alice, BigInt(NOW - 111 * DAY + 1)),
      registeredRow("ended.eth", alice, BigInt(NOW - 111 * DAY)),
      registeredRow("bob.eth", bob, inDays(100)),
      registeredRow("far.eth", bob, 2n ** 64n - 1n),
      domainRow("endless.alice.eth", ownedBy(alice)),
      subnameRow("sub.alice.eth", alice, inDays(20)),
      subnameRow("over.alice.eth", alice, inDays(-1)),
      ...hostileLabels.map((label) => registeredRow(`${label}.eth`, mallory, inDays(50), { label })),
    ]);
});

const request = (path: string) => api.app.request(path);
const read = (path: string) => readCalendar(request, path);

describe("the calendar of an address", () => {
  test("has the expiries of the names in the JSON operation's list while one lies ahead", async () => {
    const { events, name } = await read(`/address/${alice}/expiries.ics`);
    const wanted = endsToCome(await listOwned(request, alice), { now: NOW, chainId: CHAIN_ID });
    expect(endsIn(events)).toEqual(wanted);
    expect(wanted.length).toBe(5 * 3 + 1);
    expect(name.toLowerCase()).toBe(`ens names of ${alice}`);
  });

  test("reminds 30 and 7 days in advance and links each name", async () => {
    const { events, text } = await read(`/address/${alice}/expiries.ics`);
    for (const { alarms } of events) expect(alarms).toEqual(["-P30D", "-P7D"]);
    const expiry = events.find(({ uid }) => uid.startsWith(`${namehash("alice.eth")}-expiry`));
    expect(expiry).toMatchObject({
      summary: "alice.eth expires",
      url: "https://names.example/explore/name/alice.eth",
    });
    expect(text).toContain("REFRESH-INTERVAL;VALUE=DURATION:PT6H\r\n");
    expect(text).toMatch(/END:VCALENDAR\r\n$/);
  });

  test("is empty for an address without names", async () => {
    expect((await read(`/address/${account(0xdead)}/expiries.ics`)).events).toEqual([]);
  });

  test("leaves out dates that no calendar can represent", async () => {
    const { events } = await read(`/address/${bob}/expiries.ics`);
    expect(events.map(({ summary }) => summary)).toEqual([
      "bob.eth expires",
      "Grace of bob.eth ends",
      "Premium of bob.eth ends",
    ]);
  });

  test("has .eth names before subnames given by strangers, and at most a given number", async () => {
    await tables.writer
      .insert(domain)
      .values([
        ...Array.from({ length: MAX_ENDING }, (_, i) => subnameRow(`s${i}.gift.eth`, crowded, inDays(1))),
        ...Array.from({ length: 10 }, (_, i) => registeredRow(`own${i}.eth`, crowded, inDays(300 + i))),
      ]);
    const { events } = await read(`/address/${crowded}/expiries.ics`);
    expect(events.filter(({ summary }) => /^own\d\.eth expires/.test(summary)).length).toBe(10);
    expect(new Set(events.map(({ uid }) => uid.slice(0, 66))).size).toBe(MAX_ENDING);
  });

  test("fits into an answer even with the longest names", async () => {
    const label = (i: number) => `${String(i).padStart(4, "0")}${"語".repeat(80)}`;
    await tables.writer
      .insert(domain)
      .values(
        Array.from({ length: MAX_ENDING }, (_, i) => registeredRow(`${label(i)}.eth`, longNamed, inDays(9))),
      );
    const { text, events } = await read(`/address/${longNamed}/expiries.ics`);
    expect(events.length).toBe(3 * MAX_ENDING);
    expect(Buffer.byteLength(text)).toBeLessThan(MAX_JSON_BYTES);
    expect(events[0]?.url).toContain("%5Bnamehash%3A");
  });
});

describe("hostile names", () => {
  test("are text within one event: nothing in them ends or begins a line", async () => {
    const { text, events } = await read(`/address/${mallory}/expiries.ics`);
    expect(events.length).toBe(3 * hostileLabels.length);
    expect(new Set(events.map(({ uid }) => uid)).size).toBe(events.length);
    for (const line of text.split("\r\n")) {
      expect(Buffer.byteLength(line), line).toBeLessThanOrEqual(75);
      expect(line).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e\ufffe]/u);
    }
    for (const { alarms } of events) expect(alarms.length).toBe(2);
  });

  test("read back unchanged, except for parts that cannot be shown and parts that are too long", async () => {
    const { events } = await read(`/address/${mallory}/expiries.ics`);
    const summaries = events.map(({ summary }) => summary);
    expect(summaries).toContain("a,b;c\\n.eth expires");
    expect(summaries).toContain('quo"te:colon.eth expires');
    expect(summaries).toContain("�gnp-exe.eth expires");
    expect(summaries).toContain("x��END:VEVENT��BEGIN:VEVENT��SUMMARY:forged.eth expires");
    expect(summaries).toContain(`${"🦊".repeat(32)}… expires`);
  });
});

describe("the calendar of a name", () => {
  test("has the same events as its owner's calendar", async () => {
    const ofName = await read("/domain/alice.eth/expiry.ics");
    const ofOwner = await read(`/address/${alice}/expiries.ics`);
    const own = ofOwner.events.filter(({ uid }) => uid.startsWith(namehash("alice.eth")));
    expect(ofName.events).toEqual(own);
    expect(ofName.name).toBe("alice.eth");
    expect(ofName.events[0]?.at).toBe(Number(inDays(100)));
  });

  test("keeps its events' identity when a renewal moves them, and increases SEQUENCE", async () => {
    const before = await read("/domain/bob.eth/expiry.ics");
    await tables.pool.query("update domains set expiry_timestamp = $1 where full_name = 'bob.eth'", [
      String(inDays(465)),
    ]);
    const after = await read("/domain/bob.eth/expiry.ics");
    expect(after.events.map(({ uid }) => uid)).toEqual(before.events.map(({ uid }) => uid));
    for (const [i, { at, sequence }] of after.events.entries()) {
      expect(at).toBe((before.events[i]?.at ?? 0) + 365 * DAY);
      expect(sequence).toBeGreaterThan(before.events[i]?.sequence ?? Number.POSITIVE_INFINITY);
    }
  });

  test("is empty for a name without expiry and for one that was never registered", async () => {
    for (const name of ["endless.alice.eth", "unregistered.eth", "eth"])
      expect((await read(`/domain/${name}/expiry.ics`)).events).toEqual([]);
  });
});
