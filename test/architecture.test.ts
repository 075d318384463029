import { readFileSync } from "node:fs";
import { dirname, join, matchesGlob, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { projectFiles, root, textFiles } from "./support/projectFiles.ts";

/**
 * Who may import whom. The longest matching `files` counts. `may` lists packages and parts of the project;
 * `mayTypes` those of which only types may be taken. Everything may import its own part and Node's modules.
 */
type Layer = { files: string; may: string[]; mayTypes?: string[]; because: string };

const FEATURE_FILES = "src/api/features/*/feature.ts";

const api = (...rooms: string[]): string[] => rooms.map((room) => `src/api/${room}`);

const layers: Layer[] = [
  {
    files: "abis/",
    may: ["viem", "zod"],
    because: "contract facts stand alone: indexer, API, devnet and tests read the same ones",
  },
  {
    files: "settings/",
    may: ["zod", "viem", "abis/"],
    because: "every setting is read, checked and explained here; programs get the result as an argument",
  },
  {
    files: "ops/log/",
    may: [],
    because: "one form of the log for all programs; it knows none of them",
  },
  {
    files: "ponder.schema.ts",
    may: ["ponder"],
    because: "only the text of this one file is part of the index's identity; what it imports is not seen",
  },
  {
    files: "ponder.config.ts",
    may: ["ponder", "viem", "abis/", "patches/applied.js", "settings/"],
    because: "the configuration says where the contracts are; it knows nothing of handlers or answers",
  },
  {
    files: "engine/",
    may: [],
    because:
      "modules that patched files of Ponder import, and what we know of its insides; nothing of ENS, nothing of the API",
  },
  {
    files: "engine/sources/",
    may: ["engine/", "viem", "zod", "@duckdb/node-api"],
    because: "past logs from elsewhere than a node: what their forms need, loaded only where a source is set",
  },
  {
    files: "src/ens/",
    may: ["viem", "hash-wasm", "abis/layer2/managedNames.ts"],
    because:
      "pure rules of ENS: an indexing function needs them, and their text is part of the index's identity, as is what they read of layer 2s through the configuration",
  },
  {
    files: "src/indexing/",
    may: ["ponder:registry", "ponder:schema", "ponder", "viem", "src/ens/", "abis/"],
    because:
      "handlers are a function of the chain alone: an edit of anything else must not ask for a new index",
  },
  {
    files: "src/indexing/write/",
    may: ["ponder:schema", "ponder", "viem", "src/ens/", "abis/"],
    mayTypes: ["ponder:registry"],
    because: "these write rows for the handlers and must not register any",
  },
  {
    files: "src/api/server/errors/",
    may: ["hono", "settings/hideSecrets.ts", ...api("server/postgres/databaseErrors.ts")],
    because: "every error that a caller can get, and its code: any room may throw one",
  },
  {
    files: "src/api/server/postgres/",
    may: ["pg", "drizzle-orm", ...api("server/scheduling/repeated.ts")],
    mayTypes: ["ponder", "ponder:schema"],
    because: "how PostgreSQL is asked: connections, transactions, prepared statements, its errors; no table",
  },
  {
    files: "src/api/server/scheduling/",
    may: [],
    because: "who goes on when: turns of the event loop, bounded concurrency, work once a minute",
  },
  {
    files: "src/api/server/outgoing/",
    may: ["undici", "ipaddr.js", ...api("server/errors/foreignText.ts")],
    because: "one guard for every request whose URL a stranger chose; it knows nothing of what is asked",
  },
  {
    files: "src/api/names/schemas/",
    may: [
      "@hono/zod-openapi",
      "@adraffy/ens-normalize",
      "zod",
      "viem",
      "src/ens/",
      "abis/layer2/managedNames.ts",
      ...api("server/errors/", "names/rules/", "server/scheduling/"),
    ],
    mayTypes: api("names/query/keyset.ts", "names/query/page.ts"),
    because: "what goes in and out: input and answers; every other room may use these words",
  },
  {
    files: "src/api/names/rules/",
    may: ["ponder", "ponder:schema", "drizzle-orm", "viem", "src/ens/"],
    because:
      "each rule of ENS that the API needs has one definition, from which TypeScript and SQL both come",
  },
  {
    files: "src/api/names/query/",
    may: [
      "ponder",
      "ponder:schema",
      "drizzle-orm",
      "viem",
      "src/ens/",
      ...api("server/postgres/", "names/rules/"),
    ],
    mayTypes: ["ponder:api", "src/api/", "abis/"],
    because: "SQL and nothing else: no chain, no HTTP, no JSON",
  },
  {
    files: "src/api/names/counts/",
    may: [
      "ponder",
      "ponder:schema",
      "drizzle-orm",
      "viem",
      "src/ens/",
      ...["names/rules/", "names/query/", "server/postgres/", "server/indexState/position.ts"].map(
        (part) => `src/api/${part}`,
      ),
    ],
    mayTypes: ["pg", "src/api/"],
    because:
      "maintained counters: their tables and triggers, and the queries that read them, one with the state of the tables; no JSON",
  },
  {
    files: "src/api/names/serializers/",
    may: [
      "viem",
      "ical-generator",
      "src/ens/",
      ...api(
        "names/rules/",
        "names/schemas/",
        "names/query/page.ts",
        "names/query/list.ts",
        "names/comparison/check.ts",
      ),
    ],
    mayTypes: [
      "zod",
      "abis/",
      ...api("names/comparison/", "server/errors/", "names/resolution/", "names/query/", "names/live/"),
    ],
    because:
      "serializers turn state into JSON, or into a calendar; they read nothing, and know how long a page is",
  },
  {
    files: "src/api/names/live/",
    may: [
      "viem",
      "lru-cache",
      "abis/",
      "src/ens/",
      ...api(
        "server/errors/",
        "server/outgoing/",
        "names/schemas/",
        "server/scheduling/",
        "names/rules/premium.ts",
        "names/rules/pricing.ts",
      ),
    ],
    mayTypes: ["src/api/"],
    because:
      "these ask the chain at request time, through a client of their own; they know no index, and of the rules those by which a price oracle is known",
  },
  {
    files: "src/api/server/indexState/",
    may: [
      "ponder",
      "ponder:schema",
      "engine/",
      ...api("server/errors/", "server/postgres/", "names/query/", "names/live/jsonRpc.ts"),
      "src/api/server/scheduling/",
    ],
    mayTypes: ["src/api/server/serviceDb/"],
    because: "how far the index is, whether it may answer, and as of which block; it knows nothing of names",
  },
  {
    files: "src/api/names/resolution/",
    may: [
      "viem",
      "src/ens/",
      "settings/freshness.ts",
      ...api(
        "server/errors/",
        "names/rules/",
        "server/scheduling/",
        "names/schemas/",
        "names/query/",
        "names/counts/",
        "server/indexState/",
        "names/live/",
      ),
    ],
    mayTypes: ["abis/", ...api("server/http/context.ts", "server/postgres/db.ts", "server/serviceDb/")],
    because:
      "the one place that decides whether the index or the chain answers; it knows no HTTP and no JSON",
  },
  {
    files: "src/api/names/comparison/",
    may: ["viem", "abis/", "src/ens/", ...api("names/live/", "names/schemas/input.ts")],
    mayTypes: ["src/api/server/postgres/"],
    because:
      "one judge for the operator's program and for callers: rows of the index beside what contracts answer; no HTTP, no JSON",
  },
  {
    files: "src/api/server/serviceDb/",
    may: ["pg", ...api("server/postgres/", "server/scheduling/")],
    because: "the service's own tables (keys, credits, limits) survive every index and know nothing of ENS",
  },
  {
    files: "src/api/names/labels/",
    may: [
      "src/ens/name.ts",
      ...api("server/outgoing/", "server/postgres/databaseErrors.ts", "server/scheduling/"),
    ],
    mayTypes: api("server/serviceDb/"),
    because:
      "labels that others than the chain's logs gave, on their way from the service's table to the handlers of this process",
  },
  {
    files: "src/api/names/transactions/",
    may: [
      "engine/cachedTransactions.ts",
      ...api(
        "names/live/jsonRpc.ts",
        "names/live/rateLimiter.ts",
        "server/errors/foreignText.ts",
        "server/postgres/databaseErrors.ts",
        "server/scheduling/",
      ),
    ],
    mayTypes: api("server/postgres/client.ts"),
    because:
      "past transactions that the backfill left out, on their way from the node to the cache and the handlers of this process",
  },
  {
    files: "src/api/features/feed/",
    may: [
      "pg",
      "ponder",
      "drizzle-orm",
      "viem",
      "zod",
      "@hono/zod-openapi",
      "engine/",
      "src/ens/storable.ts",
      ...api("server/errors/", "server/http/endpoint.ts", "server/postgres/", "server/scheduling/"),
      ...api("names/rules/", "names/schemas/", "names/resolution/askedChains.ts", "names/serializers/"),
    ],
    mayTypes: ["abis/", ...api("server/observe/meters.ts")],
    because: "the feed of changes: its tables and triggers, the one writer, and how it is read",
  },
  {
    files: "src/api/features/feed/stream/",
    may: [
      "hono",
      "@hono/zod-openapi",
      ...api("server/errors/", "features/feed/", "server/scheduling/", "server/http/readInput.ts"),
    ],
    mayTypes: ["@hono/node-server", "abis/", ...api("server/access/access.ts", "server/postgres/db.ts")],
    because:
      "the feed of changes without end: one look at the table for all readers of a process; what a reader wants is said as for a page",
  },
  {
    files: "src/api/features/webhooks/",
    may: [
      "pg",
      "prom-client",
      "@hono/zod-openapi",
      ...api(
        "server/access/metered.ts",
        "server/errors/",
        "server/http/endpoint.ts",
        "features/feed/",
        "server/outgoing/",
        "server/postgres/",
        "server/serviceDb/",
      ),
      ...api("server/scheduling/", "names/schemas/"),
    ],
    mayTypes: ["abis/", ...api("server/access/", "server/http/context.ts", "server/observe/meters.ts")],
    because: "changes that are sent: who wants which, what waits, and the workers that share them",
  },
  {
    files: "src/api/upkeep/",
    may: [
      "pg",
      "engine/ponderInternals.ts",
      "src/ens/",
      "src/api/server/postgres/",
      "src/api/names/counts/",
      ...api(
        "names/query/scope.ts",
        "names/rules/conditionText.ts",
        "names/rules/eventParties.ts",
        "names/rules/nameOrders.ts",
      ),
      ...api("names/rules/nameRules.ts", "names/rules/roleChanges.ts", "server/scheduling/repeated.ts"),
    ],
    because:
      "indexes and counters beside Ponder's own tables are looked after now and then, chain by chain; it answers no request",
  },
  {
    files: "src/api/server/access/",
    may: [
      "hono",
      "viem",
      "ipaddr.js",
      "lru-cache",
      "rate-limiter-flexible",
      ...[
        "server/access/",
        "server/serviceDb/",
        "server/errors/",
        "server/postgres/",
        "server/scheduling/",
      ].map((part) => `src/api/${part}`),
    ],
    mayTypes: ["@hono/node-server", "settings/"],
    because: "access decides who is answered and who pays; it knows nothing of names or operations",
  },
  {
    files: "src/api/server/access/payment.ts",
    may: [
      "mppx",
      "viem",
      ...[
        "server/access/",
        "server/serviceDb/",
        "server/errors/",
        "server/postgres/",
        "server/scheduling/",
      ].map((part) => `src/api/${part}`),
    ],
    mayTypes: ["settings/"],
    because: "one module uses the payment library; the others know only its own types",
  },
  {
    files: "src/api/server/http/",
    may: [
      "hono",
      "@hono/zod-openapi",
      "lru-cache",
      "src/ens/name.ts",
      ...api(
        "server/errors/",
        "server/postgres/databaseErrors.ts",
        "server/indexState/retryOnLock.ts",
        "server/scheduling/",
      ),
      ...api("names/schemas/input.ts", "names/schemas/paging.ts"),
    ],
    mayTypes: [
      "@hono/node-server",
      "zod",
      "abis/",
      ...api(
        "server/access/",
        "names/comparison/",
        "server/indexState/",
        "names/live/",
        "server/postgres/db.ts",
        "names/query/page.ts",
        "server/serviceDb/",
      ),
    ],
    because:
      "declarations of operations and the pipeline around them; what the steps do, it gets as arguments",
  },
  {
    files: "src/api/features/mcp/",
    may: [
      "@modelcontextprotocol/server",
      "hono",
      "zod",
      ...api("server/http/", "server/errors/", "server/access/address.ts", "names/rules/"),
    ],
    mayTypes: ["src/api/server/access/"],
    because: "tools are made from the declarations of operations: they ask neither database nor chain",
  },
  {
    files: "src/api/features/subgraph/",
    may: [
      "graphql",
      "hono",
      "@hono/zod-openapi",
      "ponder",
      "ponder:schema",
      "drizzle-orm",
      "src/ens/",
      ...api(
        "server/errors/",
        "server/http/",
        "server/indexState/indexPool.ts",
        "server/postgres/databaseErrors.ts",
        "server/postgres/drizzleInternals.ts",
        "server/scheduling/places.ts",
        "server/scheduling/turns.ts",
      ),
      ...api("names/query/", "names/counts/", "names/rules/"),
      ...api(
        "features/explorer/assets.ts",
        "features/pages/files.ts",
        "features/pages/frame.tsx",
        "features/pages/html.ts",
      ),
    ],
    mayTypes: [
      "viem",
      "abis/",
      ...api("server/access/access.ts", "server/http/routes.ts", "server/postgres/db.ts"),
    ],
    because:
      "another face of the same tables: types, fields and their sources are one table; who may ask, and as of which block, the pipeline decides",
  },
  {
    files: "src/api/features/avatars/",
    may: [
      "hono",
      "viem",
      "lru-cache",
      "@hono/zod-openapi",
      ...api(
        "server/errors/",
        "features/explorer/parts/identicon.tsx",
        "server/http/readInput.ts",
        "server/http/endpoint.ts",
        "names/resolution/chain.ts",
        "names/resolution/resolveRecords.ts",
        "names/schemas/input.ts",
        "names/serializers/toRecords.ts",
        "names/live/liveAbi.ts",
        "names/live/failure.ts",
      ),
      ...api("server/outgoing/", "server/scheduling/"),
      "src/ens/coinType.ts",
      "src/ens/utf8.ts",
    ],
    mayTypes: api(
      "server/access/access.ts",
      "server/http/",
      "names/live/multicall.ts",
      "names/schemas/recordChoice.ts",
    ),
    because:
      "pictures of names: whatever a record, a contract or a host says, what leaves is a picture of pixels",
  },
  {
    files: "src/api/server/observe/",
    may: [
      "hono",
      "pino",
      "prom-client",
      "ponder",
      "ops/log/entry.ts",
      ...api(
        "server/errors/",
        "names/comparison/check.ts",
        "server/indexState/progress.ts",
        "upkeep/indexes.ts",
      ),
    ],
    mayTypes: api(
      "server/access/",
      "names/comparison/",
      "server/indexState/freshness.ts",
      "names/live/",
      "server/postgres/db.ts",
      "server/serviceDb/",
    ),
    because: "metrics and logs stand around what is done, and change nothing of it",
  },
  {
    files: "src/api/features/pages/",
    may: [
      "hono",
      ...api(
        "server/errors/errors.ts",
        "server/http/openapi.ts",
        "server/http/asset.ts",
        "server/http/endpoint.ts",
      ),
      ...api("features/explorer/assets.ts", "features/explorer/layout.tsx", "features/explorer/parts/"),
    ],
    mayTypes: api("server/http/", "server/indexState/freshness.ts"),
    because:
      "pages are made from the declarations of operations and a report of the index, in the frame of the explorer",
  },
  {
    files: "src/api/features/explorer/",
    may: [
      "hono",
      "@adraffy/ens-normalize",
      "@ensdomains/address-encoder",
      "abis/layer2/list.ts",
      "src/ens/name.ts",
      "src/ens/managedNames.ts",
      ...api(
        "server/errors/",
        "server/http/",
        "names/schemas/",
        "names/rules/lifeEnds.ts",
        "names/rules/offers.ts",
        "names/rules/premium.ts",
      ),
      ...api(
        "names/rules/life.ts",
        "names/rules/seconds.ts",
        "names/rules/stages.ts",
        "names/serializers/calendar.ts",
      ),
    ],
    mayTypes: ["zod", ...api("server/access/access.ts", "names/endpoints/")],
    because:
      "pages ask operations as programs do, and show the answers: they know neither database nor chain",
  },
  {
    files: "src/api/names/statistics/",
    may: [
      "@hono/zod-openapi",
      "lru-cache",
      ...api(
        "server/http/endpoint.ts",
        "names/schemas/",
        "names/rules/",
        "names/query/",
        "names/resolution/askedChains.ts",
        "names/serializers/",
      ),
      ...api("names/counts/searchTotals.ts"),
    ],
    mayTypes: ["viem", "zod", ...api("server/http/context.ts", "server/postgres/db.ts")],
    because:
      "what operations on the whole index have in common: how they are declared, how often taken, and their periods; no path",
  },
  {
    files: "src/api/names/endpoints/",
    may: [
      "@hono/zod-openapi",
      "viem",
      ...api(
        "server/http/endpoint.ts",
        "server/http/pageTimeout.ts",
        "server/http/writeReply.ts",
        "names/statistics/",
        "server/errors/",
        "server/scheduling/",
        "names/schemas/",
        "names/rules/",
      ),
      ...api("names/query/", "names/counts/", "names/resolution/", "names/serializers/"),
      ...api(
        "names/comparison/",
        "server/indexState/progress.ts",
        "server/postgres/queriesThrough.ts",
        "server/access/signup.ts",
      ),
    ],
    mayTypes: [
      "abis/",
      ...api("server/http/context.ts", "server/indexState/freshness.ts", "server/postgres/db.ts"),
    ],
    because: "an endpoint parses, calls queries and serializes; database and chain reach it as arguments",
  },
  {
    files: "src/api/server/hotReload.ts",
    may: [],
    because: "it outlives the edits of `ponder dev`, and knows nothing of what it stops and starts",
  },
  {
    files: "src/api/core/",
    may: ["hono", "ops/log/console.ts", "abis/", "engine/", ...api("names/", "server/", "upkeep/")],
    mayTypes: ["settings/"],
    because: "makes every part of the core once, and serves it with features that it does not know",
  },
  {
    files: FEATURE_FILES,
    may: api("core/", "names/", "server/", "features/feed/metrics.ts"),
    because: "puts a feature together from the core's parts",
  },
  {
    files: "src/api/features.ts",
    may: ["src/api/features/"],
    mayTypes: ["src/api/core/feature.ts"],
    because: "one line for each feature",
  },
  {
    files: "src/api/index.ts",
    may: ["ponder:api", "settings/", "src/api/core/", "src/api/features.ts"],
    because: "hands Ponder's database and the environment to the core",
  },
  {
    files: "ops/",
    may: [
      "patches/applied.js",
      "pg",
      "pg-copy-streams",
      "@duckdb/node-api",
      "hash-wasm",
      "viem",
      "zod",
      "abis/",
      "settings/",
      "engine/",
      "src/api/",
      "src/ens/",
    ],
    because:
      "programs of operators: they start, watch, look after the database and compare it with the chain; they answer no request",
  },
  {
    files: "ops/gateway/",
    may: [
      "undici",
      "prom-client",
      "zod",
      "settings/",
      "ops/log/",
      "ops/commandLine/",
      ...api("server/errors/", "server/access/address.ts"),
      ...api(
        "server/http/oneByOne.ts",
        "server/http/operatorServer.ts",
        "server/http/slowClients.ts",
        "server/http/slowReaders.ts",
      ),
      ...api("server/http/unreadable.ts"),
    ],
    because:
      "another program with another life cycle: it forwards, and knows no ENS; callers are told apart, and slow readers ended, as the API does",
  },
  {
    files: "client/",
    may: [],
    mayTypes: ["viem"],
    because: "a package of its own: it runs in browsers, without this program and without dependencies",
  },
  {
    files: "client/examples/",
    may: ["@tanstack/react-query", "namedex-client"],
    because: "examples are copied into applications, and import what those have",
  },
  {
    files: "bench/",
    may: ["pg", "viem", "zod", "hono", "autocannon", "vitest", "abis/", "src/", "test/"].concat([
      "devnet/",
      "engine/",
      "ops/",
      "settings/",
      "ponder",
      "ponder:api",
      "ponder:registry",
      "ponder:schema",
      "ponder.config.ts",
      "ponder.schema.ts",
    ]),
    because: "benchmarks measure the program and use what its tests stand on; nothing imports them",
  },
  {
    files: "devnet/",
    may: [
      "viem",
      "pg",
      "zod",
      "solc",
      "abis/",
      "settings/",
      "patches/applied.js",
      "ops/checks/",
      "ops/log/read.ts",
      "ops/release/keepViews.ts",
    ],
    because:
      "the local chain must not share code with what it is there to judge; its programs make the views as `npm start` does",
  },
];

const entryFiles = [
  "ponder.config.ts",
  "src/api/index.ts",
  ...[
    "start",
    "serve",
    "keys",
    "roles",
    "backup",
    "restore",
    "release",
    "snapshot",
    "export",
    "logs",
    "verify",
    "labels",
    "webhooks",
    "gateway",
  ].map((name) => `ops/${name}.ts`),
];

const sources = projectFiles.filter((file) => /\.tsx?$/.test(file));

type Import = { from: string; target: string; isType: boolean };

/** Every import, export-from and dynamic import of a file, with the project's paths written from the root. */
function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const statements = text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"/gm);
  const calls = text.matchAll(/\bimport\("([^"]+)"\)/g);
  const found = [...statements].map((match) => ({ word: match[2], isType: match[1] !== undefined }));
  return [...found, ...[...calls].map((match) => ({ word: match[1], isType: false }))].map(
    ({ word = "", isType }) => ({
      from: file,
      target: word.startsWith(".") ? normalize(join(dirname(file), word)) : word,
      isType,
    }),
  );
}

