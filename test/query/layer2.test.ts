import { addressRecord, domain, label, operator, primaryNameChange, resolverNode } from "ponder:schema";
import { and, eq } from "drizzle-orm";
import { type Address, getAddress, labelhash, namehash } from "viem";
import { beforeAll, describe, expect, test } from "vitest";
import { totals } from "../../src/api/names/counts/totals.ts";
import { noEnsv2 } from "../../src/api/names/query/scope.ts";
import { operations } from "../support/operations.ts";
import { failure, openApi, useApi } from "./api.ts";
import {
  BASE,
  BASE_BRIDGE,
  BASE_RESOLVER,
  basename,
  contracts,
  fill,
  jesse,
  LINEA_RESOLVER,
  LINEA_WRAPPER,
  lineaname,
  other,
} from "./layer2.ts";
import { lostNode } from "./noChain.ts";
import {
  account,
  addressRow,
  at,
  CHAIN_ID,
  claimRow,
  domainRow,
  inDays,
  contracts as mainOnly,
  NOW,
  registeredRow,
  STATIC_RESOLVER,
  versionRow,
} from "./rows.ts";
import { setProgress, useTables } from "./tables.ts";

const primaryNameStats = operations.find(({ path }) => path === "/ens-stats/primary-names");

const tables = useTables();
const api = useApi(tables, NOW, { contracts });

const ask = <Body = Record<string, unknown>>(path: string) => api.ask<Body>(path);
const needsChain = failure("LIVE_RESOLUTION_FAILED");
const whois = (name: string) => ask(`/whois/${name}`);
const JESSE = getAddress(jesse);
const OTHER = getAddress(other);

beforeAll(async () => {
  await setProgress(tables, { chainId: CHAIN_ID, block: 1_000, time: NOW });
  await fill(tables);
});

/** Other contracts during a test: the resolver of base.eth on the main chain. */
async function withResolverOfBase<T>(resolver: `0x${string}` | null, work: () => Promise<T>): Promise<T> {
  const set = (to: `0x${string}` | null) =>
    tables.writer
      .update(domain)
      .set({ resolver: to })
      .where(and(eq(domain.chainId, CHAIN_ID), eq(domain.node, namehash("base.eth"))));
  await set(resolver);
  try {
    return await work();
  } finally {
    await set(BASE_BRIDGE);
  }
}

/** Lines of an iCalendar are folded. */
const unfolded = async (reply: Response) => (await reply.text()).replaceAll("\r\n ", "");

