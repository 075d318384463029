import { readFileSync } from "node:fs";
import { isAddress } from "viem";
import { z } from "zod";
import { type Deployment, deploymentShape, knownDeployments } from "../../abis/deployments.ts";
import type { PaymentSettings } from "./access/payment.ts";

/** Where everything is kept. */
export type DatabaseSettings = {
  databaseUrl: string;
  /** PostgreSQL schema of the tables; each build of the indexer needs one of its own. */
  schema: string;
  /** Schema of the views by which analysts read, the same from build to build. */
  viewsSchema: string;
  /** Schema of what the service itself keeps; it survives every re-indexing. */
  serviceSchema: string;
};

/** Everything an operator can choose. The README's table of settings says the same in words. */
export type Settings = DatabaseSettings & {
  network: "devnet" | "mainnet" | "sepolia" | "custom";
  /** The chains that are indexed: the main one, and the layer 2s for which an RPC URL is set. */
  deployment: Deployment;
  /** RPC URLs of the indexer, by chain id. */
  rpcUrls: Record<number, string[]>;
  /** Requests a second at which indexing starts on each URL; it then speeds up by itself. */
  rpcRequestsPerSecond: number;
  /** RPC URLs for answers from the chain at request time; empty if there are none. */
  liveRpcUrls: string[];
  /** Whether gateways that resolvers name (CCIP-Read) may be at loopback addresses: for development only. */
  loopbackGateways: boolean;
  port: number;
  /** Who is answered: everybody, or by key, payment and a few free requests a minute. */
  access: "open" | "metered";
  /** Origins by which callers reach the API (`https://names.example.org`); none: nobody can sign up for a key. */
  publicUrls: string[];
  /** Number of the operator's own proxies before the API, each of which appends to `X-Forwarded-For`. */
  trustedProxies: number;
  /** How old the newest indexed block may be for the index to answer; null for chains whose time stands still. */
  maxLagSeconds: number | null;
  /** How long the index may stand still while its chain goes on, before the indexer is ended; null for ever. */
  watchdogSeconds: number | null;
  /** How requests are paid for one by one; null where they are not. */
  payments: PaymentSettings | null;
  /** Which requests get a line in the log. */
  requestLog: "all" | "failed" | "none";
  /** Queries that take longer are told, in milliseconds. */
  slowQueryMs: number;
  /** Whether the indexer reads contract state at past blocks (needs an archive node). */
  archiveReads: boolean;
};

/** A setting is missing or wrong. The message names it, says what is wrong and gives an example. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

const identifier = /^[a-z_][a-z0-9_]{0,44}$/;
const isUrl = (protocols: string[]) => (text: string) =>
  URL.canParse(text) && protocols.includes(new URL(text).protocol);

const databaseEnvironment = z.object({
  DATABASE_URL: z.string().refine(isUrl(["postgres:", "postgresql:"])),
  DATABASE_SCHEMA: z.string().regex(identifier).default("namedex_index"),
  DATABASE_VIEWS_SCHEMA: z.string().regex(identifier).default("namedex"),
  DATABASE_SERVICE_SCHEMA: z.string().regex(identifier).default("namedex_service"),
});

/** Digits only: `1e1`, ` 2` and `0x3` are typing errors here. */
const wholeNumber = (min: number, max: number) =>
  z.string().regex(/^\d+$/).transform(Number).pipe(z.number().min(min).max(max));

const address = z.custom<`0x${string}`>((text) => isAddress(String(text)) && !/^0x0+$/.test(String(text)));

const paymentEnvironment = z.object({
  MPP_RECIPIENT: address,
  MPP_SECRET_KEY: z.string().refine((text) => Buffer.byteLength(text) >= 32),
  MPP_REALM: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/),
  MPP_CURRENCY: address.refine((text) => /^0x20c0/i.test(text)),
  MPP_PRICE_PER_CREDIT: z.string().regex(/^(?=.*[1-9])\d{1,6}(\.\d{1,6})?$/),
  MPP_CHAIN_ID: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  MPP_RPC_URL: z.string().refine(isUrl(["http:", "https:"])),
});

