import { domain } from "ponder:schema";
import { drizzle } from "drizzle-orm/node-postgres";
import { getAddress, keccak256, labelhash, namehash, stringToBytes } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "../support/database.ts";
import schema from "../support/ponderSchema.ts";
import { openApi, type TestApi } from "./api.ts";
import {
  account,
  answerable,
  DEFAULT_ADDRESS_RESOLVER,
  type DomainRow,
  domainRow,
  registeredRow,
  STATIC_RESOLVER,
  WRAPPER,
} from "./rows.ts";
import { createTables, type Tables } from "./tables.ts";

const NOW = 1_800_000_000;
const DAY = 86_400;
const inDays = (days: number) => BigInt(NOW + days * DAY);
const alice = account(0xa11ce);
const bob = account(0xb0b);
const PCC = 65536;

type Item = { name: string };

let tables: Tables;
let api: TestApi;

/** Names that a search can find: all except the root and the reverse node. */
const found = () => rows.map(({ fullName }) => fullName).filter((name) => !/^$|\.addr\.reverse$/.test(name));

const search = async (query: string) => {
  const { status, body } = await api.get(`/search-domains?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body as {
    results: Item[];
    total: number;
    page: number;
    page_size: number;
    stats: Record<string, number>;
  };
};
const namesOf = async (query: string) => (await search(query)).results.map(({ name }) => name);

const wrapped = { registryOwner: WRAPPER, wrapperOwner: bob, effectiveOwnerAddress: bob, isWrapped: true };

const rows: DomainRow[] = [
  domainRow("", { parentNode: null, labelhash: null }),
  domainRow("eth", { registryOwner: account(1), effectiveOwnerAddress: account(1) }),
  registeredRow("alice.eth", alice, inDays(20), { resolver: STATIC_RESOLVER }),
  registeredRow("malice.eth", alice, inDays(80)),
  registeredRow("ALICE2.eth", alice, inDays(400)),
  registeredRow("bob.eth", bob, inDays(-1)),
  registeredRow("old.eth", bob, inDays(-100)),
  registeredRow("older.eth", bob, inDays(-200)),
  domainRow("ghost.eth"),
  registeredRow("boxed.eth", WRAPPER, inDays(50), {
    ...wrapped,
    wrapperFuses: PCC,
    wrapperExpiryTimestamp: inDays(140),
  }),
  registeredRow("stuck.eth", WRAPPER, inDays(50), {
    ...wrapped,
    wrapperFuses: PCC,
    wrapperExpiryTimestamp: inDays(-1),
  }),
  domainRow("sub.alice.eth", { registryOwner: bob, effectiveOwnerAddress: bob }),
  domainRow(`${alice.slice(2)}.addr.reverse`, { registryOwner: alice, effectiveOwnerAddress: alice }),
  domainRow("100%_\\.alice.eth", { registryOwner: bob, effectiveOwnerAddress: bob }),
  domainRow("ended.boxed.eth", {
    ...wrapped,
    wrapperFuses: PCC,
    wrapperExpiryTimestamp: inDays(-1),
    expiryTimestamp: inDays(-1),
  }),
];

beforeAll(async () => {
  tables = await createTables();
  api = openApi(tables, NOW);
  await tables.writer.insert(domain).values(answerable(rows, DEFAULT_ADDRESS_RESOLVER));
});

afterAll(() => tables.drop());

describe("GET /search-domains", () => {
  test("without filters lists every name but the root and reverse nodes, by full name", async () => {
    expect(await namesOf("")).toEqual(found().sort());
  });

  test("`q` searches the label case-insensitively", async () => {
    expect(await namesOf("q=alice")).toEqual(["ALICE2.eth", "alice.eth", "malice.eth"]);
    expect(await namesOf("q=ALICE2")).toEqual(["ALICE2.eth"]);
  });

  test("`search_full_name` searches the whole name", async () => {
    expect(await namesOf("q=alice.eth&search_full_name=true")).toEqual([
      "100%_\\.alice.eth",
      "alice.eth",
      "malice.eth",
      "sub.alice.eth",
    ]);
    expect(await namesOf("q=alice.eth&search_full_name=false")).toEqual([]);
  });

  test.each(["%25", "_", "%5C", "0%25_%5C"])("LIKE's wildcards are literal: %s", async (q) => {
    expect(await namesOf(`q=${q}`)).toEqual(["100%_\\.alice.eth"]);
  });

  test.each([
    [
      "registered",
      [
        "100%_\\.alice.eth",
        "ALICE2.eth",
        "alice.eth",
        "boxed.eth",
        "eth",
        "malice.eth",
        "stuck.eth",
        "sub.alice.eth",
      ],
    ],
    ["grace", ["bob.eth"]],
    ["premium", ["old.eth"]],
    ["available", ["ghost.eth", "older.eth"]],
  ])("`availability_status=%s` agrees with whois", async (status, expected) => {
    expect(await namesOf(`availability_status=${status}`)).toEqual(expected);
    const others = rows.map(({ fullName }) => fullName).filter((name) => /^[a-z.]+$/.test(name));
    for (const name of others) {
      const { body } = await api.get(`/whois/${name}`);
      expect(body.availability_status === status, name).toBe(expected.includes(name));
    }
  });

  test("several states return the names of each, and their counts", async () => {
    expect(await namesOf("availability_status=grace,premium")).toEqual(["bob.eth", "old.eth"]);
    const { total } = await search("availability_status=premium,available");
    expect(total).toBe(3);
    const all = await search("availability_status=registered,grace,premium,available");
    expect(all.total).toBe((await search("availability_status=registered")).total + 4);
  });

  test("wrapped names are those that still have an owner in the wrapper", async () => {
    expect(await namesOf("is_wrapped=true")).toEqual(["boxed.eth"]);
    expect(await namesOf("is_wrapped=false&q=stuck")).toEqual(["stuck.eth"]);
    expect(await namesOf(`wrapper_owner=${bob}`)).toEqual(["boxed.eth"]);
  });

  test("owners and resolvers are found by address case-insensitively", async () => {
    expect(await namesOf(`registrar_owner=${getAddress(alice)}`)).toEqual([
      "ALICE2.eth",
      "alice.eth",
      "malice.eth",
    ]);
    expect(await namesOf(`registry_owner=0x${bob.slice(2).toUpperCase()}&q=sub`)).toEqual(["sub.alice.eth"]);
    expect(await namesOf(`resolver=${STATIC_RESOLVER}`)).toEqual(["alice.eth"]);
  });

  test("lengths count code points, and expiry bounds are inclusive", async () => {
    expect(await namesOf("min_length=6&max_length=6&q=lice")).toEqual(["ALICE2.eth", "malice.eth"]);
    expect(await namesOf(`expiry_from=${inDays(20)}&expiry_to=${inDays(50)}`)).toEqual([
      "alice.eth",
      "boxed.eth",
      "stuck.eth",
    ]);
  });

  test("filters combine", async () => {
    expect(
      await namesOf(`q=alice&registrar_owner=${alice}&max_length=5&availability_status=registered`),
    ).toEqual(["alice.eth"]);
  });

  test("figures cover all results", async () => {
    const { stats, total } = await search(`q=e&search_full_name=true&page=99`);
    expect(total).toBe(found().length);
    expect(stats).toEqual({ expired: 3, expiring_30d: 1, expiring_90d: 4, wrapped: 1, wrapped_pct: 7.69 });
    expect((await search("q=nothing-at-all")).stats.wrapped_pct).toBe(0);
  });

  test("sorts by expiry with names without one last in both directions", async () => {
    const sortable = "q=e&search_full_name=true&sort_by=expiry_timestamp";
    const ascending = await namesOf(sortable);
    expect(ascending.slice(0, 3)).toEqual(["older.eth", "old.eth", "bob.eth"].toSorted(byExpiry).slice(0, 3));
    const descending = await namesOf(`${sortable}&sort_dir=desc`);
    expect(descending[0]).toBe("ALICE2.eth");
    expect(["ghost.eth", "eth", "sub.alice.eth", "100%_\\.alice.eth"]).toContain(descending.at(-1));
  });

  test("sorts by current owner, with ties broken by node", async () => {
    const sorted = await search("sort_by=effective_owner_address");
    const expected = rows
      .filter(({ fullName }) => found().includes(fullName))
      .map((row) => ({ name: row.fullName, node: row.node, owner: ownerOf(row) }))
      .sort((a, b) => inOrder(a.owner ?? "~", b.owner ?? "~") || inOrder(a.node, b.node));
    expect(sorted.results.map(({ name }) => name)).toEqual(expected.map(({ name }) => name));
  });

  test("a page beyond the end is empty and has the right total", async () => {
    expect(await search("page=4000")).toMatchObject({
      results: [],
      total: found().length,
      page: 4_000,
      page_size: 25,
      next_cursor: null,
    });
  });

  test("pages of 25 cover everything once, in order", async () => {
    const many = Array.from({ length: 60 }, (_, i) =>
      domainRow(`page${String(i).padStart(2, "0")}.alice.eth`),
    );
    await tables.writer.insert(domain).values(many);
    const pages = await Promise.all([1, 2, 3].map((page) => namesOf(`q=page&page=${page}`)));
    expect(pages.map((page) => page.length)).toEqual([25, 25, 10]);
    expect(pages.flat()).toEqual(many.map(({ fullName }) => fullName).sort());
  });

  test.each([
    "sort_by=created",
    "sort_dir=up",
    "page=0",
    "page=x",
    "availability_status=unknown",
    "availability_status=grace,unknown",
    "is_wrapped=yes",
    "min_length=-1",
    "expiry_from=tomorrow",
    "q=%00",
    `q=${"a".repeat(256)}`,
    "q=a&q=b",
    "search_full_name=1",
  ])("%s is an invalid parameter", async (query) => {
    expect(await api.get(`/search-domains?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_PARAMETER" } },
    });
  });

  test("an owner that is not an address is INVALID_ADDRESS", async () => {
    expect(await api.get("/search-domains?resolver=0x12")).toMatchObject({
      status: 400,
      body: { error: { code: "INVALID_ADDRESS" } },
    });
  });
});

const inOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
const byExpiry = (a: string, b: string) => Number(expiryOf(a) - expiryOf(b));
const expiryOf = (name: string) => rows.find(({ fullName }) => fullName === name)?.expiryTimestamp ?? 0n;

function ownerOf(row: DomainRow): string | null {
  if (row.fullName === "stuck.eth" || row.fullName === "ended.boxed.eth") return WRAPPER;
  return row.effectiveOwnerAddress ?? null;
}

describe.each([undefined, "C"] as const)("on a database with locale %s", (locale) => {
  let foreign: Tables;
  beforeAll(async () => {
    foreign = await createTables(locale ? { locale } : {});
    const labels = ["écolé", "École", "ÉTÉ", "σοφία", "φωσφόρος", "straße", "plain"];
    await foreign.writer.insert(domain).values(labels.map((label) => domainRow(`${label}.eth`)));
  });
  afterAll(() => foreign.drop());

  const found = async (q: string, more = "") => {
    const { body } = await openApi(foreign, NOW).get(`/search-domains?q=${encodeURIComponent(q)}${more}`);
    expect(body.total).toBe((body.results as Item[]).length);
    return (body.results as Item[]).map(({ name }) => name).sort();
  };

  test.each([
    ["ÉCOLÉ", ["écolé.eth"]],
    ["Écol", ["École.eth", "écolé.eth"]],
    ["ÉCOL", ["École.eth", "écolé.eth"]],
    ["ÉTÉ", ["ÉTÉ.eth"]],
    ["Φ", ["σοφία.eth", "φωσφόρος.eth"]],
    ["ΦΩΣ", ["φωσφόρος.eth"]],
    ["STRAẞE", ["straße.eth"]],
    ["PLAIN", ["plain.eth"]],
    ["Ñ", []],
  ])("`q=%s` finds names in lower case, and names registered exactly as written", async (q, expected) => {
    expect(await found(q)).toEqual(expected.toSorted());
    expect(await found(q, "&search_full_name=true")).toEqual(expected.toSorted());
  });
});

