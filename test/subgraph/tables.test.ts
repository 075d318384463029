// Also runs as: long
import { addressRecord, block, domain, ensv2Link, ensv2Proxy, event, resolverNode } from "ponder:schema";
import { namehash, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Contracts } from "../../abis/contracts.ts";
import { answerQuery } from "../../src/api/features/subgraph/query/answer.ts";
import { planOf } from "../../src/api/features/subgraph/query/plan.ts";
import type { InTurn } from "../../src/api/features/subgraph/query/subdomains.ts";
import { filtersOf } from "../../src/api/features/subgraph/query/suffixes.ts";
import { subgraphSchema } from "../../src/api/features/subgraph/schema.ts";
import { entities } from "../../src/api/features/subgraph/table/entities.ts";
import { type Entity, envOf, rootOf } from "../../src/api/features/subgraph/table/entity.ts";
import { DEFAULT_COIN_TYPE } from "../../src/ens/coinType.ts";
import {
  ETH_REGISTRY,
  GRAVEYARD,
  RESOLVER,
  RESOLVER_CODE,
  STRANGE,
  contracts as withEnsv2,
} from "../query/ensv2.ts";
import {
  account,
  CHAIN_ID,
  DEFAULT_ADDRESS_RESOLVER,
  domainRow,
  eventRow,
  LAYER2_CHAIN_ID,
  contracts as ofEnsv1,
  registeredRow,
  STATIC_RESOLVER,
  transaction,
} from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";
import { isLong } from "../support/size.ts";

/* Rows that no single local chain can produce: of ENSv2, of layer 2s, and of tokens without a node. */

const NOW = 1_800_000_000;
const [alice, bob] = [account(0xa11ce), account(0xb0b)];
const DAVE = account(0xda7e);
const EXPIRY = 1_900_000_000n;

let tables: Tables;
beforeAll(async () => {
  tables = await createTables();
  const db = tables.writer;
  await db.insert(domain).values([
    domainRow("eth", { registryOwner: alice }),
    registeredRow("old.eth", alice, EXPIRY),
    registeredRow("moved.eth", GRAVEYARD, EXPIRY, {
      registry: ETH_REGISTRY,
      effectiveOwnerAddress: bob,
      expiryTimestamp: EXPIRY + 5n,
      resolver: STATIC_RESOLVER,
      wrapperOwner: alice,
      wrapperExpiryTimestamp: EXPIRY,
      registeredTimestamp: 9,
    }),
    domainRow("new.eth", {
      registry: ETH_REGISTRY,
      effectiveOwnerAddress: bob,
      expiryTimestamp: EXPIRY,
      registeredTimestamp: 8,
    }),
    domainRow("gone.eth", { registry: zeroAddress }),
    // A token without a node (`registerOnly`), and a node that its owner deleted.
    registeredRow("token.eth", alice, EXPIRY, { registryOwner: null }),
    domainRow("deleted.old.eth"),
    domainRow("far.old.eth", { chainId: LAYER2_CHAIN_ID, registryOwner: alice }),
  ]);
  await db.insert(event).values([
    eventRow(
      { block: 2 },
      {
        contract: "REGISTRY",
        eventType: "NewOwner",
        node: namehash("deleted.old.eth"),
        ownerAddress: alice,
      },
    ),
  ]);
  await db.insert(block).values([
    ...[1, 2, 3].map((number) => ({
      chainId: CHAIN_ID,
      number,
      hash: transaction(number),
      parentHash: transaction(number - 1),
      timestamp: 1_600_000_000 + number,
    })),
  ]);
});
afterAll(() => tables?.drop());

const ask = (query: string, contracts: Contracts = ofEnsv1, variables = {}) => {
  const env = envOf(contracts, NOW);
  return answerQuery(tables.db, planOf({ query, variables }), env);
};

