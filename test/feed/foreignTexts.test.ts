import fc from "fast-check";
import { keccak256, namehash, stringToBytes } from "viem";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { toChangeRecord } from "../../src/api/features/feed/changeRecord.ts";
import { readFeedState } from "../../src/api/features/feed/read.ts";
import { readResync } from "../../src/api/features/feed/resync.ts";
import type { ChangeRow } from "../../src/api/features/feed/rows.ts";
import { storable } from "../../src/ens/storable.ts";
import { account, contracts, transaction } from "../query/rows.ts";
import type { Chain, Write } from "./engine.ts";
import { openPlay, type Play } from "./histories.ts";
import { domainWrite } from "./writes.ts";

// Texts that anyone can set for 28,500 gas: none stops the feed, and the feed has each as REST has
// it.

let play: Play & { close: () => Promise<void> };
let main: Chain;

beforeAll(async () => {
  play = await openPlay();
  [main] = play.engine.chains as [Chain];
});
afterAll(() => play.close());

const NAME = "foreign.eth";

const withoutNul = (text: string): string => text.replaceAll("\0", "\u2400");

/** A text record, as the handlers write it. */
function textOf(key: string, value: string | null): Write {
  const hasNul = `${key}${value ?? ""}`.includes("\0");
  return {
    table: "text_records",
    key: {
      chain_id: main.chainId,
      resolver: account(5),
      node: namehash(NAME),
      version: 0,
      key_hash: keccak256(stringToBytes(key)),
    },
    patch: {
      key: withoutNul(key),
      value: value === null ? null : withoutNul(value),
      is_value_known: true,
      exact: hasNul ? JSON.stringify({ key, value }) : null,
      is_read: false,
      sets_in_transaction: 1,
      block_number: main.node.length + 1,
      log_index: 1,
      transaction_hash: transaction(1),
    },
  };
}

/** A `name` record, as the handlers write it. */
const nameOf = (name: string): Write => ({
  table: "resolver_nodes",
  key: { chain_id: main.chainId, resolver: account(5), node: namehash(NAME) },
  patch: { version: 0, name: storable(name), block_number: main.node.length + 1 },
});

/** A name that an address claims, as the handlers write it. */
const claimOf = (name: string): Write => ({
  table: "primary_names",
  key: { address: account(5), coin_type: 60 },
  patch: {
    name: storable(name),
    is_name_known: true,
    registrar: "REVERSE_REGISTRAR",
    chain_id: main.chainId,
    block_number: main.node.length + 1,
    transaction_hash: transaction(1),
  },
});

/** A value as the feed has it: NUL and everything else as it was set; a long text by its hash. */
const saidOf = (name: string, text: string) =>
  Buffer.byteLength(text) <= 1_024
    ? { [name]: text }
    : {
        [name]: null,
        [`${name}_keccak256`]: keccak256(stringToBytes(text)),
        [`${name}_bytes`]: Buffer.byteLength(text),
      };

const textsIn = (rows: readonly ChangeRow[]) => rows.filter(({ slot }) => slot === "text");

/** As on a chain: bytes that are not UTF-8 decode to U+FFFD, so no lone surrogate remains. */
const decoded = (text: string): string => Buffer.from(text).toString();

const odd = ["\0", "\u0001", "\ud800", "\udfff", "\ufffe", "\uffff", "\ufeff", "\u2028", "\u2400", "\\u0000"];
const foreign = fc
  .array(
    fc.oneof(
      fc.constantFrom(...odd, '"', "\\", "'", "\r\n", "]]>", "x".repeat(1_100)),
      fc.string({ unit: "binary" }),
    ),
    {
      maxLength: 6,
    },
  )
  .map((parts) => decoded(parts.join("")));

test("NUL in a value or a key reaches the feed and does not stop later changes", async () => {
  const before = await play.newest();
  await play.block(main, [domainWrite(main, NAME, {}), textOf("k", "va\0lue"), textOf("ke\0y", "v")]);
  await play.block(main, [domainWrite(main, "other.eth", {}), textOf("k", "fine")]);
  const rows = await play.changesAfter(before);
  expect(
    textsIn(rows).map(({ details, oldValue, newValue }) => [details.key, oldValue?.value, newValue?.value]),
  ).toEqual([
    ["k", undefined, "va\0lue"],
    ["ke\0y", undefined, "v"],
    ["k", "va\0lue", "fine"],
  ]);
  expect(rows.some(({ name }) => name === "other.eth")).toBe(true);
  const epoch = (await readFeedState(play.tables.db)).epoch;
  const sent = JSON.stringify(rows.map((row) => toChangeRecord(row, { contracts, epoch, now: 0 })));
  expect(sent).toContain('"value":"va\\u0000lue"');
  expect(sent).not.toContain("\u2400");
});

test("names of records and of addresses are published as they were set", async () => {
  const random = fc.sample(foreign, { seed: inject("seed"), numRuns: 30 });
  for (const name of new Set(["n\0ul.eth", "\u24000", "\u2400", ...random.filter((text) => text !== "")])) {
    const before = await play.newest();
    await play.block(main, [domainWrite(main, NAME, {}), nameOf(name), claimOf(name)]);
    const named = (await play.changesAfter(before)).filter(({ slot }) =>
      /^(name_record|primary)$/.test(slot ?? ""),
    );
    const said = saidOf("name", name);
    expect(named.map(({ newValue }) => newValue)).toMatchObject([said, said]);
  }
});