describe("GET /domain/:name/subdomains", () => {
  test("lists the names directly under a name", async () => {
    const { body } = await api.get("/domain/boxed.eth/subdomains");
    expect(body).toEqual({
      domain: "boxed.eth",
      results: [
        {
          name: "ended.boxed.eth",
          label: "ended",
          namehash: namehash("ended.boxed.eth"),
          labelhash: labelhash("ended"),
          availability_status: "unknown",
          expiry_timestamp: inDays(-1).toString(),
          ownership: {
            is_wrapped: false,
            owner: getAddress(WRAPPER),
            owner_title: "NAME_WRAPPER",
            registry: getAddress(WRAPPER),
            is_owner_current: false,
            last_owner: {
              address: getAddress(bob),
              to_timestamp: Number(inDays(-1)) + 1,
              ended_by: "wrapper_expiry",
            },
          },
          resolver: { address: getAddress(DEFAULT_ADDRESS_RESOLVER) },
          created_timestamp: 1_600_000_000,
          protocols: ["ensv1", "registry"],
          wrapper: { expired: true, expiry_timestamp: inDays(-1).toString(), fuse_names: [], fuses: 0 },
        },
      ],
      total: 1,
      page: 1,
      page_size: 25,
      next_cursor: null,
    });
  });

  test("a name without subnames and an unknown name both have an empty list", async () => {
    for (const name of ["bob.eth", "unregistered.eth"]) {
      expect((await api.get(`/domain/${name}/subdomains`)).body).toMatchObject({ results: [], total: 0 });
    }
  });

  test("only the operation's columns can be sorted by", async () => {
    expect((await api.get("/domain/eth/subdomains?sort_by=label")).status).toBe(400);
    const { body } = await api.get("/domain/eth/subdomains?sort_by=expiry_timestamp&sort_dir=desc");
    expect((body.results as Item[])[0]?.name).toBe("ALICE2.eth");
  });
});

