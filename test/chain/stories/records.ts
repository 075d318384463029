import { type Hex, zeroAddress } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import type { RecordWrite } from "../../../devnet/acts.ts";
import {
  authorise,
  clearDNSZone,
  clearRecords,
  ethNode,
  hashLabel,
  registerReferred,
  setAddr,
  setText,
  writeRecord,
  writeRecords,
  writeRecordsChecked,
} from "../../../devnet/acts.ts";
import { expectRecordsAsOnChain, readStoredRecords } from "../onChain.ts";
import { eventsOf, lower } from "../stage.ts";
import { stage } from "./stage.ts";

const NAME = "keeper.eth";
const node = ethNode("keeper");
const contenthash: Hex = `0xe30101701220${hashLabel("content").slice(2)}`;

beforeAll(async () => {
  await registerReferred(stage.chain, { from: stage.cast.alice, label: "keeper", resolver: "resolver5" });
});

const write = (resolver: string, record: RecordWrite) =>
  writeRecord(stage.chain, { from: stage.cast.alice, resolver, node, write: record });

const generations = ["resolver3", "resolver4", "resolver5"];

describe.each(generations)("a record is set at %s", (resolver) => {
  const place = { resolver, name: NAME };

  test("an address of Ethereum, in one change even with two logs", async () => {
    const receipt = await write(resolver, { kind: "addr", address: stage.cast.alice });
    const { addresses } = await expectRecordsAsOnChain(stage, place);
    expect(addresses).toEqual({ 60: lower(stage.cast.alice) });
    const logged = { coin_type: "60", address: stage.cast.alice };
    expect(eventsOf(await stage.events(NAME), receipt)).toMatchObject([logged, logged]);
  });

  test("an address of another chain, as bytes", async () => {
    const bytes = "0x76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac";
    await write(resolver, { kind: "coin", coinType: 0n, bytes });
    await write(resolver, { kind: "coin", coinType: 0x8000000an, bytes: lower(stage.cast.bob) });
    await expectRecordsAsOnChain(stage, place, { coinTypes: [0n, 60n, 0x8000000an] });
  });

  test("a contenthash, a name and a text", async () => {
    await write(resolver, { kind: "contenthash", hash: contenthash });
    await write(resolver, { kind: "name", name: "some.name.eth" });
    await write(resolver, { kind: "text", key: "description", value: "söme täxt ☃ 🎉" });
    await expectRecordsAsOnChain(stage, place, { keys: ["description", "url"] });
  });

  test("and records that the index only logs", async () => {
    const writes: RecordWrite[] = [
      { kind: "pubkey", x: hashLabel("x"), y: hashLabel("y") },
      { kind: "abi", contentType: 1n, data: "0x7b7d" },
      { kind: "interface", id: "0x01ffc9a7", implementer: stage.cast.bob },
    ];
    for (const one of writes) {
      const receipt = await write(resolver, one);
      const [event] = eventsOf(await stage.events(NAME), receipt);
      expect(event?.event_type.toLowerCase()).toBe(`${one.kind}changed`);
    }
  });

  test("again, and again: the last one counts", async () => {
    for (const value of ["one", "two", "three"]) await write(resolver, { kind: "text", key: "count", value });
    expect((await expectRecordsAsOnChain(stage, place)).texts.count).toBe("three");
  });

  test("several at once, with the same text twice", async () => {
    const { chain, cast } = stage;
    const receipt = await writeRecords(chain, {
      from: cast.alice,
      resolver,
      node,
      writes: [
        { kind: "text", key: "email", value: "first@keeper.example" },
        { kind: "text", key: "url", value: "https://keeper.example" },
        { kind: "text", key: "email", value: "second@keeper.example" },
        { kind: "coin", coinType: 2n, bytes: "0x0102" },
      ],
    });
    await expectRecordsAsOnChain(stage, place);
    const values = eventsOf(await stage.events(NAME), receipt).map(({ value }) => value);
    expect(values).toEqual([
      "first@keeper.example",
      "https://keeper.example",
      "second@keeper.example",
      undefined,
    ]);
  });

  test("and cleared one by one", async () => {
    await write(resolver, { kind: "text", key: "description", value: "" });
    await write(resolver, { kind: "coin", coinType: 0n, bytes: "0x" });
    await write(resolver, { kind: "contenthash", hash: "0x" });
    await write(resolver, { kind: "name", name: "" });
    await expectRecordsAsOnChain(stage, place, { keys: ["description"], coinTypes: [0n] });
  });

  test("an address of zero", async () => {
    await setAddr(stage.chain, { from: stage.cast.alice, resolver, node, address: zeroAddress });
    await expectRecordsAsOnChain(stage, place, { coinTypes: [60n] });
  });
});

