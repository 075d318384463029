import { addressRecord, domain, textRecord } from "ponder:schema";
import { getAddress, namehash, toHex } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { failure } from "./api.ts";
import { addressRow, alice, bob, inDays, registeredRow, STATIC_RESOLVER, textRow } from "./rows.ts";
import { useWorld } from "./world.ts";

const { tables, api } = useWorld();

/** More texts than one answer about many names gives for a name. */
const MANY = 450;

beforeAll(async () => {
  const { writer } = tables;
  const fields = { resolver: STATIC_RESOLVER };
  await writer
    .insert(domain)
    .values(["many.eth", "large.eth", "wide.eth"].map((name) => registeredRow(name, bob, inDays(9), fields)));
  await writer
    .insert(textRecord)
    .values([
      ...Array.from({ length: MANY }, (_, i) =>
        textRow("many.eth", `key ${i}`, i % 9 === 0 ? null : `value ${i}`),
      ),
      textRow("large.eth", "url", "x".repeat(600_000)),
      textRow("wide.eth", "a", "\u0001".repeat(300_000)),
      textRow("wide.eth", "b", "\u0001".repeat(300_000)),
    ]);
  await writer
    .insert(addressRecord)
    .values(Array.from({ length: 250 }, (_, i) => addressRow("many.eth", 1_000 + i, "0x01")));
});

type Item = Record<string, unknown> & { status: string; cursor?: string };
const lookUp = async (body: object): Promise<Item[]> => {
  const { status, body: reply } = await api.post("/lookup", body);
  expect(status, JSON.stringify(reply)).toBe(200);
  return reply.results as Item[];
};

const names = [
  "alice.eth",
  "Alice.eth",
  "cleared.eth",
  "empty.eth",
  "default.eth",
  "legacy.eth",
  "strange.eth",
  ...["bare.eth", "old.eth", "unknown.eth", "sub.bare.eth"],
  namehash("alice.eth"),
  namehash("nothing.eth"),
];
const everything = {
  types: ["text", "addr", "contenthash", "abi", "interface", "pubkey", "name"],
  cleared: true,
};
const { types } = everything;

/** What the single operations answer for a name. */
async function single(name: string, query: string) {
  const { body: domain } = name.startsWith("0x")
    ? {
        body: (
          (await api.post("/whois/bulk?partial=true", { namehashes: [name] })).body.results as object[]
        )[0],
      }
    : await api.get(`/whois/${name}?partial=true`);
  const { body } = await api.get(`/domain/${name}/records?partial=true&${query}`);
  return { domain, records: body.records, records_source: body.source, unresolved: body.unresolved };
}