describe("POST /whois/bulk", () => {
  test("answers each item in its place: known, unknown and invalid ones", async () => {
    const { status, body } = await api.post("/whois/bulk", {
      names: ["Alice.eth", "unregistered.eth", "a..b", "alice.eth"],
      namehashes: [namehash("bob.eth"), namehash("unregistered.eth"), "0x12"],
    });
    expect(status).toBe(200);
    const whois = async (name: string) => (await api.get(`/whois/${name}`)).body;
    expect(body.results).toEqual([
      await whois("Alice.eth"),
      {
        query: "unregistered.eth",
        availability_status: "available",
        resolution: "not_registered",
        source: "indexed",
      },
      {
        query: "a..b",
        availability_status: "unknown",
        error: { code: "INVALID_NAME", message: expect.any(String) },
      },
      await whois("alice.eth"),
      { ...(await whois("bob.eth")), query: namehash("bob.eth") },
      { query: namehash("unregistered.eth"), availability_status: "unknown", source: "indexed" },
      {
        query: "0x12",
        availability_status: "unknown",
        error: { code: "INVALID_HASH", message: expect.any(String) },
      },
    ]);
    expect(body.summary).toEqual({
      total: 7,
      registered: 2,
      grace: 1,
      premium: 0,
      available: 1,
      unknown: 3,
      expiring_30d: 2,
    });
  });

  test.each([
    [{}, "MISSING_PARAMETER"],
    [{ names: [], namehashes: [] }, "MISSING_PARAMETER"],
    [{ names: "alice.eth" }, "INVALID_PARAMETER"],
    [{ names: [5] }, "INVALID_PARAMETER"],
    [{ names: Array(501).fill("a.eth") }, "LIMIT_EXCEEDED"],
    [{ names: Array(500).fill(Array(11).fill("a").join(".")) }, "LIMIT_EXCEEDED"],
    [{ names: Array(300).fill("a.eth"), namehashes: Array(201).fill("0x") }, "LIMIT_EXCEEDED"],
  ])("%.60j is %s", async (request, code) => {
    expect(await api.post("/whois/bulk", request)).toMatchObject({ status: 400, body: { error: { code } } });
  });

  test("takes 500 items", async () => {
    const { body } = await api.post("/whois/bulk", { names: Array(500).fill("alice.eth") });
    expect(body.summary).toMatchObject({ total: 500, registered: 500 });
  });
});

