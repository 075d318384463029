import { block, domain, event, ownershipChange } from "ponder:schema";
import { eq } from "drizzle-orm";
import { keccak256, namehash, stringToBytes, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Contracts } from "../../abis/contracts.ts";
import { MAX_CHANGES } from "../../src/api/features/subgraph/bounds.ts";
import { answerQuery } from "../../src/api/features/subgraph/query/answer.ts";
import { planOf } from "../../src/api/features/subgraph/query/plan.ts";
import { envOf } from "../../src/api/features/subgraph/table/entity.ts";
import { ETH_REGISTRY, contracts as withEnsv2 } from "../query/ensv2.ts";
import {
  account,
  CHAIN_ID,
  domainRow,
  eventRow,
  contracts as ofEnsv1,
  registeredRow,
  transaction,
  WRAPPER,
} from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";

/*
 * Lists at a past block. The names of alice: `still.eth`, unchanged since block 10; `came.eth`, which bob gave to alice at block
 * 20; `new.eth`, created at block 21. Alice gave `went.eth` to bob at block 22. Carol's names did not change.
 */

/** A time at which the token of `ended.eth` has ended; at block 24 it had not. */
const NOW = 1_800_000_000;
const [alice, bob, carol, dave] = [0xa11ce, 0xb0b, 0xca201, 0xda7e].map(account) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const EXPIRY = 1_900_000_000n;
/** The time of a block. */
const timeOf = (number: number): number => 1_600_000_000 + number - 1;

type Change = { block: number; name: string; owner: `0x${string}` };
const changes: readonly Change[] = [
  { block: 5, name: "still.eth", owner: alice },
  { block: 6, name: "came.eth", owner: bob },
  { block: 7, name: "went.eth", owner: alice },
  { block: 8, name: "carols.eth", owner: carol },
  { block: 20, name: "came.eth", owner: alice },
  { block: 21, name: "new.eth", owner: alice },
  { block: 22, name: "went.eth", owner: bob },
];
const owners = new Map(changes.map(({ name, owner }) => [name, owner]));
const createdAt = (name: string): number => changes.find((one) => one.name === name)?.block ?? 0;

let tables: Tables;
let statements = 0;
beforeAll(async () => {
  tables = await createTables({ onQuery: () => void statements++ });
  const db = tables.writer;
  await db.insert(domain).values([
    domainRow("eth", { registryOwner: carol, createdBlockNumber: 1 }),
    ...[...owners].map(([name, owner]) =>
      registeredRow(name, owner, EXPIRY, {
        registryOwner: owner,
        createdBlockNumber: createdAt(name),
        createdTimestamp: createdAt(name),
      }),
    ),
    domainRow("sub.carols.eth", { registryOwner: carol, createdBlockNumber: 8 }),
    ...[
      { name: "ended.far.eth", fuses: 65_536 },
      { name: "loose.far.eth", fuses: 262_144 },
    ].map(({ name, fuses }) =>
      domainRow(name, {
        registryOwner: WRAPPER,
        wrapperOwner: dave,
        wrapperFuses: fuses,
        isWrapped: true,
        wrapperExpiryTimestamp: BigInt(timeOf(24)),
        createdBlockNumber: 8,
      }),
    ),
    domainRow("second.eth", {
      registry: ETH_REGISTRY,
      effectiveOwnerAddress: dave,
      expiryTimestamp: EXPIRY,
      createdBlockNumber: 9,
    }),
  ]);
  await db
    .insert(event)
    .values(
      changes.map(({ block: number, name, owner }) =>
        eventRow(
          { block: number },
          { contract: "REGISTRY", eventType: "NewOwner", node: namehash(name), ownerAddress: owner },
        ),
      ),
    );
  await db.insert(ownershipChange).values(
    changes.map(({ block: number, name, owner }) => ({
      chainId: CHAIN_ID,
      blockNumber: number,
      logIndex: 0,
      ordinal: 0,
      node: namehash(name),
      ownerAddress: owner,
      registryOwner: owner,
      registrarOwner: owner,
      eventType: "NewOwner",
      transactionHash: transaction(number),
      blockTimestamp: number,
    })),
  );
  await db.insert(block).values(
    Array.from({ length: 30 }, (_, i) => ({
      chainId: CHAIN_ID,
      number: i + 1,
      timestamp: timeOf(i + 1),
      hash: transaction(i + 1),
      parentHash: transaction(i),
    })),
  );
});
afterAll(() => tables?.drop());

const ask = (query: string, contracts: Contracts = ofEnsv1) => {
  const env = envOf(contracts, NOW);
  return answerQuery(tables.db, planOf({ query }), env);
};
const at = (where: string, number: number, fields = "name") =>
  `{ domains(where: ${where}, orderBy: name, block: { number: ${number} }) { ${fields} } }`;