describe("POST /lookup", () => {
  test.each([
    ["the usual records", {}, ""],
    ["all records", everything, `types=${types.join()}&cleared=true`],
    [
      "chosen ones",
      { keys: ["url", "email", "no"], coin_types: ["60", "2", "9"], cleared: true },
      "keys=url,email,no&coin_types=60,2,9&cleared=true",
    ],
    ["addresses alone", { types: ["addr"] }, "types=addr"],
    [
      "addresses by coin type",
      { types: ["addr"], coin_types: ["60", "2147492101", "0"], cleared: true },
      "types=addr&coin_types=60,2147492101,0&cleared=true",
    ],
    ["texts alone", { types: ["text"], keys: ["url"] }, "types=text&keys=url"],
  ])("equals the single operations, item by item: %s", async (_, records, query) => {
    const items = await lookUp({ inputs: names, records });
    expect(items).toHaveLength(names.length);
    for (const [i, name] of names.entries()) {
      const { domain, records: found, records_source, unresolved, ...item } = items[i] as Item;
      const { domain: whois, ...of } = await single(name, query);
      expect(domain, name).toEqual(whois);
      if (!name.startsWith("0x")) expect({ records: found, records_source, unresolved }, name).toEqual(of);
      expect(item.input).toBe(name);
    }
  });

  test("returns a status for each input, in input order", async () => {
    const inputs = ["unknown.eth", "..", alice, "alice.eth", "strange.eth", "cursor_x", "0x12"];
    const items = await lookUp({ inputs, records: {} });
    expect(items.map(({ status, input }) => [input, status])).toEqual([
      ["unknown.eth", "not_found"],
      ["..", "invalid"],
      [alice, "ok"],
      ["alice.eth", "ok"],
      ["strange.eth", "unresolved"],
      ["cursor_x", "invalid"],
      ["0x12", "not_found"],
    ]);
  });

  test("says what was set, cleared and never set, for each kind of record", async () => {
    const [alices, cleared] = await lookUp({ inputs: ["alice.eth", "cleared.eth"], records: everything });
    expect(alices?.records).toEqual({
      texts: Object.fromEntries([
        ["__proto__", "odd"],
        ["a/b c", "slash"],
        ["url", "https://alice.example"],
        ["n\0ul", "v\0"],
      ]),
      addresses: { "0": "0x0014aabb", "60": getAddress(alice) },
      contenthash: "0xe301",
      name: "alice.eth",
      abi_types: ["1", "8"],
      interfaces: { "0x11111111": getAddress(bob) },
      public_key: { x: toHex(1, { size: 32 }), y: toHex(2, { size: 32 }) },
      cleared: { texts: ["email"], addresses: ["2", "2147483658"] },
    });
    expect(cleared?.records).toMatchObject({
      abi_types: ["4"],
      public_key: null,
      texts: { avatar: "version 2", display: "Cleared.eth" },
    });
    const chosen = { keys: ["url", "email", "no"], coin_types: ["60", "2", "9"], cleared: true };
    const [some] = await lookUp({ inputs: ["alice.eth"], records: chosen });
    expect(some?.records).toMatchObject({
      texts: { url: "https://alice.example" },
      cleared: { texts: ["email"], addresses: ["2"] },
      never_set: { texts: ["no"], addresses: ["9"] },
    });
  });

  test("returns all records of a name that has very many, through its cursors", async () => {
    const { body } = await api.get("/domain/many.eth/records?types=text,addr&cleared=true");
    const of = (part: string) => (body.records as Record<string, Record<string, unknown>>)[part] as object;
    const found = { texts: {}, addresses: {}, cleared: [] as string[] };
    const choice = { types: ["text", "addr"], cleared: true };
    let rounds = 0;
    for (let input: string | undefined = "many.eth"; input; rounds++) {
      const [item] = await lookUp({ inputs: [input], records: choice });
      const { texts, addresses, cleared } = (item as Item).records as Record<string, { texts: string[] }>;
      Object.assign(found.texts, texts);
      Object.assign(found.addresses, addresses);
      found.cleared.push(...(cleared?.texts ?? []));
      expect(item?.status).toBe(item?.cursor ? "partial" : "ok");
      input = item?.cursor;
    }
    expect(rounds).toBe(3);
    expect(found.texts).toEqual(of("texts"));
    expect(found.addresses).toEqual(of("addresses"));
    expect(found.cleared.sort()).toEqual([...(of("cleared") as { texts: string[] }).texts].sort());
  });

  test("a cursor of another selection is refused, and so is a damaged one", async () => {
    const [first] = await lookUp({ inputs: ["many.eth"], records: {} });
    const cursor = first?.cursor as string;
    const statuses = async (body: object) => (await lookUp(body)).map(({ status }) => status);
    expect(await statuses({ inputs: [cursor], records: {} })).toEqual(["partial"]);
    expect(await statuses({ inputs: [cursor], records: { types: ["text"] } })).toEqual(["invalid"]);
    expect(await statuses({ inputs: [cursor] })).toEqual(["invalid"]);
    expect(await statuses({ inputs: [`${cursor.slice(0, -4)}AAAA`], records: {} })).toEqual(["invalid"]);
  });

  test("results beyond the size limit are left out, and returned by a second request", async () => {
    const texts = { types: ["text"] };
    const [large, alices] = await lookUp({ inputs: ["large.eth", "alice.eth"], records: texts });
    expect([large?.status, large?.cursor, alices?.status]).toEqual(["left_out", undefined, "ok"]);
    // Each of these texts takes 1.8 MB in JSON.
    const wide = Array.from({ length: 4 }, () => "wide.eth");
    const items = await lookUp({ inputs: [...wide, "alice.eth"], records: texts });
    expect(items.map(({ status }) => status)).toContain("left_out");
    expect(items.at(-1)?.status).toBe("ok");
    const [again] = await lookUp({ inputs: ["wide.eth"], records: texts });
    expect(again?.status).toBe("partial");
    const [rest] = await lookUp({ inputs: [again?.cursor], records: texts });
    const both = {
      ...((again as Item).records as { texts: object }).texts,
      ...((rest as Item).records as { texts: object }).texts,
    };
    expect(Object.keys(both).sort()).toEqual(["a", "b"]);
  });

  test("says whether a name is the primary name of its address", async () => {
    const items = await lookUp({
      inputs: ["alice.eth", "default.eth", "empty.eth", "unknown.eth"],
      primary_name_check: true,
    });
    expect(items.map(({ primary_name_check }) => primary_name_check)).toEqual([
      { address: getAddress(alice), primary_name: "alice.eth", is_primary: true },
      { address: getAddress(bob), primary_name: "default.eth", is_primary: true },
      { address: null, primary_name: null, is_primary: false },
      { address: null, primary_name: null, is_primary: false },
    ]);
  });

  test("returns primary names by coin type, and the first names by relation", async () => {
    const relations = ["effective_owner", "registry_owner", "resolver"];
    const [item, none] = await lookUp({
      inputs: [alice, bob],
      primary_names: ["60", "2147483648"],
      relations,
    });
    for (const [address, found] of [
      [alice, item],
      [bob, none],
    ] as const) {
      const { address: _, ...primary } = await api.ask(`/address/${address}/primary-name`);
      expect(((found as Item).primary_names as object[])[0]).toEqual({
        coin_type: "60",
        ...primary,
        source: "indexed",
      });
      for (const [i, relation] of relations.entries()) {
        const { total, results } = await api.ask(`/address/${address}/domains?address_type=${relation}`);
        expect(((found as Item).names as object[])[i]).toMatchObject({ relation, total, results });
      }
    }
    const byDefault = {
      primary_name: "default.eth",
      registrar: "DEFAULT_REVERSE_REGISTRAR",
      source: "indexed",
    };
    expect(none?.primary_names).toMatchObject([
      { coin_type: "60", ...byDefault },
      { coin_type: "2147483648", ...byDefault },
    ]);
  });

  test.each([
    [{ inputs: [] }, "MISSING_PARAMETER"],
    [{ inputs: Array.from({ length: 1_001 }, () => "a.eth") }, "LIMIT_EXCEEDED"],
    [{ inputs: ["a.eth", 1] }, "INVALID_PARAMETER"],
    [{ inputs: ["a.eth"], records: { types: ["texts"] } }, "INVALID_PARAMETER"],
    [{ inputs: ["a.eth"], records: { coin_types: ["x"] } }, "INVALID_PARAMETER"],
    [{ inputs: [alice], relations: ["friend"] }, "INVALID_PARAMETER"],
    [{ inputs: [alice], primary_names: ["0"] }, "INVALID_PARAMETER"],
  ] as const)("refuses invalid input, %#", async (body, code) => {
    expect(await api.post("/lookup", body)).toMatchObject(failure(code));
  });
});