describe("GET /whois/:name", () => {
  test("of a Basename is what the layer 2's registry says", async () => {
    expect(await whois("jesse.base.eth")).toMatchObject({
      name: "jesse.base.eth",
      chain: "base",
      parent_name: "base.eth",
      expiry_timestamp: String(inDays(20)),
      ownership: { is_wrapped: false, owner: JESSE, registry: JESSE, registrar: JESSE },
      resolver: { status: "indexed", chain: "base", address: getAddress(BASE_RESOLVER) },
      availability_status: "registered",
      source: "indexed",
    });
  });

  test("of a Lineaname has the wrapper's owner", async () => {
    expect(await whois("jesse.linea.eth")).toMatchObject({
      chain: "linea",
      ownership: { is_wrapped: true, owner: JESSE, wrapper: JESSE },
      wrapper: { expiry_timestamp: String(inDays(100)) },
      resolver: { status: "indexed", chain: "linea", address: getAddress(LINEA_RESOLVER) },
      source: "indexed",
    });
  });

  test.each([
    ["a subname of a Basename", "sub.jesse.base.eth", "base", JESSE],
    ["a name with its own resolver on the main chain", "gov.base.eth", undefined, OTHER],
    ["a name without resolver there", "both.base.eth", "base", JESSE],
    ["a premint, which has no registry owner", "premint.base.eth", "base", JESSE],
  ])("%s comes from the registry that answers: %s", async (_, name, chain, owner) => {
    const { ownership, ...reply } = await ask<{ ownership: object; chain?: string }>(
      `/whois/${name}?partial=true`,
    );
    expect([reply.chain, ownership]).toMatchObject([chain, { owner }]);
    expect("registry" in ownership).toBe(name !== "premint.base.eth");
  });

  test("asks the chain for names below one that has another resolver on the main chain", async () => {
    expect(await api.get("/whois/x.mid.base.eth")).toMatchObject(needsChain);
  });

  test("returns the indexed part if the layer 2's resolver is not indexed", async () => {
    expect((await api.get("/whois/strange.base.eth?partial=true")).body).toMatchObject({
      chain: "base",
      ownership: { owner: JESSE },
      resolver: { status: "unindexed", address: getAddress(account(0xee)) },
      unresolved: [{ part: "display" }],
    });
  });

  test.each(["strange.base.eth", "premint.base.eth"])(
    "of %s, when the bridge cannot be asked, has with `partial` what the index has",
    async (name) => {
      const withNode = openApi(tables, NOW, { contracts, live: lostNode });
      expect(await withNode.get(`/whois/${name}`)).toMatchObject(needsChain);
      const { unresolved: _, ...known } = (await api.get(`/whois/${name}?partial=true`)).body;
      const { unresolved, ...partial } = (await withNode.get(`/whois/${name}?partial=true`)).body;
      expect(partial).toEqual(known);
      expect(partial).toMatchObject({ chain: "base", ownership: { owner: JESSE }, source: "indexed" });
      expect(unresolved).toContainEqual({ part: "display", ...needsChain.body.error });
    },
  );

  test.each([
    ["free.base.eth", "available"],
    ["ab.base.eth", "unknown"],
    ["free.linea.eth", "available"],
  ])("of %s, which was never registered, is %s", async (name, availability_status) => {
    expect(await whois(name)).toEqual({
      query: name,
      availability_status,
      resolution: "not_registered",
      source: "indexed",
    });
  });

  test("of a Lineaname is unknown if no log shows what the wrapper did on a renewal", async () => {
    const token = { wrapperExpiryTimestamp: BigInt(NOW - 1), unexplainedRenewals: 1 };
    await tables.writer.insert(domain).values(lineaname("untold.linea.eth", jesse, inDays(400), token));
    const untold = failure("LIVE_RESOLUTION_FAILED", expect.stringContaining("layer 2"));
    expect(await api.get("/whois/untold.linea.eth")).toMatchObject(untold);
    expect(await whois("untold.linea.eth?partial=true")).toMatchObject({
      query: "untold.linea.eth",
      availability_status: "unknown",
      unresolved: [{ part: "domain", code: "LIVE_RESOLUTION_FAILED" }],
    });
    expect(await ask("/search-domains?q=untold")).toMatchObject({
      results: [
        {
          name: "untold.linea.eth",
          availability_status: "registered",
          // Without an owner.
          ownership: expect.toSatisfy((of: object) => !("owner" in of)),
        },
      ],
    });
    for (const owner of [jesse, LINEA_WRAPPER])
      expect(await api.names(`/address/${owner}/domains?chain=linea`)).not.toContain("untold.linea.eth");
    const onLinea = { ids: [59_144], reach: "several", ensv2: noEnsv2 } as const;
    const counted = await totals.fromRows(tables.db, { chains: onLinea, now: NOW });
    expect(counted).toMatchObject({ active: 3, owners: 1 });
    await tables.pool.query("delete from domains where full_name = 'untold.linea.eth'");
  });

  test("asks the chain once the bridge is no longer in place", async () => {
    await withResolverOfBase(account(0xee), async () => {
      for (const name of ["jesse.base.eth", "free.base.eth", "sub.jesse.base.eth"]) {
        expect(await api.get(`/whois/${name}`), name).toMatchObject(needsChain);
      }
      for (const name of ["gov.base.eth", "both.base.eth"]) {
        const { body } = await api.get(`/whois/${name}?partial=true`);
        expect(body, name).toMatchObject({ ownership: { owner: OTHER } });
      }
      expect(await whois("jesse.linea.eth")).toMatchObject({ chain: "linea" });
    });
    await withResolverOfBase(null, async () => {
      expect(await whois("jesse.base.eth")).toEqual({
        query: "jesse.base.eth",
        availability_status: "unknown",
        source: "indexed",
        resolution: "no_resolver",
      });
    });
    expect(await whois("jesse.base.eth")).toMatchObject({ chain: "base" });
  });

  test("knows nothing of them if only the main chain is indexed", async () => {
    const main = openApi(tables, NOW, { contracts: mainOnly });
    expect(await main.get("/whois/jesse.base.eth")).toMatchObject(needsChain);
    expect(await main.ask(`/address/${jesse}/domains`)).toMatchObject({ total: 1 });
  });
});

