import { z } from "@hono/zod-openapi";
import { type Address, getAddress, type Hex } from "viem";
import { GRANT_CREDITS, type Signup } from "../../server/access/signup.ts";
import { type Endpoint, endpoint } from "../../server/http/endpoint.ts";
import { address, count } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";

/** Our messages have 450 characters; those of other programs may contain a statement and resources. */
const MAX_MESSAGE = 4_000;
/** An EOA's signature has 132 characters; that of an undeployed contract wallet contains its deployment (ERC-6492). */
const MAX_SIGNATURE = 32_000;

const tooLong = (name: string, max: number) => ({
  message: `\`${name}\` is longer than ${max} characters.`,
  params: { code: "LIMIT_EXCEEDED" },
});

const time = (description: string) =>
  z.iso.datetime().openapi({ description, example: "2026-01-31T12:00:00.000Z" });

const addressBody = z.object({ address: input.address() });

const signedBody = z.object({
  message: z
    .string()
    .refine((text) => text.length <= MAX_MESSAGE, tooLong("message", MAX_MESSAGE))
    .openapi({ description: "The exact message that was signed", maxLength: MAX_MESSAGE }),
  signature: z
    .string()
    .refine((text) => text.length <= MAX_SIGNATURE, tooLong("signature", MAX_SIGNATURE))
    .regex(/^0x([0-9a-fA-F]{2})+$/, { error: () => "`signature` must be 0x and hexadecimal digits." })
    .transform((text) => text as Hex)
    .openapi({ type: "string", description: "As returned by `personal_sign`", maxLength: MAX_SIGNATURE }),
});

const invitation = z
  .strictObject({
    message: z.string().openapi({
      description: "Sign exactly this text (EIP-191, `personal_sign`)",
      example: "names.example.org wants you to sign in with your Ethereum account:\n0x7099…",
    }),
    nonce: z.string().openapi({ description: "For your own messages (EIP-4361)" }),
    domain: z.string().openapi({ description: "Domain of the message" }),
    expires_at: time("Expiry of the message, which can be used once"),
  })
  .openapi("SignupMessage");

const newKey = z
  .strictObject({
    address,
    key: z.string().openapi({ description: "Shown only once: store it", example: `ens_${"x".repeat(32)}` }),
    credits: count.openapi({ example: GRANT_CREDITS }),
    is_first: z.boolean().openapi({
      description:
        "False if the address had a key: that key no longer works, and this one takes over its credits",
    }),
  })
  .openapi("NewKey");

const account = z
  .strictObject({
    credits: count.openapi({ description: "Remaining credits", example: 997 }),
    since: time("Start of the usage"),
    usage: z.array(
      z.strictObject({
        day: z.iso.date().openapi({ description: "In UTC", example: "2026-01-31" }),
        operation: z.string().openapi({ example: "GET /whois/{name}" }),
        requests: count,
        credits: count,
      }),
    ),
  })
  .openapi("KeyUsage");

const shared = { group: "Access", cost: 0, index: "not read", isPrivate: true } as const;

/** Operations of sign-up: only offered where access is metered and sign-up is open. */
export function signupEndpoints(signup: Signup): Endpoint[] {
  return [invite(signup), signUp(signup), usage(signup)];
}

const invite = (signup: Signup) =>
  endpoint({
    ...shared,
    method: "post",
    path: "/signup/nonce",
    summary: "Message to sign for a key",
    description:
      "The message that an address signs to get a key (Sign-In with Ethereum, EIP-4361). It can be used once, within 5 minutes.",
    body: addressBody,
    reply: invitation,
    errors: ["INVALID_ADDRESS", "RATE_LIMITED"],
    handle: async ({ address: owner }, _, caller) => {
      const { expiresAt, ...invited } = await signup.invite(owner, caller);
      return { ...invited, expires_at: expiresAt.toISOString() };
    },
  });

const signUp = (signup: Signup) =>
  endpoint({
    ...shared,
    method: "post",
    path: "/signup",
    summary: "API key for a signed message",
    description: `An address gets ${GRANT_CREDITS} credits, once. If you lost your key, sign up again: the new key takes over the credits of the old one, which stops working. Signatures of smart-contract wallets are checked on chain (ERC-1271, ERC-6492).`,
    body: signedBody,
    reply: newKey,
    errors: ["LIMIT_EXCEEDED", "INVALID_API_KEY", "RATE_LIMITED", "LIVE_RESOLUTION_FAILED"],
    handle: async (body, _, caller) => {
      const { isFirst, address: owner, ...made } = await signup.signUp(body, caller);
      return { address: getAddress(owner) satisfies Address, ...made, is_first: isFirst };
    },
  });

const usage = (signup: Signup) =>
  endpoint({
    ...shared,
    method: "get",
    path: "/signup/usage",
    summary: "Credits and usage of a key",
    description: "For the key in X-API-Key: credits left, and debits by day and operation.",
    query: z.object({
      days: input
        .digits("days", { min: 1, max: 90, description: "Days of usage to list", example: 30 })
        .default(30)
        .openapi({ default: 30 }),
    }),
    reply: account,
    needsKey: true,
    errors: ["INVALID_API_KEY", "RATE_LIMITED"],
    handle: async ({ days }, _, caller) => {
      const { since, ...known } = await signup.account(days, caller);
      return { ...known, since: since.toISOString() };
    },
  });
