import { type Address, type Hex, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { addressOf, ETH_NODE, ethNode, hashLabel, nodeOf } from "../../../devnet/acts.ts";
import { lower } from "../../chain/stage.ts";
import { addressAt, expectedDomain, logsOf, logsThatCount } from "../oracle.ts";
import { ask, namesIn, post, stage } from "../stage.ts";

/*
 * Queries of existing programs, each in its makers' style: the lists, filters, orders and forms of variables that they use. The
 * expected answers come from the contracts and their logs.
 */

type Expected = Awaited<ReturnType<typeof expectedDomain>>;
type Named = { name: string };

const sorted = (names: readonly Named[]): string[] => names.map(({ name }) => name).sort();

/** Every name, as the contracts have it. */
async function everyName(): Promise<Expected[]> {
  const names = await namesIn("(first: 1000, where: { name_not: null })");
  return Promise.all(names.map((name) => expectedDomain(name ?? "")));
}

/** The names that meet a condition, in text order. */
const namesWhere = async (isMeant: (domain: Expected) => boolean): Promise<string[]> =>
  sorted((await everyName()).filter(isMeant));

/** When the registrar's token of a label was last registered, in unix seconds. */
async function registeredAt(label: string): Promise<bigint> {
  const id = BigInt(hashLabel(label));
  const logs = (await logsOf("registrar")).filter(
    ({ eventName, args }) => eventName === "NameRegistered" && args.id === id,
  );
  const { timestamp } = await stage.chain.client.getBlock({ blockNumber: logs.at(-1)?.blockNumber ?? 0n });
  return timestamp;
}

const firstLabel = (name: string): string => name.split(".")[0] ?? "";
const isRegistered = ({ registration }: Expected): boolean => registration !== null;

/** Holders of registrations in the order of expiry, each with its name. */
async function registrationsOf(holder?: Address): Promise<{ expiryDate: string; domain: Named }[]> {
  const all = (await everyName()).filter(isRegistered);
  const own = all.filter(({ registrant }) => holder === undefined || registrant?.id === lower(holder));
  return own.map(({ registration, name }) => ({
    expiryDate: registration?.expiryDate ?? "",
    domain: { name },
  }));
}

const byExpiry = (
  one: { expiryDate: string; domain: Named },
  other: { expiryDate: string; domain: Named },
): number => Number(BigInt(one.expiryDate) - BigInt(other.expiryDate));

describe("lists of an account (ensjs 3)", () => {
  test("registrations by expiry, starting at a number", async () => {
    for (const holder of Object.values(stage.cast)) {
      const data = await ask<{ account: { registrations: { expiryDate: string; domain: Named }[] } | null }>(
        `query names($id: ID!, $expiry: Int) { account(id: $id) { registrations(first: 1000, skip: 0,
          orderBy: expiryDate, orderDirection: asc, where: { expiryDate_gt: $expiry }) { expiryDate domain { name } } } }`,
        { id: lower(holder), expiry: 0 },
      );
      expect(data.account?.registrations ?? []).toEqual((await registrationsOf(holder)).sort(byExpiry));
    }
  });

  test("domains since a time, and wrapped ones", async () => {
    const { bob } = stage.cast;
    const { account } = await ask<{ account: { domains: Named[]; wrappedDomains: { domain: Named }[] } }>(
      `query names($id: ID!) { account(id: $id) { domains(first: 1000, skip: 0, where: { createdAt_gt: 0 }) { name }
        wrappedDomains(first: 1000) { domain { name } } } }`,
      { id: lower(bob) },
    );
    expect(sorted(account.domains)).toEqual(await namesWhere(({ owner }) => owner.id === lower(bob)));
    expect(account.wrappedDomains.map(({ domain }) => domain.name).sort()).toEqual(
      await namesWhere(({ wrappedOwner }) => wrappedOwner?.id === lower(bob)),
    );
  });
});

describe("the manager's app", () => {
  test("waits for a block by _meta", async () => {
    const { _meta } = await ask<{ _meta: { block: { number: number } } }>("{ _meta { block { number } } }");
    expect(_meta.block.number).toBe(Number(await stage.chain.client.getBlockNumber()));
  });

  test("finds the transaction of a name's last registration", async () => {
    const id = hashLabel("again");
    const { nameRegistereds, registration } = await ask<{
      nameRegistereds: { transactionID: Hex }[];
      registration: { registrationDate: string };
    }>(
      `query registered($id: String!) { registration(id: $id) { registrationDate } nameRegistereds(first: 1,
        orderBy: blockNumber, orderDirection: desc, where: { registration: $id }) { transactionID } }`,
      { id },
    );
    const logs = (await logsOf("registrar")).filter(
      ({ eventName, args }) => eventName === "NameRegistered" && args.id === BigInt(id),
    );
    expect(nameRegistereds).toEqual([{ transactionID: logs.at(-1)?.transactionHash }]);
    expect(registration.registrationDate).toBe(String(await registeredAt("again")));
  });

  test("lists names for its site map, page after page", async () => {
    const found: string[] = [];
    for (let last = ""; ; ) {
      const { domains } = await ask<{ domains: (Named & { id: string })[] }>(
        `query page($last: ID!) { domains(first: 5, orderBy: id, orderDirection: asc, where: { id_gt: $last,
          createdAt_gt: "0", name_not: null, name_not_ends_with: ".addr.reverse" }) { id name } }`,
        { last },
      );
      found.push(...domains.map(({ name }) => name));
      if (domains.length < 5) break;
      last = domains.at(-1)?.id ?? "";
    }
    expect(found.sort()).toEqual(await namesWhere(({ name }) => !name.endsWith(".addr.reverse")));
  });
});

describe("the metadata service", () => {
  const query = `query token($tokenId: String, $labelhash: String) {
    domain(id: $tokenId) { name labelName resolver { texts } }
    domains(where: { parent: "${ETH_NODE}", labelhash: $labelhash }) { name }
    registrations(orderBy: registrationDate, orderDirection: desc, where: { id: $labelhash }) { registrationDate expiryDate }
    wrappedDomain(id: $tokenId) { expiryDate fuses } }`;

  test("requests a token's name, registration and fuses at once", async () => {
    const expected = await expectedDomain("wrapped.eth");
    const data = await ask(query, { tokenId: expected.id, labelhash: hashLabel("wrapped") });
    expect(data).toMatchObject({
      domain: { name: "wrapped.eth", labelName: "wrapped" },
      domains: [{ name: "wrapped.eth" }],
      registrations: [
        {
          registrationDate: String(await registeredAt("wrapped")),
          expiryDate: expected.registration?.expiryDate,
        },
      ],
      wrappedDomain: {
        expiryDate: expected.wrappedDomain?.expiryDate,
        fuses: expected.wrappedDomain?.fuses,
      },
    });
  });

  test("without a labelhash gets no registration, not even a stranger's", async () => {
    const data = await ask(query, { tokenId: nodeOf("one.records.eth") });
    expect(data).toMatchObject({ domain: { name: "one.records.eth" }, domains: [], registrations: [] });
  });
});

test("a voting app: an account's names among some labels", async () => {
  const { alice } = stage.cast;
  const labels = ["records", "cleared", "wrapped", "nothing"];
  const { account } = await ask<{
    account: { domains: Named[]; wrappedDomains: { name: string }[] };
  }>(
    `query lookup($id: String!, $hashes: [Bytes]) { account(id: $id) {
      domains(first: 1000, where: { labelhash_in: $hashes, labelName_not: null }) { name }
      wrappedDomains(first: 1000) { name } } }`,
    { id: lower(alice), hashes: labels.map(hashLabel) },
  );
  expect(sorted(account.domains)).toEqual(
    await namesWhere(({ name, owner }) => owner.id === lower(alice) && labels.includes(firstLabel(name))),
  );
  expect(sorted(account.wrappedDomains)).toEqual(
    await namesWhere(({ wrappedOwner }) => wrappedOwner?.id === lower(alice)),
  );
});

test("a tax program: names by labelhash and by node", async () => {
  const of = (where: string) => `{ domains(first: 1, where: { ${where} }) { name labelName } }`;
  const expected = { domains: [{ name: "cleared.eth", labelName: "cleared" }] };
  expect(await ask(of(`labelhash: "${hashLabel("cleared")}"`))).toEqual(expected);
  expect(await ask(of(`id: "${ethNode("cleared")}"`))).toEqual(expected);
});

describe("a wallet", () => {
  test("suggests names that resolve, by prefix", async () => {
    const { domains } = await ask<{ domains: (Named & { resolver: { addr: { id: string } | null } })[] }>(
      `query search($name: String!, $amount: Int!) { domains(first: $amount, orderBy: labelName, orderDirection: asc,
        where: { name_starts_with: $name, resolvedAddress_not: null }) { name resolver { addr { id } } } }`,
      { name: "re", amount: 10 },
    );
    expect(domains).toEqual([
      { name: "records.eth", resolver: { addr: { id: await addressAt("records.eth") } } },
    ]);
  });

  test("lists an account's registrations since a time, newest name first", async () => {
    const { alice } = stage.cast;
    const since = await registeredAt("again");
    const own = (await registrationsOf(alice)).map(({ domain }) => domain.name);
    const times = await Promise.all(
      own.map(async (name) => [name, await registeredAt(firstLabel(name))] as const),
    );
    const { account } = await ask<{ account: { registrations: { domain: Named }[] } }>(
      `query own($id: ID!, $since: BigInt) { account(id: $id) { registrations(first: 99, orderBy: registrationDate,
        orderDirection: desc, where: { registrationDate_gt: $since }) { domain { name } } } }`,
      { id: lower(alice), since: String(since) },
    );
    const expected = times.filter(([, time]) => time > since).sort(([, a], [, b]) => Number(b - a));
    expect(account.registrations.map(({ domain }) => domain.name)).toEqual(expected.map(([name]) => name));
    expect(expected.length).toBeGreaterThan(1);
  });
});

describe("the subgraph's documentation", () => {
  test("names of an owner, and the owner of a name", async () => {
    for (const owner of Object.values(stage.cast)) {
      const { domains } = await ask<{ domains: Named[] }>(
        `{ domains(where: { owner: "${lower(owner)}" }) { name } }`,
      );
      expect(sorted(domains)).toEqual(await namesWhere((domain) => domain.owner.id === lower(owner)));
    }
    const { domains } = await ask<{ domains: object[] }>(
      '{ domains(where: { name: "records.eth" }) { owner { id } } }',
    );
    expect(domains).toEqual([{ owner: (await expectedDomain("records.eth")).owner }]);
  });

  test("when a name expires, by a filter on the name that a registration leads to", async () => {
    for (const name of ["again.eth", "wrapped.eth"]) {
      const { registrations } = await ask<{ registrations: object[] }>(
        `query when($name: String) { registrations(where: { domain_: { name: $name } }) { expiryDate } }`,
        { name },
      );
      expect(registrations).toEqual([(await expectedDomain(name)).registration]);
    }
  });

  test("the registrations of an account, last to end first", async () => {
    const { alice } = stage.cast;
    const { account } = await ask<{ account: { registrations: { expiryDate: string }[] } }>(
      `{ account(id: "${lower(alice)}") { registrations(first: 10, orderBy: expiryDate, orderDirection: desc) {
        expiryDate } } }`,
    );
    const expected = (await registrationsOf(alice)).map(({ expiryDate }) => expiryDate);
    expect(account.registrations.map(({ expiryDate }) => expiryDate)).toEqual(
      expected.sort((a, b) => Number(BigInt(b) - BigInt(a))),
    );
  });
});

test("names below a name, with null for a page's beginning (a registry of groups)", async () => {
  const { domains } = await ask<{ domains: { subdomains: (Named & { owner: { id: string } })[] }[] }>(
    `query below($label: String, $skip: Int) { domains(where: { labelName: $label }) {
      subdomains(first: 1000, skip: $skip) { name owner { id } } } }`,
    { label: "records", skip: null },
  );
  const below = (await everyName()).filter(({ name }) => name.endsWith(".records.eth"));
  const direct = below.filter(({ name }) => name.split(".").length === 3);
  expect(domains).toHaveLength(1);
  expect(domains[0]?.subdomains.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
    direct.map(({ name, owner }) => ({ name, owner })).sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
});

describe("programs for lists and expiries", () => {
  test("registrations that end in a range, whatever type the bounds have", async () => {
    const all = (await registrationsOf()).sort(byExpiry);
    const [from, to] = [all[1]?.expiryDate ?? "", all.at(-2)?.expiryDate ?? ""];
    const expected = all.filter(
      ({ expiryDate }) => BigInt(expiryDate) >= BigInt(from) && BigInt(expiryDate) < BigInt(to),
    );
    const list = (bounds: string) =>
      `registrations(first: 500, orderBy: expiryDate, where: { ${bounds} }) { expiryDate domain { name } }`;
    for (const [type, values] of [
      ["BigInt!", { from, to }],
      ["Int!", { from: Number(from), to: Number(to) }],
    ] as const) {
      const query = `query q($from: ${type}, $to: ${type}) { ${list("expiryDate_gte: $from, expiryDate_lt: $to")} }`;
      expect(await ask(query, values)).toEqual({ registrations: expected });
    }
    expect(await ask(`{ ${list(`expiryDate_gte: ${from}, expiryDate_lt: ${to}`)} }`)).toEqual({
      registrations: expected,
    });
    expect(expected.length).toBeGreaterThan(1);
  });

  test("names by a part of the label in any case, by a list, and by the addresses they resolve to", async () => {
    const { alice, bob } = stage.cast;
    const listed = ["records.eth", "one.records.eth", "nothing.eth"];
    const { part, some, resolving } = await ask<Record<"part" | "some" | "resolving", Named[]>>(
      `query q($names: [String!], $to: [String!]) { part: domains(where: { labelName_contains_nocase: "REC" }) { name }
        some: domains(where: { name_in: $names }) { name }
        resolving: domains(where: { resolvedAddress_in: $to }) { name } }`,
      { names: listed, to: [lower(alice), lower(bob)] },
    );
    expect(sorted(part)).toEqual(await namesWhere(({ name }) => firstLabel(name).includes("rec")));
    expect(sorted(some)).toEqual(await namesWhere(({ name }) => listed.includes(name)));
    const all = await everyName();
    const addresses = await Promise.all(all.map(({ name, resolver }) => (resolver ? addressAt(name) : null)));
    const isMeant = (address: string | null) => address === lower(alice) || address === lower(bob);
    expect(sorted(resolving)).toEqual(sorted(all.filter((_, i) => isMeant(addresses[i] ?? null))));
    expect(resolving.length).toBeGreaterThan(1);
  });

  test("names in the order of their registrations", async () => {
    const { domains } = await ask<{ domains: Named[] }>(
      `{ domains(first: 500, orderBy: registration__registrationDate, orderDirection: asc,
        where: { registration_: { expiryDate_gt: 0 } }) { name } }`,
    );
    const times = await Promise.all(domains.map(({ name }) => registeredAt(firstLabel(name))));
    expect(times).toEqual(times.toSorted((a, b) => Number(a - b)));
    expect(sorted(domains)).toEqual(await namesWhere(isRegistered));
  });

  test("a name's texts, by relations of the resolver", async () => {
    // The name no longer has a resolver, but that entity still leads to it.
    const { textChangeds } = await ask<{ textChangeds: { key: string }[] }>(
      '{ textChangeds(first: 500, where: { resolver_: { domain_: { name: "cleared.eth" } } }) { key } }',
    );
    const texts = (await logsOf("resolver5")).filter(
      ({ eventName, args }) => eventName === "TextChanged" && args.node === ethNode("cleared"),
    );
    const plain = (key: unknown) => String(key).replaceAll("\0", "");
    expect(textChangeds.map(({ key }) => plain(key)).sort()).toEqual(
      texts.map(({ args }) => plain(args.key)).sort(),
    );
    expect(texts.length).toBeGreaterThan(3);
  });

  test("transfers of what an account owns now", async () => {
    const names = await everyName();
    const moved = (await logsThatCount("registry")).filter(({ eventName }) => eventName === "Transfer");
    const ofOwner = async (owner: string) => {
      const { transfers } = await ask<{ transfers: { domain: { id: string } }[] }>(
        "query q($owner: String) { transfers(where: { domain_: { owner: $owner } }) { domain { id } } }",
        { owner },
      );
      const nodes = names.filter((domain) => domain.owner.id === owner).map(({ id }) => id);
      const expected = moved.flatMap(({ args }) =>
        nodes.includes(args.node as Hex) ? [args.node as Hex] : [],
      );
      expect(transfers.map(({ domain }) => domain.id).sort()).toEqual(expected.sort());
      return expected.length;
    };
    const owners = [...new Set(names.map(({ owner }) => owner.id))];
    const counts = await Promise.all(owners.map(ofOwner));
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(1);
  });

  test("a block that is some blocks old gets an answer for that block, or none", async () => {
    const head = Number(await stage.chain.client.getBlockNumber());
    const { status, data, errors } = await post(
      `query q($block: Int!) { domains(block: { number: $block }) { name } }`,
      { block: head - 32 },
    );
    expect({ status, data }).toEqual({ status: 200, data: undefined });
    expect(errors?.[0]?.message).toMatch(/block/);
  });
});

test("a resolver by an id with capitals does not exist, as on graph-node", async () => {
  const address = addressOf(stage.chain, "resolver5");
  const node = nodeOf("records.eth");
  const of = (id: string) => ask(`query q($id: ID!) { resolver(id: $id) { id texts } }`, { id });
  expect(address).not.toBe(lower(address));
  expect(await of(`${address}-${node}`)).toEqual({ resolver: null });
  expect(await of(`${lower(address)}-${node}`)).toMatchObject({
    resolver: { id: `${lower(address)}-${node}` },
  });
  expect(await of(`${zeroAddress}-${node}`)).toEqual({ resolver: null });
});