test("a query runs its statements one at a time, so that concurrent statements can be bounded", async () => {
  const turns = { asked: 0, running: 0, most: 0, last: Promise.resolve() as Promise<unknown> };
  const oneByOne: InTurn = (run) => {
    turns.asked++;
    const next = turns.last.then(async () => {
      turns.most = Math.max(turns.most, ++turns.running);
      return run().finally(() => void turns.running--);
    });
    turns.last = next;
    return next;
  };
  const roots = [1, 2, 3].map((i) => `a${i}: domains { subdomainCount subdomains { owner { id } } }`);
  const env = envOf(ofEnsv1, NOW);
  await answerQuery(tables.db, planOf({ query: `{ ${roots.join(" ")} }` }), env, oneByOne);
  // For each root, a list, the lists below it, and a count of two statements.
  expect(turns).toMatchObject({ asked: 12, most: 1 });
});

test.each([
  ["one name", '"eth"', [["old.eth", "moved.eth"]]],
  ["several", '"eth", "old.eth"', [["old.eth", "moved.eth"], ["deleted.old.eth"]]],
])("lists below %s have their own direction", async (_, names, expected) => {
  const list = "subdomains(orderBy: name, orderDirection: desc) { name }";
  const answer = await ask(`{ domains(where: { name_in: [${names}] }, orderBy: name) { ${list} } }`);
  const domains = answer.domains as { subdomains: { name: string }[] }[];
  expect(domains.map(({ subdomains }) => subdomains.map(({ name }) => name))).toEqual(expected);
});

const namesOf = async (where: string, contracts: Contracts) => {
  const { domains } = (await ask(`{ domains(where: ${where}, orderBy: name) { name } }`, contracts)) as {
    domains: { name: string }[];
  };
  return domains.map(({ name }) => name);
};

test.each(["expiryDate_not: 5", "expiryDate_not_in: [5]"])(
  "%s leaves out names without a value",
  async (where) => {
    expect(await namesOf(`{ ${where} }`, ofEnsv1)).toEqual(["moved.eth", "old.eth"]);
  },
);

describe("names of ENSv2", () => {
  const fields = `owner { id } registrant { id } wrappedOwner { id } expiryDate resolver { id } wrappedDomain { id }
    registration { expiryDate registrationDate registrant { id } }`;
  const grace = BigInt(withEnsv2.ensv2?.graceSeconds ?? 0);

  test("that migrated are shown as ENSv2 has them", async () => {
    const node = namehash("moved.eth");
    expect(await ask(`{ domain(id: "${node}") { ${fields} } }`, withEnsv2)).toEqual({
      domain: {
        owner: { id: bob },
        registrant: { id: bob },
        wrappedOwner: null,
        wrappedDomain: null,
        expiryDate: String(EXPIRY + 5n + grace),
        resolver: { id: `${STATIC_RESOLVER}-${node}` },
        registration: { expiryDate: String(EXPIRY + 5n), registrationDate: "9", registrant: { id: bob } },
      },
    });
  });

  test("that only ENSv2 has are domains, and found by their holder", async () => {
    expect(await namesOf(`{ owner: "${bob}" }`, withEnsv2)).toEqual(["moved.eth", "new.eth"]);
    expect(await namesOf(`{ registrant: "${bob}" }`, withEnsv2)).toEqual(["moved.eth", "new.eth"]);
    expect(await namesOf(`{ owner: "${GRAVEYARD}" }`, withEnsv2)).toEqual([]);
    expect(await namesOf(`{ registration_: { registrant: "${bob}" } }`, withEnsv2)).toHaveLength(2);
    const account = `{ account(id: "${bob}") { domains(orderBy: name) { name } registrations { labelName } wrappedDomains { id } } }`;
    expect(await ask(account, withEnsv2)).toEqual({
      account: {
        domains: [{ name: "moved.eth" }, { name: "new.eth" }],
        registrations: expect.arrayContaining([{ labelName: "moved" }, { labelName: "new" }]),
        wrappedDomains: [],
      },
    });
  });

  test("that no longer have an entry have no owner", async () => {
    const { domain: gone } = await ask(`{ domain(id: "${namehash("gone.eth")}") { ${fields} } }`, withEnsv2);
    expect(gone).toMatchObject({ owner: { id: zeroAddress }, expiryDate: null, registration: null });
  });
});