const layerOf = (file: string): Layer | undefined =>
  layers.find(({ files }) => files === FEATURE_FILES && matchesGlob(file, files)) ??
  layers
    .filter(({ files }) => file === files || (files.endsWith("/") && file.startsWith(files)))
    .sort((a, b) => b.files.length - a.files.length)[0];

const covers = (entry: string, target: string): boolean =>
  target === entry || target.startsWith(entry.endsWith("/") ? entry : `${entry}/`);

function isAllowed({ from, target, isType }: Import, layer: Layer): boolean {
  if (target.startsWith("node:") || covers(layer.files, target)) return true;
  if (layer.files === FEATURE_FILES && covers(`${dirname(from)}/`, target)) return true;
  return [...layer.may, ...(isType ? (layer.mayTypes ?? []) : [])].some((entry) => covers(entry, target));
}

/** Files whose text holds the pattern, outside comments that start a line. */
function filesWith(pattern: RegExp, files: string[]): string[] {
  return files.filter((file) => {
    const lines = readFileSync(join(root, file), "utf8").split("\n");
    return lines.some((line) => !/^\s*(\/\/|\*|\/\*)/.test(line) && pattern.test(line));
  });
}

describe("the import table", () => {
  for (const layer of layers) {
    test(`${layer.files}: ${layer.because}`, () => {
      const wrong = sources
        .filter((file) => layerOf(file) === layer)
        .flatMap(importsOf)
        .filter((one) => !isAllowed(one, layer))
        .map(({ from, target, isType }) => `${from} imports ${target}${isType ? " (type)" : ""}`);
      expect(wrong, `${layer.files} may import ${layer.may.join(", ")}, because ${layer.because}`).toEqual(
        [],
      );
    });
  }

  test("sees imports at all, and tells a forbidden one", () => {
    const found = importsOf("test/architecture.test.ts").map(({ target }) => target);
    expect(found).toContain("node:fs");
    const ens = layerOf("src/ens/name.ts") as Layer;
    expect(
      isAllowed({ from: "src/ens/name.ts", target: "src/api/server/errors/errors.ts", isType: false }, ens),
    ).toBe(false);
    expect(isAllowed({ from: "src/ens/name.ts", target: "viem/ens", isType: false }, ens)).toBe(true);
  });

  test("names no folder or file that is gone", () => {
    const named = layers.flatMap(({ files, may, mayTypes = [] }) => [files, ...may, ...mayTypes]);
    // Packages have no slash, or begin with @.
    const places = new Set(named.filter((entry) => /^[^@*]+\/[^*]*$/.test(entry)));
    const gone = [...places].filter((place) => !projectFiles.some((file) => covers(place, file)));
    expect(gone, "Remove these from `layers`").toEqual([]);
  });

  test("every TypeScript file of the program belongs to a layer", () => {
    const strays = sources.filter((file) => !file.startsWith("test/") && layerOf(file) === undefined);
    expect(strays.filter((file) => !["ponder-env.d.ts", "vitest.config.ts"].includes(file))).toEqual([]);
  });
});

