import { domain, event, holder, ownershipChange } from "ponder:schema";
import { type Address, getAddress, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { serveExplorer } from "../explorer/statisticsPages.ts";
import { openApi, type TestApi } from "./api.ts";
import {
  account,
  alice,
  answerable,
  carol,
  DAY,
  domainRow,
  eventRow,
  holderRow,
  ownedBy,
  ownershipRow,
  PARENT_CANNOT_CONTROL,
  registeredRow,
  subnameRow,
  WRAPPER,
  wrappedBy,
} from "./rows.ts";
import { useTables } from "./tables.ts";

/*
 * Ends caused by time alone have a second and no block, and every answer gives the same second. test/truth/judgeMoments.ts
 * compares histories of owners with the contracts at each such second.
 */

const GRACE = 90 * DAY;
const START = 1_600_000_000;
const EXPIRY = 1_700_000_000;
const dave = account(0xda7e);

type Period = Record<string, unknown>;
type Owners = { owner: Address; reason: "wrapper" | "registrar" | "registry"; token?: number | null };

const tables = useTables();
/** One API for each time, because creating one is slow. */
const apis = new Map<number, TestApi>();
const ask = async (path: string, now: number) => {
  const api = apis.get(now) ?? openApi(tables, now);
  apis.set(now, api);
  return api.ask(path);
};

/**
 * A change of owner in the block and transaction with its number. In the wrapper, its token ends
 * after `token`.
 */
const change = (name: string, block: number, time: number, { owner, reason, token = null }: Owners) => {
  const isWrapped = reason === "wrapper";
  const isEth = name.split(".").length === 2;
  return ownershipRow({ block, log: 5 }, name, owner, {
    reason,
    blockTimestamp: time,
    registryOwner: isWrapped ? WRAPPER : owner,
    registrarOwner: isEth ? (isWrapped ? WRAPPER : owner) : null,
    wrapperOwner: isWrapped ? owner : null,
    wrapperFuses: token === null ? null : PARENT_CANNOT_CONTROL,
    wrapperExpiryTimestamp: token === null ? null : BigInt(token),
  });
};

const registered = (name: string, block: number, expiry: number, eventType = "NameRegistered") =>
  eventRow(
    { block, log: 6 },
    { contract: "REGISTRAR", eventType, node: namehash(name), expiryTimestamp: BigInt(expiry) },
  );

const endless = { to_timestamp: null, to_block: null, to_tx: null };

beforeAll(async () => {
  const boxed = (label: string, expiry: number) =>
    registeredRow(`${label}.eth`, WRAPPER, BigInt(expiry), wrappedBy(alice, BigInt(EXPIRY + GRACE)));
  await tables.writer.insert(domain).values(
    answerable([
      registeredRow("plain.eth", alice, BigInt(EXPIRY)),
      boxed("boxed", EXPIRY),
      boxed("renewed-elsewhere", EXPIRY + 9 * GRACE),
      subnameRow("sub.boxed.eth", alice, BigInt(EXPIRY)),
      subnameRow("lasting.boxed.eth", carol, BigInt(EXPIRY), 0),
      // Won at an auction and never moved to the current registrar. The label of the other name is
      // too short to be sold.
      ...["auctioned.eth", "au.eth"].map((name) => domainRow(name, ownedBy(dave))),
    ]),
  );
  await tables.writer.insert(ownershipChange).values([
    change("plain.eth", 1, START, { owner: alice, reason: "registrar" }),
    change("boxed.eth", 2, START, { owner: alice, reason: "wrapper", token: EXPIRY + GRACE }),
    change("renewed-elsewhere.eth", 3, START, { owner: alice, reason: "wrapper", token: EXPIRY + GRACE }),
    change("sub.boxed.eth", 4, START, { owner: alice, reason: "wrapper", token: EXPIRY }),
    {
      ...change("lasting.boxed.eth", 8, START, { owner: carol, reason: "wrapper", token: EXPIRY }),
      wrapperFuses: 0,
    },
  ]);
  await tables.writer
    .insert(event)
    .values([
      registered("plain.eth", 1, EXPIRY),
      registered("boxed.eth", 2, EXPIRY),
      registered("renewed-elsewhere.eth", 3, EXPIRY),
      registered("renewed-elsewhere.eth", 16, EXPIRY + 9 * GRACE, "NameRenewed"),
    ]);
  const held = ["plain.eth", "boxed.eth", "renewed-elsewhere.eth", "sub.boxed.eth"];
  await tables.writer
    .insert(holder)
    .values([
      ...held.map((name) => holderRow(alice, name, 1)),
      holderRow(carol, "lasting.boxed.eth", 1),
      holderRow(dave, "auctioned.eth", 1),
    ]);
});

const historyOf = async (name: string, now: number) =>
  (await ask(`/domain/${name}/ownership-history`, now)).history as Period[];

type Listed = { name: string; ownership: Period };

/** Names in an operation's list. */
const namesAt = async (path: string, now: number) =>
  ((await ask(path, now)).results as Listed[]).map(({ name }) => name);

const moments = [EXPIRY - DAY, EXPIRY - 1, EXPIRY, EXPIRY + 1, EXPIRY + GRACE + 1, EXPIRY + 4_000 * DAY];

describe.each(moments)("a wrapped subname without PARENT_CANNOT_CONTROL at %i", (now) => {
  const name = "lasting.boxed.eth";

  test("belongs to its owner in whois, in the owner's lists and in the owner's counts", async () => {
    const whois = await ask(`/whois/${name}`, now);
    expect(whois).toMatchObject({
      availability_status: "registered",
      expiry_timestamp: String(EXPIRY),
      ownership: { is_wrapped: true, owner: getAddress(carol), is_owner_current: true },
    });
    for (const field of ["last_owner", "ended_by", "to_timestamp"])
      expect(whois.ownership).not.toHaveProperty(field);
    expect((await historyOf(name, now)).at(-1)).toMatchObject({ address: getAddress(carol), ...endless });
    expect(await namesAt(`/address/${carol}/domains`, now)).toEqual([name]);
    expect(await namesAt(`/address/${carol}/domains?availability_status=registered`, now)).toEqual([name]);
    expect(await namesAt(`/address/${carol}/previous-domains`, now)).toEqual([]);
    expect(await ask(`/address/${carol}/domain-count`, now)).toMatchObject({
      count: 1,
      active_count: 1,
      expired_count: 0,
      unknown_count: 0,
    });
    expect(await ask(`/address/${carol}/summary`, now)).toMatchObject({
      domain_count: 1,
      domains_expiring_30d: 0,
      previously_owned_count: 0,
    });
    expect(await namesAt("/search-domains?availability_status=registered&q=lasting", now)).toEqual([name]);
    expect(await namesAt("/domain/boxed.eth/subdomains?include_expired=false&q=lasting", now)).toEqual([
      name,
    ]);
  });

  test("has no end in calendars, figures and summaries", async () => {
    const of = async (path: string) => (await (apis.get(now) as TestApi).app.request(path)).text();
    expect(await of(`/domain/${name}/expiry.ics`)).not.toContain("BEGIN:VEVENT");
    expect(await of(`/address/${carol}/expiries.ics`)).not.toContain("BEGIN:VEVENT");
    const { stats } = await ask("/search-domains?q=lasting", now);
    expect(stats).toMatchObject({ expired: 0, expiring_30d: 0, expiring_90d: 0, wrapped: 1 });
    const range = `expiry_from=${EXPIRY}&expiry_to=${EXPIRY}`;
    expect(await namesAt(`/search-domains?${range}&q=lasting`, now)).toEqual([name]);
    const bulk = (await (apis.get(now) as TestApi).post("/whois/bulk", { names: [name, "sub.boxed.eth"] }))
      .body;
    // The emancipated one beside it keeps its owner until the last second before its expiry.
    expect(bulk.summary).toMatchObject({
      registered: now <= EXPIRY ? 2 : 1,
      expiring_30d: now < EXPIRY ? 1 : 0,
    });
  });
});

describe("a .eth name that the registrar never registered", () => {
  test("does not belong to its holder: it is available, or its state is unknown", async () => {
    const owner = getAddress(dave);
    const ended = {
      ended_by: "no_registration",
      last_owner: { address: owner, ended_by: "no_registration" },
    };
    for (const [name, availability_status] of [
      ["auctioned.eth", "available"],
      ["au.eth", "unknown"],
    ]) {
      expect(await ask(`/whois/${name}`, EXPIRY)).toMatchObject({
        availability_status,
        ownership: { owner, is_owner_current: false, ...ended },
      });
    }
    expect(await ask(`/address/${dave}/domain-count`, EXPIRY)).toMatchObject({
      count: 2,
      active_count: 0,
      expired_count: 1,
      unknown_count: 1,
    });
    expect(await namesAt(`/address/${dave}/domains`, EXPIRY)).toEqual([]);
    expect(await namesAt(`/address/${dave}/previous-domains`, EXPIRY)).toEqual(["auctioned.eth"]);
  });
});

describe("the explorer and former owners", () => {
  test("a wrapped name never shows the NameWrapper as last holder in the explorer", async () => {
    const { url, close } = await serveExplorer(tables, EXPIRY + GRACE + 1);
    const page = async (name: string) => (await fetch(`${url}/explore/name/${name}`)).text();
    expect(await page("plain.eth")).toContain("Last holder");
    expect(await page("boxed.eth")).not.toContain("Last holder");
    await close();
  });

  test("a watched name that anyone can register has no owner", async () => {
    const over = EXPIRY + GRACE + 1;
    const { url, close } = await serveExplorer(tables, over);
    const page = async (path: string) => (await fetch(`${url}/explore/${path}`)).text();
    const ownersOf = (html: string) =>
      [...html.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) => cell).join();
    const watched = await page("watch?names=plain.eth,auctioned.eth,lasting.boxed.eth");
    const cells = ownersOf(watched);
    expect(cells.match(/last held by/g)).toHaveLength(2);
    expect(cells.match(new RegExp(carol, "i")), "the owner of a lasting name is its owner").not.toBeNull();
    for (const name of ["plain.eth", "auctioned.eth"]) {
      const html = await page(`name/${name}`);
      expect(html).toContain("Last holder");
      expect(html).not.toContain("its owner is");
    }
    expect(await page("name/lasting.boxed.eth")).toContain("its owner is");
    await close();
  });
});