describe("rows that are not domains", () => {
  test("tokens without a node, and names of layer 2s", async () => {
    const all = ["deleted.old.eth", "eth", "moved.eth", "old.eth"];
    expect(await namesOf("{}", ofEnsv1)).toEqual(all);
    expect(await namesOf("{}", withEnsv2)).toEqual([...all, "gone.eth", "new.eth"].sort());
  });

  test("count for no parent", async () => {
    const counts = "{ domains(where: { subdomainCount_gt: 0 }) { name subdomainCount } }";
    expect(await ask(counts, withEnsv2)).toEqual({ domains: [{ name: "eth", subdomainCount: 3 }] });
    expect(await ask("{ domains(where: { subdomainCount: 3 }) { name } }", withEnsv2)).toEqual({
      domains: [{ name: "eth" }],
    });
  });
});

describe("records at an ENSv2 resolver, which have numbers", () => {
  const [linked, other, record, ofRoot] = [
    namehash("linked.eth"),
    namehash("unlinked.eth"),
    transaction(7),
    transaction(8),
  ];
  beforeAll(async () => {
    const db = tables.writer;
    const entry = { registry: ETH_REGISTRY, effectiveOwnerAddress: bob, expiryTimestamp: EXPIRY };
    await db
      .insert(domain)
      .values([
        domainRow("linked.eth", { ...entry, resolver: RESOLVER }),
        domainRow("unlinked.eth", { ...entry, resolver: RESOLVER }),
        domainRow("strange.eth", { ...entry, resolver: STRANGE }),
      ]);
    const made = { chainId: CHAIN_ID, blockNumber: 2, transactionHash: transaction(2) };
    await db.insert(ensv2Proxy).values([
      { ...made, address: RESOLVER, implementation: RESOLVER_CODE },
      { ...made, address: STRANGE, implementation: zeroAddress },
    ]);
    await db.insert(ensv2Link).values([
      { ...made, resolver: RESOLVER, node: linked, record },
      { ...made, resolver: RESOLVER, node: namehash(""), record: ofRoot },
      { ...made, resolver: STRANGE, node: namehash("strange.eth"), record },
    ]);
    const isAt = (resolver: `0x${string}`, node: `0x${string}`, version = 0) => ({
      ...made,
      resolver,
      node,
      version,
    });
    await db.insert(addressRecord).values([
      { ...isAt(RESOLVER, record, 1), coinType: 60n, address: alice },
      { ...isAt(RESOLVER, ofRoot), coinType: 60n, address: bob },
      { ...isAt(STRANGE, record), coinType: 60n, address: alice },
    ]);
    await db.insert(resolverNode).values({ ...isAt(RESOLVER, record, 1), contenthash: "0xe301" });
    const log = (place: number, eventType: string, fields: object, node = record) =>
      eventRow(
        { block: 3, log: place },
        { contract: "ENSV2_RESOLVER", contractAddress: RESOLVER, eventType, node, ...fields },
      );
    await db
      .insert(event)
      .values([
        log(1, "TextUpdated", { key: "gone", value: "1" }),
        log(2, "Cleared", {}),
        log(3, "TextUpdated", { key: "url", value: "1" }),
        log(4, "TextUpdated", { key: "avatar", value: "1" }),
        log(5, "AddressUpdated", { coinType: 60n, address: alice }),
        log(6, "TextUpdated", { key: "theirs", value: "1" }, ofRoot),
      ]);
  });

  const records = "resolver { id texts coinTypes contentHash addr { id } } resolvedAddress { id }";
  const of = async (node: string) =>
    (await ask(`{ domain(id: "${node}") { ${records} } }`, withEnsv2)).domain;

  test("are those of the number the name is linked to", async () => {
    expect(await of(linked)).toEqual({
      resolver: {
        id: `${RESOLVER}-${linked}`,
        texts: ["url", "avatar"],
        coinTypes: ["60"],
        contentHash: "0xe301",
        addr: { id: alice },
      },
      resolvedAddress: { id: alice },
    });
  });

  test("of a name without a link are those of the root name", async () => {
    expect(await of(other)).toMatchObject({ resolver: { texts: ["theirs"], addr: { id: bob } } });
  });

  test("are unknown if the resolver has other code", async () => {
    const none = { texts: null, coinTypes: null, contentHash: null, addr: null };
    expect(await of(namehash("strange.eth"))).toMatchObject({ resolver: none, resolvedAddress: null });
  });

  test("are found by filters, including as separate entities", async () => {
    const named = (where: string) => namesOf(where, withEnsv2);
    expect(await named(`{ resolvedAddress: "${alice}" }`)).toEqual(["linked.eth"]);
    expect(await named(`{ resolvedAddress: "${bob}" }`)).toEqual(["unlinked.eth"]);
    expect(await named('{ resolver_: { texts_contains: ["avatar"] } }')).toEqual(["linked.eth"]);
    expect(await named('{ resolver_: { texts_contains: ["AVATAR"] } }')).toEqual([]);
    expect(await named('{ resolver_: { texts_contains_nocase: ["AVATAR", "Url"] } }')).toEqual([
      "linked.eth",
    ]);
    expect(await named('{ resolver_: { texts_not_contains_nocase: ["AVATAR"] } }')).toEqual(["unlinked.eth"]);
    expect(await named(`{ resolver_: { addr_: { id: "${bob}" } } }`)).toEqual(["unlinked.eth"]);
    const changed = `{ resolvers(where: { _change_block: { number_gte: 3 } }, orderBy: domain__name) { domain { name } } }`;
    expect(await ask(changed, withEnsv2)).toEqual({
      resolvers: [{ domain: { name: "linked.eth" } }, { domain: { name: "unlinked.eth" } }],
    });
    const one = `{ resolver(id: "${RESOLVER}-${linked}") { domain { name } texts } }`;
    expect(await ask(one, withEnsv2)).toEqual({
      resolver: { domain: { name: "linked.eth" }, texts: ["url", "avatar"] },
    });
  });
});

