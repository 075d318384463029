import { domain } from "ponder:schema";
import { drizzle } from "drizzle-orm/node-postgres";
import { getAddress, labelhash, namehash } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPool } from "../support/database.ts";
import schema from "../support/ponderSchema.ts";
import { failure, openApi } from "./api.ts";
import {
  bob,
  DEFAULT_ADDRESS_RESOLVER,
  domainRow,
  inDays,
  NOW,
  ownedBy,
  registeredRow,
  subnameRow,
  WRAPPER,
} from "./rows.ts";
import { createTables, type Tables } from "./tables.ts";
import { known, namesOf, states, useWorld } from "./world.ts";

/* Filters, orders and pages: see lists.test.ts. */

const { tables, api } = useWorld();
const search = (query: string) => api.names(`/search-domains?page_size=200&${query}`);
const wrapped = known.filter(({ row }) => row.isWrapped && !/^(lapsed|ended)/.test(row.fullName));

describe("GET /search-domains", () => {
  test("without filters lists every name but the root and reverse nodes, by full name", async () => {
    expect(await search("")).toEqual(namesOf(known));
  });

  test("`q` searches the label case-insensitively", async () => {
    expect(await search("q=alice")).toEqual(["ALICE2.eth", "alice.eth", "malice.eth"]);
    expect(await search("q=ALICE2")).toEqual(["ALICE2.eth"]);
  });

  test("`search_full_name` searches the whole name", async () => {
    const names = ["100%_\\.alice.eth", "alice.eth", "deleted.alice.eth", "malice.eth", "sub.alice.eth"];
    expect(await search("q=alice.eth&search_full_name=true")).toEqual(names);
    expect(await search("q=alice.eth&search_full_name=false")).toEqual([]);
  });

  test.each(["%25", "_", "%5C", "0%25_%5C"])("LIKE's wildcards are literal: %s", async (q) => {
    expect(await search(`q=${q}`)).toEqual(["100%_\\.alice.eth"]);
    expect(await api.names(`/domain/alice.eth/subdomains?q=${q}`)).toEqual(["100%_\\.alice.eth"]);
  });

  test.each(states.filter((state) => state !== "unknown"))("`availability_status=%s`", async (state) => {
    const expected = namesOf(known.filter((one) => one.state === state));
    expect((await search(`availability_status=${state}`)).toSorted()).toEqual(expected);
  });

  test("wrapped names are those that still have an owner in the wrapper", async () => {
    expect(await search("is_wrapped=true")).toEqual(namesOf(wrapped));
    expect(await search("is_wrapped=false&q=lapsed")).toEqual(["lapsed.eth"]);
  });

  test("owners are found by address case-insensitively", async () => {
    for (const owner of [getAddress(bob), `0x${bob.slice(2).toUpperCase()}`])
      expect(await search(`registrar_owner=${owner}`)).toEqual(["ALICE2.eth", "malice.eth"]);
  });

  test("figures cover all results, on every page", async () => {
    const { stats, total } = await api.ask("/search-domains?page=99");
    expect(total).toBe(known.length);
    const share = Math.round((wrapped.length / known.length) * 10_000) / 100;
    expect(stats).toEqual({
      expired: 5,
      expiring_30d: 4,
      expiring_90d: 5,
      wrapped: wrapped.length,
      wrapped_pct: share,
    });
    const nothing = await api.ask("/search-domains?q=nothing-at-all");
    expect(nothing.stats).toMatchObject({ wrapped_pct: 0 });
  });

  test("values that no other test refuses", async () => {
    for (const query of ["availability_status=grace,unknown", "page=0", "search_full_name=1"])
      expect(await api.get(`/search-domains?${query}`)).toMatchObject(failure("INVALID_PARAMETER"));
  });
});