const named = (...names: string[]) => ({ domains: names.map((name) => ({ name })) });
const REFUSED = "only has data starting at block number 22";
const ofOwner = (owner: string): string => `{ owner: "${owner}" }`;

describe("a token ended by time alone", () => {
  const wrapped = `wrappedOwner { id } wrappedDomain { fuses owner { id } }`;
  const of = async (name: string, block = "") =>
    (await ask(`{ domain(id: "${namehash(name)}"${block}) { ${wrapped} } }`)).domain;
  const list = async (where: string, block = "") =>
    (
      (await ask(`{ domains(where: ${where}, orderBy: name${block}) { name } }`)).domains as {
        name: string;
      }[]
    ).map(({ name }) => name);
  const daves = (fuses: number) => ({
    wrappedOwner: { id: dave },
    wrappedDomain: { fuses, owner: { id: dave } },
  });
  const at = (number: number) => `, block: { number: ${number} }`;

  test("has no owner and is not a wrapped name; without PARENT_CANNOT_CONTROL it loses only its fuses", async () => {
    expect(await of("ended.far.eth")).toEqual({ wrappedOwner: null, wrappedDomain: null });
    expect(await of("loose.far.eth")).toEqual(daves(0));
    const { wrappedDomain } = await ask(`{ wrappedDomain(id: "${namehash("ended.far.eth")}") { id } }`);
    expect(wrappedDomain).toBeNull();
  });

  test("is found by no filter, and is in no list or order", async () => {
    const both = ["ended.far.eth", "loose.far.eth"];
    const mine = `{ wrappedOwner: "${dave}" }`;
    expect(await list(mine)).toEqual(["loose.far.eth"]);
    expect(await list(`{ wrappedOwner_in: ["${dave}", "${bob}"] }`)).toEqual(["loose.far.eth"]);
    expect(await list("{ wrappedOwner_not: null }")).toEqual(["loose.far.eth"]);
    expect(await list(`{ wrappedOwner: null, name_in: ${JSON.stringify(both)} }`)).toEqual(["ended.far.eth"]);
    expect(await list("{ wrappedDomain_: { fuses_gte: 0 } }")).toEqual(["loose.far.eth"]);
    expect(await list(`{ wrappedDomain_: { fuses_gt: 0 } }`)).toEqual([]);
    const roles = `{ or: [{ owner: "${dave}" }, { registrant: "${dave}" }, { wrappedOwner: "${dave}" }] }`;
    expect(await list(roles)).toEqual(["loose.far.eth"]);
    const { account } = await ask(`{ account(id: "${dave}") { wrappedDomains { name } } }`);
    expect(account).toEqual({ wrappedDomains: [{ name: "loose.far.eth" }] });
    const { wrappedDomains } = await ask("{ wrappedDomains(orderBy: fuses) { name } }");
    expect(wrappedDomains).toEqual([{ name: "loose.far.eth" }]);
    const ordered = `{ domains(where: { name_in: ${JSON.stringify(both)} }, orderBy: wrappedOwner) { name } }`;
    expect(await ask(ordered)).toEqual({ domains: both.toReversed().map((name) => ({ name })) });
  });

  test("exists at earlier blocks, up to the second of its expiry", async () => {
    for (const block of [10, 24]) {
      expect(await of("ended.far.eth", at(block))).toEqual(daves(65_536));
      expect(await list(`{ wrappedOwner: "${dave}" }`, at(block))).toHaveLength(2);
    }
    for (const block of [25, 30]) {
      expect(await of("ended.far.eth", at(block))).toEqual({ wrappedOwner: null, wrappedDomain: null });
      expect(await list(`{ wrappedOwner: "${dave}" }`, at(block))).toEqual(["loose.far.eth"]);
    }
  });

  test("is refused at a past block if it changed since, but could have been found then", async () => {
    const node = namehash("ended.far.eth");
    const place = { chainId: CHAIN_ID, blockNumber: 8, logIndex: 1, ordinal: 0, node };
    await tables.writer.insert(ownershipChange).values({
      ...place,
      ownerAddress: dave,
      wrapperOwner: dave,
      eventType: "NameWrapped",
      transactionHash: transaction(8),
      blockTimestamp: timeOf(8),
    });
    await tables.writer
      .insert(event)
      .values([eventRow({ block: 29 }, { contract: "NAME_WRAPPER", eventType: "ExpiryExtended", node })]);
    for (const where of [
      `{ wrappedOwner: "${dave}" }`,
      "{ wrappedOwner: null }",
      `{ wrappedOwner_not: "${bob}" }`,
    ]) {
      await expect(list(where, at(28)), where).rejects.toThrow("only has data starting at block number 29");
    }
    expect(await list(`{ wrappedOwner: "${bob}" }`, at(28))).toEqual([]);
    await tables.writer.delete(event).where(eq(event.blockNumber, 29));
  });
});

