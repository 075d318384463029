import { getAddress } from "viem";
import { describe, expect, test } from "vitest";
import { coinTypeOfChain, DEFAULT_COIN_TYPE } from "../../src/ens/coinType.ts";
import { failure } from "./api.ts";
import { alice, bob, STATIC_RESOLVER, transaction } from "./rows.ts";
import { useWorld } from "./world.ts";

const { api } = useWorld();

const records = (name: string, query = "") => api.ask(`/domain/${name}/records${query}`);
const resolver = {
  status: "indexed",
  chain: "devnet",
  address: getAddress(STATIC_RESOLVER),
  title: "RESOLVER_5",
};

describe("GET /domain/:name/records", () => {
  test("returns what is set at the current resolver", async () => {
    const { records: found, ...rest } = await records("Alice.eth");
    expect(rest).toEqual({ domain: "alice.eth", resolver, source: "indexed" });
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
      texts: { avatar: "version 2", display: "Cleared.eth" },
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
    expect((await records("old.eth", "?types=text")).records).toEqual({ texts: {}, addresses: {} });
    expect((await records("alice.eth", "?types=contenthash,%20text")).records).toMatchObject({
      addresses: {},
      contenthash: "0xe301",
    });
    expect(await records("alice.eth", "?types=")).toEqual(await records("alice.eth"));
    const unknown = await api.get("/domain/alice.eth/records?types=text,avatar");
    expect(unknown).toMatchObject(failure("INVALID_PARAMETER"));
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
        addresses: { 60: BOB, [base as string]: BOB, [op as string]: ALICE },
        is_default: { 60: true, [base as string]: true },
        ...stored,
      });
      const itself = (await records("default.eth", `?types=addr&coin_types=${byDefault}`)).records;
      expect(itself).toEqual({ texts: {}, addresses: { [byDefault]: BOB } });
    });

    test("are only its own at a resolver without ENSIP-19", async () => {
      expect((await records("olddefault.eth", asked)).records).toEqual({
        texts: {},
        addresses: { [op as string]: ALICE },
        ...stored,
      });
    });

    test("are the stored ones if the request has no coin type", async () => {
      expect((await records("default.eth", "?types=addr")).records).toEqual({
        texts: {},
        addresses: { [byDefault]: BOB, [op as string]: ALICE },
      });
    });
  });

  test("a name without records, and a .eth name that was never registered, have none", async () => {
    const nothing = { texts: {}, addresses: {}, contenthash: null };
    expect((await records("empty.eth")).records).toEqual(nothing);
    for (const name of ["old.eth", "unheard.eth"]) {
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

  test.each(["strange.eth", "bare.eth", "sub.strange.eth", "legacy.eth"])(
    "%s cannot be answered from the index, and is never answered with a guess",
    async (name) => {
      expect(await api.get(`/domain/${name}/records`)).toMatchObject(failure("LIVE_RESOLUTION_FAILED"));
    },
  );

  test("a text of unknown value does not affect answers that do not need it", async () => {
    expect((await records("legacy.eth", "?types=addr")).records).toMatchObject({ addresses: {} });
  });
});

describe("GET /domain/:name/records/text/:key", () => {
  const text = (name: string, key: string) => api.ask(`/domain/${name}/records/text/${key}`);

  test("returns value, block and transaction", async () => {
    expect(await text("alice.eth", "url")).toEqual({
      domain: "alice.eth",
      resolver,
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
    // The row of the second clearing. The text was set between the two.
    expect(await text("cleared.eth", "url")).toMatchObject({
      value: null,
      block_number: 13,
      transaction_hash: transaction(13),
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
    const unknown = await api.get("/domain/legacy.eth/records/text/url");
    expect(unknown).toMatchObject(failure("LIVE_RESOLUTION_FAILED"));
    expect(await text("legacy.eth", "email")).toMatchObject({ value: "known" });
  });

  test("a key of more than 1,024 characters is refused", async () => {
    const path = `/domain/alice.eth/records/text/${"k".repeat(1_025)}`;
    expect(await api.get(path)).toMatchObject(failure("INVALID_PARAMETER"));
  });
});
