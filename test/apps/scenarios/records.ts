import { type Address, getAddress, type Hex } from "viem";
import { expect } from "vitest";
import { addressOf, nodeOf, read, readString } from "../../../devnet/acts.ts";
import { onChain, screen, stage, story } from "../frame.ts";
import { batches, pages } from "../screens.ts";
import { BASE_COIN, EVM, ofBitcoin, texts } from "../story/ensv1.ts";
import { expectRows, type Item } from "./rows.ts";

/* The screens of records: what a name has, and which names resolve to an address. */

type Records = {
  texts: Record<string, string>;
  addresses: Record<string, string>;
  contenthash: string | null;
  cleared?: { texts: string[]; addresses: string[] };
  never_set?: { texts: string[]; addresses: string[] };
  abi_types?: string[];
  interfaces?: Record<string, string>;
  public_key?: { x: string; y: string } | null;
  name?: string | null;
};
type Looked = {
  results: {
    input: string;
    status: string;
    domain?: Item & { resolution?: string };
    records?: Records;
  }[];
};

/** A record of a name of ENSv1 as its resolver answers it. */
const ofResolver = <Result>(name: string, functionName: string, ...rest: unknown[]): Promise<Result> =>
  read<Result>(stage.chain, { contract: "resolver5", functionName, args: [nodeOf(name), ...rest] });
const textOf = (name: string, key: string): Promise<string> =>
  readString(stage.chain, { contract: "resolver5", functionName: "text", args: [nodeOf(name), key] });

/** What alice.eth has, had and never had, as its resolver answers. */
async function expectRecordsOfAlice(records: Records | undefined): Promise<void> {
  const name = "alice.eth";
  const set = Object.keys(records?.texts ?? {});
  expect(set.sort()).toEqual(texts.set.toSorted());
  for (const key of set) expect([key, records?.texts[key]]).toEqual([key, await textOf(name, key)]);
  expect(records?.cleared?.texts).toEqual(texts.cleared);
  for (const key of texts.cleared) expect([key, await textOf(name, key)]).toEqual([key, ""]);
  const [ethereum] = [await ofResolver<Hex>(name, "addr", 60n)];
  expect(records?.addresses["60"]).toBe(getAddress(ethereum));
  expect(records?.cleared?.addresses).toEqual(["2"]);
  expect(records?.contenthash).not.toBeNull();
}

screen("M11", async ({ get }) => {
  const types = "text,addr,contenthash,abi,interface,pubkey,name";
  const { records } = await get<{ records: Records }>(
    `/domain/alice.eth/records?types=${types}&cleared=true`,
  );
  await expectRecordsOfAlice(records);
  expect(records.abi_types).toEqual(["1"]);
  const implementer = await ofResolver<Address>("alice.eth", "interfaceImplementer", "0x36372b07");
  expect(records.interfaces).toEqual({ "0x36372b07": getAddress(implementer) });
  const [x, y] = await ofResolver<[Hex, Hex]>("alice.eth", "pubkey");
  expect(records.public_key).toEqual({ x, y });
  expect(records.name).toBe("alice.eth");
  return { theirs: 1 };
});

const everything = {
  types: ["text", "addr", "contenthash", "abi", "interface", "pubkey", "name"],
  cleared: true,
};

screen("M5", async ({ post }) => {
  const names = ["alice.eth", "native.eth", "kid.native.eth", "wrapped.eth", "moved.eth", "late.eth"];
  const { results } = await post<Looked>("/lookup", { inputs: names, records: everything });
  expect(results.map(({ input, status }) => [input, status])).toEqual(names.map((name) => [name, "ok"]));
  const of = (name: string) => results.find(({ input }) => input === name)?.records;
  await expectRecordsOfAlice(of("alice.eth"));
  // kid.native.eth is linked to the same records.
  for (const name of ["native.eth", "kid.native.eth"]) {
    expect(of(name)?.texts).toEqual({ url: "https://newest.example" });
    expect(of(name)?.cleared?.texts).toEqual(["description"]);
    expect(of(name)?.addresses).toEqual({ "60": stage.cast.frank });
  }
  // An account with many names copies them all at once.
  const held = story.filter((one) => one.owner === stage.cast.carol && one.protocol === "ensv2");
  const many = held.map(({ name }) => name);
  expect(many.length).toBeGreaterThan(300);
  const copied = await post<Looked>("/lookup", { inputs: many, records: everything });
  expect(copied.results.map(({ input, status }) => [input, status])).toEqual(
    many.map((name) => [name, "ok"]),
  );
  return { theirs: batches(names.length) + batches(many.length) };
});

screen("P3", async ({ post }) => {
  const reasonOf = async (name: string) => {
    const { results } = await post<Looked>("/lookup", { inputs: [name], records: everything });
    return { ...results[0], reason: results[0]?.domain?.resolution };
  };
  const { records, reason } = await reasonOf("alice.eth");
  await expectRecordsOfAlice(records);
  expect(reason).toBe("resolves");
  const others = {
    "late.eth": "no_live_entry",
    "v2-ended.eth": "expired",
    "mine.native.eth": "resolves",
    "never.native.eth": "resolves",
  };
  for (const [name, expected] of Object.entries(others)) {
    expect([name, (await reasonOf(name)).reason]).toEqual([name, expected]);
  }
  return { theirs: 1 + Object.keys(others).length };
});

/** Which coin types of a name resolve to frank, by its resolver in force. */
type Paying = Item & { coin_types: string[]; is_default?: boolean };

screen("P9", async ({ list, post }) => {
  const { frank } = stage.cast;
  const { items, total } = await list<Paying>(`/address/${frank}/resolves-to?coin_type=evm&page_size=200`);
  const expected = {
    "alice.eth": ["60"],
    "pay60.eth": ["60"],
    "paybase.eth": [String(BASE_COIN)],
    "paydefault.eth": [String(EVM)],
    "payshadow.eth": [String(EVM)],
    "native.eth": ["60"],
    "kid.native.eth": ["60"],
    "shop.base.eth": ["60"],
  };
  const found = Object.fromEntries(items.map(({ name, coin_types }) => [name, coin_types]));
  const bracketed = items.filter(({ name }) => name.startsWith("["));
  expect(bracketed).toHaveLength(1);
  for (const { name } of bracketed) delete found[name];
  expect(found).toEqual(expected);
  expect(total).toBe(items.length);
  expectRows(
    items,
    items.map(({ name }) => onChain(name)),
  );
  for (const { name, resolver } of items.filter((one) => one.protocol === "ensv1")) {
    expect([name, resolver?.address]).toEqual([name, getAddress(addressOf(stage.chain, "resolver5"))]);
  }
  const names = items.map(({ name }) => name);
  const { results } = await post<Looked>("/lookup", { inputs: names, records: { types: ["addr"] } });
  const ofAlice = results.find(({ input }) => input === "alice.eth")?.records?.addresses;
  expect(Object.keys(ofAlice ?? {}).sort()).toEqual(["0", "60"]);
  expect(ofBitcoin).toContain("0x0014");
  return { theirs: pages(items.length) + batches(names.length) };
});
