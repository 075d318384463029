import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { addressOf, ETH_NODE, ethNode, hashLabel, nodeOf, ROOT_NODE, read } from "../../../devnet/acts.ts";
import { addressAt, expectedDomain, logsOf, nodesOfRegistries } from "../oracle.ts";
import { ask, stage, subnameExpiry } from "../stage.ts";

const fields = `id name owner { id } registrant { id } wrappedOwner { id } resolver { id } expiryDate
  registration { expiryDate } wrappedDomain { expiryDate fuses owner { id } name }`;

type Domain = Awaited<ReturnType<typeof expectedDomain>>;

describe("domains", () => {
  test("are the nodes created by a registry, and the root", async () => {
    const { domains } = await ask<{ domains: { id: string }[] }>("{ domains(first: 1000) { id } }");
    expect(new Set(domains.map(({ id }) => id))).toEqual(await nodesOfRegistries());
    expect(domains.length).toBeGreaterThan(15);
  });

  test("have what the contracts answer: owners, resolvers, expiries and fuses", async () => {
    const { domains } = await ask<{ domains: Domain[] }>(`{ domains(first: 1000) { ${fields} } }`);
    const named = domains.filter(({ id }) => id !== ROOT_NODE);
    for (const domain of named) expect(domain).toEqual(await expectedDomain(domain.name));
  });

  test("have the address that their resolver answers: zero if cleared, null if never set", async () => {
    const { domains } = await ask<{ domains: { name: string; resolvedAddress: { id: string } | null }[] }>(
      "{ domains(first: 1000, where: { resolver_not: null }) { name resolvedAddress { id } } }",
    );
    expect(domains.some(({ resolvedAddress }) => resolvedAddress !== null)).toBe(true);
    for (const { name, resolvedAddress } of domains)
      expect({ name, address: resolvedAddress?.id ?? zeroAddress }).toEqual({
        name,
        address: (await addressAt(name)) ?? zeroAddress,
      });
  });

  test("include the root, which has no name, label or parent, and began at 0", async () => {
    const { domain } = await ask(
      `{ domain(id: "${ROOT_NODE}") { name labelName labelhash parent { id } createdAt isMigrated expiryDate } }`,
    );
    expect(domain).toEqual({
      name: null,
      labelName: null,
      labelhash: null,
      parent: null,
      createdAt: "0",
      isMigrated: true,
      expiryDate: null,
    });
  });

  test("count the names below that have an owner: again after one came back, not after one is gone", async () => {
    const { domain, domains } = await ask<{
      domain: object;
      domains: { subdomainCount: number; name: string }[];
    }>(
      `{ domain(id: "${ethNode("records")}") { subdomainCount subdomains { labelName owner { id } } }
         domains(first: 1000) { name subdomainCount } }`,
    );
    expect(domain).toMatchObject({ subdomainCount: 3 });
    for (const { name, subdomainCount } of domains) {
      const { domains: found } = await ask<{ domains: { name: string }[] }>(
        "query q($n: Int, $name: String) { domains(where: { subdomainCount: $n, name: $name }) { name } }",
        { n: subdomainCount, name },
      );
      expect(found).toEqual([{ name }]);
    }
  });

  test("have a time to live if one was set", async () => {
    const { domains } = await ask<{ domains: { id: string; ttl: string | null }[] }>(
      "{ domains(first: 1000) { id ttl } }",
    );
    for (const { id, ttl } of domains) {
      const stored = await read<bigint>(stage.chain, {
        contract: "registry",
        functionName: "ttl",
        args: [id],
      });
      expect({ id, ttl: ttl ?? "0" }).toEqual({ id, ttl: String(stored) });
    }
    expect(domains.filter(({ ttl }) => ttl !== null)).toHaveLength(2);
  });

  test("of the old registry count as migrated once the new one created them", async () => {
    const { domains } = await ask(
      `{ domains(where: { parent: "${nodeOf("test")}" }, orderBy: isMigrated) { isMigrated resolver { id } } }`,
    );
    const resolver = addressOf(stage.chain, "resolver2").toLowerCase();
    expect(domains).toEqual([
      { isMigrated: false, resolver: { id: `${resolver}-${nodeOf("staying.test")}` } },
      { isMigrated: true, resolver: null },
    ]);
  });

  test("began with the log that created them", async () => {
    const logs = (await logsOf("registry")).filter(({ eventName }) => eventName === "NewOwner");
    const first = logs.find(({ args }) => args.label === hashLabel("records"));
    const { timestamp } = await stage.chain.client.getBlock({ blockNumber: first?.blockNumber ?? 0n });
    const { domain } = await ask(`{ domain(id: "${ethNode("records")}") { createdAt } }`);
    expect(domain).toEqual({ createdAt: String(timestamp) });
  });

  test("that are wrapped subnames end with their token if the parent gave up control, else never", async () => {
    const { domains } = await ask(
      `{ domains(where: { parent: "${ethNode("wrapped")}" }, orderBy: labelName) { labelName expiryDate } }`,
    );
    expect(domains).toEqual([
      { labelName: "child", expiryDate: String(subnameExpiry) },
      { labelName: "loose", expiryDate: null },
    ]);
  });
});