test("POST /whois/bulk returns the same as single requests", async () => {
  const names = ["jesse.base.eth", "gov.base.eth", "both.base.eth", "x.mid.base.eth", "sub.jesse.base.eth"];
  names.push("jesse.linea.eth", "free.base.eth", "premint.base.eth", "alice.eth");
  const { body } = await api.post("/whois/bulk", { names });
  const results = body.results as Record<string, unknown>[];
  for (const [i, name] of names.entries()) {
    const one = await api.get(`/whois/${name}`);
    if (one.status === 200) expect(results[i], name).toEqual(one.body);
    else expect(results[i], name).toMatchObject({ error: { code: "LIVE_RESOLUTION_FAILED" } });
  }
  const hashes = names.map((name) => namehash(name));
  const byHash = (await api.post("/whois/bulk", { namehashes: hashes })).body.results as typeof results;
  const none = undefined;
  const chains = ["base", none, "base", none, "base", "linea", none, "base", none];
  expect(byHash.map(({ chain }) => chain)).toEqual(chains);
});

describe("hashes", () => {
  test("a namehash is answered with the row that answers for the name", async () => {
    expect(await ask(`/lookup-namehash/${namehash("both.base.eth")}`)).toMatchObject({ chain: "base" });
    expect(await ask(`/lookup-hash/${namehash("sub.jesse.base.eth")}`)).toMatchObject({
      type: "namehash",
      chain: "base",
    });
    expect(await ask(`/lookup-namehash/${namehash("x.mid.base.eth")}`)).toEqual({
      hash: namehash("x.mid.base.eth"),
      indexed: false,
    });
  });

  test("a labelhash has the names on all chains", async () => {
    const found = async (label: string) =>
      listed({ results: (await ask(`/lookup-labelhash/${labelhash(label)}`)).domains });
    expect(await found("jesse")).toEqual(["jesse.base.eth base", "jesse.linea.eth linea"]);
    expect((await found("both")).sort()).toEqual(["both.base.eth base", "both.base.eth devnet"]);
  });
});

