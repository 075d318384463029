import { z } from "@hono/zod-openapi";
import { ensv2Fields, ensv2Names } from "./ensv2.ts";
import { availabilityStatus, endedBy } from "./lifetime.ts";
import { address, blockNumber, chain, count, decimal, expiry, hash, source } from "./values.ts";

export const ownership = z
  .strictObject({
    is_wrapped: z.boolean(),
    owner: address
      .optional()
      .openapi({ description: "Effective owner: by wrapper, then registrar, then registry" }),
    registry: address.optional(),
    registrar: address.optional(),
    wrapper: address.optional(),
    to_timestamp: count.optional().openapi({
      description:
        "Present after the grace of a .eth name: since this second its owner is only the last holder, and anyone can register it",
    }),
    ended_by: endedBy.optional(),
  })
  .openapi("Ownership");

export const wrapper = z
  .strictObject({
    fuses: z.int().min(0).openapi({ description: "As NameWrapper.getData answers now: 0 once expired" }),
    expiry_timestamp: decimal,
    fuse_names: z.array(z.string()),
    expired: z.literal(true).optional().openapi({ description: "Present once the wrapper's expiry is past" }),
  })
  .openapi("Wrapper");

export const resolver = z
  .strictObject({
    status: z.enum(["indexed", "unindexed", "none"]).openapi({
      description:
        "`indexed`: its events tell everything, the index answers; `unindexed`: the chain is asked; `none`: the name has no resolver, an ancestor's may answer for it (ENSIP-10)",
    }),
    chain: z.string().optional(),
    address: address.optional(),
    answered_by: address.optional().openapi({
      description: "Of a name without resolver: the ancestor's resolver that gave the live answer (ENSIP-10)",
    }),
  })
  .openapi("Resolver");

/** The index answers; what only the chain could add is left out. */
const live = z.literal("not_asked").optional().openapi({
  description:
    "Present where the index answers, and only the chain could add what the name's resolver, or an ancestor's, says of it (`display`): the chain was not asked",
});

const domainFields = {
  name: z.string().openapi({ example: "alice.eth" }),
  chain,
  ...ensv2Fields,
  display: z.string().optional().openapi({ example: "Alice.eth" }),
  label: z.string().openapi({ example: "alice" }),
  labelhash: hash
    .nullable()
    .openapi({ description: "Null for the root, and for nodes of which no event gave the parent" }),
  token_id: decimal.nullable().openapi({
    description: "The labelhash as a number; of wrapped names the namehash",
    example: "70564938991660933374592024341600875602376452319261984317470407481576058979585",
  }),
  namehash: hash,
  parent_node: hash.nullable(),
  parent_name: z.string().nullable(),
  expiry_timestamp: expiry,
  ownership,
  wrapper: wrapper.optional(),
  resolver,
  availability_status: availabilityStatus,
};

/** A domain record with all fields. */
export const domain = z.strictObject({ ...domainFields, source, live }).openapi("Domain");

/** The record of a name that was asked for by name or hash. */
export const askedDomain = z
  .strictObject({ ...domainFields, query: z.string().openapi({ example: "alice.eth" }), source, live })
  .openapi("AskedDomain");

/** The record of a name of which nothing is known. */
export const unknownDomain = z
  .strictObject({ query: z.string(), availability_status: availabilityStatus, source })
  .openapi("UnknownDomain");

/** Every item of a list has its hashes: a name that is not normalised can only be asked for by hash. */
const hashes = {
  namehash: domainFields.namehash,
  labelhash: domainFields.labelhash,
};

/** An item of a list that is not valid, or that only the chain could answer and did not. */
export const unresolvedItem = z
  .strictObject({
    query: z.string(),
    availability_status: z.literal("unknown"),
    error: z.strictObject({
      code: z.enum(["INVALID_NAME", "INVALID_HASH", "LIVE_RESOLUTION_FAILED"]),
      message: z.string(),
    }),
  })
  .openapi("InvalidItem");

/** A domain in a list. */
export const domainItem = z
  .strictObject({
    name: z.string(),
    chain,
    ...ensv2Names,
    display: z.string().optional(),
    label: z.string(),
    ...hashes,
    availability_status: availabilityStatus,
    expiry_timestamp: expiry,
    ownership,
    resolver: z.strictObject({ address }).optional(),
  })
  .openapi("DomainItem");

/** A name that an address held before, as it is now. */
export const previousDomain = z
  .strictObject({
    name: z.string(),
    chain,
    label: z.string(),
    ...hashes,
    availability_status: availabilityStatus,
    expiry_timestamp: expiry,
    ownership: z.strictObject({ owner: address.optional(), is_wrapped: z.boolean() }),
    last_owned_block_number: blockNumber,
    last_owned_block_timestamp: count,
  })
  .openapi("PreviousDomain");