const environment = z.object({
  ENS_NETWORK: z.enum(["devnet", "mainnet", "sepolia", "custom"]).default("devnet"),
  ENS_DEPLOYMENT: z.string().min(1).optional(),
  ...databaseEnvironment.shape,
  PORT: z.coerce.number().int().min(1).max(65535).default(42069),
  LIVE_RPC_URL: z.string().optional(),
  CCIP_LOOPBACK: z.enum(["on", "off"]).optional(),
  RPC_REQUESTS_PER_SECOND: z.coerce.number().int().min(1).max(10_000).default(200),
  ARCHIVE_READS: z.enum(["on", "off"]).optional(),
  ACCESS: z.enum(["open", "metered"]).default("open"),
  TRUSTED_PROXIES: wholeNumber(0, 10).default(0),
  MAX_LAG_SECONDS: z.union([z.literal("off"), wholeNumber(1, 1_000_000_000)]).optional(),
  WATCHDOG_SECONDS: z.union([z.literal("off"), wholeNumber(1, 86_400)]).optional(),
  ...paymentEnvironment.partial().shape,
  PUBLIC_URL: z.string().optional(),
  REQUEST_LOG: z.enum(["all", "failed", "none"]).default("failed"),
  SLOW_QUERY_MS: wholeNumber(1, 60_000).default(1_000),
});

/** What no message may show. */
const secrets = new Set(["MPP_SECRET_KEY"]);

/** What is expected of each variable, and an example to paste. */
const expectations: Record<string, [expected: string, example: string]> = {
  ENS_NETWORK: ["one of devnet, mainnet, sepolia, custom", "mainnet"],
  ENS_DEPLOYMENT: ["the path of a deployment file", "./deployment.json"],
  DATABASE_URL: ["the URL of a PostgreSQL database", "postgresql://namedex:secret@localhost:5432/namedex"],
  DATABASE_SCHEMA: ["a schema name: lower-case letters, digits and _, at most 45", "namedex_index"],
  DATABASE_VIEWS_SCHEMA: ["a schema name: lower-case letters, digits and _, at most 45", "namedex"],
  DATABASE_SERVICE_SCHEMA: ["a schema name: lower-case letters, digits and _, at most 45", "namedex_service"],
  PORT: ["a port from 1 to 65535", "42069"],
  LIVE_RPC_URL: ["http(s) URLs, comma-separated", "https://rpc.example.org"],
  CCIP_LOOPBACK: ["on or off", "off"],
  RPC_REQUESTS_PER_SECOND: ["a whole number from 1 to 10000", "200"],
  ARCHIVE_READS: ["on or off", "off"],
  ACCESS: ["open or metered", "metered"],
  REQUEST_LOG: ["all, failed or none", "failed"],
  SLOW_QUERY_MS: ["a whole number of milliseconds from 1 to 60000", "1000"],
  TRUSTED_PROXIES: ["the number of your own proxies before the API, from 0 to 10", "1"],
  WATCHDOG_SECONDS: ["a whole number of seconds from 1 to 86400, or off", "300"],
  MAX_LAG_SECONDS: ["a whole number of seconds from 1, or off", "120"],
  MPP_RECIPIENT: [
    "the address that is paid (a checksum, if it has one, must be right)",
    "0x1111111111111111111111111111111111111111",
  ],
  MPP_SECRET_KEY: ["a secret of at least 32 bytes, the same in all replicas", "$(openssl rand -hex 32)"],
  MPP_REALM: ["the host name of this service", "api.example.org"],
  MPP_CURRENCY: ["the address of a TIP-20 token", "0x20c0000000000000000000000000000000000000"],
  MPP_PRICE_PER_CREDIT: ["an amount of the token above 0 with at most 6 decimals", "0.001"],
  MPP_CHAIN_ID: ["the number of a Tempo chain", "4217"],
  MPP_RPC_URL: ["the http(s) URL of a node of that chain", "https://rpc.tempo.xyz"],
};

/**
 * Reads and checks the settings from environment variables (and the deployment file that they name).
 *
 * @throws SettingsError for the first settings that are missing or wrong, all of them in one message
 */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const given = withoutEmpty(env);
  const known = check(environment, given);
  const deployment = readDeployment(known.ENS_NETWORK, known.ENS_DEPLOYMENT);
  const rpcUrls = readRpcUrls(deployment, known.ENS_NETWORK, given);
  return {
    ...toDatabaseSettings(known),
    network: known.ENS_NETWORK,
    deployment: { ...deployment, layer2: deployment.layer2.filter((chain) => rpcUrls[chain.chainId]) },
    rpcUrls,
    rpcRequestsPerSecond: known.RPC_REQUESTS_PER_SECOND,
    liveRpcUrls: readLiveUrls(known, rpcUrls[deployment.chainId] ?? []),
    loopbackGateways: (known.CCIP_LOOPBACK ?? (known.ENS_NETWORK === "devnet" ? "on" : "off")) === "on",
    port: known.PORT,
    access: known.ACCESS,
    trustedProxies: known.TRUSTED_PROXIES,
    maxLagSeconds: readMaxLag(known),
    watchdogSeconds: readWatchdog(known),
    payments: readPayments(known, given),
    publicUrls: readPublicUrls(known),
    requestLog: known.REQUEST_LOG,
    slowQueryMs: known.SLOW_QUERY_MS,
    archiveReads: (known.ARCHIVE_READS ?? (known.ENS_NETWORK === "devnet" ? "on" : "off")) === "on",
  };
}

