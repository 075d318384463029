import type { lookup as dnsLookup } from "node:dns";
import { type Address, type Hex, isHex } from "viem";
import { sanitizeMessage } from "../../../server/errors/foreignText.ts";
import { createOutgoing, type Outgoing, OutgoingError } from "../../../server/outgoing/outgoing.ts";
import { turnFor } from "../../../server/scheduling/turns.ts";
import type { Budget } from "./budget.ts";
import { GatewayError } from "./gatewayError.ts";
import { createHostPlaces, type HostPlaces } from "./hostPlaces.ts";
import { type Attempt, createSilentGateways, type SilentGateways } from "./silentGateways.ts";

/**
 * Contracts name the gateways, and anyone may deploy a contract: strangers decide where these requests go. So each goes through
 * the guard of outgoing requests.
 */

const FETCH_TIMEOUT_MS = 3_000;
export const MAX_ANSWER_BYTES = 256 * 1_024;
export const MAX_URLS = 3;
const MAX_CONNECTIONS = 32;
/** The longest URL requested, including its data. Servers accept far less. */
export const MAX_URL_LENGTH = 65_536;
/** The longest URL in a resolver's look-up, before the data is filled in. */
const MAX_TEMPLATE_LENGTH = 2_048;
/** Lists and objects in an answer, which needs only one: JSON made of brackets takes long to parse. */
const MAX_BRACKETS = 1_000;

/** One look-up requested by a contract. The answer of the first of `urls` that works counts. Source: ERC-3668. */
export type Lookup = { sender: Address; urls: readonly string[]; data: Hex };

/** Calls gateways (CCIP-Read). `lookups` counts down the requests that this answer may still send. */
export type Gateways = {
  ask: (lookup: Lookup, budget: Pick<Budget, "caller" | "signal" | "lookups">) => Promise<Hex>;
  close: () => Promise<void>;
};

export type GatewayRules = {
  /** For development: also allows http, and loopback addresses if the URL itself contains them. */
  allowLoopback: boolean;
  /** Hosts of this service, with their ports. They are never called. */
  ownHosts?: readonly string[];
  /** Finds the addresses of a host. Defaults to the system's resolver. */
  lookup?: typeof dnsLookup;
  timeoutMs?: number;
  /** The clock for gateways that are left alone. Defaults to the computer's. */
  now?: () => number;
};

/** Creates the client that sends every CCIP-Read request to a gateway. */
export function createGateways({ now, ...rules }: GatewayRules): Gateways {
  const outgoing = createOutgoing({
    subject: "gateway",
    maxBytes: MAX_ANSWER_BYTES,
    maxConnections: MAX_CONNECTIONS,
    timeoutMs: FETCH_TIMEOUT_MS,
    ownHosts: [],
    ...rules,
  });
  const parts = { outgoing, places: createHostPlaces(), silent: createSilentGateways(now) };
  return {
    close: outgoing.close,
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
          error = toGatewayError(thrown);
          // ERC-3668: a 4xx answer is final. After other failures, the next gateway is called.
          if (error.status >= 400 && error.status < 500) throw error;
        }
      }
      throw error;
    },
  };
}

type Parts = { outgoing: Outgoing; places: HostPlaces; silent: SilentGateways };
type GatewayRequest = {
  template: string;
  lookup: Lookup;
  budget: Pick<Budget, "caller" | "signal">;
};

/** Calls a gateway when its host has a free place. A gateway that gave no answers is left alone for a while. */
async function askIfNotSilent(parts: Parts, request: GatewayRequest): Promise<Hex> {
  const { template, lookup, budget } = request;
  const url = toUrl(fillTemplate(template, lookup));
  parts.outgoing.check(url);
  return parts.places(url.host)(budget.caller, budget.signal, async () => {
    const attempt = beginAttempt(parts.silent, request, url);
    if (attempt.trial === null) return askNoted(parts.outgoing, request, attempt);
    const trial = { ...request, lookup: { ...lookup, data: attempt.trial } };
    await askNoted(parts.outgoing, trial, attempt).catch((thrown) => {
      if (isSilence(thrown) || budget.signal.aborted) throw thrown;
    });
    return askNoted(parts.outgoing, request, beginAttempt(parts.silent, request, url));
  });
}

/** The resolver is part of the key. The caller is the Universal Resolver, which lets no resolver speak for another. */
function beginAttempt(silent: SilentGateways, { template, lookup }: GatewayRequest, url: URL): Attempt {
  const attempt = silent.begin(`${lookup.sender} ${template}`);
  if (!("seconds" in attempt)) return attempt;
  throw new GatewayError(`${hostOf(url)} gave no answer lately; it is asked again in ${attempt.seconds} s`);
}

const isSilence = (thrown: unknown): boolean =>
  thrown instanceof OutgoingError && thrown.reason === "no answer";

/** Calls the gateway and records the outcome. */
async function askNoted(outgoing: Outgoing, request: GatewayRequest, { end }: Attempt): Promise<Hex> {
  const { data } = request.lookup;
  try {
    const answer = await askOne(outgoing, request);
    end("answered", data);
    return answer;
  } catch (thrown) {
    const outcome = request.budget.signal.aborted ? "given up" : isSilence(thrown) ? "silent" : "answered";
    end(outcome, data);
    throw thrown;
  }
}

async function askOne(outgoing: Outgoing, request: GatewayRequest): Promise<Hex> {
  const { template, lookup, budget } = request;
  const url = toUrl(fillTemplate(template, lookup));
  const isGet = template.includes("{data}");
  const { status, body } = await outgoing.ask(url, {
    method: isGet ? "GET" : "POST",
    ...(!isGet && {
      body: JSON.stringify({ data: lookup.data, sender: lookup.sender.toLowerCase() }),
      headers: { "content-type": "application/json" },
    }),
    signal: budget.signal,
  });
  if (status < 200 || status > 299) {
    throw new GatewayError(`${hostOf(url)} answered with status ${status}`, status);
  }
  const text = new TextDecoder().decode(body);
  await turnFor(text.length);
  return readData(text, url);
}

/** @throws GatewayError if the URL would be too long, before it is built: `{data}` may occur in it often */
function fillTemplate(template: string, { sender, data }: Lookup): string {
  const holes = template.length > MAX_TEMPLATE_LENGTH ? 0 : template.split("{data}").length - 1;
  if (template.length > MAX_TEMPLATE_LENGTH || holes * data.length > MAX_URL_LENGTH) {
    throw new GatewayError("The resolver names a gateway with a URL that is too long");
  }
  return template.replaceAll("{sender}", sender.toLowerCase()).replaceAll("{data}", data);
}

/** The host as quoted in messages: a resolver may name any host, of any length. */
const hostOf = ({ host }: URL): string => sanitizeMessage(host);

/** Also converts other forms of addresses (0x7f000001, 2130706433) to the usual one. */
function toUrl(text: string): URL {
  if (!URL.canParse(text)) throw new GatewayError("The resolver names a gateway that is not a URL");
  return new URL(text);
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
    throw new GatewayError(`${hostOf(url)} did not answer with JSON that has hexadecimal \`data\``);
  }
  return data;
}

/** Converts an expected error to a gateway's failure. Any other error is a bug of ours, and is rethrown. */
function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  if (thrown instanceof OutgoingError) return new GatewayError(thrown.message);
  throw thrown;
}