describe("look-ups by hash", () => {
  const labelhash = (label: string) => keccak256(stringToBytes(label));

  test("a namehash returns the name", async () => {
    const { query, ...record } = (await api.get("/whois/alice.eth")).body;
    expect([query, record.resolution]).toEqual(["alice.eth", "resolves"]);
    expect((await api.get(`/lookup-namehash/${namehash("alice.eth")}`)).body).toEqual(record);
    expect(
      (await api.get(`/lookup-hash/${namehash("alice.eth").toUpperCase().replace("X", "x")}`)).body,
    ).toEqual({
      type: "namehash",
      ...record,
    });
  });

  test("a labelhash returns every name with it", async () => {
    await tables.writer.insert(domain).values([domainRow("alice.com")]);
    const { body } = await api.get(`/lookup-hash/${labelhash("alice")}`);
    expect(body).toMatchObject({ type: "labelhash", total: 2 });
    expect((body.domains as Item[]).map(({ name }) => name)).toEqual(["alice.com", "alice.eth"]);
    const paged = await api.get(`/lookup-labelhash/${labelhash("alice")}?sort_dir=desc`);
    expect(paged.body).toMatchObject({
      total: 2,
      page: 1,
      page_size: 25,
      next_cursor: null,
      domains: [{ name: "alice.eth" }, { name: "alice.com" }],
    });
  });

  test("a labelhash of more names than a page has returns the first 25 and their number", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => domainRow(`twins.p${i}`));
    await tables.writer.insert(domain).values(rows);
    const { body } = await api.get(`/lookup-hash/${labelhash("twins")}`);
    expect(body).toMatchObject({ type: "labelhash", total: 30 });
    expect(body.domains).toHaveLength(25);
  });

  test("a hash without a match is not indexed", async () => {
    const hash = labelhash("no such thing");
    expect((await api.get(`/lookup-hash/${hash}`)).body).toEqual({ hash, indexed: false });
    expect((await api.get(`/lookup-namehash/${hash}`)).body).toEqual({ hash, indexed: false });
    expect((await api.get(`/lookup-labelhash/${hash}`)).body).toEqual({
      domains: [],
      total: 0,
      page: 1,
      page_size: 25,
      next_cursor: null,
    });
  });

  test("the root is known by its hash", async () => {
    expect((await api.get(`/lookup-namehash/${namehash("")}`)).body).toMatchObject({
      name: "",
      parent_node: null,
      token_id: null,
      availability_status: "unknown",
    });
  });

  test.each(["lookup-hash", "lookup-namehash", "lookup-labelhash"])(
    "/%s refuses an invalid hash",
    async (path) => {
      for (const hash of ["0x12", "alice.eth", `${labelhash("a")}0`, labelhash("a").slice(2)]) {
        expect(await api.get(`/${path}/${hash}`)).toMatchObject({
          status: 400,
          body: { error: { code: "INVALID_HASH" } },
        });
      }
    },
  );
});