describe("lists at a past block", () => {
  test("of an owner are those that the owner had then, if none of them changed", async () => {
    expect(await ask(at(ofOwner(carol), 19))).toEqual(named("carols.eth", "eth", "sub.carols.eth"));
    expect(await ask(at(ofOwner(carol), 22))).toEqual(named("carols.eth", "eth", "sub.carols.eth"));
    expect(await ask(at(ofOwner(dave), 19))).toEqual(named());
  });

  test("are refused if an entity joined or left since", async () => {
    for (const owner of [alice, bob]) await expect(ask(at(ofOwner(owner), 19))).rejects.toThrow(REFUSED);
    await expect(ask(at(ofOwner(alice), 21))).rejects.toThrow(REFUSED);
    await expect(ask(at(`{ registrant: "${bob}" }`, 21))).rejects.toThrow(REFUSED);
    await expect(ask(at(`{ owner_in: ["${carol}", "${bob}"] }`, 19))).rejects.toThrow(REFUSED);
  });

  test("omit names that are younger", async () => {
    const where = `{ and: [${ofOwner(alice)}, { name_not_in: ["came.eth", "went.eth"] }] }`;
    expect(await ask(at(where, 19))).toEqual(named("still.eth"));
    expect(await ask(at(where, 21))).toEqual(named("new.eth", "still.eth"));
    expect(await ask(`{ domain(id: "${namehash("new.eth")}", block: { number: 20 }) { name } }`)).toEqual({
      domain: null,
    });
  });

  test("by immutable fields are answered for what did not change", async () => {
    expect(await ask(at('{ name: "still.eth" }', 15, "name owner { id } expiryDate"))).toMatchObject({
      domains: [{ name: "still.eth", owner: { id: alice } }],
    });
    await expect(ask(at('{ name: "came.eth" }', 19))).rejects.toThrow(REFUSED);
    expect(await ask(at('{ name: "came.eth" }', 20))).toMatchObject(named("came.eth"));
    expect(await ask(at(`{ parent: "${namehash("carols.eth")}" }`, 10))).toEqual(named("sub.carols.eth"));
  });

  test("by one id are refused if a log named its node since", async () => {
    const [came, still] = [namehash("came.eth"), namehash("still.eth")];
    const one = (type: string, id: string, number: number) =>
      `{ ${type}(id: "${id}", block: { number: ${number} }) { id } }`;
    const registration = (name: string) => keccak256(stringToBytes(name));
    for (const [type, changed, unchanged] of [
      ["domain", came, still],
      ["wrappedDomain", came, still],
      ["registration", registration("came"), registration("still")],
    ] as const) {
      await expect(ask(one(type, changed, 19))).rejects.toThrow(REFUSED);
      await expect(ask(one(type, unchanged, 19))).resolves.toBeDefined();
      await expect(ask(one(type, changed, 20))).resolves.toBeDefined();
    }
    await expect(ask(at(`{ id: "${came}" }`, 19))).rejects.toThrow(REFUSED);
    expect(await ask(at(`{ id: "${still}" }`, 19))).toEqual(named("still.eth"));
  });

  test("are refused if a related entity that they show has changed", async () => {
    const parents = at(
      ofOwner(carol),
      19,
      "name parent { name } registration { expiryDate registrant { id } }",
    );
    expect(await ask(parents)).toMatchObject({ domains: [{ parent: { name: "eth" } }, {}, {}] });
    const below = (name: string) => at(`{ name: "${name}" }`, 19, "subdomains(orderBy: name) { name }");
    expect(await ask(below("carols.eth"))).toEqual({
      domains: [{ subdomains: [{ name: "sub.carols.eth" }] }],
    });
    await expect(ask(below("eth"))).rejects.toThrow(REFUSED);
    await expect(ask(at(ofOwner(carol), 19, "subdomainCount"))).rejects.toThrow(REFUSED);
    const names = `owner { domains(orderBy: name) { name } }`;
    expect(await ask(at('{ name: "carols.eth" }', 19, names))).toMatchObject({
      domains: [{ owner: { domains: [{}, {}, {}] } }],
    });
    await expect(ask(at('{ name: "still.eth" }', 19, names))).rejects.toThrow(REFUSED);
  });

  test("by a filter on other entities are answered if none of these joined or left", async () => {
    const list = (owner: string) =>
      `{ registrations(where: { domain_: { owner: "${owner}" } }, block: { number: 19 }) { labelName } }`;
    expect(await ask(list(carol))).toEqual({ registrations: [{ labelName: "carols" }] });
    await expect(ask(list(bob))).rejects.toThrow(REFUSED);
    const children = (label: string) => at(`{ subdomains_: { labelName: "${label}" } }`, 19);
    expect(await ask(children("sub"))).toEqual(named("carols.eth"));
    await expect(ask(children("new"))).rejects.toThrow(REFUSED);
    await expect(ask(at("{ subdomainCount_gt: 0 }", 19))).rejects.toThrow(REFUSED);
    const ordered = `{ newOwners(orderBy: domain__expiryDate, block: { number: 19 }) { id } }`;
    await expect(ask(ordered)).rejects.toThrow(REFUSED);
  });

  test("of events are those up to the block", async () => {
    const list = "newOwners(orderBy: blockNumber, block: { number: 20 }) { blockNumber domain { id } }";
    const { newOwners } = (await ask(`{ ${list} }`)) as { newOwners: { blockNumber: number }[] };
    expect(newOwners.map(({ blockNumber }) => blockNumber)).toEqual([5, 6, 7, 8, 20]);
    const events = `{ domain(id: "${namehash("still.eth")}", block: { number: 19 }) { events { id } } }`;
    expect(await ask(events)).toMatchObject({ domain: { events: [{}] } });
    const owners = "{ newOwners(block: { number: 20 }) { domain { owner { id } } } }";
    await expect(ask(owners)).rejects.toThrow(REFUSED);
  });

  test("of accounts are refused; a single account is answered if no log named it since", async () => {
    await expect(ask("{ accounts(block: { number: 19 }) { id } }")).rejects.toThrow(REFUSED);
    const one = (id: string) => `{ account(id: "${id}", block: { number: 19 }) { domains { name } } }`;
    expect(await ask(one(carol))).toMatchObject({ account: { domains: [{}, {}, {}] } });
    await expect(ask(one(bob))).rejects.toThrow(REFUSED);
  });

  test("are refused for a block before too many logs", async () => {
    const log = (index: number) =>
      eventRow(
        { block: 25, log: index },
        { contract: "RESOLVER", eventType: "TextChanged", node: transaction(1) },
      );
    await tables.writer.insert(event).values(Array.from({ length: MAX_CHANGES / 4 }, (_, i) => log(i)));
    for (let part = 1; part < 4; part++)
      await tables.writer
        .insert(event)
        .values(Array.from({ length: MAX_CHANGES / 4 }, (_, i) => log(part * 10_000 + i)));
    expect(await ask(at(ofOwner(carol), 22))).toMatchObject({ domains: [{}, {}, {}] });
    await expect(ask(at(ofOwner(carol), 21))).rejects.toThrow("only has data starting at block number 25");
  });
});

