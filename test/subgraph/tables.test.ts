import { block, domain, event } from "ponder:schema";
import { namehash, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Contracts } from "../../abis/contracts.ts";
import { mainChain } from "../../src/api/query/scope.ts";
import { answerQuery } from "../../src/api/subgraph/query/answer.ts";
import { planOf } from "../../src/api/subgraph/query/plan.ts";
import { filtersOf } from "../../src/api/subgraph/query/suffixes.ts";
import { subgraphSchema } from "../../src/api/subgraph/schema.ts";
import { entities } from "../../src/api/subgraph/table/entities.ts";
import { type Entity, rootOf } from "../../src/api/subgraph/table/entity.ts";
import { ETH_REGISTRY, GRAVEYARD, contracts as withEnsv2 } from "../query/ensv2.ts";
import {
  account,
  CHAIN_ID,
  domainRow,
  eventRow,
  LAYER2_CHAIN_ID,
  contracts as ofEnsv1,
  registeredRow,
  STATIC_RESOLVER,
  transaction,
} from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

/* What no local chain can show at once: rows of ENSv2, of layer 2s, and of tokens without a node. */

const [alice, bob] = [account(0xa11ce), account(0xb0b)];
const EXPIRY = 1_900_000_000n;

let tables: Tables;
beforeAll(async () => {
  tables = await createTables();
  const db = tables.writer;
  await db.insert(domain).values([
    domainRow("eth", { registryOwner: alice }),
    registeredRow("old.eth", alice, EXPIRY),
    registeredRow("moved.eth", GRAVEYARD, EXPIRY, {
      ...{ registry: ETH_REGISTRY, effectiveOwnerAddress: bob, expiryTimestamp: EXPIRY + 5n },
      ...{
        resolver: STATIC_RESOLVER,
        wrapperOwner: alice,
        wrapperExpiryTimestamp: EXPIRY,
        registeredTimestamp: 9,
      },
    }),
    domainRow("new.eth", {
      ...{
        registry: ETH_REGISTRY,
        effectiveOwnerAddress: bob,
        expiryTimestamp: EXPIRY,
        registeredTimestamp: 8,
      },
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
      ...{ chainId: CHAIN_ID, number, hash: transaction(number), parentHash: transaction(number - 1) },
      timestamp: 1_600_000_000 + number,
    })),
  ]);
});
afterAll(() => tables?.drop());

const ask = (query: string, contracts: Contracts = ofEnsv1, variables = {}) => {
  const env = { chains: mainChain(contracts), chainId: CHAIN_ID, ensv2: contracts.ensv2 };
  return answerQuery(tables.db, planOf({ query, variables }), env);
};

const namesOf = async (where: string, contracts: Contracts) => {
  const { domains } = (await ask(`{ domains(where: ${where}, orderBy: name) { name } }`, contracts)) as {
    domains: { name: string }[];
  };
  return domains.map(({ name }) => name);
};

describe("names of ENSv2", () => {
  const fields = `owner { id } registrant { id } wrappedOwner { id } expiryDate resolver { id } wrappedDomain { id }
    registration { expiryDate registrationDate registrant { id } }`;
  const grace = BigInt(withEnsv2.ensv2?.graceSeconds ?? 0);

  test("that moved are shown as ENSv2 has them", async () => {
    const node = namehash("moved.eth");
    expect(await ask(`{ domain(id: "${node}") { ${fields} } }`, withEnsv2)).toEqual({
      domain: {
        ...{ owner: { id: bob }, registrant: { id: bob }, wrappedOwner: null, wrappedDomain: null },
        ...{ expiryDate: String(EXPIRY + 5n + grace), resolver: { id: `${STATIC_RESOLVER}-${node}` } },
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

  test("that have no entry any more have no owner", async () => {
    const { domain: gone } = await ask(`{ domain(id: "${namehash("gone.eth")}") { ${fields} } }`, withEnsv2);
    expect(gone).toMatchObject({ owner: { id: zeroAddress }, expiryDate: null, registration: null });
  });
});

describe("rows that are no domains", () => {
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

const example: Record<string, unknown> = {
  ...{ ID: "0x01", String: "a%", Bytes: "0x0102", BigInt: "5", Int: 5, Boolean: true },
};

/** A value of every filter of a type. */
const filtersWithValues = (entity: Entity): [string, unknown][] =>
  [...filtersOf(entity).values()].map((filter) => {
    const { field, name } = filter;
    if (filter.isChild) return [name, { id_gt: "0x" }];
    const value = example[field.kind === "scalar" ? field.type : "String"];
    const isList = /in$/.test(filter.suffix) || (field.kind === "scalar" && field.isList);
    return [name, isList ? [value] : value];
  });

describe.each([
  ["without ENSv2", ofEnsv1],
  ["with ENSv2", withEnsv2],
])("every statement can be run %s", (_, contracts) => {
  test.each(entities.map((entity) => [entity.name, entity] as const))("%s", async (name, entity) => {
    const { one, many } = rootOf(entity);
    const fields = Object.entries(entity.fields).map(([field, { kind }]) =>
      kind === "scalar" ? field : `${field} { id }`,
    );
    const selected = `{ __typename ${fields.join(" ")} }`;
    await ask(`{ ${many} ${selected} ${one}(id: "1-2") ${selected} }`, contracts);
    for (const [filter, value] of filtersWithValues(entity))
      await ask(`query ($value: X) { ${many}(where: { ${filter}: $value }) { id } }`, contracts, { value });
    const orders = subgraphSchema().getType(`${name}_orderBy`) as unknown as {
      getValues: () => { name: string }[];
    };
    for (const { name: order } of orders.getValues())
      await ask(`{ ${many}(orderBy: ${order}, orderDirection: desc) { id } }`, contracts);
    await ask(`{ ${many}(where: { _change_block: { number_gte: 2 } }) { id } }`, contracts);
  });
});
