import { addressRecord, domain, event, resolverNode, textRecord } from "ponder:schema";
import { getAddress, type Hex, keccak256, namehash, stringToBytes, toHex, zeroAddress } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { coinTypeOfChain, DEFAULT_COIN_TYPE } from "../../src/ens/coinType.ts";
import { useApi } from "./api.ts";
import {
  account,
  CHAIN_ID,
  DEFAULT_ADDRESS_RESOLVER,
  domainRow,
  eventRow,
  registeredRow,
  STATIC_RESOLVER,
  STRANGE_RESOLVER,
  transaction,
} from "./rows.ts";
import { useTables } from "./tables.ts";

const NOW = 1_800_000_000;
const alice = account(0xa11ce);
const bob = account(0xb0b);
const place = (name: string, resolver: Hex = STATIC_RESOLVER) => ({
  chainId: CHAIN_ID,
  resolver,
  node: namehash(name),
});

const tables = useTables();
const api = useApi(tables, NOW);

const textOf = (
  name: string,
  key: string,
  value: string | null,
  fields: Partial<typeof textRecord.$inferInsert> = {},
) => ({
  ...place(name),
  version: 0,
  keyHash: keccak256(stringToBytes(key)),
  key: key.replaceAll("\0", "\u2400"),
  value,
  isValueKnown: true,
  blockNumber: 7,
  logIndex: 0,
  transactionHash: transaction(7),
  setsInTransaction: 1,
  isRead: false,
  ...fields,
});

const addressOf = (name: string, coinType: bigint, address: Hex | null, version = 0) => ({
  ...place(name),
  version,
  coinType,
  address,
  blockNumber: 7,
  transactionHash: transaction(7),
});

beforeAll(async () => {
  const registered = (name: string, resolver: Hex | null) =>
    registeredRow(name, alice, BigInt(NOW + 1_000), { resolver });
  await tables.writer
    .insert(domain)
    .values([
      registered("alice.eth", STATIC_RESOLVER),
      registered("cleared.eth", STATIC_RESOLVER),
      registered("empty.eth", STATIC_RESOLVER),
      registered("legacy.eth", STATIC_RESOLVER),
      registered("strange.eth", STRANGE_RESOLVER),
      registered("none.eth", null),
      registered("default.eth", DEFAULT_ADDRESS_RESOLVER),
      registered("olddefault.eth", STATIC_RESOLVER),
      domainRow("never.eth", { registryOwner: alice, effectiveOwnerAddress: alice }),
    ]);
  await tables.writer.insert(resolverNode).values([
    { ...place("alice.eth"), version: 0, contenthash: "0xe301", blockNumber: 7 },
    { ...place("cleared.eth"), version: 2, blockNumber: 7 },
    { ...place("empty.eth"), version: 0, name: "a\u24000\u2400\u24000", blockNumber: 7 },
  ]);
  await tables.writer
    .insert(textRecord)
    .values([
      textOf("alice.eth", "url", "https://alice.example"),
      textOf("alice.eth", "email", null),
      textOf("alice.eth", "__proto__", "odd"),
      textOf("alice.eth", "a/b c", "slash"),
      textOf("alice.eth", "n\0ul", "v\u2400", { exact: JSON.stringify({ key: "n\0ul", value: "v\0" }) }),
      textOf("alice.eth", "url", "of another resolver", place("alice.eth", STRANGE_RESOLVER)),
      textOf("cleared.eth", "url", "version 1", { version: 1 }),
      textOf("cleared.eth", "avatar", "version 2", { version: 2 }),
      textOf("legacy.eth", "url", null, { isValueKnown: false }),
      textOf("legacy.eth", "email", "known"),
    ]);
  await tables.writer.insert(addressRecord).values([
    addressOf("alice.eth", 60n, alice),
    addressOf("alice.eth", 0n, "0x0014aabb"),
    addressOf("alice.eth", 2147483658n, toHex(0, { size: 20 })),
    addressOf("alice.eth", 2n, null),
    addressOf("cleared.eth", 60n, alice, 1),
    ...["default.eth", "olddefault.eth"].flatMap((name) => {
      const at = place(name, name === "default.eth" ? DEFAULT_ADDRESS_RESOLVER : STATIC_RESOLVER);
      return [
        { ...addressOf(name, DEFAULT_COIN_TYPE, alice), ...at },
        { ...addressOf(name, coinTypeOfChain(10), bob), ...at },
        { ...addressOf(name, coinTypeOfChain(42_161), zeroAddress), ...at },
        { ...addressOf(name, coinTypeOfChain(8_453), null), ...at },
      ];
    }),
  ]);
});