test("need few statements to show that nothing changed since", async () => {
  const countFor = async (query: string): Promise<number> => {
    await ask(query);
    statements = 0;
    await ask(query);
    return statements;
  };
  const still = namehash("still.eth");
  // What changed since, and the answer; for a list also whether it is among what changed.
  expect(await countFor(`{ domain(id: "${still}", block: { number: 22 }) { name } }`)).toBe(2);
  expect(await countFor(`{ domains(where: { id: "${still}" }, block: { number: 22 }) { name } }`)).toBe(2);
  expect(await countFor(at(ofOwner(carol), 22))).toBe(3);
  expect(await countFor(`{ domain(id: "${still}", block: { number: 30 }) { name } }`)).toBe(2);
});

test("a block that is not indexed yet is named as such, however large its number", async () => {
  for (const number of [31, 2 ** 31, Number.MAX_SAFE_INTEGER])
    await expect(ask(at(ofOwner(carol), number))).rejects.toThrow("has only indexed up to block number 30");
});

test("if ENSv2 contracts logged since, nothing about its names is known at a past block", async () => {
  const own = at(`{ owner: "${dave}" }`, 26);
  const unrelated = at('{ name: "still.eth" }', 26);
  // A record there can belong to any name.
  const resolved = at('{ name: "still.eth" }', 26, "name resolvedAddress { id }");
  expect(await ask(own, withEnsv2)).toEqual(named("second.eth"));
  await tables.writer
    .insert(event)
    .values([
      eventRow({ block: 27 }, { contract: "ENSV2_REGISTRY", eventType: "LabelRegistered", node: null }),
    ]);
  await expect(ask(own, withEnsv2)).rejects.toThrow("block number 27");
  await expect(ask(at(`{ owner: "${zeroAddress}" }`, 26), withEnsv2)).rejects.toThrow("block number 27");
  await expect(ask(resolved, withEnsv2)).rejects.toThrow("block number 27");
  expect(await ask(unrelated, withEnsv2)).toEqual(named("still.eth"));
});
