import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readDatabaseSettings, readSettings, SettingsError } from "../../settings/settings.ts";

const base = { DATABASE_URL: "postgresql://namedex:secret@localhost:5432/namedex" };
const mainnet = { ...base, ENS_NETWORK: "mainnet", RPC_URL_1: "https://rpc.example.org" };

const payments = {
  ...mainnet,
  ACCESS: "metered",
  MPP_RECIPIENT: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  MPP_SECRET_KEY: "0123456789abcdef0123456789abcdef",
  MPP_REALM: "api.example.org",
  MPP_CURRENCY: "0x20c0000000000000000000000000000000000000",
  MPP_PRICE_PER_CREDIT: "0.001",
  MPP_CHAIN_ID: "4217",
  MPP_RPC_URL: "https://rpc.example.org",
};
const deployment = {
  name: "private",
  chainId: 1337,
  contracts: [
    { role: "registry", generation: 2, address: `0x${"11".repeat(20)}`, startBlock: 1 },
    { role: "registrar", generation: 2, address: `0x${"22".repeat(20)}`, startBlock: 2 },
  ],
};

const folder = mkdtempSync(join(tmpdir(), "namedex-settings-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file and returns its path. */
function fileWith(content: unknown): string {
  const path = join(mkdtempSync(join(folder, "file-")), "deployment.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const custom = (content: unknown) => ({
  ...base,
  ENS_NETWORK: "custom",
  ENS_DEPLOYMENT: fileWith(content),
  RPC_URL_1337: "http://localhost:8545",
});

describe("settings", () => {
  test.each([
    [undefined, null],
    ["off", null],
    ["3600", 3_600],
    ["90m", 5_400],
    ["24h", 86_400],
  ])("VERIFY_EVERY %s is %s seconds", (text, seconds) => {
    expect(readSettings({ ...mainnet, VERIFY_EVERY: text }).verifyEverySeconds).toBe(seconds);
  });

  test.each(["59", "15d", "400h", "1.5h", "-1"])("VERIFY_EVERY %s is rejected", (text) => {
    expect(() => readSettings({ ...mainnet, VERIFY_EVERY: text })).toThrow(
      /^VERIFY_EVERY is .*: expected off, or a duration from 60 to 1209600 seconds, such as 3600, 90m or 24h, for example VERIFY_EVERY=24h$/,
    );
  });

  test("three variables are enough for Ethereum mainnet", () => {
    const settings = readSettings(mainnet);
    expect(settings.deployment.chainId).toBe(1);
    expect(settings.rpcUrls).toEqual({ 1: ["https://rpc.example.org"] });
    expect(settings.archiveReads).toBe(false);
    expect(settings.port).toBe(42069);
  });

  test("the service's own tables are next to the index, unless servers are named", () => {
    const of = (text?: string) => readDatabaseSettings({ ...base, SERVICE_DATABASE_URL: text });
    expect(of().serviceDatabaseUrls).toEqual([base.DATABASE_URL]);
    expect(of("").serviceDatabaseUrls).toEqual([base.DATABASE_URL]);
    expect(of("postgres://a/x, postgresql://me:se%2Cret@b:5433/x").serviceDatabaseUrls).toEqual([
      "postgres://a/x",
      "postgresql://me:se%2Cret@b:5433/x",
    ]);
    expect(() => of("postgres://a/x,https://me:secret@b/x")).toThrow(
      /^SERVICE_DATABASE_URL contains "https:\/\/b": expected comma-separated PostgreSQL URLs .*, for example SERVICE_DATABASE_URL=postgresql:/,
    );
  });

  test("live answers use the indexer's RPC URLs of the main chain, unless others are named or they are off", () => {
    expect(readSettings(mainnet)).toMatchObject({
      liveRpcUrls: ["https://rpc.example.org"],
      liveRequestsPerSecond: 60,
    });
    expect(readSettings({ ...mainnet, LIVE_RPC_URL: "" }).liveRpcUrls).toEqual(["https://rpc.example.org"]);
    const others = "https://a.example.org, https://b.example.org";
    expect(readSettings({ ...mainnet, LIVE_RPC_URL: others, LIVE_REQUESTS_PER_SECOND: "5" })).toMatchObject({
      liveRpcUrls: ["https://a.example.org", "https://b.example.org"],
      liveRequestsPerSecond: 5,
    });
    expect(readSettings({ ...mainnet, LIVE_RPC_URL: "off" }).liveRpcUrls).toEqual([]);
  });

  test("a layer 2 chain is indexed if its RPC URL is set", () => {
    expect(readSettings(mainnet).deployment.layer2).toEqual([]);
    const settings = readSettings({
      ...mainnet,
      RPC_URL_8453: "https://base.example.org,https://b.example.org",
    });
    expect(settings.deployment.layer2.map((chain) => chain.name)).toEqual(["base"]);
    expect(settings.rpcUrls[8453]).toEqual(["https://base.example.org", "https://b.example.org"]);
  });

  test("each indexed chain has its own source of past logs", () => {
    expect(readSettings(mainnet).logSources).toEqual({});
    const portal = "https://portal.sqd.dev/datasets/ethereum-mainnet";
    const more = { LOG_SOURCE: portal, LOG_SOURCE_8453: "/srv/base" };
    expect(readSettings({ ...mainnet, ...more }).logSources).toEqual({
      1: { variable: "LOG_SOURCE", location: portal },
    });
    const base = { RPC_URL_8453: "https://base.example.org", LOG_SOURCE_1: "./archive" };
    expect(readSettings({ ...mainnet, ...more, ...base }).logSources).toEqual({
      1: { variable: "LOG_SOURCE_1", location: "./archive" },
      8453: { variable: "LOG_SOURCE_8453", location: "/srv/base" },
    });
  });

  test("a URL given twice counts once, and those of other networks' chains are not used", () => {
    const twice = "https://a.example.org,https://a.example.org";
    const env = { ...mainnet, RPC_URL_1: twice, RPC_URL_11155111: "https://sepolia.example.org" };
    expect(readSettings(env).rpcUrls).toEqual({ 1: ["https://a.example.org"] });
  });

  test("a custom deployment comes from its file", () => {
    const settings = readSettings(custom(deployment));
    expect(settings.deployment.name).toBe("private");
    expect(settings.deployment.contracts).toHaveLength(2);
  });

  test("an empty variable counts as not set", () => {
    expect(readSettings({ ...mainnet, PORT: "", DATABASE_SCHEMA: "" }).schema).toBe("namedex_index");
  });

  const faults: [what: string, env: Record<string, string | undefined>, parts: string[]][] = [
    ["no database", { ...mainnet, DATABASE_URL: undefined }, ["DATABASE_URL is not set", "postgresql://"]],
    [
      "a database of another kind",
      { ...mainnet, DATABASE_URL: "mysql://x" },
      ['DATABASE_URL is "mysql://x"'],
    ],
    [
      "an unknown network",
      { ...base, ENS_NETWORK: "goerli" },
      ['ENS_NETWORK is "goerli"', "ENS_NETWORK=mainnet"],
    ],
    ["no RPC URL", { ...mainnet, RPC_URL_1: undefined }, ["RPC_URL_1 is not set", "RPC_URL_1=https://"]],
    ["an RPC URL that is none", { ...mainnet, RPC_URL_1: "https://a, b" }, ['RPC_URL_1 contains "b"']],
    [
      "an RPC URL of a layer 2 that is none",
      { ...mainnet, RPC_URL_10: "ftp://x" },
      ['RPC_URL_10 contains "ftp://x"'],
    ],
    [
      "an RPC URL of a chain that no network has",
      { ...mainnet, RPC_URL_8543: "https://base.example.org" },
      ["RPC_URL_8543 is not a chain of mainnet: expected RPC_URL_1, ", "RPC_URL_8453"],
    ],
    [
      "a source of logs of a chain that no network has",
      { ...mainnet, LOG_SOURCE_8543: "/srv/base" },
      ["LOG_SOURCE_8543 is not a chain of mainnet: expected LOG_SOURCE_1, "],
    ],
    [
      "a source of logs by another protocol",
      { ...mainnet, LOG_SOURCE: "s3://bucket/archive" },
      ["LOG_SOURCE is", "LOG_SOURCE=https://portal.sqd.dev"],
    ],
    ["a live RPC URL that is none", { ...mainnet, LIVE_RPC_URL: "x" }, ['LIVE_RPC_URL contains "x"']],
    [
      "a rate of live requests of 0",
      { ...mainnet, LIVE_REQUESTS_PER_SECOND: "0" },
      ['LIVE_REQUESTS_PER_SECOND is "0"'],
    ],
    ["a port out of range", { ...mainnet, PORT: "70000" }, ['PORT is "70000"', "PORT=42069"]],
    ["a schema that is no identifier", { ...mainnet, DATABASE_SCHEMA: "a-b" }, ['DATABASE_SCHEMA is "a-b"']],
    ["views in the schema of the tables", { ...mainnet, DATABASE_SCHEMA: "namedex" }, ["VIEWS_SCHEMA"]],
    [
      "a rate that is no number",
      { ...mainnet, RPC_REQUESTS_PER_SECOND: "many" },
      ["RPC_REQUESTS_PER_SECOND"],
    ],
    ["a switch that is neither on nor off", { ...mainnet, ARCHIVE_READS: "yes" }, ["on or off"]],
    ["an access that is none", { ...mainnet, ACCESS: "closed" }, ['ACCESS is "closed"', "open or metered"]],
    ...["-1", "11", "1.5", "1e1", " 1", "0x1", "one"].map(
      (count): [string, Record<string, string>, string[]] => [
        `a number of proxies that is "${count}"`,
        { ...mainnet, TRUSTED_PROXIES: count },
        [`TRUSTED_PROXIES is "${count}"`, "from 0 to 10", "TRUSTED_PROXIES=1"],
      ],
    ),
    ...["0", "90", "36501", "-91", "91.5", "forever"].map(
      (days): [string, Record<string, string>, string[]] => [
        `a ledger of ${days} days`,
        { ...mainnet, LEDGER_DAYS: days },
        [`LEDGER_DAYS is "${days}"`, "a whole number of days from 91 to 36500", "LEDGER_DAYS=400"],
      ],
    ),
    ...Object.keys(payments)
      .filter((name) => name.startsWith("MPP_"))
      .map((name): [string, Record<string, string | undefined>, string[]] => [
        `payments without ${name}`,
        { ...payments, [name]: undefined },
        [`${name} is not set`, `for example ${name}=`, "or none: MPP_RECIPIENT", "or none"],
      ]),
    ...(
      [
        ["MPP_RECIPIENT", "0x70997970c51812dc3A010C7d01b50e0d17dc79C8"],
        ["MPP_RECIPIENT", "alice.eth"],
        ["MPP_RECIPIENT", `0x${"0".repeat(40)}`],
        ["MPP_REALM", 'a"b'],
        ["MPP_REALM", "https://api.example.org"],
        ["MPP_CURRENCY", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"],
        ["MPP_PRICE_PER_CREDIT", "0"],
        ["MPP_PRICE_PER_CREDIT", "0.000000"],
        ["MPP_PRICE_PER_CREDIT", "-1"],
        ["MPP_PRICE_PER_CREDIT", "0.0000001"],
        ["MPP_PRICE_PER_CREDIT", "1e-3"],
        ["MPP_PRICE_PER_CREDIT", "0,001"],
        ["MPP_CHAIN_ID", "tempo"],
        ["MPP_CHAIN_ID", "0"],
        ["MPP_RPC_URL", "rpc.tempo.xyz"],
      ] as const
    ).map(([name, value]): [string, Record<string, string>, string[]] => [
      `${name} that is ${value}`,
      { ...payments, [name]: value },
      [`${name} is "${value}": expected`, `for example ${name}=`],
    ]),
    [
      "payments where access is open",
      { ...payments, ACCESS: "open" },
      ["MPP_RECIPIENT is set", "ACCESS=metered", "remove MPP_RECIPIENT"],
    ],
    [
      "webhooks without a feed",
      { ...mainnet, FEED: "off", WEBHOOK_SECRET_KEY: "a1".repeat(32) },
      ["WEBHOOK_SECRET_KEY is set", "FEED=on", "WEBHOOKS=off"],
    ],
    ...[
      ["one that is no URL", "names.example.org"],
      ["one with a path", "https://names.example.org/api"],
      ["one with a password", "https://me:hunter2@names.example.org"],
      ["one of a single word", "https://names"],
      ["an IPv6 address", "https://[::1]:42069"],
      ["an unknown protocol", "ftp://names.example.org"],
      ["a list with a wrong one", "https://names.example.org,names.example.org"],
    ].map(([what, url = ""]): [string, Record<string, string>, string[]] => [
      `a public URL that is ${what}`,
      { ...mainnet, PUBLIC_URL: url },
      ["PUBLIC_URL contains", "PUBLIC_URL=https://"],
    ]),
    ["no deployment file", { ...base, ENS_NETWORK: "custom" }, ["ENS_DEPLOYMENT is not set"]],
    [
      "a deployment file that does not exist",
      { ...base, ENS_NETWORK: "custom", ENS_DEPLOYMENT: "/nowhere.json" },
      ["cannot read /nowhere.json"],
    ],
    ["a deployment file that is no JSON", custom("{"), ["ENS_DEPLOYMENT", "is not a valid deployment file"]],
    [
      "a deployment without a registrar",
      custom({ ...deployment, contracts: deployment.contracts.slice(0, 1) }),
      ["at least the registry of generation 2 and the registrar"],
    ],
    [
      "a deployment with an unknown generation",
      custom({ ...deployment, contracts: [{ ...deployment.contracts[0], generation: 9 }] }),
      ["generation 9 of registry is unknown; known: 1, 2", "contracts[0]"],
    ],
    [
      "a deployment with a field that is none",
      custom({ ...deployment, contracts: [{ ...deployment.contracts[0], adress: "0x" }] }),
      ["adress"],
    ],
  ];

  test.each(faults)("%s stops the start with the variable, the fault and a remedy", (_, env, parts) => {
    let message = "";
    try {
      readSettings(env);
    } catch (error) {
      expect(error).toBeInstanceOf(SettingsError);
      message = (error as Error).message;
    }
    for (const part of parts) expect(message).toContain(part);
  });

  test("access is open and no proxy is trusted by default", () => {
    expect(readSettings(mainnet)).toMatchObject({ access: "open", trustedProxies: 0 });
    const said = readSettings({ ...mainnet, ACCESS: "metered", TRUSTED_PROXIES: "10" });
    expect(said).toMatchObject({ access: "metered", trustedProxies: 10 });
  });

  test("the ledger is kept forever by default", () => {
    expect(readSettings(mainnet).ledgerDays).toBeNull();
    expect(readSettings({ ...mainnet, LEDGER_DAYS: "91" }).ledgerDays).toBe(91);
  });

  test("public URLs are origins; only a devnet has a default", () => {
    expect(readSettings(mainnet).publicUrls).toEqual([]);
    const PUBLIC_URL = "https://Names.example.org/, http://127.0.0.1:8080";
    expect(readSettings({ ...mainnet, PUBLIC_URL }).publicUrls).toEqual([
      "https://names.example.org",
      "http://127.0.0.1:8080",
    ]);
    const devnet = readSettings({ ...custom(deployment), ENS_NETWORK: "devnet", PORT: "4000" });
    expect(devnet.publicUrls).toEqual(["http://localhost:4000", "http://127.0.0.1:4000"]);
  });

  test("programs that need only the database read only its settings", () => {
    expect(readDatabaseSettings({ ...base, ENS_NETWORK: "mainnet" }).databaseUrl).toBe(base.DATABASE_URL);
    expect(() => readDatabaseSettings({ DATABASE_SERVICE_SCHEMA: "A" })).toThrowError(
      /DATABASE_URL is not set[\s\S]*DATABASE_SERVICE_SCHEMA is "A"/,
    );
  });

  test("payments are off by default, and need all their settings", () => {
    expect(readSettings({ ...mainnet, ACCESS: "metered" }).payments).toBeNull();
    expect(readSettings(payments).payments).toEqual({
      recipient: payments.MPP_RECIPIENT,
      secretKey: payments.MPP_SECRET_KEY,
      realm: "api.example.org",
      currency: payments.MPP_CURRENCY,
      pricePerCredit: "0.001",
      chainId: 4217,
      rpcUrl: "https://rpc.example.org",
    });
  });

  test("a secret that is too short is not shown", () => {
    const env = { ...payments, MPP_SECRET_KEY: "hunter2".repeat(4) };
    expect(() => readSettings(env)).toThrowError(/MPP_SECRET_KEY .*at least 32 bytes.*openssl/);
    expect(() => readSettings(env)).not.toThrowError(/hunter2/);
  });

  test("one message names all faults, and shows no password", () => {
    const env = { ENS_NETWORK: "x", PORT: "0", DATABASE_URL: "mysql://user:hunter2@host/db" };
    expect(() => readSettings(env)).toThrowError(/ENS_NETWORK[\s\S]*DATABASE_URL[\s\S]*PORT/);
    expect(() => readSettings(env)).not.toThrowError(/hunter2/);
  });
});