describe("registrations", () => {
  test("have the last purchase: its date, holder and price", async () => {
    const { cast } = stage;
    const [renewed] = (await logsOf("controller5")).filter(({ eventName }) => eventName === "NameRenewed");
    const { registration, again } = await ask<{ registration: object; again: object }>(
      `{ registration(id: "${hashLabel("records")}") { labelName cost registrant { id } domain { name } }
         again: registration(id: "${hashLabel("again")}") { registrant { id } registrationDate events { __typename } } }`,
    );
    expect(registration).toEqual({
      labelName: "records",
      cost: String(renewed?.args.cost),
      domain: { name: "records.eth" },
      registrant: { id: cast.alice.toLowerCase() },
    });
    const sold = (await logsOf("registrar")).filter(
      ({ eventName, args }) => eventName === "NameRegistered" && args.id === BigInt(hashLabel("again")),
    );
    const { timestamp } = await stage.chain.client.getBlock({ blockNumber: sold.at(-1)?.blockNumber ?? 0n });
    expect(again).toMatchObject({
      registrant: { id: cast.bob.toLowerCase() },
      registrationDate: String(timestamp),
    });
  });

  test("do not count a first mint as a transfer; a sale to another has two, and a gift one", async () => {
    const { registration } = await ask<{ registration: { events: { __typename: string }[] } }>(
      `{ registration(id: "${hashLabel("again")}") { events { __typename } } }`,
    );
    const count = (type: string) =>
      registration.events.filter(({ __typename }) => __typename === type).length;
    expect({ registered: count("NameRegistered"), moved: count("NameTransferred") }).toEqual({
      registered: 2,
      moved: 3,
    });
  });
});

describe("resolvers", () => {
  const resolverOf = async (label: string, fields: string) => {
    const { resolvers } = await ask<{ resolvers: object[] }>(
      `{ resolvers(where: { domain: "${ethNode(label)}", address_not: "${zeroAddress}" }) { ${fields} } }`,
    );
    return resolvers;
  };

  test("have the keys of texts and coins in the order of first setting, without NUL", async () => {
    const [resolver] = await resolverOf("records", "texts coinTypes contentHash addr { id } domain { name }");
    expect(resolver).toEqual({
      texts: ["url", "avatar", "nulkey"],
      coinTypes: ["60", "0"],
      contentHash: "0xe3010170122023e0160eec32d7875c19c5ac7c03bc1f306dc260080d621454bc5f631e7310a7",
      addr: { id: stage.cast.bob.toLowerCase() },
      domain: { name: "records.eth" },
    });
  });

  test("keep cleared keys, but none from before all records were cleared", async () => {
    const [resolver] = await resolverOf("cleared", "texts coinTypes addr { id } contentHash");
    expect(resolver).toEqual({ texts: ["zeta", "alpha"], coinTypes: null, addr: null, contentHash: null });
  });

  test("include the zero address in NewResolver when a name's resolver is removed", async () => {
    const { newResolvers, resolver } = await ask<{ newResolvers: object[]; resolver: object }>(
      `{ newResolvers(where: { domain: "${ethNode("cleared")}" }, orderBy: blockNumber, orderDirection: desc, first: 1) {
           resolver { id address domain { id } texts } }
         resolver(id: "${zeroAddress}") { id address } }`,
    );
    const none = { id: zeroAddress, address: zeroAddress };
    expect(newResolvers).toEqual([{ resolver: { ...none, domain: null, texts: null } }]);
    expect(resolver).toEqual(none);
  });
});

describe("accounts", () => {
  test("have the names, wrapped names and registrations that name them", async () => {
    const alice = stage.cast.alice.toLowerCase();
    type Names = { domain: { name: string } }[];
    const { account } = await ask<{
      account: { domains: { name: string }[]; wrappedDomains: Names; registrations: Names };
    }>(
      `{ account(id: "${alice}") { domains { name } wrappedDomains { domain { name } } registrations { domain { name } } } }`,
    );
    const [domains, wrapped, registered] = await Promise.all([
      ask<{ domains: { name: string }[] }>(`{ domains(where: { owner: "${alice}" }) { name } }`),
      ask<{ wrappedDomains: Names }>(`{ wrappedDomains(where: { owner: "${alice}" }) { domain { name } } }`),
      ask<{ registrations: Names }>(
        `{ registrations(where: { registrant: "${alice}" }) { domain { name } } }`,
      ),
    ]);
    expect(account).toEqual({ ...domains, ...wrapped, ...registered });
    expect([account.domains.length, account.wrappedDomains.length, account.registrations.length]).toEqual([
      5, 2, 3,
    ]);
  });

  test("include the zero address, with the names without an owner", async () => {
    const { account } = await ask(`{ account(id: "${zeroAddress}") { domains { name } } }`);
    expect(account).toEqual({ domains: [{ name: `[${hashLabel("gone").slice(2)}].records.eth` }] });
  });

  test("do not include an address that none of these names", async () => {
    expect(await ask(`{ account(id: "0x${"12".repeat(20)}") { id } }`)).toEqual({ account: null });
  });
});

test("a name that is in no log is null", async () => {
  expect(await ask(`{ domain(id: "${nodeOf("nothing.eth")}") { id } }`)).toEqual({ domain: null });
  expect(await ask(`{ registration(id: "${ETH_NODE}") { id } }`)).toEqual({ registration: null });
});
