import { z } from "zod";

/** Everything an operator can choose about the gateway. The README's table of its settings says the same in words. */
export type Settings = {
  /** Base addresses of the indexers and replicas, without a slash at the end. */
  indexers: string[];
  port: number;
  /** An indexer further behind its chain is not asked. */
  maxLagSeconds: number;
  /** Nor one so many blocks behind the furthest of all. */
  maxLagBlocks: number;
  /** How long an indexer may take to begin its answer, and then to go on with it. */
  timeoutSeconds: number;
  /** Requests that one indexer answers at the same time; more are refused. */
  maxRequests: number;
  maxBodyBytes: number;
  /** Proxies of the operator's own in front of the gateway: so many last entries of `X-Forwarded-For` are believed. */
  trustedProxies: number;
  /** How long a gateway that was asked to stop still lets requests in, so that a load balancer can notice. */
  drainSeconds: number;
};

/** A setting is missing or wrong. The message names it, says what is wrong and gives an example. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

const whole = (least: number, most: number) => z.coerce.number().int().min(least).max(most);

const environment = z.object({
  INDEXERS: z.string().transform((list, context) => {
    const urls = list.split(",").map((url) => url.trim().replace(/\/+$/, ""));
    if (urls.every(isBase) && new Set(urls).size === urls.length) return urls;
    context.addIssue({ code: "custom", message: "not a list of base addresses" });
    return z.NEVER;
  }),
  PORT: whole(1, 65_535).default(42_080),
  GATEWAY_MAX_LAG_SECONDS: whole(1, 1_000_000_000).default(120),
  GATEWAY_MAX_LAG_BLOCKS: whole(0, 1_000_000).default(5),
  GATEWAY_TIMEOUT_SECONDS: whole(1, 600).default(30),
  GATEWAY_MAX_REQUESTS: whole(1, 10_000).default(100),
  GATEWAY_MAX_BODY_BYTES: whole(1_024, 104_857_600).default(1_048_576),
  GATEWAY_TRUSTED_PROXIES: whole(0, 10).default(0),
  GATEWAY_DRAIN_SECONDS: whole(0, 600).default(5),
});

/** What is expected of each variable, and an example to paste. */
const expectations: Record<keyof z.input<typeof environment>, [expected: string, example: string]> = {
  INDEXERS: [
    "http(s) base addresses of indexers, comma-separated, each once",
    "http://10.0.0.1:42069,http://10.0.0.2:42069",
  ],
  PORT: ["a port from 1 to 65535", "42080"],
  GATEWAY_MAX_LAG_SECONDS: ["a whole number of seconds from 1", "120"],
  GATEWAY_MAX_LAG_BLOCKS: ["a whole number of blocks from 0 to 1000000", "5"],
  GATEWAY_TIMEOUT_SECONDS: ["a whole number of seconds from 1 to 600", "30"],
  GATEWAY_MAX_REQUESTS: ["a whole number from 1 to 10000", "100"],
  GATEWAY_MAX_BODY_BYTES: ["a whole number of bytes from 1024 to 104857600", "1048576"],
  GATEWAY_TRUSTED_PROXIES: ["a whole number from 0 to 10", "0"],
  GATEWAY_DRAIN_SECONDS: ["a whole number of seconds from 0 to 600", "5"],
};

/**
 * Reads and checks the settings from environment variables.
 *
 * @throws SettingsError for the settings that are missing or wrong, all of them in one message
 */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  const { success, data, error } = environment.safeParse(given);
  if (!success) {
    const names = [...new Set(error.issues.map((issue) => issue.path[0] as keyof typeof expectations))];
    throw new SettingsError(names.map((name) => complaint(name, given[name])).join("\n"));
  }
  return {
    indexers: data.INDEXERS,
    port: data.PORT,
    maxLagSeconds: data.GATEWAY_MAX_LAG_SECONDS,
    maxLagBlocks: data.GATEWAY_MAX_LAG_BLOCKS,
    timeoutSeconds: data.GATEWAY_TIMEOUT_SECONDS,
    maxRequests: data.GATEWAY_MAX_REQUESTS,
    maxBodyBytes: data.GATEWAY_MAX_BODY_BYTES,
    trustedProxies: data.GATEWAY_TRUSTED_PROXIES,
    drainSeconds: data.GATEWAY_DRAIN_SECONDS,
  };
}

/** Credentials would be shown in the status, and a question or fragment cannot be followed by a path. */
function isBase(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === "";
}

function complaint(name: keyof typeof expectations, value: string | undefined): string {
  const [expected, example] = expectations[name];
  const hidden = value?.replace(/(:\/\/[^:@/,]*:)[^@,]*@/g, "$1***@");
  const fault = value === undefined ? `${name} is not set` : `${name} is "${hidden}"`;
  return `${fault}: expected ${expected}, for example ${name}=${example}`;
}