/**
 * The settings of an operator's programs that work on the database alone.
 *
 * @throws SettingsError as `readSettings` does
 */
export function readDatabaseSettings(env: Record<string, string | undefined>): DatabaseSettings {
  return toDatabaseSettings(check(databaseEnvironment, withoutEmpty(env)));
}

const withoutEmpty = (env: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));

function check<Shape extends z.ZodType>(shape: Shape, given: Record<string, unknown>): z.output<Shape> {
  const parsed = shape.safeParse(given);
  if (parsed.success) return parsed.data;
  const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0])))];
  throw new SettingsError(names.map((name) => complaint(name, given[name] as string | undefined)).join("\n"));
}

function toDatabaseSettings(known: z.output<typeof databaseEnvironment>): DatabaseSettings {
  requireOwnSchemas(known);
  return {
    databaseUrl: known.DATABASE_URL,
    schema: known.DATABASE_SCHEMA,
    viewsSchema: known.DATABASE_VIEWS_SCHEMA,
    serviceSchema: known.DATABASE_SERVICE_SCHEMA,
  };
}

type Environment = z.output<typeof environment>;

/** What each schema is for; no two may be the same. */
const schemas = {
  DATABASE_SCHEMA: "the tables",
  DATABASE_VIEWS_SCHEMA: "views",
  DATABASE_SERVICE_SCHEMA: "the service's own tables",
} as const;

function requireOwnSchemas(known: z.output<typeof databaseEnvironment>): void {
  const taken = new Map<string, string>();
  for (const name of Object.keys(schemas) as (keyof typeof schemas)[]) {
    const other = taken.get(known[name]);
    if (other !== undefined) {
      throw new SettingsError(
        `${name} is "${known[name]}", the same as ${other}: ${schemas[name]} need a schema of their own, for example ${name}=${expectations[name]?.[1]}`,
      );
    }
    taken.set(known[name], name);
  }
}

/** Without a setting, a devnet's own node is asked; a public one has limits that are the operator's to spend. */
function readLiveUrls({ ENS_NETWORK, LIVE_RPC_URL }: Environment, devnetUrls: string[]): string[] {
  if (LIVE_RPC_URL !== undefined) return readUrls("LIVE_RPC_URL", LIVE_RPC_URL);
  return ENS_NETWORK === "devnet" ? devnetUrls : [];
}

/** Public chains make a block every 12 seconds; an index further behind the clock than this is known to be late. */
const LATE_SECONDS = 120;

/** Far more than a chain rests between blocks, and than an indexer does over one. */
const STALLED_SECONDS = 300;

function readWatchdog({ ENS_NETWORK, WATCHDOG_SECONDS }: Environment): number | null {
  const chosen = WATCHDOG_SECONDS ?? (ENS_NETWORK === "devnet" ? "off" : STALLED_SECONDS);
  return chosen === "off" ? null : chosen;
}

function readMaxLag({ ENS_NETWORK, MAX_LAG_SECONDS }: Environment): number | null {
  const usual = ENS_NETWORK === "mainnet" || ENS_NETWORK === "sepolia" ? LATE_SECONDS : "off";
  const chosen = MAX_LAG_SECONDS ?? usual;
  return chosen === "off" ? null : chosen;
}

