import { getAddress, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { ETH_NODE, ethNode, hashLabel, mineBlocks, nodeOf, registerReferred } from "../../../devnet/acts.ts";
import { ask, namesIn, post, refusal, stage } from "../stage.ts";

const ofEth = `parent: "${ETH_NODE}"`;
const names = ["again.eth", "cleared.eth", "opened.eth", "records.eth", "wrapped.eth"];

describe("lists", () => {
  test("are sorted by id, whatever the direction, if no order is named", async () => {
    const up = await namesIn(`(where: { ${ofEth} })`);
    expect(await namesIn(`(where: { ${ofEth} }, orderDirection: desc)`)).toEqual(up);
    expect(up).not.toEqual(names);
    expect([...up].sort()).toEqual(names);
  });

  test("are sorted by a field in both directions, with nulls last and first", async () => {
    expect(await namesIn(`(where: { ${ofEth} }, orderBy: name)`)).toEqual(names);
    expect(await namesIn(`(where: { ${ofEth} }, orderBy: name, orderDirection: desc)`)).toEqual(
      names.toReversed(),
    );
    type Rows = { domains: { expiryDate: string | null }[] };
    const dates = async (direction: string) =>
      (
        await ask<Rows>(`{ domains(orderBy: expiryDate, orderDirection: ${direction}) { expiryDate } }`)
      ).domains.map(({ expiryDate }) => expiryDate);
    const up = await dates("asc");
    expect(up.at(-1)).toBeNull();
    expect(up[0]).not.toBeNull();
    expect((await dates("desc"))[0]).toBeNull();
  });

  test("are sorted by a field of a related entity", async () => {
    const answer = await ask<{ nameRegistereds: { registration: { registrationDate: string } }[] }>(
      "{ nameRegistereds(orderBy: registration__registrationDate, orderDirection: desc) { registration { registrationDate } } }",
    );
    const dates = answer.nameRegistereds.map(({ registration }) => Number(registration.registrationDate));
    expect(dates).toEqual([...dates].sort((a, b) => b - a));
    expect(await namesIn(`(where: { ${ofEth} }, orderBy: registration__labelName)`)).toEqual(names);
  });

  test("have pages by first and skip, and by what follows the last id", async () => {
    const all = await namesIn("(first: 1000)");
    const pages = await Promise.all([0, 7, 14].map((skip) => namesIn(`(first: 7, skip: ${skip})`)));
    expect(pages.flat()).toEqual(all.slice(0, 21));
    type Rows = { domains: { id: string; name: string | null }[] };
    const page = (after: string) =>
      ask<Rows>("query ($after: ID) { domains(first: 7, where: { id_gt: $after }) { id name } }", { after });
    const first = await page("");
    const second = await page(first.domains.at(-1)?.id ?? "");
    expect([...first.domains, ...second.domains].map(({ name }) => name)).toEqual(all.slice(0, 14));
  });

  test.each([
    ["first: 0", "between 1 and 1000"],
    ["first: 1001", "between 1 and 1000"],
    ["skip: 5001", "id_gt"],
    ["skip: -1", "between 0 and 5000"],
    ["orderBy: nothing", "orderBy"],
    ["limit: 5", "has no argument `limit`"],
    ["where: { nothing: 5 }", "has no filter `nothing`"],
    ["where: { name_contains: null }", "unsupported filter"],
    ['where: { or: [{ name: "a" }], name: "b" }', "`or` cannot stand beside"],
  ])("%s is refused", async (given, message) => {
    expect(await refusal(`{ domains(${given}) { id } }`)).toContain(message);
  });

  test("null is the default of every argument", async () => {
    expect(await namesIn("(first: null, skip: null, orderBy: null, where: null, block: null)")).toEqual(
      await namesIn(""),
    );
  });
});

describe("filters", () => {
  const found = (where: string) => namesIn(`(where: { ${ofEth}, ${where} }, orderBy: name)`);

  test.each([
    ['name: "records.eth"', ["records.eth"]],
    ['name_not: "records.eth"', names.filter((one) => one !== "records.eth")],
    ['name_in: ["records.eth", "again.eth", "no.eth"]', ["again.eth", "records.eth"]],
    ['name_not_in: ["records.eth", "again.eth"]', ["cleared.eth", "opened.eth", "wrapped.eth"]],
    ["name_in: []", []],
    ["name_not_in: []", []],
    ['name_gt: "opened.eth"', ["records.eth", "wrapped.eth"]],
    ['name_gte: "opened.eth", name_lt: "wrapped.eth"', ["opened.eth", "records.eth"]],
    ['name_lte: "cleared.eth"', ["again.eth", "cleared.eth"]],
    ['name_contains: "ap"', ["wrapped.eth"]],
    ['name_contains: "AP"', []],
    ['name_contains_nocase: "AP"', ["wrapped.eth"]],
    ['name_not_contains: "e.*"', names],
    ['name_not_contains: "ed."', ["again.eth", "records.eth"]],
    ['name_not_contains_nocase: "ED."', ["again.eth", "records.eth"]],
    ['name_starts_with: "re"', ["records.eth"]],
    ['name_starts_with_nocase: "RE"', ["records.eth"]],
    ['name_not_starts_with: "re"', names.filter((one) => one !== "records.eth")],
    ['name_ends_with: "ed.eth"', ["cleared.eth", "opened.eth", "wrapped.eth"]],
    ['name_not_ends_with: "ed.eth"', ["again.eth", "records.eth"]],
    ['name_ends_with_nocase: "ED.eth"', ["cleared.eth", "opened.eth", "wrapped.eth"]],
    ['name_contains: "%s.eth"', ["records.eth"]],
    ['name_starts_with: "r_cords"', ["records.eth"]],
    ["labelName: null", []],
    ["resolver: null, wrappedOwner: null", ["again.eth", "cleared.eth", "opened.eth"]],
    ["wrappedOwner_not: null", ["wrapped.eth"]],
    ["isMigrated: true", names],
    ['isMigrated_not: "true"', []],
    ["isMigrated_in: [false]", []],
    ["createdAt_gt: 0", names],
    ['createdAt_lte: "0"', []],
    ["expiryDate_gt: 99999999999999999999999999", []],
    ["subdomainCount_gt: 2", ["records.eth"]],
    [`labelhash: "${hashLabel("again").toUpperCase().replace("0X", "0x")}"`, ["again.eth"]],
    [`labelhash_contains: "${hashLabel("again").slice(6, 20)}"`, ["again.eth"]],
    [`id: "${ethNode("again")}"`, ["again.eth"]],
    [`id_in: ["${ethNode("again")}", "${ethNode("records")}", "x"]`, ["again.eth", "records.eth"]],
    ['resolver_starts_with: "0x", resolver_not: null', ["records.eth"]],
    ['registration_: { cost_gt: "0" }', names],
    ['wrappedDomain_: { fuses_gt: 0, domain_: { parent_: { name: "eth" } } }', ["wrapped.eth"]],
    ['resolver_: { texts_contains: ["avatar"] }', ["records.eth"]],
    ['resolver_: { coinTypes_contains: [0, "60"] }', ["records.eth"]],
    ['resolver_: { texts_not_contains: ["avatar"] }', []],
    ['subdomains_: { labelName: "deep" }', []],
    ["subdomains_: { subdomains_: { labelhash_not: null } }", ["records.eth"]],
    ["events_: { blockNumber_gt: 0 }", names],
    ["or: []", []],
    [
      'and: [{ or: [{ name: "again.eth" }, { name: "records.eth" }] }, { name_not: "again.eth" }]',
      ["records.eth"],
    ],
    ['and: [{ and: [{ name: "again.eth" }] }, {}]', ["again.eth"]],
    ["_change_block: { number_gte: 0 }", names],
    ["_change_block: { number_gte: 1000000 }", []],
  ])("%s", async (where, expected) => {
    if (where.startsWith("or: []")) return expect(await namesIn("(where: { or: [] })")).toEqual(expected);
    expect(await found(where)).toEqual(expected);
  });

  test("match relations by their ids, and by the text of these", async () => {
    const alice = stage.cast.alice.toLowerCase();
    const { domains } = await ask<{ domains: { owner: { id: string } }[] }>(
      `{ domains(first: 1000, where: { owner: "${alice}" }) { owner { id } } }`,
    );
    expect(domains.length).toBe(5);
    expect(await namesIn(`(where: { owner: "${getAddress(alice)}" })`)).toEqual([]);
    expect(await namesIn(`(where: { owner_in: ["${alice}", "${zeroAddress}"] })`)).toHaveLength(6);
    expect(await namesIn(`(where: { owner_not: "${alice}" }, first: 1000)`)).not.toContain("records.eth");
    expect(await namesIn(`(where: { resolvedAddress: "${alice}" })`)).toEqual(["one.records.eth"]);
  });

  test("match what last changed since a block", async () => {
    const { _meta } = await ask<{ _meta: { block: { number: number } } }>("{ _meta { block { number } } }");
    const { domains } = await ask<{ domains: { name: string; events: { blockNumber: number }[] }[] }>(
      `{ domains(where: { name: "records.eth" }) { name events(orderBy: blockNumber, orderDirection: desc, first: 1) { blockNumber } } }`,
    );
    const last = _meta.block.number;
    expect(domains).toHaveLength(1);
    expect(await namesIn(`(where: { _change_block: { number_gte: ${last} } })`)).toEqual(["records.eth"]);
  });

  test("span up to three relations", async () => {
    const deep = (levels: number): string =>
      levels === 0 ? '{ name: "eth" }' : `{ parent_: ${deep(levels - 1)} }`;
    expect(await namesIn(`(where: ${deep(2)}, orderBy: name)`)).toHaveLength(6);
    expect(await refusal(`{ domains(where: ${deep(4)}) { id } }`)).toContain("at most 3 relations");
  });
});

describe("variables", () => {
  const queryBy = (type: string, kind = "id") =>
    `query ($value: ${type}) { registrations(where: { ${kind}: $value }) { labelName } }`;

  test("of another type than the field's are accepted", async () => {
    const value = hashLabel("again");
    const again = { registrations: [{ labelName: "again" }] };
    for (const type of ["String", "ID", "Bytes!", "Nothing"])
      expect(await ask(queryBy(type), { value })).toEqual(again);
    const after = await ask<{ registrations: object[] }>(queryBy("Int!", "expiryDate_gt"), { value: 1 });
    expect(after.registrations).toHaveLength(5);
    const list = await ask(
      "query ($by: String, $direction: String, $first: BigInt) { registrations(orderBy: $by, orderDirection: $direction, first: $first) { labelName } }",
      { by: "labelName", direction: "desc", first: "1" },
    );
    expect(list).toEqual({ registrations: [{ labelName: "wrapped" }] });
  });

  test("that are missing are null: a filter by one finds nothing, not even a stranger's registration", async () => {
    expect(await ask(queryBy("String"))).toEqual({ registrations: [] });
    const wrapped =
      "query ($owner: String) { domains(first: 1000, where: { wrappedOwner: $owner }) { wrappedOwner { id } } }";
    const { domains } = await ask<{ domains: object[] }>(wrapped);
    expect(domains.length).toBeGreaterThan(5);
    expect(new Set(domains.map((one) => JSON.stringify(one)))).toEqual(new Set(['{"wrappedOwner":null}']));
    expect(await ask("query ($id: ID!) { domain(id: $id) { name } }")).toEqual({ domain: null });
  });

  test("have defaults", async () => {
    const query = `query ($name: String = "again.eth") { domains(where: { name: $name }) { name } }`;
    expect(await ask(query)).toEqual({ domains: [{ name: "again.eth" }] });
    expect(await ask(query, { name: "records.eth" })).toEqual({ domains: [{ name: "records.eth" }] });
  });
});

const REFUSED = "only has data starting at block number";

describe("blocks", () => {
  type Meta = { _meta: { block: { number: number; hash: string; timestamp: number; parentHash: string } } };
  const meta = "{ _meta { block { number hash timestamp parentHash } deployment hasIndexingErrors } }";

  test("_meta is the newest block, with or without logs", async () => {
    const { chain, stack } = stage;
    for (let round = 0; round < 2; round++) {
      await mineBlocks(chain, { count: 1 });
      await stack.waitForHead();
      const { number, hash, timestamp, parentHash } = await chain.client.getBlock();
      expect(await ask<Meta>(meta)).toEqual({
        _meta: {
          block: { number: Number(number), hash, timestamp: Number(timestamp), parentHash },
          deployment: "namedex",
          hasIndexingErrors: false,
        },
      });
    }
  });

  test("a later block is not indexed yet; a list at an earlier one is answered if nothing that it shows changed", async () => {
    const { _meta } = await ask<Meta>(meta);
    const { number, hash } = _meta.block;
    const at = (block: string) => `{ domains(first: 5, block: { ${block} }) { id owner { id } } }`;
    const newest = await ask("{ domains(first: 5) { id owner { id } } }");
    for (const block of [`number: ${number}`, `number: ${number - 1}`, `number_gte: 1`, `hash: "${hash}"`])
      expect(await ask(at(block))).toEqual(newest);
    expect(await refusal(at(`number: ${number + 5}`))).toContain(
      `has only indexed up to block number ${number}`,
    );
    expect(await refusal(at(`number_gte: ${number + 5}`))).toContain("has only indexed up to");
    expect(await refusal(at(`hash: "0x${"00".repeat(32)}"`))).toContain("no block with that hash");
    const all = `domains(first: 1000, block: { number: ${number} }) { id }`;
    const before = await ask(`{ ${all} }`);
    await registerReferred(stage.chain, { from: stage.cast.frank, label: "later" });
    await stage.stack.waitForHead();
    expect(await ask(`{ ${all} }`)).toEqual(before);
    expect(await refusal("{ accounts(block: { number: 3 }) { id } }")).toContain(REFUSED);
  });

  /** The block of the last event of a name, of a type. */
  const lastBlockOf = async (name: string, type = "domainEvents"): Promise<number> => {
    const list = `${type}(where: { domain: "${nodeOf(name)}" }, orderBy: blockNumber, orderDirection: desc, first: 1)`;
    const answer = await ask<Record<string, { blockNumber: number }[]>>(`{ ${list} { blockNumber } }`);
    return answer[type]?.[0]?.blockNumber ?? 0;
  };

  test("names of an owner are those at the block, or refused", async () => {
    const { bob, frank } = stage.cast;
    const owned = (owner: string, block: number) =>
      `{ domains(where: { owner: "${owner.toLowerCase()}" }, block: { number: ${block} }) { name } }`;
    const made = await lastBlockOf("later.eth");
    expect(await ask(owned(frank, made))).toEqual({ domains: [{ name: "later.eth" }] });
    expect(await ask(owned(frank, made - 1))).toEqual({ domains: [] });
    const names = await ask<{ domains: object[] }>(
      `{ domains(where: { owner: "${bob.toLowerCase()}" }) { name } }`,
    );
    expect(names.domains.length).toBeGreaterThan(1);
    expect(await ask(owned(bob, made - 1))).toEqual(names);
    const wrapped = await lastBlockOf("two.records.eth");
    // Bob wrapped one of his names then.
    expect(await refusal(owned(bob, wrapped - 1))).toContain(REFUSED);
  });

  test("a single entity that did not change since a past block is returned", async () => {
    const { _meta } = await ask<Meta>(meta);
    const at = (name: string, fields: string, block: number) =>
      `{ domain(id: "${nodeOf(name)}", block: { number: ${block} }) { ${fields} } }`;
    const past = _meta.block.number - 2;
    expect(await ask(at("again.eth", "name owner { id } expiryDate parent { name }", past))).toMatchObject({
      domain: { name: "again.eth", parent: { name: "eth" } },
    });
    expect(await ask(at("no.eth", "name", past))).toEqual({ domain: null });
    expect(await ask(at("later.eth", "name", (await lastBlockOf("later.eth")) - 1))).toEqual({
      domain: null,
    });
    expect(await refusal(at("again.eth", "subdomainCount", past))).toContain(REFUSED);
    const renewed = await lastBlockOf("cleared.eth");
    expect(await refusal(at("cleared.eth", "name", renewed - 1))).toContain(REFUSED);
    expect(await ask(at("cleared.eth", "name", renewed))).toMatchObject({ domain: { name: "cleared.eth" } });
  });

  test("a wrapped name that was unwrapped since is not reported as missing", async () => {
    const unwrapped = await lastBlockOf("opened.eth", "nameUnwrappeds");
    const at = (block: number) =>
      `{ wrappedDomain(id: "${nodeOf("opened.eth")}", block: { number: ${block} }) { id } }`;
    expect(await refusal(at(unwrapped - 1))).toContain(REFUSED);
    expect(await ask(at(await lastBlockOf("opened.eth")))).toEqual({ wrappedDomain: null });
  });
});

describe("requests", () => {
  test("with any content type, and with none, are accepted, with CORS", async () => {
    for (const type of ["text/plain", "application/graphql", "application/json; charset=utf-8"]) {
      const { status, data } = await post("{ __typename }", {}, { headers: { "content-type": type } });
      expect({ status, data }).toEqual({ status: 200, data: { __typename: "Query" } });
    }
    const reply = await fetch(`${stage.stack.url}/subgraph`, {
      method: "POST",
      headers: { origin: "https://app.example" },
      body: JSON.stringify({ query: "{ __typename }" }),
    });
    expect(reply.headers.get("access-control-allow-origin")).toBe("*");
    expect(reply.headers.get("content-type")).toBe("application/json");
  });

  test.each([
    "/subgraph",
    "/subgraph/",
    "/api/subgraph",
    "/subgraphs/name/ensdomains/ens/",
    "/subgraphs/id/5XqPmWe6gjyrJtFn9cLy237i4cWw2j9HcUJEXsP5qGtH",
    "/subgraphs/name/ensdomains/ens",
    "/subgraphs/name/ens",
    "/api/0123456789abcdef/subgraphs/id/5XqPmWe6gjyrJtFn9cLy237i4cWw2j9HcUJEXsP5qGtH",
    "/api/subgraphs/id/5XqPmWe6gjyrJtFn9cLy237i4cWw2j9HcUJEXsP5qGtH",
  ])("%s", async (path) => {
    expect(await post("{ __typename }", {}, { path })).toEqual({
      status: 200,
      data: { __typename: "Query" },
    });
  });

  test("by GET are referred to POST, unless a browser asks for the page", async () => {
    const get = (path: string, accept: string) =>
      fetch(`${stage.stack.url}${path}`, { headers: { accept }, redirect: "manual" });
    const refused = await get("/subgraph", "application/graphql-response+json, application/json");
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    expect(await refused.json()).toMatchObject({ error: { code: "METHOD_NOT_ALLOWED" } });
    for (const accept of ["text/html,application/json;q=0.9,*/*;q=0.8", "*/*"]) {
      const page = await get("/subgraph", accept);
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=UTF-8"]);
    }
    const slash = await get("/subgraph/", "text/html");
    expect([slash.status, slash.headers.get("location")]).toEqual([308, "../subgraph"]);
  });

  test("with errors have status 200 and no data", async () => {
    for (const query of [
      "{ nothing { id } }",
      "{ domains { nothing } }",
      "{ domains(",
      "mutation { a }",
      "{ domains }",
    ]) {
      const { status, data, errors } = await post(query);
      expect({ status, data }).toEqual({ status: 200, data: undefined });
      expect(errors?.[0]?.message.length).toBeGreaterThan(5);
    }
    for (const body of ["", "[]", "{}", '{"query": 5}', "query"]) {
      const reply = await fetch(`${stage.stack.url}/subgraph`, { method: "POST", body });
      expect(reply.status).toBe(200);
      expect(await reply.json()).toEqual({ errors: [{ message: expect.any(String) }] });
    }
  });

  test("may have aliases, directives, fragments and operation names", async () => {
    const query = `
      query A($no: Boolean = false) { one: domain(id: "${nodeOf("again.eth")}") { ...N labelName @include(if: $no) }
        two: domain(id: "${nodeOf("records.eth")}") { ...N ... on Domain { __typename } id @skip(if: true) } }
      query B { __typename }
      fragment N on Domain { title: name parent { ...P } }
      fragment P on Domain { name }`;
    const body = JSON.stringify({ query, operationName: "A" });
    const reply = await fetch(`${stage.stack.url}/subgraph`, { method: "POST", body });
    expect(await reply.json()).toEqual({
      data: {
        one: { title: "again.eth", parent: { name: "eth" } },
        two: { title: "records.eth", parent: { name: "eth" }, __typename: "Domain" },
      },
    });
    expect(await refusal(query)).toContain("operationName");
  });
});