const records = async (name: string, query = "") => (await api.get(`/domain/${name}/records${query}`)).body;

describe("GET /domain/:name/records", () => {
  test("returns what is set at the current resolver", async () => {
    const { records: found, ...rest } = await records("Alice.eth");
    expect(rest).toEqual({
      domain: "alice.eth",
      resolver: {
        status: "indexed",
        chain: "devnet",
        address: getAddress(STATIC_RESOLVER),
        title: "RESOLVER_5",
      },
      source: "indexed",
    });
    const { texts, ...others } = found as { texts: Record<string, string> };
    expect(others).toEqual({
      addresses: { "0": "0x0014aabb", "60": getAddress(alice) },
      contenthash: "0xe301",
    });
    expect(Object.entries(texts)).toEqual([
      ["__proto__", "odd"],
      ["a/b c", "slash"],
      ["n\0ul", "v\0"],
      ["url", "https://alice.example"],
    ]);
  });

  test("records before a clearing are gone", async () => {
    expect((await records("cleared.eth")).records).toEqual({
      texts: { avatar: "version 2" },
      addresses: {},
      contenthash: null,
    });
  });

  test("a name with NUL is returned as it was set", async () => {
    const name = "a\0\u24000";
    expect((await records("empty.eth", "?types=name")).records).toMatchObject({ name });
    const { body } = await api.post("/lookup", { inputs: ["empty.eth"], records: { types: ["name"] } });
    expect(JSON.stringify(body)).toContain(JSON.stringify(name));
  });

  test("`types` leaves out other records", async () => {
    const addressesOnly = (await records("alice.eth", "?types=addr")).records;
    expect(addressesOnly).toMatchObject({ texts: {} });
    // Null would mean that there is none.
    expect(addressesOnly).not.toHaveProperty("contenthash");
    expect((await records("never.eth", "?types=text")).records).toEqual({ texts: {}, addresses: {} });
    expect((await records("alice.eth", "?types=contenthash,%20text")).records).toMatchObject({
      addresses: {},
      contenthash: "0xe301",
    });
    expect(await records("alice.eth", "?types=")).toEqual(await records("alice.eth"));
    expect(await api.get("/domain/alice.eth/records?types=text,avatar")).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_PARAMETER" } },
    });
  });

  describe("of a name with the default address, asked by coin type", () => {
    const [base, op, arbitrum] = [8_453, 10, 42_161].map((chain) => String(coinTypeOfChain(chain)));
    const [byDefault, ALICE, BOB] = [String(DEFAULT_COIN_TYPE), getAddress(alice), getAddress(bob)];
    const beyond = String(2n * DEFAULT_COIN_TYPE);
    const asked = `?types=addr&cleared=true&coin_types=60,0,${base},${op},${arbitrum},${beyond}`;
    const stored = {
      cleared: { texts: [], addresses: [base, arbitrum] },
      never_set: { texts: [], addresses: ["60", "0", beyond] },
    };

    test("are the resolver's answers: the default address for each EVM chain without bytes", async () => {
      expect((await records("default.eth", asked)).records).toEqual({
        texts: {},
        addresses: { 60: ALICE, [base as string]: ALICE, [op as string]: BOB },
        is_default: { 60: true, [base as string]: true },
        ...stored,
      });
      const itself = (await records("default.eth", `?types=addr&coin_types=${byDefault}`)).records;
      expect(itself).toEqual({ texts: {}, addresses: { [byDefault]: ALICE } });
    });

    test("are only its own at a resolver without ENSIP-19", async () => {
      expect((await records("olddefault.eth", asked)).records).toEqual({
        texts: {},
        addresses: { [op as string]: BOB },
        ...stored,
      });
    });

    test("are the stored ones if the request has no coin type", async () => {
      expect((await records("default.eth", "?types=addr")).records).toEqual({
        texts: {},
        addresses: { [byDefault]: ALICE, [op as string]: BOB },
      });
    });
  });

  test("a name without records, and a .eth name that was never registered, have none", async () => {
    const nothing = { texts: {}, addresses: {}, contenthash: null };
    expect((await records("empty.eth")).records).toEqual(nothing);
    for (const name of ["never.eth", "unheard.eth"]) {
      expect(await records(name)).toEqual({
        domain: name,
        resolver: { status: "none" },
        records: nothing,
        source: "indexed",
      });
    }
  });

  test.each(["sub.unheard.eth", "example.com"])("%s cannot exist and has none", async (name) => {
    expect(await records(name)).toMatchObject({ resolver: { status: "none" }, source: "indexed" });
  });

  test.each(["strange.eth", "none.eth", "sub.strange.eth", "legacy.eth"])(
    "%s cannot be answered from the index, and is never answered with a guess",
    async (name) => {
      expect(await api.get(`/domain/${name}/records`)).toMatchObject({
        status: 502,
        body: { error: { code: "LIVE_RESOLUTION_FAILED" } },
      });
    },
  );

  test("a text of unknown value does not affect answers that do not need it", async () => {
    expect((await records("legacy.eth", "?types=addr")).records).toMatchObject({ addresses: {} });
  });
});