/** All of these settings or none: a service that takes payments must not do so by half. */
function readPayments(known: Environment, given: Record<string, unknown>): PaymentSettings | null {
  const names = Object.keys(paymentEnvironment.shape);
  const set = names.find((name) => given[name] !== undefined);
  if (set === undefined) return null;
  if (known.ACCESS === "open") {
    throw new SettingsError(`${set} is set, and payments need ACCESS=metered: set it, or remove ${set}`);
  }
  const missing = names.filter((name) => given[name] === undefined);
  if (missing.length > 0) {
    const complaints = missing.map((name) => complaint(name, undefined));
    throw new SettingsError([...complaints, `Payments need all of ${names.join(", ")}, or none.`].join("\n"));
  }
  const payment = paymentEnvironment.parse(given);
  return {
    recipient: payment.MPP_RECIPIENT,
    secretKey: payment.MPP_SECRET_KEY,
    realm: payment.MPP_REALM,
    currency: payment.MPP_CURRENCY,
    pricePerCredit: payment.MPP_PRICE_PER_CREDIT,
    chainId: payment.MPP_CHAIN_ID,
    rpcUrl: payment.MPP_RPC_URL,
  };
}

/** Never taken from a request: its `Host` is whatever the caller wrote. Only a devnet is known to be used on its own machine. */
function readPublicUrls({ ENS_NETWORK, PUBLIC_URL, PORT }: Environment): string[] {
  if (PUBLIC_URL === undefined) {
    return ENS_NETWORK === "devnet" ? [`http://localhost:${PORT}`, `http://127.0.0.1:${PORT}`] : [];
  }
  const urls = readUrls("PUBLIC_URL", PUBLIC_URL, "https://names.example.org").map((url) => new URL(url));
  const wrong = urls.find((url) => url.href !== `${url.origin}/` || !PUBLIC_HOST.test(url.hostname));
  if (wrong === undefined) return urls.map(({ origin }) => origin);
  throw new SettingsError(
    `PUBLIC_URL has "${redact(wrong.href)}": expected URLs without a path, whose host is a domain name, an IPv4 address or localhost, comma-separated, for example PUBLIC_URL=https://names.example.org`,
  );
}

/** What a Sign-In with Ethereum message can name as its domain. */
const PUBLIC_HOST = /^(localhost|([a-z0-9-]+\.)+[a-z0-9-]+)$/;

function complaint(name: string, value: string | undefined): string {
  const [expected, example] = expectations[name] ?? ["another value", ""];
  const shown = secrets.has(name) ? "is of another form" : `is "${redact(value ?? "")}"`;
  const fault = `${name} ${value === undefined ? "is not set" : shown}`;
  return `${fault}: expected ${expected}, for example ${name}=${example}`;
}

/** Hides what stands between `://user:` and `@`, so that a message never shows a password. */
const redact = (value: string) => value.replace(/(:\/\/[^:@/]*:)[^@]*@/, "$1***@");

function readDeployment(network: Settings["network"], file: string | undefined): Deployment {
  if (network === "mainnet" || network === "sepolia") return knownDeployments[network]();
  if (network === "custom" && file === undefined)
    throw new SettingsError(complaint("ENS_DEPLOYMENT", undefined));
  const path = file ?? ".namedex/deployment.json";
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    const remedy =
      network === "devnet"
        ? "run `npm run dev` or `npm run devnet`, which write it"
        : "give the path of a file that exists";
    throw new SettingsError(`ENS_DEPLOYMENT: ${path} cannot be read; ${remedy}`);
  }
  try {
    return deploymentShape.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new SettingsError(
      `ENS_DEPLOYMENT: ${path} is not a deployment file (the README has an example):\n${reason}`,
    );
  }
}

function readRpcUrls(
  deployment: Deployment,
  network: Settings["network"],
  env: Record<string, string | undefined>,
): Record<number, string[]> {
  const urls: Record<number, string[]> = {};
  for (const { chainId } of [deployment, ...deployment.layer2]) {
    const name = `RPC_URL_${chainId}`;
    const value = env[name];
    if (value !== undefined) urls[chainId] = readUrls(name, value);
  }
  if (urls[deployment.chainId] === undefined) {
    if (network !== "devnet") {
      throw new SettingsError(
        `RPC_URL_${deployment.chainId} is not set: expected http(s) URLs of a node of ${deployment.name}, comma-separated, for example RPC_URL_${deployment.chainId}=https://rpc.example.org`,
      );
    }
    urls[deployment.chainId] = ["http://127.0.0.1:8545"];
  }
  return urls;
}

function readUrls(name: string, value: string, example = "https://rpc.example.org"): string[] {
  const urls = value.split(",").map((url) => url.trim());
  const wrong = urls.find((url) => !isUrl(["http:", "https:"])(url));
  if (wrong !== undefined) {
    throw new SettingsError(
      `${name} has "${redact(wrong)}": expected http(s) URLs, comma-separated, for example ${name}=${example}`,
    );
  }
  return urls;
}