test("the core knows no feature, not even its types", () => {
  const core = sources.filter((file) => /^src\/api\/(core|names|server|upkeep)\//.test(file));
  expect(core.length).toBeGreaterThan(200);
  const wrong = core.flatMap(importsOf).filter(({ target }) => target.startsWith("src/api/features"));
  expect(wrong).toEqual([]);
});

describe("what has one place only", () => {
  const program = sources.filter((file) => !/^(bench|devnet|test)\//.test(file));

  test("the environment is read in entry files: everything else gets its settings as arguments", () => {
    expect(filesWith(/process\.env\b/, program).filter((file) => !entryFiles.includes(file))).toEqual([]);
  });

  test("entry files hand the environment on whole: only settings/ picks variables from it", () => {
    expect(filesWith(/process\.env(\??\.|\[)|=\s*process\.env\b/, program)).toEqual([]);
  });

  test("Ponder's tables are known in engine/ and in the fixture that stands in for an indexer", () => {
    const outside = sources.filter(
      (file) => !/^(engine|test\/engine)\//.test(file) && file !== "test/support/ponderState.ts",
    );
    const words = /_ponder_(?!sync)|heartbeat_at/;
    const knowing = filesWith(words, outside).filter((file) => file !== "test/architecture.test.ts");
    expect(knowing).toEqual([]);
  });

  test("`ponder:api` is imported by src/api/index.ts: all others get the database as an argument", () => {
    const importers = program
      .flatMap(importsOf)
      .filter(({ target, isType }) => target === "ponder:api" && !isType);
    expect(importers.map(({ from }) => from).filter((from) => from !== "src/api/index.ts")).toEqual([]);
  });

  test("requests to URLs of strangers leave the API through src/api/server/outgoing/", () => {
    const rest = program.filter((file) => /^src\/api\/(?!server\/outgoing\/).*\.tsx?$/.test(file));
    const asking = /(?<![.\w])fetch\(|from "undici"/;
    expect(filesWith(asking, rest)).toEqual([]);
  });

  test("forms are read by src/api/features/explorer/keyForm.ts: the parsers of Hono and Node have no bounds", () => {
    expect(filesWith(/\.parseBody\(|\.formData\(|body\.blob\(/, program)).toEqual([]);
  });

  test("counts are read by the readers of src/api/names/counts: no caller chooses between counters and rows", () => {
    const outside = program.filter((file) => !/^src\/api\/names\/(counts|query)\//.test(file));
    const sources =
      /\b(fromCounters|fromRows|readTotals|readAdoption|listShares|listPhaseCounts|listHolders|listExpiries|countPending|countSearch)\b/;
    expect(filesWith(sources, outside)).toEqual([]);
  });

  test("handlers are registered in src/indexing and nowhere else", () => {
    const outside = program.filter(
      (file) => !file.startsWith("src/indexing/") || file.startsWith("src/indexing/write/"),
    );
    expect(filesWith(/\bponder\.on\(/, outside)).toEqual([]);
    const registering = program
      .flatMap(importsOf)
      .filter(({ target, isType }) => target === "ponder:registry" && !isType)
      .filter(({ from }) =>
        /\bponder\b.*from "ponder:registry"/.test(readFileSync(join(root, from), "utf8")),
      );
    // All go through `on`, which goes on with what earlier blocks left.
    expect(registering.map(({ from }) => from)).toEqual(["src/indexing/on.ts"]);
  });

  test("rows are written in src/indexing/write: handlers read by key and say what happened", () => {
    const outside = program.filter((file) => !file.startsWith("src/indexing/write/"));
    expect(filesWith(/\bcontext\.db\.(insert|update|delete|sql)\b/, outside)).toEqual([]);
  });
});

test("no file names a folder of a developer's machine", () => {
  // A checkout in a folder like /app says nothing: images are built there.
  const here = root.split("/").length > 2 ? root : null;
  const naming = textFiles.filter((file) => {
    const text = readFileSync(join(root, file), "utf8");
    return (here !== null && text.includes(here)) || /(?<![\w.])\/(home|Users)\/\w/.test(text);
  });
  expect(naming).toEqual([]);
});