describe("unknown labels", () => {
  const bracketed = (label: string) => `[${labelhash(label).slice(2)}]`;
  const digits = labelhash("hidden").slice(2);

  beforeAll(async () => {
    const hidden = { label: bracketed("hidden"), isLabelKnown: false, isNameKnown: false, labelLength: null };
    await tables.writer.insert(domain).values([
      registeredRow("hidden.eth", bob, inDays(500), { ...hidden, fullName: `${bracketed("hidden")}.eth` }),
      domainRow("zz.hidden.eth", {
        registryOwner: bob,
        effectiveOwnerAddress: bob,
        isNameKnown: false,
        fullName: `zz.${bracketed("hidden")}.eth`,
      }),
    ]);
  });

  test.each(["[", "]", digits.slice(0, 2), digits.slice(10, 14), digits.slice(0, 63)])(
    "are not found by the text %s",
    async (part) => {
      for (const query of ["", "&search_full_name=true"]) {
        const found = await namesOf(`q=${encodeURIComponent(part)}${query}`);
        expect(found.filter((name) => name.includes("["))).toEqual([]);
      }
    },
  );

  test("are found by the 64 digits of the hash", async () => {
    for (const q of [digits, `0x${digits}`, digits.toUpperCase(), `[${digits}]`]) {
      expect(await namesOf(`q=${encodeURIComponent(q)}`)).toEqual([`${bracketed("hidden")}.eth`]);
    }
    expect(await namesOf(`q=${labelhash("malice").slice(2)}`)).toEqual(["malice.eth"]);
  });

  test.each(["asc", "desc"])("come last if requested, %s, page after page", async (dir) => {
    const inOrder = await namesOf(`page_size=200&sort_dir=${dir}`);
    const isUnknown = (name: string) => name.startsWith("[") && name.endsWith("].eth");
    const unknown = inOrder.filter(isUnknown);
    expect(unknown.length).toBeGreaterThan(0);
    const wanted = [...inOrder.filter((name) => !isUnknown(name)), ...unknown];
    const last = `unknown_labels=last&sort_dir=${dir}`;
    const atOnce = await namesOf(`page_size=200&${last}`);
    expect(atOnce.filter((name) => !isUnknown(name))).toEqual(wanted.filter((name) => !isUnknown(name)));
    expect(atOnce.slice(-unknown.length).toSorted()).toEqual(unknown.toSorted());
    const paged: string[] = [];
    for (let cursor = ""; ; ) {
      const { status, body } = await api.get(`/search-domains?page_size=2&${last}${cursor}`);
      expect(status).toBe(200);
      paged.push(...(body as { results: Item[] }).results.map(({ name }) => name));
      const { next_cursor: next } = body as { next_cursor: string | null };
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect(paged).toEqual(atOnce);
    // A search that collects its names first also sorts them like this.
    const owned = await namesOf(`registrar_owner=${bob}&${last}`);
    expect(owned.findIndex(isUnknown)).toBe(owned.length - owned.filter(isUnknown).length);
  });

  test.each(["sort_by=expiry_timestamp", "page=2"])("do not come last with %s", async (other) => {
    const { status, body } = await api.get(`/search-domains?unknown_labels=last&${other}`);
    expect([status, (body as { error: { code: string } }).error.code]).toEqual([400, "INVALID_PARAMETER"]);
  });

  test("in the full name match by their other labels, and a copied name is found", async () => {
    expect(await namesOf("q=zz.&search_full_name=true")).toEqual([`zz.${bracketed("hidden")}.eth`]);
    const copied = encodeURIComponent(`${bracketed("hidden")}.eth`);
    expect(await namesOf(`q=${copied}&search_full_name=true`)).toEqual([
      `${bracketed("hidden")}.eth`,
      `zz.${bracketed("hidden")}.eth`,
    ]);
  });
});

describe("a page beyond what numbers can reach", () => {
  test.each([
    "/search-domains?page=4001",
    "/domain/eth/subdomains?page=4001",
    `/address/${alice}/domains?page=4001`,
    `/address/${alice}/previous-domains?page=4001`,
    `/lookup-labelhash/${labelhash("alice")}?page=4001`,
    "/domain/alice.eth/events?page=4001",
  ])("%s is empty if the list ends before", async (path) => {
    const { status, body } = await api.get(path);
    expect([status, body.page, body.next_cursor]).toEqual([200, 4_001, null]);
    expect(Object.values(body).filter(Array.isArray).flat()).toEqual([]);
  });
});

describe("a database that cannot find a page in its time", () => {
  test("refuses a late page, but does not blame the caller on the first", async () => {
    const options = "-c statement_timeout=200";
    const hasty = openPool({ connectionString: tables.databaseUrl, options });
    const locker = await tables.pool.connect();
    await locker.query("begin; lock table domains in access exclusive mode");
    try {
      const db = drizzle(hasty, { schema, casing: "snake_case" }) as unknown as Tables["db"];
      const late = openApi({ ...tables, db }, NOW);
      const refused = await late.get("/search-domains?page=2");
      expect([refused.status, refused.body.error]).toMatchObject([400, { code: "LIMIT_EXCEEDED" }]);
      expect((await late.get("/search-domains?page=1")).status).toBe(500);
    } finally {
      await locker.query("rollback");
      locker.release();
      await hasty.end();
    }
  });
});