describe("what a name has", () => {
  test("records come from the layer 2's resolver", async () => {
    expect(await ask("/domain/jesse.base.eth/records")).toMatchObject({
      resolver: { status: "indexed", chain: "base" },
      records: { texts: { url: "https://base.example" } },
      source: "indexed",
    });
    expect(await ask("/domain/jesse.base.eth/records/text/url")).toMatchObject({
      value: "https://base.example",
      source: "indexed",
    });
  });

  test("events come from both chains, each with its chain; strangers' contracts do not count", async () => {
    expect(await ask("/domain/sold.base.eth/events")).toMatchObject({
      events: [
        { chain: "base", event_type: "NameRegisteredWithRecord" },
        { chain: "base", event_type: "NameRegistered", contract: "CONTROLLER_3" },
        { chain: "base", event_type: "Transfer" },
        { chain: "devnet", event_type: "NewOwner" },
        { chain: "base", event_type: "TextChanged" },
      ],
    });
  });

  test("a layer 2's scaffolding is not an event of the managed name", async () => {
    const events = [{ chain: "devnet", event_type: "NewResolver" }];
    expect(await ask("/domain/base.eth/events")).toMatchObject({ events });
    const managed = { name: "base.eth", ownership: { owner: OTHER } };
    expect(await ask("/whois/base.eth?partial=true")).toMatchObject(managed);
  });

  test("a registration has the controller's exact price and its chain", async () => {
    expect(await ask("/domain/sold.base.eth/registration-history")).toMatchObject({
      registrations: [
        { chain: "base", event_type: "NameRegistered", cost_wei: String(10n ** 15n), owner_address: JESSE },
      ],
      renewals: [],
    });
    const single = await ask("/domain/sold.base.eth/registration-history?merged=false");
    expect(single).toMatchObject({ total: 2, registrations: [{ chain: "base" }, { chain: "base" }] });
  });

  test("owners and resolvers over time come from the registry that answers", async () => {
    expect(await ask("/domain/sold.base.eth/ownership-history")).toMatchObject({
      history: [
        { chain: "base", address: JESSE, reason: "registrar" },
        { chain: "base", address: OTHER, to_timestamp: null },
      ],
    });
    expect(await ask("/domain/sold.base.eth/resolver-history")).toMatchObject({
      history: [{ chain: "base", address: getAddress(BASE_RESOLVER) }],
    });
    await withResolverOfBase(null, async () => {
      const main = await ask<{ history: object[] }>("/domain/sold.base.eth/ownership-history");
      expect(main.history).toMatchObject([{ address: getAddress(account(0xbad)) }]);
      expect(main.history[0]).not.toHaveProperty("chain");
    });
  });

  test("the history of a text comes from the resolver on that chain", async () => {
    const history = [{ value: "https://sold.example", source: "indexed" }];
    expect(await ask("/domain/sold.base.eth/records/text/url/history")).toMatchObject({ history });
  });

  test("subnames come from both chains, in one order", async () => {
    const subnames = await ask("/domain/base.eth/subdomains");
    const names = listed(subnames);
    expect(subnames.total).toBe(names.length);
    expect(await api.names("/domain/base.eth/subdomains")).toEqual(
      names.map((name) => name.split(" ")[0]).sort(),
    );
    expect(names).toEqual(expect.arrayContaining(["both.base.eth base", "both.base.eth devnet"]));
    expect(await ask("/domain/jesse.base.eth/subdomains")).toMatchObject({
      results: [{ name: "sub.jesse.base.eth", chain: "base" }],
    });
    expect(await ask("/domain/alice.eth/subdomains")).toMatchObject({ results: [] });
  });

  test("calendars have the registrar's expiries", async () => {
    const calendar = async (name: string) => unfolded(await api.app.request(`/domain/${name}/expiry.ics`));
    expect(await calendar("jesse.base.eth")).toContain("-premium-end@8453.namedex");
    const linea = await calendar("jesse.linea.eth");
    expect(linea).toContain("-grace-end@59144.namedex");
    expect(linea).not.toContain("premium");
  });
});

/** Names in a list with their chains. */
const listed = ({ results }: Record<string, unknown>) =>
  (results as { name: string; chain?: string }[]).map(({ name, chain = "devnet" }) => `${name} ${chain}`);

