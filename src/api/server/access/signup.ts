import type { Address, Hex } from "viem";
import { ApiError } from "../errors/errors.ts";
import type { Queries } from "../postgres/client.ts";
import type { Keys, UsageRow } from "../serviceDb/keys.ts";
import type { Signups } from "../serviceDb/signups.ts";
import type { Caller } from "./access.ts";
import { type Limiter, type Limits, limiterIn } from "./limits.ts";
import { CHALLENGE, findUsable } from "./metered.ts";
import type { SignatureCheck } from "./signature.ts";
import { MESSAGE_MINUTES, readSignInMessage, type SignInPlace, writeSignInMessage } from "./signInMessage.ts";

/** What sign-up needs. */
export type SignupParts = {
  signups: Signups;
  keys: Keys;
  limits: Pick<Limits, "failures">;
  /** Limits the requests to sign-up. */
  limiter: Limiter;
  checkSignature: SignatureCheck;
  place: SignInPlace;
};

/** A message to sign. */
export type Invitation = { message: string; nonce: string; expiresAt: Date; domain: string };

/** A new key, shown only once. `isFirst`: the address had none before, so its credits are new. */
export type NewKey = { address: Address; key: string; credits: number; isFirst: boolean };

/** The credits left on a key, and what it was charged for. */
export type KeyAccount = { credits: number; since: Date; usage: UsageRow[] };

/** Credits of an address, granted once. Source: section 5 of the contract. */
export const GRANT_CREDITS = 1_000;

const DAY_MS = 86_400_000;

/** A sign-up takes two requests. Addresses of the chain cost nothing, so the limit counts addresses of the network. */
export const signupLimiterIn = (store: Queries): Limiter =>
  limiterIn(store, { name: "signup", requests: 20, seconds: 3_600 });

export type Signup = ReturnType<typeof createSignup>;

/** Gives keys to callers who sign a message, without work for the operator. */
export const createSignup = (parts: SignupParts) => ({
  /** @throws ApiError RATE_LIMITED */
  invite: (address: Address, caller: Caller) => invite(parts, address, caller),
  /** @throws ApiError INVALID_PARAMETER, INVALID_API_KEY (the operator revoked it), RATE_LIMITED or LIVE_RESOLUTION_FAILED */
  signUp: (signed: { message: string; signature: Hex }, caller: Caller) => signUp(parts, signed, caller),
  /** Of the caller's own key. @throws ApiError INVALID_API_KEY or RATE_LIMITED */
  account: (days: number, caller: Caller) => readAccount(parts, days, caller),
});

async function invite(parts: SignupParts, address: Address, caller: Caller): Promise<Invitation> {
  await count(parts, caller);
  const { chainId } = parts.place;
  const url = urlFor(parts.place, caller);
  const { nonce, expiresAt } = await parts.signups.createNonce({ seconds: MESSAGE_MINUTES * 60 });
  const message = writeSignInMessage({ url, chainId }, { address, nonce, now: new Date(), expiresAt });
  return { message, nonce, expiresAt, domain: new URL(url).host };
}

/** Of our origins, the one whose page asks; any other `Origin` header is ignored. */
const urlFor = ({ publicUrls }: SignInPlace, caller: Caller): string =>
  publicUrls.find((url) => url === caller.header("origin")) ?? publicUrls[0] ?? "";

async function signUp(
  parts: SignupParts,
  { message, signature }: { message: string; signature: Hex },
  caller: Caller,
): Promise<NewKey> {
  await count(parts, caller);
  const { address, nonce } = readSignInMessage(message, parts.place, new Date());
  // Checked before the chain is asked. The nonce is used up only when it gives a key.
  if (!(await parts.signups.isOpen(nonce))) throw staleNonce();
  await parts.checkSignature({ address, message, signature });
  const owner = address.toLowerCase();
  const outcome = await parts.signups.signUp({ owner, nonce, credits: GRANT_CREDITS });
  if (outcome.kind === "stale nonce") throw staleNonce();
  if (outcome.kind === "revoked") throw revokedByOperator();
  return { address, key: outcome.key, credits: outcome.credits, isFirst: outcome.isFirst };
}

async function count({ limiter }: SignupParts, caller: Caller): Promise<void> {
  const { isOver, headers } = await limiter.take(caller.address);
  if (!isOver) return;
  const message = `Too many sign-ups from this address; wait ${headers["Retry-After"]} s.`;
  throw new ApiError("RATE_LIMITED", message, { headers });
}

async function readAccount(parts: SignupParts, days: number, caller: Caller): Promise<KeyAccount> {
  const key = caller.header("x-api-key");
  if (key === undefined) {
    const message = "Send the key in X-API-Key; POST /signup returns one.";
    throw new ApiError("INVALID_API_KEY", message, { headers: CHALLENGE });
  }
  const { id, credits } = await findUsable(parts, { key, caller });
  const since = new Date(Date.now() - days * DAY_MS);
  return { credits, since, usage: await parts.keys.usage(id, since) };
}

const staleNonce = (): ApiError =>
  new ApiError(
    "INVALID_PARAMETER",
    `The message's nonce is used, older than ${MESSAGE_MINUTES} minutes, or from another service; POST /signup/nonce returns a new one.`,
  );

const revokedByOperator = (): ApiError =>
  new ApiError(
    "INVALID_API_KEY",
    "The operator revoked the key of this address; only the operator can issue another.",
    {
      headers: CHALLENGE,
    },
  );