test("a token without a node has no events, because it is not a registration", async () => {
  const log = (name: string, place: number) =>
    eventRow(
      { block: 3, log: 20 + place },
      { contract: "REGISTRAR", eventType: "NameRegistered", node: namehash(name), ownerAddress: alice },
    );
  await tables.writer.insert(event).values([log("token.eth", 1), log("old.eth", 2)]);
  const registered = [{ registration: { labelName: "old" } }];
  expect(await ask("{ nameRegistereds { registration { labelName } } }")).toEqual({
    nameRegistereds: registered,
  });
  expect(await ask("{ registrationEvents { registration { labelName } } }")).toEqual({
    registrationEvents: registered,
  });
  const ofAlice = `{ nameRegistereds(where: { registrant: "${alice}" }) { registration { labelName } } }`;
  expect(await ask(ofAlice)).toEqual({ nameRegistereds: registered });
  expect(
    await ask(`{ nameRegistereds(where: { registrant_in: ["${bob}", "${alice}"] }) { id } }`),
  ).toMatchObject({
    nameRegistereds: [{}],
  });
});

const example: Record<string, unknown> = {
  ID: "0x01",
  String: "a%",
  Bytes: "0x0102",
  BigInt: "5",
  Int: 5,
  Boolean: true,
};

/** A value for every filter of a type. */
const filtersWithValues = (entity: Entity): [string, unknown][] =>
  [...filtersOf(entity).values()].map((filter) => {
    const { field, name } = filter;
    if (filter.isChild) return [name, { id_gt: "0x" }];
    const value = example[field.kind === "scalar" ? field.type : "String"];
    const isList = /in$/.test(filter.suffix) || (field.kind === "scalar" && field.isList);
    return [name, isList ? [value] : value];
  });

