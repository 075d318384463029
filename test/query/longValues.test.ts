import { domain, event, primaryName, primaryNameChange, resolverChange, textRecord } from "ponder:schema";
import { getAddress, type Hex, namehash, toHex } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { MAX_SHOWN } from "../../src/api/names/rules/shown.ts";
import { storable } from "../../src/ens/storable.ts";
import { failure, useApi } from "./api.ts";
import {
  account,
  at,
  claimRow,
  domainRow,
  eventRow,
  NOW,
  primaryNameRow,
  STATIC_RESOLVER,
  textRow,
} from "./rows.ts";
import { useTables } from "./tables.ts";

/**
 * Every text in this test repeats this character, which takes two JavaScript units and four bytes
 * of UTF-8.
 */
const FACE = "\u{1f600}";
const LONG = FACE.repeat(100_000);
const CUT = FACE.repeat(MAX_SHOWN);
const LONG_BYTES: Hex = `0x${"e3".repeat(50_000)}`;
const CUT_BYTES: Hex = `0x${"e3".repeat(MAX_SHOWN)}`;
/** An answer with one entry of each long field stays below this. */
const SMALL = 30_000;

const node = namehash("long.eth");
const claimer = account(0xc1a1);
const hider = account(0xc1a2);

const tables = useTables();
const api = useApi(tables, NOW);

const read = async (path: string) => {
  const { status, body } = await api.get(path);
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200);
  expect(JSON.stringify(body).length).toBeLessThan(SMALL);
  return body as Record<"events" | "history", Record<string, unknown>[]>;
};

beforeAll(async () => {
  const text = { contract: "RESOLVER", eventType: "TextChanged", node, contractAddress: STATIC_RESOLVER };
  await tables.writer.insert(domain).values([domainRow("long.eth", { resolver: STATIC_RESOLVER })]);
  await tables.writer.insert(resolverChange).values([{ ...at(1), node, resolver: STATIC_RESOLVER }]);
  await tables.writer
    .insert(event)
    .values([
      eventRow({ block: 2 }, { ...text, key: "url", value: LONG }),
      eventRow({ block: 3 }, { ...text, key: "url", value: CUT }),
      eventRow(
        { block: 4 },
        { ...text, key: "url", value: null, details: JSON.stringify({ value: `\0${LONG}` }) },
      ),
      eventRow({ block: 5 }, { ...text, key: LONG, value: '"value":"' }),
      eventRow({ block: 6 }, { ...text, eventType: "ContenthashChanged", contenthash: LONG_BYTES }),
      eventRow({ block: 7 }, { ...text, eventType: "AddressChanged", coinType: 0n, address: LONG_BYTES }),
      eventRow({ block: 8 }, { ...text, eventType: "NameChanged", name: LONG }),
    ]);
  await tables.writer.insert(primaryNameChange).values([claimRow({ block: 1 }, claimer, `${LONG}.eth`)]);
});

describe("a long value is cut at a character boundary and marked as cut", () => {
  test("in the events of a name", async () => {
    const { events } = await read("/domain/long.eth/events");
    expect(events).toMatchObject([
      { key: "url", value: CUT, truncated: ["value"] },
      { key: "url", value: CUT },
      { key: "url", value: `\0${FACE.repeat(MAX_SHOWN - 1)}`, truncated: ["value"] },
      { key: CUT, value: '"value":"', truncated: ["key"] },
      { contenthash: CUT_BYTES, truncated: ["contenthash"] },
      { address: CUT_BYTES, truncated: ["address"] },
      { name: CUT, truncated: ["name"] },
    ]);
    expect(events[1]).not.toHaveProperty("truncated");
  });

  test("in the history of a text", async () => {
    const { history } = await read("/domain/long.eth/records/text/url/history");
    expect(history).toMatchObject([
      { value: `\0${FACE.repeat(MAX_SHOWN - 1)}`, truncated: ["value"] },
      { value: CUT },
      { value: CUT, truncated: ["value"] },
    ]);
    expect(history[1]).not.toHaveProperty("truncated");
  });

  test("in claims of primary names, and in the feed that everybody reads", async () => {
    const claim = { name: CUT, truncated: ["name"] };
    const { history } = await read(`/address/${claimer}/primary-name?history=true`);
    expect(history).toMatchObject([claim]);
    const { events } = await read("/ens-stats/recent-activity");
    expect(events).toMatchObject([{ type: "primary_name", address: getAddress(claimer), ...claim }]);
  });

  test("in a claim with NUL, which takes two characters in the table", async () => {
    const names = ["\0".repeat(MAX_SHOWN), `x${"\0".repeat(3 * MAX_SHOWN)}`];
    await tables.writer
      .insert(primaryNameChange)
      .values(names.map((name, i) => claimRow({ block: 2 + i }, hider, storable(name))));
    await tables.writer.insert(primaryName).values(primaryNameRow(hider, storable("\0.eth")));
    const { history, ...now } = await read(`/address/${hider}/primary-name?history=true`);
    expect(now).toMatchObject({ current: { primary_name: null } });
    expect(history).toMatchObject([
      { name: names[0] },
      { name: `x${"\0".repeat(MAX_SHOWN - 1)}`, truncated: ["name"] },
    ]);
    expect(history[0]).not.toHaveProperty("truncated");
  });
});

test("an answer that would be too large is refused with advice", async () => {
  const texts = Array.from({ length: 12 }, (_, i) => textRow("long.eth", `key ${i}`, LONG));
  await tables.writer.insert(textRecord).values(texts);
  const refused = failure("RESPONSE_TOO_LARGE", expect.stringContaining("one text by its key"));
  expect(await api.get("/domain/long.eth/records")).toMatchObject(refused);
  expect((await api.ask("/domain/long.eth/records/text/key 3")).value).toBe(LONG);
});

test("a beginning that looks like the end of a text is not taken for an end", async () => {
  const odd = `\0"value":"\\","value":"${toHex(7)}`;
  await tables.writer.insert(event).values([
    eventRow(
      { block: 9 },
      {
        contract: "RESOLVER",
        eventType: "TextChanged",
        node: namehash("odd.eth"),
        contractAddress: STATIC_RESOLVER,
        details: JSON.stringify({ key: odd, value: odd }),
      },
    ),
  ]);
  const { events } = await read("/domain/odd.eth/events");
  expect(events).toMatchObject([{ key: odd, value: odd }]);
});