describe("the same second is the end everywhere", () => {
  const names = ["plain.eth", "boxed.eth", "renewed-elsewhere.eth", "sub.boxed.eth"];
  const ends = [EXPIRY, EXPIRY + GRACE, EXPIRY + 10 * GRACE];
  const moments = ends.flatMap((end) => [end - 1, end, end + 1, end + 2]);

  test.each(moments)("at %i", async (now) => {
    const previous = (await ask(`/address/${alice}/previous-domains`, now)).results as Listed[];
    const held = (await ask(`/address/${alice}/domains?include_expired=true`, now)).results as Listed[];
    const summary = await ask(`/address/${alice}/summary`, now);
    expect(summary.previously_owned_count).toBe(previous.length);
    for (const name of names) {
      const last = (await historyOf(name, now)).at(-1);
      const whois = (await ask(`/whois/${name}`, now)) as { ownership: Period };
      const { owner, to_timestamp = null } = whois.ownership;
      const isOver = to_timestamp !== null;
      const isCurrent = last?.to_timestamp === null && owner !== getAddress(WRAPPER);
      expect(whois.ownership.is_owner_current, name).toBe(isCurrent);
      expect(whois.ownership.last_owner !== undefined, name).toBe(!isCurrent);
      expect(whois.ownership.ended_by, name).toBe(isOver ? last?.ended_by : undefined);
      for (const item of [...previous, ...held].filter((one) => one.name === name))
        expect(item.ownership).toMatchObject({ owner, is_owner_current: isCurrent });
      // For a name past its grace, whois shows the last holder and the second at which the last
      // period ended.
      expect(last?.to_timestamp, name).toBe(to_timestamp);
      if (!isOver) expect(last?.address, name).toBe(owner);
      const isOfAlice = last?.address === getAddress(alice) && last?.to_timestamp === null;
      expect(
        previous.some((one) => one.name === name),
        name,
      ).toBe(!isOfAlice);
      expect(
        held.some((one) => one.name === name),
        name,
      ).toBe(owner === getAddress(alice));
    }
  });
});