describe.each([
  { title: "without ENSv2", contracts: ofEnsv1, turn: 0 },
  { title: "with ENSv2", contracts: withEnsv2, turn: 1 },
])("every statement can be run $title", ({ contracts, turn }) => {
  // `npm test` runs those of an entity in one of the two, with every second filter.
  const tried = entities.filter((_, i) => isLong() || i % 2 === turn);
  const filtersOfTurn = (entity: Entity) =>
    filtersWithValues(entity).filter((_, i) => isLong() || i % 2 === 0);

  test.each(tried.map((entity) => [entity.name, entity] as const))("%s", async (name, entity) => {
    const { one, many } = rootOf(entity);
    const fields = Object.entries(entity.fields).map(([field, { kind }]) =>
      kind === "scalar" ? field : `${field} { id }`,
    );
    const selected = `{ __typename ${fields.join(" ")} }`;
    await ask(`{ ${many} ${selected} ${one}(id: "1-2") ${selected} }`, contracts);
    for (const [filter, value] of filtersOfTurn(entity))
      await ask(`query ($value: X) { ${many}(where: { ${filter}: $value }) { id } }`, contracts, { value });
    const orders = subgraphSchema().getType(`${name}_orderBy`) as unknown as {
      getValues: () => { name: string }[];
    };
    for (const { name: order } of orders.getValues())
      await ask(`{ ${many}(orderBy: ${order}, orderDirection: desc) { id } }`, contracts);
    await ask(`{ ${many}(where: { _change_block: { number_gte: 2 } }) { id } }`, contracts);
  });
});

describe("the address on Ethereum", () => {
  const [own, byDefault, cleared, old] = ["own.eth", "default.eth", "emptied.eth", "olddefault.eth"];
  beforeAll(async () => {
    const isOld = (name: string) => name === old;
    const place = (name: string) => ({
      chainId: CHAIN_ID,
      resolver: isOld(name) ? STATIC_RESOLVER : DEFAULT_ADDRESS_RESOLVER,
      version: 0,
      node: namehash(name),
      blockNumber: 2,
      transactionHash: transaction(2),
    });
    const names = [own, byDefault, cleared, old] as string[];
    await tables.writer
      .insert(domain)
      .values(names.map((name) => registeredRow(name, alice, EXPIRY, { resolver: place(name).resolver })));
    await tables.writer
      .insert(addressRecord)
      .values([
        ...names.map((name) => ({ ...place(name), coinType: DEFAULT_COIN_TYPE, address: DAVE })),
        { ...place(own as string), coinType: 60n, address: zeroAddress },
        { ...place(cleared as string), coinType: 60n, address: null },
        { ...place("token.eth"), coinType: 60n, address: null },
      ]);
  });

  test.each([ofEnsv1, withEnsv2])("is the default one if the resolver answers that", async (contracts) => {
    const of = async (name = "") => {
      const node = namehash(name);
      const { domain: found } = await ask(
        `{ domain(id: "${node}") { resolvedAddress { id } resolver { addr { id } } } }`,
        contracts,
      );
      const { resolvedAddress, resolver } = found as Record<string, { id: string; addr: unknown } | null>;
      expect(resolver?.addr).toEqual(resolvedAddress);
      return resolvedAddress?.id ?? null;
    };
    expect(await of(byDefault)).toBe(DAVE);
    expect(await of(cleared)).toBe(DAVE);
    expect(await of(own)).toBe(zeroAddress);
    expect(await of(old)).toBeNull();
    expect(await namesOf(`{ resolvedAddress: "${DAVE}" }`, contracts)).toEqual([byDefault, cleared]);
    expect(await namesOf(`{ resolvedAddress_: { id: "${DAVE}" } }`, contracts)).toEqual([byDefault, cleared]);
    expect(await ask(`{ account(id: "${DAVE}") { id } }`, contracts)).toEqual({ account: { id: DAVE } });
  });
});