describe("an address", () => {
  const all = `/address/${jesse}/domains`;

  test("has its names on all chains in one list", async () => {
    const reply = await ask(all);
    const names = listed(reply);
    expect(names).toEqual(names.toSorted());
    expect(reply.total).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining([
        "alice.eth devnet",
        "jesse.base.eth base",
        "jesse.linea.eth linea",
        "gov.base.eth base",
      ]),
    );
    expect(names).not.toContain("premium.base.eth base");
    expect(names).toContain("grace.linea.eth linea");
    expect(listed(await ask(`${all}?include_expired=true`))).toEqual(
      expect.arrayContaining([...names, "premium.base.eth base", "ended.base.eth base"]),
    );
  });

  test("has those of the named chains", async () => {
    const names = listed(await ask(all));
    for (const chains of [["base"], ["linea"], ["devnet"], ["base", "devnet"], ["linea", "base", "devnet"]]) {
      const some = listed(await ask(`${all}?chain=${chains.join(",")}`));
      expect(some, chains.join()).toEqual(names.filter((name) => chains.includes(name.split(" ")[1] ?? "")));
    }
    const byExpiry = listed(await ask(`${all}?sort_by=expiry_timestamp`));
    expect(byExpiry.toSorted()).toEqual(names);
    expect(byExpiry[0]).toBe("grace.base.eth base");
  });

  test.each(["base,nowhere", "devnet2"])("an unknown chain is refused: %s", async (chain) => {
    const refused = failure("INVALID_PARAMETER", "`chain` may contain: devnet, base, linea.");
    expect(await api.get(`/search-domains?chain=${chain}`)).toMatchObject(refused);
  });

  test("has counts that match the lists, also by chain", async () => {
    const count = await ask(`/address/${jesse}/domain-count`);
    const { total } = await ask(`${all}?include_expired=true`);
    expect(count).toMatchObject({ count: total, active_count: (await ask(all)).total });
    type Parts = Record<"count" | "active_count" | "expired_count" | "unknown_count", number>;
    const byChain = count.by_chain as ({ chain: string } & Parts)[];
    for (const parts of [count as Parts, ...byChain])
      expect(parts.active_count + parts.expired_count + parts.unknown_count).toBe(parts.count);
    expect(byChain.map(({ chain }) => chain)).toEqual(["devnet", "base", "linea"]);
    for (const { chain, count, active_count } of byChain) {
      expect((await ask(`${all}?include_expired=true&chain=${chain}`)).total, chain).toBe(count);
      expect((await ask(`${all}?chain=${chain}`)).total, chain).toBe(active_count);
    }
    const main = openApi(tables, NOW, { contracts: mainOnly });
    expect(await main.ask(`/address/${jesse}/domain-count`)).not.toHaveProperty("by_chain");
  });

  test("has previous names on all chains, most recent first", async () => {
    const previous = async (query: string) =>
      listed(await ask(`/address/${jesse}/previous-domains?${query}`));
    const all = ["linea.eth devnet", "sold.base.eth base", "ended.linea.eth linea"];
    expect(await previous("")).toEqual(all);
    expect(await previous("sort_dir=asc")).toEqual(all.toReversed());
    expect(await previous("chain=base")).toEqual(["sold.base.eth base"]);
    expect(await previous("chain=devnet")).toEqual(["linea.eth devnet"]);
  });

  test("has a summary of all chains", async () => {
    const summary = await ask(`/address/${jesse}/summary`);
    expect(summary).toMatchObject({
      domain_count: (await ask(all)).total,
      domains_expiring_30d: 2,
      previously_owned_count: 3,
      by_chain: [
        { chain: "devnet", domain_count: 1, domains_expiring_30d: 0, previously_owned_count: 1 },
        { chain: "base", domains_expiring_30d: 1, previously_owned_count: 1 },
        { chain: "linea", domain_count: 2, domains_expiring_30d: 1, previously_owned_count: 1 },
      ],
    });
  });

  test("has permissions on all chains, or on one", async () => {
    const given = { ...at(20, 1), owner: jesse, operator: other, isApproved: true };
    await tables.writer.insert(operator).values([
      { ...given, contract: account(0xe1) },
      { ...given, chainId: BASE, contract: account(0xc1) },
    ]);
    const path = `/address/${other}/permissions`;
    const chains = [{ chain: "base" }, { chain: "devnet" }];
    expect(await ask(path)).toMatchObject({ permissions: chains, total: 2 });
    expect(await ask(`${path}?chain=base`)).toMatchObject({ permissions: chains.slice(0, 1), total: 1 });
  });

  test("has a calendar of all chains", async () => {
    const calendar = await unfolded(await api.app.request(`/address/${jesse}/expiries.ics`));
    for (const id of ["@8453.namedex", "@59144.namedex", `@${CHAIN_ID}.namedex`])
      expect(calendar).toContain(id);
  });
});

test("claims at the old reverse registrar of Basenames are history, and the counts say why they are not included", async () => {
  const claimed = { chainId: BASE, coinType: 0x80000000 + BASE, blockTimestamp: NOW - 100 };
  await tables.writer
    .insert(primaryNameChange)
    .values(claimRow({ block: 70, log: 1 }, other, "old.base.eth", claimed));
  const { history } = await ask(`/address/${other}/primary-name?history=true&partial=true`);
  expect(history).toMatchObject([{ name: "old.base.eth", registrar: "REVERSE_REGISTRAR", chain: "base" }]);
  const counts = await ask("/ens-stats/primary-names?chain=base");
  expect(counts).toMatchObject({ unique_addresses_with_primary_name: 0 });
  expect(counts.by_registrar).not.toContainEqual(expect.objectContaining({ chain: "base" }));
  const { description } = primaryNameStats ?? expect.fail("no such operation");
  expect(description).toContain("before ENSIP-19 were never primary names, and do not count");
  await tables.pool.query("delete from primary_name_changes where name = 'old.base.eth'");
});

