import { lookup as dnsLookup, type LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { Agent, fetch, type Response } from "undici";
import { type Address, type Hex, isHex } from "viem";
import { turnFor } from "../../scheduling/turns.ts";
import { sanitizeMessage } from "../failure.ts";
import type { Budget } from "./budget.ts";
import { GatewayError, NoAnswer } from "./gatewayError.ts";
import { createHostPlaces, type HostPlaces } from "./hostPlaces.ts";
import { createSilentGateways, type SilentGateways } from "./silentGateways.ts";

/*
 * Contracts name the gateways, and anybody may deploy a contract: a stranger decides where these requests go. So they go
 * only to public addresses, by https. The address is checked when the connection is made: a host name that resolves to
 * another address the second time gains nothing.
 */

const FETCH_TIMEOUT_MS = 3_000;
export const MAX_ANSWER_BYTES = 256 * 1_024;
export const MAX_URLS = 3;
const MAX_CONNECTIONS = 32;
/** The longest URL that is asked, with the data in it: servers take far less. */
export const MAX_URL_LENGTH = 65_536;
/** The longest URL that a resolver names, before the data is filled in. */
const MAX_TEMPLATE_LENGTH = 2_048;
/** Lists and objects in an answer, which needs one: JSON of nothing but brackets takes long to read. */
const MAX_BRACKETS = 1_000;

/** One look-up that a contract asks for: the answer of the first of `urls` that works counts. Source: ERC-3668. */
export type Lookup = { sender: Address; urls: readonly string[]; data: Hex };

/** Asks gateways (CCIP-Read). `lookups` counts down the requests that this answer may still send. */
export type Gateways = {
  ask: (lookup: Lookup, budget: Pick<Budget, "caller" | "signal" | "lookups">) => Promise<Hex>;
  close: () => Promise<void>;
};

export type GatewayRules = {
  /** Development: also http, and also loopback addresses where the URL itself names them. */
  allowLoopback: boolean;
  /** Finds the addresses of a host; the system's resolver by default. */
  lookup?: typeof dnsLookup;
  timeoutMs?: number;
  /** The clock by which silent gateways are left alone; the computer's by default. */
  now?: () => number;
};

/** Every request to a gateway of CCIP-Read goes through the client that this creates. */
export function createGateways(rules: GatewayRules): Gateways {
  const agent = new Agent({
    connections: MAX_CONNECTIONS,
    connect: { lookup: guardedLookup(rules) },
    headersTimeout: rules.timeoutMs ?? FETCH_TIMEOUT_MS,
    bodyTimeout: rules.timeoutMs ?? FETCH_TIMEOUT_MS,
  });
  const parts = { agent, rules, places: createHostPlaces(), silent: createSilentGateways(rules.now) };
  return {
    close: () => agent.destroy(),
    ask: async (lookup, budget) => {
      let error = new GatewayError("The resolver names no gateway");
      for (const template of lookup.urls.slice(0, MAX_URLS)) {
        budget.signal.throwIfAborted();
        if (budget.lookups <= 0) throw new GatewayError("The resolver asks for too many look-ups");
        budget.lookups--;
        try {
          return await askIfNotSilent(parts, { template, lookup, budget });
        } catch (thrown) {
          budget.signal.throwIfAborted();
          error = toGatewayError(thrown, template);
          // ERC-3668: an answer of 4xx is final; after other failures the next gateway is asked.
          if (error.status >= 400 && error.status < 500) throw error;
        }
      }
      throw error;
    },
  };
}

type Parts = { agent: Agent; rules: GatewayRules; places: HostPlaces; silent: SilentGateways };
type GatewayRequest = {
  template: string;
  lookup: Lookup;
  budget: Pick<Budget, "caller" | "signal">;
};

/** Asks one gateway when its host has a place, and not at all for a while after it gave no answers. */
async function askIfNotSilent(parts: Parts, request: GatewayRequest): Promise<Hex> {
  const { template, lookup, budget } = request;
  const url = requireAllowedUrl(fillTemplate(template, lookup), parts.rules);
  return parts.places(url.host)(budget.caller, budget.signal, async () => {
    const seconds = parts.silent.begin(template);
    if (seconds > 0)
      throw new GatewayError(`${url.host} gave no answer lately; it is asked again in ${seconds} s`);
    try {
      const answer = await askOne(parts, url, request);
      parts.silent.end(template, "answered");
      return answer;
    } catch (thrown) {
      const error = toGatewayError(thrown, template);
      const isSilent = error instanceof NoAnswer;
      parts.silent.end(template, budget.signal.aborted ? "given up" : isSilent ? "silent" : "answered");
      throw error;
    }
  });
}

async function askOne({ agent, rules }: Parts, url: URL, request: GatewayRequest): Promise<Hex> {
  const { template, lookup, budget } = request;
  const timeout = AbortSignal.timeout(rules.timeoutMs ?? FETCH_TIMEOUT_MS);
  const isGet = template.includes("{data}");
  const response = await fetch(url, {
    method: isGet ? "GET" : "POST",
    ...(!isGet && {
      body: JSON.stringify({ data: lookup.data, sender: lookup.sender.toLowerCase() }),
      headers: { "content-type": "application/json" },
    }),
    redirect: "error",
    dispatcher: agent,
    signal: AbortSignal.any([budget.signal, timeout]),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new GatewayError(`${url.host} answered with status ${response.status}`, response.status);
  }
  const text = await readText(response, url);
  await turnFor(text.length);
  return readData(text, url);
}

/** @throws GatewayError where the URL would be too long, before it is made: `{data}` may stand in it often */
function fillTemplate(template: string, { sender, data }: Lookup): string {
  const holes = template.length > MAX_TEMPLATE_LENGTH ? 0 : template.split("{data}").length - 1;
  if (template.length > MAX_TEMPLATE_LENGTH || holes * data.length > MAX_URL_LENGTH) {
    throw new GatewayError("The resolver names a gateway with a URL that is too long");
  }
  return template.replaceAll("{sender}", sender.toLowerCase()).replaceAll("{data}", data);
}

/** Collects the body up to the limit, counted after decompression. */
async function readText(response: Response, url: URL): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) {
      throw new GatewayError(`${url.host} answered with more than ${MAX_ANSWER_BYTES} bytes`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function readData(text: string, url: URL): Hex {
  let data: unknown;
  try {
    if (text.split(/[[{]/, MAX_BRACKETS + 2).length > MAX_BRACKETS + 1) throw new Error("too many brackets");
    data = (JSON.parse(text) as { data?: unknown } | null)?.data;
  } catch {
    data = undefined;
  }
  if (typeof data !== "string" || !isHex(data) || data.length % 2 !== 0) {
    throw new GatewayError(`${url.host} did not answer with JSON that has hexadecimal \`data\``);
  }
  return data;
}

/** The URL if a request may go there. Addresses in the URL itself are checked here: they are not looked up. */
function requireAllowedUrl(text: string, rules: GatewayRules): URL {
  if (!URL.canParse(text)) throw new GatewayError("The resolver names a gateway that is not a URL");
  const url = new URL(text); // Also rewrites other forms of addresses (0x7f000001, 2130706433) to the usual one.
  const isLoopback = rules.allowLoopback && namesLoopback(url);
  if (url.protocol !== "https:" && !(isLoopback && url.protocol === "http:")) {
    throw new GatewayError(
      `The gateway's URL begins with ${sanitizeMessage(url.protocol)}; only https: is allowed`,
    );
  }
  if (url.username !== "" || url.password !== "")
    throw new GatewayError("The gateway's URL contains a user name");
  const literal = literalOf(url);
  if (literal !== null && !isLoopback && !isPublic(literal)) throw privateAddress(url.host);
  return url;
}

const privateAddress = (host: string) =>
  new GatewayError(`${sanitizeMessage(host)} is not at a public address, so it is not asked`);

/** The address in a URL that has one instead of a host name. */
function literalOf(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(host) ? host : null;
}

function namesLoopback(url: URL): boolean {
  const literal = literalOf(url);
  return literal === null ? url.hostname === "localhost" : rangeOf(literal) === "loopback";
}

/** An IPv4 address written as IPv6 (::ffff:127.0.0.1) counts as IPv4. */
const rangeOf = (address: string): string => ipaddr.process(address).range();

/** The part of IPv6 that is assigned to the public internet. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Public by its range, but a service of the host for machines in a cloud (Azure). */
const HOST_SERVICES = ["168.63.129.16"];

/** True for addresses of the public internet: not private, loopback, link-local (metadata services), reserved or tunnelled. */
function isPublic(text: string): boolean {
  const address = ipaddr.process(text);
  if (address.range() !== "unicast" || HOST_SERVICES.includes(address.toString())) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}

/** Gives the connection only the allowed addresses. Without one it fails. */
function guardedLookup({ lookup = dnsLookup, allowLoopback }: GatewayRules): LookupFunction {
  const mayAsk = (host: string, { address }: LookupAddress) =>
    isPublic(address) || (allowLoopback && host === "localhost" && rangeOf(address) === "loopback");
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const allowed = found.filter((entry) => mayAsk(host, entry));
      const [first] = allowed;
      if (first === undefined) return callback(privateAddress(host), []);
      if (options.all) return callback(null, allowed);
      callback(null, first.address, first.family);
    });
  };
}

function toGatewayError(thrown: unknown, template: string): GatewayError {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    if (error instanceof GatewayError) return error;
    if (error.name === "TimeoutError" || error.name.endsWith("TimeoutError")) {
      return new NoAnswer(`${hostOf(template)} did not answer in time`);
    }
    if (error.message === "unexpected redirect") {
      return new GatewayError(`${hostOf(template)} redirects; redirects are not followed`);
    }
  }
  return new NoAnswer(`${hostOf(template)} could not be reached`);
}

/** The host of a URL template, to name the gateway in messages. */
function hostOf(template: string): string {
  const text = template.replaceAll("{sender}", "sender").replaceAll("{data}", "data");
  return sanitizeMessage(URL.canParse(text) ? new URL(text).host : "A gateway");
}
