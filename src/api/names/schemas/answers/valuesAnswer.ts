import { z } from "@hono/zod-openapi";
import type { Hex } from "viem";
import { calledWithoutPremium } from "../../../../../abis/layer2/managedNames.ts";
import { allEndings } from "../../rules/ends.ts";
import { MAX_SHOWN } from "../../rules/shown.ts";
import { availabilities, GRACE_DAYS, PREMIUM_DAYS } from "../../rules/stages.ts";

/** Hexadecimal text with the type `Hex`; the document shows it as a string. */
const hex = (pattern: RegExp) => z.string().regex(pattern) as unknown as z.ZodType<Hex, Hex>;

/** EIP-55 checksummed address. */
export const address = hex(/^0x[0-9a-fA-F]{40}$/).openapi({
  description: "EIP-55 checksummed address",
  example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
});

/** What people call a contract of the deployment; absent beside any other address. */
export const contractTitle = z.string().optional().openapi({
  description: "Present where the address is a contract of the deployment: what people call it",
  example: "Public Resolver (2025)",
});

/** 32 bytes in lower-case hexadecimal. */
export const hash = hex(/^0x[0-9a-f]{64}$/);

/** Any bytes in lower-case hexadecimal. */
export const bytes = hex(/^0x([0-9a-f]{2})*$/);

/** A whole number of any size, as decimal digits. */
export const decimal = z.string().regex(/^(0|[1-9][0-9]*)$/);

/** Dollars and cents. */
export const dollars = z
  .string()
  .regex(/^\d+\.\d\d$/)
  .openapi({ example: "5.00" });

/** Of a registration or renewal. */
export const costUsd = dollars.optional().openapi({
  description:
    "Present if the price of ether just before it is known: the cost in dollars at that price, rounded to cents",
});

/** Unix seconds as decimal digits; null if there is no expiry. */
export const expiry = decimal
  .nullable()
  .openapi({ description: "Unix seconds; null for names without expiry", example: "1893456000" });

export const count = z.int().min(0);
export const blockNumber = count.openapi({ example: 22764821 });
export const source = z.enum(["indexed", "live"]).openapi({
  description: "`indexed`: from events of tracked contracts; `live`: read on chain for this request",
});

/** The chain of what is of a layer 2. */
export const chain = z.string().optional().openapi({
  description: "Present if it is not on the registry's own chain: the layer 2",
  example: "base",
});

/** The chains that figures are of. */
export const chains = z
  .array(z.string())
  .optional()
  .openapi({
    description: "Present if names of several chains are indexed: the chains counted",
    example: ["mainnet"],
  });

/** The block and transaction in which something happened. */
export const happenedIn = { block_number: blockNumber, block_timestamp: count, transaction_hash: hash };

/** Which fields of an item are cut: values that strangers write can be long. */
export const truncated = z
  .array(z.string())
  .optional()
  .openapi({
    description: `Present if fields are cut: texts after ${MAX_SHOWN} characters, bytes after ${MAX_SHOWN} bytes`,
    example: ["value"],
  });

/** Of a registration or renewal. */
export const mergedEvents = z.int().min(2).optional().openapi({
  description:
    "Present if one transaction registered or renewed the name more than once: how many times. `cost_wei` or `cost_eth` and `years` are sums; the expiry is the last one",
});

export const availabilityStatus = z.enum(availabilities).openapi("AvailabilityStatus", {
  description: `\`registered\`; \`grace\`: expired at most ${GRACE_DAYS} days ago (ENSv2: 28); \`premium\`: the following ${PREMIUM_DAYS} days (not with ${calledWithoutPremium.join(" and ")}, which have none); \`available\`; \`unknown\`: cannot be determined`,
});

/** What ended where no event did. */
export const endedBy = z.enum(allEndings).openapi({
  description:
    "Present if time alone ended it, without a block: the NameWrapper's token expired (`wrapper_expiry`), the grace of a .eth name ended (`grace_end`), or an ENSv2 subname or a name above it expired (`expiry`). `no_registration`: the registrar never registered the name, so anyone can; an earlier one, such as the 2017 auctions, granted it",
});