describe("the primary name of an address on the main chain", () => {
  const atBase = { chainId: BASE, resolver: BASE_RESOLVER };
  const claim = async (address: Address, name: string, onBase: Address | null) => {
    const reverse = `${address.slice(2)}.addr.reverse`;
    await tables.writer
      .insert(domain)
      .values(domainRow(reverse, { registryOwner: address, resolver: STATIC_RESOLVER }));
    await tables.writer.insert(resolverNode).values(versionRow(reverse, { name }));
    await tables.writer.insert(addressRecord).values(addressRow(name, 60, onBase, atBase));
    return ask(`/address/${address}/primary-name`);
  };

  test("may be a Basename, through its record on Base", async () => {
    expect(await claim(jesse, "jesse.base.eth", jesse)).toMatchObject({
      primary_name: "jesse.base.eth",
      registrar: "REVERSE_REGISTRAR",
    });
    await withResolverOfBase(null, async () => {
      expect(await ask(`/address/${jesse}/primary-name`)).toMatchObject({ primary_name: null });
    });
    await withResolverOfBase(account(0xee), async () => {
      expect(await api.get(`/address/${jesse}/primary-name`)).toMatchObject(needsChain);
    });
  });

  test("may be a Basename with only the default address, if its resolver supports ENSIP-19", async () => {
    const address = account(0x78);
    const byDefault = addressRow("gone.base.eth", 0x80000000, address, atBase);
    await tables.writer.insert(addressRecord).values(byDefault);
    await tables.writer.insert(domain).values(basename("gone.base.eth", address, inDays(9)));
    expect(await claim(address, "gone.base.eth", null)).toMatchObject({ primary_name: "gone.base.eth" });
    await tables.pool.query("delete from domains where full_name = 'gone.base.eth'");
  });

  test("is null if the Basename has another address", async () => {
    expect(await claim(account(0x77), "sold.base.eth", other)).toMatchObject({ primary_name: null });
  });
});

describe("GET /lookup-labelhash/:hash", () => {
  test("shows a label known from one chain's logs on the other, and sorts by the name shown", async () => {
    const hash = labelhash("shared");
    const hidden = {
      fullName: `[${hash.slice(2)}].linea.eth`,
      label: `[${hash.slice(2)}]`,
      isLabelKnown: false,
      isNameKnown: false,
      labelLength: null,
    };
    await tables.writer
      .insert(domain)
      .values([
        registeredRow("shared.eth", jesse, inDays(100), { resolver: STATIC_RESOLVER }),
        basename("shared.base.eth", jesse, inDays(100)),
        lineaname("shared.linea.eth", jesse, inDays(100), hidden),
      ]);
    await tables.writer.insert(label).values({ chainId: BASE, labelhash: hash, label: "shared" });
    const sorted = ["shared.base.eth", "shared.eth", "shared.linea.eth"];
    for (const path of [`/lookup-labelhash/${hash}?sort_dir=asc`, `/lookup-hash/${hash}`])
      expect(await api.names(path, "domains")).toEqual(sorted);
    const descending = await api.names(`/lookup-labelhash/${hash}?sort_dir=desc`, "domains");
    expect(descending).toEqual(sorted.toReversed());
    expect(await whois(`[${hash.slice(2)}].linea.eth`)).toMatchObject({ name: "shared.linea.eth" });
    await tables.pool.query("delete from domains where labelhash = $1", [hash]);
    await tables.pool.query("delete from labels where labelhash = $1", [hash]);
  });
});

