import { addressRecord, domain, textRecord } from "ponder:schema";
import { namehash, toHex } from "viem";
import { beforeAll, expect, test } from "vitest";
import { findRecords, MAX_READ_BYTES } from "../../src/api/names/query/records.ts";
import { MAX_JSON_BYTES } from "../../src/api/server/http/writeReply.ts";
import { failure, useApi } from "./api.ts";
import {
  account,
  addressRow,
  CHAIN_ID,
  inDays,
  NOW,
  registeredRow,
  STATIC_RESOLVER,
  textRow,
} from "./rows.ts";
import { useTables } from "./tables.ts";

/*
 * Names whose owners set more records than an answer can hold. The database sends no more than the
 * answer's limit.
 */

const RECORD = 500_000;
const COUNT = 30;

const at = (name: string) => ({
  chainId: CHAIN_ID,
  resolver: STATIC_RESOLVER,
  node: namehash(name),
  version: 0,
});

const tables = useTables();
const api = useApi(tables, NOW);

beforeAll(async () => {
  const names = ["texts.eth", "nul.eth", "coins.eth", "zeros.eth", "display.eth"];
  await tables.writer
    .insert(domain)
    .values(names.map((name) => registeredRow(name, account(1), inDays(1), { resolver: STATIC_RESOLVER })));
  const many = Array.from({ length: COUNT }, (_, i) => i);
  const long = "é".repeat(RECORD / 2);
  const hidden = "\0".repeat(RECORD);
  await tables.writer.insert(textRecord).values(many.map((i) => textRow("texts.eth", `key ${i}`, long)));
  await tables.writer
    .insert(textRecord)
    .values(
      many.map((i) =>
        textRow("nul.eth", `key ${i}`, "", { exact: JSON.stringify({ key: `key ${i}`, value: hidden }) }),
      ),
    );
  await tables.writer.insert(textRecord).values([textRow("display.eth", "display", `Display.eth${long}`)]);
  await tables.writer
    .insert(addressRecord)
    .values(many.map((i) => addressRow("coins.eth", i, toHex(i + 1, { size: RECORD / 2 }))));
  const { chainId, resolver, node } = at("zeros.eth");
  await tables.pool.query(
    `insert into address_records (chain_id, resolver, node, version, coin_type, address, block_number, transaction_hash)
     select $1, $2, $3, 0, 1000 + i, $4, 7, '0x01' from generate_series(1, 120000) as i`,
    [chainId, resolver, node, account(0)],
  );
  await tables.writer.insert(addressRecord).values([addressRow("zeros.eth", 900_000, account(0xa11ce))]);
});

test("the limit matches that of an answer", () => expect(MAX_READ_BYTES).toBe(MAX_JSON_BYTES));

test.each(["texts.eth", "nul.eth", "coins.eth"])(
  "%s: the limit and one more record are read and refused",
  async (name) => {
    const { texts, addresses } = await findRecords(tables.db, { ...at(name), cleared: false });
    const read = texts.length + addresses.length;
    const bytesOf = name === "nul.eth" ? RECORD * 6 : RECORD;
    expect(read).toBeGreaterThan(MAX_READ_BYTES / bytesOf);
    expect(read).toBeLessThanOrEqual(Math.ceil(MAX_READ_BYTES / bytesOf) + 1);
    expect(await api.get(`/domain/${name}/records`)).toMatchObject(failure("RESPONSE_TOO_LARGE"));
    const kind = name === "coins.eth" ? "text" : "addr";
    expect((await api.get(`/domain/${name}/records?types=${kind}`)).status).toBe(200);
  },
);

test("cleared addresses do not count against the limit", async () => {
  const { body } = await api.get("/domain/zeros.eth/records");
  expect(body.records).toMatchObject({ addresses: { 900000: account(0xa11ce) } });
});

test("a long `display` text is not used as a display name and is not read whole", async () => {
  expect((await api.get("/whois/display.eth")).body).not.toHaveProperty("display");
  const { body } = await api.get("/search-domains?q=display");
  expect((body.results as object[])[0]).not.toHaveProperty("display");
});