describe("GET /domain/:name/records/text/:key", () => {
  const text = async (name: string, key: string) =>
    (await api.get(`/domain/${name}/records/text/${key}`)).body;

  test("returns value, block and transaction", async () => {
    expect(await text("alice.eth", "url")).toEqual({
      domain: "alice.eth",
      resolver: {
        status: "indexed",
        chain: "devnet",
        address: getAddress(STATIC_RESOLVER),
        title: "RESOLVER_5",
      },
      key: "url",
      value: "https://alice.example",
      block_number: 7,
      transaction_hash: transaction(7),
      source: "indexed",
    });
  });

  test("a cleared record is null with the block of its clearing, and one never set is null without a block", async () => {
    expect(await text("alice.eth", "email")).toMatchObject({ value: null, block_number: 7 });
    expect(await text("alice.eth", "phone")).toMatchObject({
      value: null,
      block_number: null,
      transaction_hash: null,
    });
    expect(await text("unheard.eth", "url")).toMatchObject({ value: null, resolver: { status: "none" } });
  });

  test("a record that ended with all others has the block and transaction of that clearing", async () => {
    const cleared = (block: number) =>
      eventRow(
        { block, log: 3, tx: block },
        {
          contract: "RESOLVER",
          contractAddress: STATIC_RESOLVER,
          eventType: "VersionChanged",
          node: namehash("cleared.eth"),
        },
      );
    await tables.writer.insert(event).values([cleared(5), cleared(6)]);
    // The row of the second clearing. The text was set between the two.
    expect(await text("cleared.eth", "url")).toMatchObject({
      value: null,
      block_number: 6,
      transaction_hash: transaction(6),
    });
    expect(await text("cleared.eth", "never")).toMatchObject({ value: null, block_number: null });
    expect(await text("cleared.eth", "avatar")).toMatchObject({ value: "version 2" });
  });

  test("keys are taken as they are", async () => {
    expect(await text("alice.eth", "a%2Fb%20c")).toMatchObject({ key: "a/b c", value: "slash" });
    expect(await text("alice.eth", "n%00ul")).toMatchObject({ key: "n\0ul", value: "v\0" });
    expect(await text("alice.eth", "URL")).toMatchObject({ value: null });
  });

  test("a value that the index cannot know is not shown as absent", async () => {
    expect(await api.get("/domain/legacy.eth/records/text/url")).toMatchObject({ status: 502 });
    expect(await text("legacy.eth", "email")).toMatchObject({ value: "known" });
  });

  test("a key of more than 1,024 characters is refused", async () => {
    expect(await api.get(`/domain/alice.eth/records/text/${"k".repeat(1_025)}`)).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_PARAMETER" } },
    });
  });
});