describe("GET /search-domains", () => {
  const search = (query: string) => ask(`/search-domains?${query}`);

  test("finds names on all chains, or on those given", async () => {
    expect(listed(await search("q=jesse"))).toEqual(["jesse.base.eth base", "jesse.linea.eth linea"]);
    expect(listed(await search("q=jesse&chain=linea"))).toEqual(["jesse.linea.eth linea"]);
    expect(listed(await search("q=jesse&chain=devnet"))).toEqual([]);
    expect(listed(await search("chain=linea"))).toEqual([
      "ended.linea.eth linea",
      "grace.linea.eth linea",
      "jesse.linea.eth linea",
    ]);
  });

  test.each([
    ["grace", ["grace.base.eth base", "grace.linea.eth linea"]],
    ["premium", ["premium.base.eth base"]],
    ["available", ["ended.base.eth base", "ended.linea.eth linea"]],
  ])("finds what is in %s by each registrar", async (state, wanted) => {
    expect(listed(await search(`availability_status=${state}`))).toEqual(wanted);
    for (const name of wanted.map((one) => one.split(" ")[0]))
      expect(await ask(`/whois/${name}`), name).toMatchObject({ availability_status: state });
    expect(listed(await search(`availability_status=${state}&chain=base`))).toEqual(
      wanted.filter((one) => one.endsWith(" base")),
    );
  });

  test("counts what it finds", async () => {
    expect(await search("chain=base,linea")).toMatchObject({ stats: { expired: 3, wrapped: 2 } });
  });

  test("pages through a list over several chains without gaps", async () => {
    const made = Array.from({ length: 60 }, (_, i) => ({
      name: `page${String(i).padStart(2, "0")}.base.eth`,
      chainId: i % 3 === 0 ? CHAIN_ID : BASE,
    }));
    await tables.writer
      .insert(domain)
      .values(made.map(({ name, chainId }) => basename(name, account(0x9a9e), inDays(1), { chainId })));
    for (const path of [`/search-domains?q=page`, `/address/${account(0x9a9e)}/domains?x=1`]) {
      const pages = await Promise.all([1, 2, 3, 4].map((page) => ask(`${path}&page=${page}`)));
      expect(pages.flatMap(listed), path).toEqual(
        made.map(({ name, chainId }) => `${name} ${chainId === CHAIN_ID ? "devnet" : "base"}`),
      );
      for (const page of pages) expect(page.total, path).toBe(60);
    }
    await tables.pool.query("delete from domains where label like 'page%'");
  });
});

describe("statistics", () => {
  test("cover the main chain unless chains are given, and say so", async () => {
    const main = await ask("/ens-stats");
    expect(main).toMatchObject({ total_domains: 7, chains: ["devnet"] });
    const base = await ask("/ens-stats?chain=base");
    expect(base).toMatchObject({ chains: ["base"], registrations_24h: 1 });
    const all = await ask("/ens-stats?chain=linea,base,devnet");
    expect(all.chains).toEqual(["devnet", "base", "linea"]);
    const linea = await ask("/ens-stats?chain=linea");
    for (const field of ["total_domains", "active_domains", "wrapped_domains", "expiring_90d"]) {
      expect(all[field], field).toBe([main, base, linea].reduce((sum, one) => sum + Number(one[field]), 0));
    }
    // The same addresses own names on several chains.
    expect([main, base, linea, all].map(({ unique_owners }) => unique_owners)).toEqual([3, 2, 1, 3]);
    const alone = openApi(tables, NOW, { contracts: mainOnly });
    expect((await alone.get("/ens-stats")).body).not.toHaveProperty("chains");
  });

  test("of sales count those by a chain's controllers", async () => {
    expect(await ask("/ens-stats/sellers?chain=base")).toMatchObject({
      sellers: [
        {
          contract: "CONTROLLER_3",
          chain: "base",
          registrations: 1,
          registration_cost_wei: String(10n ** 15n),
        },
      ],
    });
    expect(await ask("/ens-stats/sellers")).toMatchObject({ sellers: [] });
    expect(await ask("/ens-stats/purchases?interval=month&chain=base")).toMatchObject({ chains: ["base"] });
  });

  test("of states, expiries, holders and distribution cover the chain", async () => {
    expect(await ask("/ens-stats/states?chain=linea")).toMatchObject({
      eth: { registered: 1, grace: 1, premium: 0, available: 1 },
    });
    expect(await ask("/ens-stats/holders?chain=base,linea")).toMatchObject({
      holders: [{ address: JESSE }, { address: OTHER }],
    });
    expect(await ask("/ens-stats/expiries?chain=linea")).toMatchObject({ chains: ["linea"] });
    const { eth_label_length } = await ask("/ens-stats/distribution?chain=linea");
    expect(eth_label_length).toEqual([{ length: 5, count: 2, percentage: 100 }]);
  });

  test("of recent activity name the chain unless it is the main one", async () => {
    const of = { name: "sold.base.eth", chain: "base" };
    expect(await ask("/ens-stats/recent-activity?chain=base")).toMatchObject({
      events: [
        { type: "transfer", ...of, from_address: JESSE, to_address: OTHER },
        { type: "registration", ...of, cost_eth: "0.001" },
      ],
    });
  });
});
