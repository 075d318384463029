import { type Address, BaseError } from "viem";
import { createSiweMessage, parseSiweMessage, type SiweMessage, validateSiweMessage } from "viem/siwe";
import { ApiError } from "../errors/errors.ts";

/** The service that a message must be for. */
export type SignInPlace = {
  /** Origins of the service (`https://names.example.org`); the first one is named in messages. */
  publicUrls: readonly string[];
  chainId: number;
};

/** How long a message is valid after it was issued. */
export const MESSAGE_MINUTES = 5;

/** How far clocks may differ. */
const CLOCK_SKEW_MS = 60_000;

const STATEMENT =
  "Sign up for an API key of Namedex. This costs nothing and moves nothing. If this address has a key, the new one replaces it.";

/** The message for an address to sign. Source: EIP-4361 (Sign-In with Ethereum). */
export function writeSignInMessage(
  { url, chainId }: { url: string; chainId: number },
  { address, nonce, now, expiresAt }: { address: Address; nonce: string; now: Date; expiresAt: Date },
): string {
  return createSiweMessage({
    address,
    chainId,
    nonce,
    version: "1",
    statement: STATEMENT,
    domain: new URL(url).host,
    uri: `${url}/signup`,
    issuedAt: now,
    expirationTime: expiresAt,
  });
}

/**
 * Reads a message and checks that it is for this service and valid now: domain, URI, chain and times. Does not check the
 * nonce and the signature.
 *
 * @throws ApiError INVALID_PARAMETER with what is wrong
 */
export function readSignInMessage(
  message: string,
  { publicUrls, chainId }: SignInPlace,
  now: Date,
): { address: Address; nonce: string } {
  const fields = parseWhole(message);
  const url = publicUrls.map((text) => new URL(text)).find(({ host }) => host === fields.domain);
  if (url === undefined) {
    const domains = publicUrls.map((text) => new URL(text).host).join(" or ");
    throw fault(`it is for another domain; this service is ${domains}`);
  }
  if (fields.scheme !== undefined && `${fields.scheme}:` !== url.protocol) {
    throw fault(`its scheme must be ${url.protocol.slice(0, -1)}`);
  }
  if (new URL(fields.uri).origin !== url.origin) throw fault(`its URI must be at ${url.origin}`);
  if (fields.chainId !== chainId) throw fault(`its Chain ID must be ${chainId}`);
  requireTime(fields, now);
  return { address: fields.address, nonce: fields.nonce };
}

/** The parser accepts fields anywhere in a text. So the fields, written again, must give exactly the same message. */
function parseWhole(message: string): SiweMessage {
  const fields = parseSiweMessage(message) as SiweMessage;
  if (!fields.address || !fields.issuedAt || !URL.canParse(fields.uri)) throw fault(NO_MESSAGE);
  try {
    if (createSiweMessage(fields) === withPlainTimes(message)) return fields;
  } catch (error) {
    if (error instanceof BaseError) throw fault(error.shortMessage); // It names the field.
  }
  throw fault(NO_MESSAGE);
}

/** Times as the library writes them: a wallet may write the same time in another form. */
const withPlainTimes = (message: string): string =>
  message.replaceAll(/^(Issued At|Expiration Time|Not Before): (.+)$/gm, (_, name, time) => {
    return `${name}: ${new Date(time).toISOString()}`;
  });

function requireTime(fields: SiweMessage, now: Date): void {
  const age = now.getTime() - (fields.issuedAt?.getTime() ?? Number.NaN);
  if (age < -CLOCK_SKEW_MS) throw fault("its Issued At is in the future");
  if (!(age <= MESSAGE_MINUTES * 60_000 + CLOCK_SKEW_MS)) {
    throw fault(`it was issued more than ${MESSAGE_MINUTES} minutes ago; request a new one`);
  }
  if (!validateSiweMessage({ message: fields, time: now })) {
    throw fault("its Expiration Time has passed, or its Not Before is yet to come");
  }
}

const NO_MESSAGE =
  "the text must be a complete EIP-4361 message with a checksummed address; POST /signup/nonce returns one";

const fault = (what: string): ApiError =>
  new ApiError("INVALID_PARAMETER", `The message is not accepted: ${what.replace(/\.$/, "")}.`);