describe("unusual records", () => {
  const place = { resolver: "resolver5", name: NAME };
  const texts: [string, string, string][] = [
    ["an empty key", "", "value of the empty key"],
    ["a key with NUL", "nul\0key", "value"],
    ["a value with NUL", "nul-value", "be\0fore"],
    ["a key of 10 KB", "k".repeat(10_240), "short"],
    ["a value of 10 KB", "long", "v".repeat(10_240)],
    ["a key that looks like SQL", "'; drop table domains; --", "$1"],
    ["a key with quotes and a newline", 'a"b\nc', "\t\\"],
    ["a key and a value with a byte order mark", "\ufeffmarked", "\ufeffvalue"],
    ["byte order marks alone", "\ufeff", "\ufeff\ufeff"],
    ["a key of JavaScript objects", "__proto__", "constructor"],
  ];

  test.each(texts)("%s", async (_, key, value) => {
    const receipt = await write("resolver5", { kind: "text", key, value });
    await expectRecordsAsOnChain(stage, place, { keys: [key] });
    const stored = await readStoredRecords(stage, place);
    expect(Object.entries(stored.texts)).toContainEqual([key, value]);
    const path = `/domain/${NAME}/records/text/${encodeURIComponent(key)}`;
    if (key === "") {
      expect((await stage.stack.api(path)).status).toBe(400); // A path cannot distinguish it from the key `.`.
      const chosen = await stage.stack.api(`/domain/${NAME}/records?keys=`);
      expect(chosen.body).toMatchObject({ records: { texts: { "": value } } });
    } else if (key.length <= 1_024) {
      const { status, body } = await stage.stack.api(path);
      expect([status, body]).toMatchObject([200, { key, value }]);
      const history = await stage.stack.api(`${path}/history`);
      expect([history.status, history.body]).toMatchObject([
        200,
        { key, history: [{ value: value.slice(0, 1_024) }] },
      ]);
    }
    const [event] = eventsOf(await stage.events(NAME), receipt);
    // Lists show the first 1,024 characters, and mark the cut.
    expect(event).toMatchObject({ key: key.slice(0, 1_024), value: value.slice(0, 1_024) });
    expect(event?.truncated !== undefined).toBe(key.length > 1_024 || value.length > 1_024);
  });

  test("a value that is not UTF-8 is shown with its faults marked", async () => {
    const { chain, cast } = stage;
    const value = Uint8Array.from([0x61, 0xff, 0x62]) as unknown as string;
    await setText(chain, { from: cast.alice, resolver: "resolver5", node, key: "broken", value });
    const { texts } = await expectRecordsAsOnChain(stage, place);
    expect(texts.broken).toBe("a\uFFFDb");
  });

  test("a key that is not UTF-8 differs from the one that looks like it", async () => {
    const { chain, cast } = stage;
    const key = Uint8Array.from([0x6b, 0xff]) as unknown as string;
    const act = { from: cast.alice, resolver: "resolver5", node };
    await setText(chain, { ...act, key, value: "of the bytes" });
    await setText(chain, { ...act, key: "k\uFFFD", value: "of the text" });
    const rows = await stage.sql<{ value: string }>(
      "select value from text_records where node = $1 and key = $2 order by block_number",
      [node, "k\uFFFD"],
    );
    expect(rows.map(({ value }) => value)).toEqual(["of the bytes", "of the text"]);
  });

  test("the largest coin type", async () => {
    const coinType = 2n ** 256n - 1n;
    await write("resolver4", { kind: "coin", coinType, bytes: "0x01" });
    const { addresses } = await expectRecordsAsOnChain(stage, { ...place, resolver: "resolver4" });
    expect(addresses[String(coinType)]).toBe("0x01");
  });

  test("an address of 10 KB", async () => {
    const bytes: Hex = `0x${"ab".repeat(10_240)}`;
    await write("resolver4", { kind: "coin", coinType: 7n, bytes });
    await expectRecordsAsOnChain(stage, { ...place, resolver: "resolver4" });
  });

  test("a name with a byte order mark", async () => {
    await write("resolver5", { kind: "name", name: "\ufeffname.eth" });
    expect((await expectRecordsAsOnChain(stage, place)).name).toBe("\ufeffname.eth");
  });

  test("a name with NUL", async () => {
    const receipt = await write("resolver5", { kind: "name", name: "a\0b" });
    const [event] = eventsOf(await stage.events(NAME), receipt);
    expect(event?.name).toBe("a\0b");
    for (const name of ["a\0b", "a\u2400b", "a\u24000b\0\u2400"]) {
      await write("resolver5", { kind: "name", name });
      expect((await expectRecordsAsOnChain(stage, place)).name).toBe(name);
    }
    await write("resolver5", { kind: "name", name: "" });
  });
});