test("random texts are published as they were set, again in a resync, and as before after a reorganisation", async () => {
  const pair = fc.record({ key: foreign, value: fc.option(foreign, { freq: 8 }) });
  const blocks = fc.array(fc.uniqueArray(pair, { selector: ({ key }) => key, minLength: 1, maxLength: 4 }), {
    minLength: 1,
    maxLength: 4,
  });
  await fc.assert(
    fc.asyncProperty(blocks, async (given) => {
      for (const texts of given) {
        const before = await play.newest();
        await play.block(
          main,
          texts.map(({ key, value }) => textOf(key, value)),
        );
        const said = new Map(
          textsIn(await play.changesAfter(before)).map(({ details, newValue }) => [
            details.key_hash,
            { details, newValue },
          ]),
        );
        for (const { key, value } of texts) {
          const one = said.get(keccak256(stringToBytes(key)));
          if (one === undefined) continue; // As it was.
          expect(one.details).toMatchObject(saidOf("key", key));
          expect(one.newValue).toMatchObject(value === null ? { value } : saidOf("value", value));
        }
      }
      const last = given.at(-1) ?? [];
      const feed = await readFeedState(play.tables.db);
      const held = textsIn(
        (await readResync(play.tables.db, { node: namehash(NAME), feed, filters: {} })) ?? [],
      );
      for (const { key, value } of last) {
        const one = held.find(({ details }) => details.key_hash === keccak256(stringToBytes(key)));
        expect(one?.newValue).toMatchObject(value === null ? { value } : saidOf("value", value));
      }
      const newest = await play.newest();
      play.engine.fork(main, 1);
      await play.engine.revert(main, main.node.length);
      await play.block(main, []);
      const removed = textsIn(await play.changesAfter(newest));
      for (const { state, details, oldValue } of removed) {
        expect(state).toBe("removed");
        const one = last.find(({ key }) => keccak256(stringToBytes(key)) === details.key_hash);
        expect(oldValue).toMatchObject(one?.value == null ? { value: null } : saidOf("value", one.value));
      }
      for (let i = 0; i < 7; i++) await play.block(main, []);
    }),
    { numRuns: 10 },
  );
  expect((await readFeedState(play.tables.db)).gapSince).toBeNull();
});

test("only a row that the feed cannot hold is left out, with a notice, and all others are in the feed", async () => {
  const before = await play.newest();
  const bad = textOf("bad", "x");
  const said = play.said.length;
  await play.block(main, [
    domainWrite(main, "first.eth", {}),
    textOf("good", "1"),
    { ...bad, patch: { ...bad.patch, exact: "no JSON" } },
    textOf("better", "2"),
  ]);
  const rows = await play.changesAfter(before);
  expect(textsIn(rows).map(({ newValue }) => newValue?.value)).toEqual(["1", "2"]);
  expect(rows.some(({ name }) => name === "first.eth")).toBe(true);
  const [marker, ...more] = await play.changesAfter(before, {
    node: namehash(NAME),
    types: ["feed.left_out"],
  });
  expect(marker).toMatchObject({
    node: namehash(NAME),
    resolver: account(5),
    source: "text_records",
    slot: null,
  });
  expect(more.map(({ type }) => type)).toEqual(["block.ended"]);
  expect(play.said.slice(said)).toEqual([
    expect.stringContaining("leaves out a row that it cannot hold (text_records "),
  ]);
  await play.block(main, [domainWrite(main, "after.eth", {})]);
  expect((await play.changesAfter(rows.at(-1)?.number ?? 0)).some(({ name }) => name === "after.eth")).toBe(
    true,
  );
});

test("a stalled feed says since when", async () => {
  const { pool, db } = play.tables;
  await play.block(main, []);
  const age = () => pool.query("update feed_state set looked_at = now() - interval '40 seconds'");
  await age();
  expect((await readFeedState(db)).gapSince, "nothing is to be said").toBeNull();
  play.engine.mine(main, { seconds: 12, writes: [] });
  await play.engine.index(main);
  const since = (await readFeedState(db)).gapSince ?? 0;
  expect(Math.abs(Date.now() / 1_000 - 40 - since)).toBeLessThan(10);
  await play.look();
  expect((await readFeedState(db)).gapSince).toBeNull();
  await age();
  await play.look();
  play.engine.mine(main, { seconds: 12, writes: [] });
  await play.engine.index(main);
  expect((await readFeedState(db)).gapSince, "a look is a sign of life").toBeNull();
});

test("a name whose values are too large is left out of resyncs, and its values are not read", async () => {
  const feed = await readFeedState(play.tables.db);
  const read = () => readResync(play.tables.db, { node: namehash(NAME), feed, filters: {} });
  await play.tables.pool.query("delete from text_records");
  await play.block(main, [textOf("a", "x".repeat(2 ** 20))]);
  expect(textsIn((await read()) ?? [])).toHaveLength(1);
  await play.block(
    main,
    Array.from({ length: 8 }, (_, i) => textOf(`k${i}`, "x".repeat(2 ** 20))),
  );
  expect(await read()).toBeNull();
});
