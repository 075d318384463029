import { z } from "zod";
import { check, type Given } from "./check.ts";
import { LATE_SECONDS } from "./freshness.ts";
import { port, wholeNumber } from "./kinds.ts";
import { logFormatVariables } from "./log.ts";
import { type MetricsSettings, metricsVariables, toMetricsSettings } from "./metrics.ts";
import { type Kind, required, withDefault } from "./variable.ts";

/** Every setting of the gateway. docs/settings.md explains each. */
export type GatewaySettings = MetricsSettings & {
  /** Base addresses of the indexers and replicas, without a slash at the end. */
  indexers: string[];
  port: number;
  /** An indexer that is further behind its chain is not asked. */
  maxLagSeconds: number;
  /** Maximum number of blocks an indexer may be behind the most current one; beyond it, the gateway skips the indexer. */
  maxLagBlocks: number;
  /** How long an indexer may take to begin its answer, and how long it, or the reader, may pause within it. */
  timeoutSeconds: number;
  /** Requests that one indexer answers at the same time; more are refused. */
  maxRequests: number;
  /** Requests of one client address (IPv6: one /64 network) at the same time; more are refused. */
  maxRequestsPerAddress: number;
  maxBodyBytes: number;
  /** The operator's own proxies in front of the gateway: that many last entries of `X-Forwarded-For` are believed. */
  trustedProxies: number;
  /** How long a stopping gateway still accepts requests, so that a load balancer can notice. */
  drainSeconds: number;
};

const indexers: Kind<string[]> = {
  expected: "comma-separated http(s) base URLs of indexers, each once",
  shape: z.string().transform((list, context) => {
    const urls = list.split(",").map((url) => url.trim().replace(/\/+$/, ""));
    if (urls.every(isBase) && new Set(urls).size === urls.length) return urls;
    context.addIssue({ code: "custom" });
    return z.NEVER;
  }),
};

/** Credentials would be shown in the status, and a path cannot follow a query or fragment. */
function isBase(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === "";
}

export const gatewayVariables = {
  INDEXERS: required(indexers, {
    example: "http://10.0.0.1:42069,http://10.0.0.2:42069",
    meaning: "Base URLs of the indexers and replicas.",
  }),
  PORT: withDefault(42_080, port, { meaning: "Port of the gateway." }),
  ...metricsVariables,
  GATEWAY_MAX_LAG_SECONDS: withDefault(
    LATE_SECONDS,
    wholeNumber({ from: 1, to: 1_000_000_000, unit: "seconds" }),
    {
      meaning: "Maximum lag of an indexer behind its chain; beyond it, the gateway skips the indexer.",
    },
  ),
  GATEWAY_MAX_LAG_BLOCKS: withDefault(5, wholeNumber({ from: 0, to: 1_000_000, unit: "blocks" }), {
    meaning:
      "Maximum number of blocks an indexer may be behind the most current one; beyond it, the gateway skips the indexer.",
  }),
  GATEWAY_TIMEOUT_SECONDS: withDefault(30, wholeNumber({ from: 1, to: 600, unit: "seconds" }), {
    meaning:
      "How long an indexer may take to begin its answer, and how long a caller may pause while reading it. Reading a whole answer may take four times as long.",
  }),
  GATEWAY_MAX_REQUESTS: withDefault(100, wholeNumber({ from: 1, to: 10_000 }), {
    meaning: "Maximum concurrent requests per indexer.",
  }),
  GATEWAY_MAX_REQUESTS_PER_ADDRESS: withDefault(50, wholeNumber({ from: 1, to: 10_000 }), {
    meaning:
      "Maximum concurrent requests per client address (IPv6: per /64 network). The busier the indexers, the smaller an address's [share](operations.md#the-gateway). Behind your own proxy, set `GATEWAY_TRUSTED_PROXIES`; otherwise all callers share the proxy's address.",
  }),
  GATEWAY_MAX_BODY_BYTES: withDefault(
    1_048_576,
    wholeNumber({ from: 1_024, to: 104_857_600, unit: "bytes" }),
    { meaning: "Maximum size of a request body." },
  ),
  GATEWAY_TRUSTED_PROXIES: withDefault(0, wholeNumber({ from: 0, to: 10 }), {
    meaning:
      "Number of your own proxies in front of the gateway. Set the indexers' `TRUSTED_PROXIES` to one more.",
  }),
  GATEWAY_DRAIN_SECONDS: withDefault(5, wholeNumber({ from: 0, to: 600, unit: "seconds" }), {
    meaning: "How long a stopping gateway still accepts requests, so that a load balancer can notice.",
  }),
};

/**
 * Reads and checks the gateway's settings from environment variables.
 *
 * @throws SettingsError that names the settings that are missing or wrong
 */
export function readGatewaySettings(env: Given): GatewaySettings {
  const known = check({ ...gatewayVariables, ...logFormatVariables }, env);
  return {
    indexers: known.INDEXERS,
    port: known.PORT,
    ...toMetricsSettings(known),
    maxLagSeconds: known.GATEWAY_MAX_LAG_SECONDS,
    maxLagBlocks: known.GATEWAY_MAX_LAG_BLOCKS,
    timeoutSeconds: known.GATEWAY_TIMEOUT_SECONDS,
    maxRequests: known.GATEWAY_MAX_REQUESTS,
    maxRequestsPerAddress: known.GATEWAY_MAX_REQUESTS_PER_ADDRESS,
    maxBodyBytes: known.GATEWAY_MAX_BODY_BYTES,
    trustedProxies: known.GATEWAY_TRUSTED_PROXIES,
    drainSeconds: known.GATEWAY_DRAIN_SECONDS,
  };
}