describe("all records are cleared", () => {
  test("and new ones begin empty", async () => {
    const { chain, cast } = stage;
    const place = { resolver: "resolver4", name: NAME };
    const before = await expectRecordsAsOnChain(stage, place);
    const keys = Object.keys(before.texts);
    const coinTypes = Object.keys(before.addresses).map(BigInt);
    expect(keys.length).toBeGreaterThan(2);
    await clearRecords(chain, { from: cast.alice, resolver: "resolver4", node });
    const after = await expectRecordsAsOnChain(stage, place, { keys, coinTypes });
    expect(after).toEqual({ texts: {}, addresses: {}, contenthash: null, name: null });
    await write("resolver4", { kind: "text", key: "email", value: "again@keeper.example" });
    await expectRecordsAsOnChain(stage, place, { keys, coinTypes });
  });

  test("twice, with records set between, and the other resolver's stay", async () => {
    const { chain, cast } = stage;
    const act = { from: cast.alice, resolver: "resolver5", node };
    const four = await readStoredRecords(stage, { resolver: "resolver4", name: NAME });
    await clearRecords(chain, act);
    await write("resolver5", { kind: "contenthash", hash: contenthash });
    await clearRecords(chain, act);
    const five = await expectRecordsAsOnChain(
      stage,
      { resolver: "resolver5", name: NAME },
      { keys: ["long"] },
    );
    expect(five).toEqual({ texts: {}, addresses: {}, contenthash: null, name: null });
    expect(await readStoredRecords(stage, { resolver: "resolver4", name: NAME })).toEqual(four);
    const changes = await stage.sql<{ event_type: string; key: string | null }>(
      "select event_type, key from text_changes where node = $1 order by block_number desc, log_index desc limit 2",
      [node],
    );
    expect(changes).toEqual([
      { event_type: "VersionChanged", key: null },
      { event_type: "VersionChanged", key: null },
    ]);
  });
});

describe("another account writes", () => {
  test.each(generations)("with the owner's permission at %s", async (resolver) => {
    const { chain, cast } = stage;
    await authorise(chain, { from: cast.alice, resolver, node, delegate: cast.bob });
    await setText(chain, { from: cast.bob, resolver, node, key: "by", value: `bob at ${resolver}` });
    const { texts } = await expectRecordsAsOnChain(stage, { resolver, name: NAME });
    expect(texts.by).toBe(`bob at ${resolver}`);
  });

  test("several records, each checked to belong to the node", async () => {
    const { chain, cast } = stage;
    await writeRecordsChecked(chain, {
      from: cast.alice,
      resolver: "resolver5",
      node,
      writes: [
        { kind: "text", key: "notice", value: "checked" },
        { kind: "addr", address: cast.carol },
      ],
    });
    const { texts } = await expectRecordsAsOnChain(stage, { resolver: "resolver5", name: NAME });
    expect(texts.notice).toBe("checked");
  });
});

test("DNS records of every generation are logged", async () => {
  const { chain, cast } = stage;
  // a.example. A 1.2.3.4 with a time to live of 3600 seconds (RFC 1035 wire format), and its deletion.
  const head = "01610765786d61706c650000010001";
  const data: Hex = `0x${head}00000e10000401020304`;
  const receipts = [
    await write("resolver3", { kind: "dns", data }),
    await write("resolver5", { kind: "dns", data }),
    await write("resolver5", { kind: "dns", data: `0x${head}00000e100000` }),
    await write("resolver5", { kind: "zonehash", hash: "0x0102" }),
    await clearDNSZone(chain, { from: cast.alice, resolver: "resolver3", node }),
  ];
  const events = await stage.events(NAME);
  const types = receipts.flatMap((receipt) => eventsOf(events, receipt)).map(({ event_type }) => event_type);
  const logged = ["RecordChanged", "RecordChanged", "RecordDeleted", "ZonehashChanged", "ZoneCleared"];
  expect(types).toEqual(logged.map((type) => `DNS${type}`));
});