describe.each([undefined, "C"] as const)("on a database with locale %s", (locale) => {
  let foreign: Tables;
  beforeAll(async () => {
    foreign = await createTables(locale ? { locale } : {});
    const labels = ["écolé", "École", "ÉTÉ", "σοφία", "φωσφόρος", "straße", "plain"];
    await foreign.writer.insert(domain).values(labels.map((label) => domainRow(`${label}.eth`)));
  });
  afterAll(() => foreign.drop());

  const found = async (q: string, more = "") => {
    const { results, total } = await openApi(foreign, NOW).ask<{
      results: { name: string }[];
      total: number;
    }>(`/search-domains?q=${encodeURIComponent(q)}${more}`);
    expect(total).toBe(results.length);
    return namesOf(results);
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
    await tables.writer
      .insert(domain)
      .values([
        registeredRow("boxed.eth", bob, inDays(50), { resolver: DEFAULT_ADDRESS_RESOLVER }),
        { ...subnameRow("ended.boxed.eth", bob, inDays(-1)), resolver: DEFAULT_ADDRESS_RESOLVER },
      ]);
    expect(await api.ask("/domain/boxed.eth/subdomains")).toEqual({
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

  test.each(["bare.eth", "unregistered.eth"])("%s has none", async (name) => {
    expect(await api.ask(`/domain/${name}/subdomains`)).toMatchObject({ results: [], total: 0 });
  });

  test("only the operation's columns can be sorted by", async () => {
    const path = "/domain/eth/subdomains?sort_by=label";
    expect(await api.get(path)).toMatchObject(failure("INVALID_PARAMETER"));
  });
});

describe("POST /whois/bulk", () => {
  test("answers each item in its place: known, unknown and invalid ones", async () => {
    const { status, body } = await api.post("/whois/bulk", {
      names: ["Alice.eth", "unregistered.eth", "a..b", "alice.eth", "soon.eth"],
      namehashes: [namehash("grace.eth"), namehash("unregistered.eth"), "0x12"],
    });
    expect(status).toBe(200);
    const whois = (name: string) => api.ask(`/whois/${name}`);
    const unknown = { availability_status: "unknown" };
    expect(body.results).toEqual([
      await whois("Alice.eth"),
      {
        query: "unregistered.eth",
        availability_status: "available",
        resolution: "not_registered",
        source: "indexed",
      },
      { query: "a..b", ...unknown, ...failure("INVALID_NAME").body },
      await whois("alice.eth"),
      await whois("soon.eth"),
      { ...(await whois("grace.eth")), query: namehash("grace.eth") },
      { query: namehash("unregistered.eth"), ...unknown, source: "indexed" },
      { query: "0x12", ...unknown, ...failure("INVALID_HASH").body },
    ]);
    const counted = { registered: 3, grace: 1, premium: 0, available: 1, unknown: 3, expiring_30d: 1 };
    expect(body.summary).toEqual({ total: 8, ...counted });
  });

  test.each([
    [{ names: [], namehashes: [] }, "MISSING_PARAMETER"],
    [{ names: Array(501).fill("a.eth") }, "LIMIT_EXCEEDED"],
    [{ names: Array(500).fill(Array(11).fill("a").join(".")) }, "LIMIT_EXCEEDED"],
    [{ names: Array(300).fill("a.eth"), namehashes: Array(201).fill("0x") }, "LIMIT_EXCEEDED"],
  ] as const)("%.60j is %s", async (request, code) => {
    expect(await api.post("/whois/bulk", request)).toMatchObject(failure(code));
  });

  test("takes 500 items", async () => {
    const { body } = await api.post("/whois/bulk", { names: Array(500).fill("alice.eth") });
    expect(body.summary).toMatchObject({ total: 500, registered: 500 });
  });
});

describe("look-ups by hash", () => {
  test("a namehash returns the name", async () => {
    const { query, ...record } = await api.ask("/whois/alice.eth");
    expect([query, record.resolution]).toEqual(["alice.eth", "resolves"]);
    const node = namehash("alice.eth");
    expect(await api.ask(`/lookup-namehash/${node}`)).toEqual(record);
    const upper = `0x${node.slice(2).toUpperCase()}`;
    expect(await api.ask(`/lookup-hash/${upper}`)).toEqual({ type: "namehash", ...record });
  });

  test("a labelhash returns every name with it", async () => {
    await tables.writer.insert(domain).values([domainRow("alice.com")]);
    const names = ["alice.com", "alice.eth"];
    const hash = labelhash("alice");
    const body = await api.ask(`/lookup-hash/${hash}`);
    expect(body).toMatchObject({ type: "labelhash", total: 2, domains: names.map((name) => ({ name })) });
    const paged = await api.names(`/lookup-labelhash/${hash}?sort_dir=desc`, "domains");
    expect(paged).toEqual(names.toReversed());
  });

  test("a labelhash of more names than a page has returns the first 25 and their number", async () => {
    const rows = Array.from({ length: 30 }, (_, i) => domainRow(`twins.p${i}`));
    await tables.writer.insert(domain).values(rows);
    const body = await api.ask(`/lookup-hash/${labelhash("twins")}`);
    expect(body).toMatchObject({ total: 30, domains: { length: 25 } });
  });

  test("a hash without a match is not indexed", async () => {
    const hash = labelhash("no such thing");
    expect(await api.ask(`/lookup-hash/${hash}`)).toEqual({ hash, indexed: false });
    expect(await api.ask(`/lookup-namehash/${hash}`)).toEqual({ hash, indexed: false });
    const nothing = { domains: [], total: 0, page: 1, page_size: 25, next_cursor: null };
    expect(await api.ask(`/lookup-labelhash/${hash}`)).toEqual(nothing);
  });

  test("the root is known by its hash", async () => {
    const root = { name: "", parent_node: null, token_id: null, availability_status: "unknown" };
    expect(await api.ask(`/lookup-namehash/${namehash("")}`)).toMatchObject(root);
  });
});

describe("unknown labels", () => {
  const bracketed = (label: string) => `[${labelhash(label).slice(2)}]`;
  const digits = labelhash("hidden").slice(2);

  beforeAll(async () => {
    const hidden = { label: bracketed("hidden"), isLabelKnown: false, isNameKnown: false, labelLength: null };
    await tables.writer.insert(domain).values([
      registeredRow("hidden.eth", bob, inDays(500), { ...hidden, fullName: `${bracketed("hidden")}.eth` }),
      domainRow("zz.hidden.eth", {
        ...ownedBy(bob),
        isNameKnown: false,
        fullName: `zz.${bracketed("hidden")}.eth`,
      }),
    ]);
  });

  test.each(["[", "]", digits.slice(0, 2), digits.slice(10, 14), digits.slice(0, 63)])(
    "are not found by the text %s",
    async (part) => {
      for (const query of ["", "&search_full_name=true"]) {
        const found = await search(`q=${encodeURIComponent(part)}${query}`);
        expect(found.filter((name) => name.endsWith("].eth"))).toEqual([]);
      }
    },
  );

  test("are found by the 64 digits of the hash", async () => {
    for (const q of [digits, `0x${digits}`, digits.toUpperCase(), `[${digits}]`]) {
      expect(await search(`q=${encodeURIComponent(q)}`)).toEqual([`${bracketed("hidden")}.eth`]);
    }
    expect(await search(`q=${labelhash("malice").slice(2)}`)).toEqual(["malice.eth"]);
  });

  test.each(["asc", "desc"])("come last if requested, %s, page after page", async (dir) => {
    const inOrder = await search(`sort_dir=${dir}`);
    const isUnknown = (name: string) => name.startsWith("[") && name.endsWith("].eth");
    const unknown = inOrder.filter(isUnknown);
    expect(unknown.length).toBeGreaterThan(0);
    const wanted = [...inOrder.filter((name) => !isUnknown(name)), ...unknown];
    const last = `unknown_labels=last&sort_dir=${dir}`;
    const atOnce = await search(last);
    expect(atOnce.filter((name) => !isUnknown(name))).toEqual(wanted.filter((name) => !isUnknown(name)));
    expect(atOnce.slice(-unknown.length).toSorted()).toEqual(unknown.toSorted());
    const paged = await api.walk<{ name: string }>(`/search-domains?${last}`, 1);
    expect(paged.map(({ name }) => name)).toEqual(atOnce);
    // A search that collects its names first also sorts them like this.
    const owned = await search(`registrar_owner=${bob}&${last}`);
    expect(owned.findIndex(isUnknown)).toBe(owned.length - owned.filter(isUnknown).length);
  });

  test.each(["sort_by=expiry_timestamp", "page=2"])("do not come last with %s", async (other) => {
    const path = `/search-domains?unknown_labels=last&${other}`;
    expect(await api.get(path)).toMatchObject(failure("INVALID_PARAMETER"));
  });

  test("in the full name match by their other labels, and a copied name is found", async () => {
    expect(await search("q=zz.&search_full_name=true")).toEqual([`zz.${bracketed("hidden")}.eth`]);
    const copied = encodeURIComponent(`${bracketed("hidden")}.eth`);
    expect(await search(`q=${copied}&search_full_name=true`)).toEqual([
      `${bracketed("hidden")}.eth`,
      `zz.${bracketed("hidden")}.eth`,
    ]);
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
      expect(await late.get("/search-domains?page=2")).toMatchObject(failure("LIMIT_EXCEEDED"));
      expect((await late.get("/search-domains?page=1")).status).toBe(500);
    } finally {
      await locker.query("rollback");
      locker.release();
      await hasty.end();
    }
  });
});
