import { z } from "@hono/zod-openapi";
import { protocolWords } from "../../rules/protocols.ts";
import { relations } from "../../rules/relations.ts";
import { ensv2Fields, ensv2Names } from "./ensv2.ts";
import { availabilityStatus, endedBy } from "./lifetime.ts";
import { resolution } from "./resolution.ts";
import { address, blockNumber, chain, count, decimal, expiry, hash, source } from "./values.ts";

const isOwnerCurrent = z.boolean().optional().openapi({
  description:
    "Present beside `owner`: whether it holds the name now. `false`: the last holder of a name that anyone can register or that expired at 3DNS, or the NameWrapper, which keeps the names of expired tokens. `last_owner` says who had it",
});

export const ownership = z
  .strictObject({
    is_wrapped: z.boolean(),
    owner: address
      .optional()
      .openapi({ description: "Effective owner: by wrapper, then registrar, then registry" }),
    is_owner_current: isOwnerCurrent,
    registry: address.optional(),
    registrar: address.optional(),
    wrapper: address.optional(),
    to_timestamp: count.optional().openapi({
      description:
        "Present after the grace of a .eth name: from this second on `owner` is only the last holder, and anyone can register the name",
    }),
    ended_by: endedBy.optional(),
    last_owner: z
      .strictObject({ address, to_timestamp: count.optional(), ended_by: endedBy })
      .optional()
      .openapi({
        description:
          "Present where the ownership ended without an event, and no account has owned the name since: who had it, until which second, and what ended it. No second is known where `ended_by` is `no_registration`",
      }),
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
    "Present where only the chain could add what the name's resolver, or an ancestor's, says of it (`display`), and the chain could not be asked because the name's text is not known",
});

const FAILED =
  "Present without `partial=true` where something could not be found out: the other fields are certain, and `unresolved` names what is missing";

const unresolvableParts = [
  "domain",
  "display",
  "resolver",
  "resolver.answered_by",
  "records",
  "records.texts",
  "value",
  "primary_name",
] as const;

/** The parts of an answer that only the chain could tell, which could not be asked. */
export const unresolved = z
  .array(
    z.strictObject({
      part: z
        .enum(unresolvableParts)
        .openapi({ description: "The field that is missing or incomplete; `domain`: all of the name" }),
      keys: z
        .array(z.string())
        .optional()
        .openapi({ description: "Of `records.texts`: the texts that are missing; the others are complete" }),
      code: z.literal("LIVE_RESOLUTION_FAILED"),
      message: z.string().openapi({ description: "Why it could not be found out" }),
    }),
  )
  .openapi("Unresolved", {
    description:
      "What only the chain could tell, and did not. A part that is named here is unknown: it is neither empty, nor 0, nor free",
  });
const someUnresolved = unresolved.optional();

/** When a name was seen first, was registered last, and can no longer be renewed. */
const times = {
  grace_end_timestamp: decimal.optional().openapi({
    description:
      "Present on names of a registrar: from this second on the last holder cannot renew it, and anyone can register it, with a premium at first where there is one. Absent where the name never expires",
  }),
  registered_timestamp: count.optional().openapi({
    description:
      "When it was registered last: by the registrar, or in ENSv2 by its registry. The registrar of 2020 logged a registration for each name that was moved to it. Absent where none registered it",
  }),
  created_timestamp: count
    .optional()
    .openapi({ description: "Time of the first event of the name; absent where the index has none" }),
};

/** Which contracts answer for a name. */
const protocols = z
  .array(z.enum(protocolWords))
  .optional()
  .openapi({
    description:
      "Which contracts answer for the name: `ensv2`, or `ensv1` with `registry` (of 2020) or `registry_old` (it is in that of 2017 alone); `wrapper` while it is wrapped; `layer2`: Basenames, Lineanames, 3DNS. Absent where the index has no event of the name",
    example: ["ensv1", "registry"],
  });

const labelSource = z.string().nullable().optional().openapi({
  description:
    "Where the text of the label is from: `event` (a log of a chain spells it out), `caller` (a caller wrote it), `table:<id>@<version>` or `service:<id>@<version>` (the operator imported it, or asked a service), `ens` (a label of ENS itself). Its hash proves it in each case. Null while only the hash is known; absent where the index has no event of the name",
  example: "event",
});

const subnameCount = count.optional().openapi({
  description: "Names right under it that events created, also expired and deleted ones",
});

const NULL_PARENT = "Null for the root, and for nodes of which no event gave the parent";

const domainFields = {
  name: z.string().openapi({ example: "alice.eth" }),
  chain,
  ...ensv2Fields,
  display: z.string().optional().openapi({ example: "Alice.eth" }),
  label: z.string().openapi({ example: "alice" }),
  label_source: labelSource,
  labelhash: hash.nullable().openapi({ description: NULL_PARENT }),
  token_id: decimal.nullable().openapi({
    description: "The labelhash as a number; of wrapped names the namehash; null where there is no labelhash",
    example: "70564938991660933374592024341600875602376452319261984317470407481576058979585",
  }),
  namehash: hash,
  parent_node: hash.nullable().openapi({ description: NULL_PARENT }),
  parent_name: z.string().nullable().openapi({ description: NULL_PARENT, example: "eth" }),
  expiry_timestamp: expiry,
  ...times,
  protocols,
  ownership,
  wrapper: wrapper.optional(),
  resolver,
  subname_count: subnameCount,
  availability_status: availabilityStatus,
};

/** A domain record with all fields. */
export const domain = z
  .strictObject({ ...domainFields, resolution, source, live, unresolved: someUnresolved })
  .openapi("Domain");

/** The record of a name that was asked for by name or hash. */
export const askedDomain = z
  .strictObject({
    ...domainFields,
    query: z.string().openapi({ example: "alice.eth" }),
    resolution,
    source,
    live,
    unresolved: someUnresolved,
  })
  .openapi("AskedDomain");

/** The record of a name of which nothing is known. */
export const unknownDomain = z
  .strictObject({
    query: z.string(),
    availability_status: availabilityStatus,
    resolution,
    source,
    unresolved: someUnresolved,
  })
  .openapi("UnknownDomain");

/** Every item of a list has its hashes: a name that is not normalised can only be asked for by hash. */
const hashes = {
  namehash: domainFields.namehash,
  labelhash: domainFields.labelhash,
};

export const itemError = z.strictObject({
  code: z.enum(["INVALID_NAME", "INVALID_HASH", "LIVE_RESOLUTION_FAILED"]),
  message: z.string(),
});

/** An item of a list that is not valid. */
export const invalidItem = z
  .strictObject({ query: z.string(), availability_status: z.literal("unknown"), error: itemError })
  .openapi("InvalidItem");

/** An item of a list of which only the chain could tell all, and did not: what is known stands beside the error. */
const failed = { error: itemError.optional().openapi({ description: FAILED }) };

/** Items of lists: records, each with an error where something of it could not be found out. */
// Not by `extend`: the document would then have each as one schema and another, and both refuse the other's fields.
export const listedDomain = z.strictObject({ ...domain.shape, ...failed }).openapi("ListedDomain");
export const bulkDomain = z.strictObject({ ...askedDomain.shape, ...failed }).openapi("BulkDomain");
export const bulkUnknownDomain = z
  .strictObject({ ...unknownDomain.shape, ...failed })
  .openapi("BulkUnknownDomain");

/** A name of which the index has the hash, or the text too, and only the chain could tell more, and did not. */
export const unresolvedDomain = z
  .strictObject({
    name: domainFields.name,
    namehash: hash,
    availability_status: z.literal("unknown"),
    source,
    unresolved,
    ...failed,
  })
  .openapi("UnresolvedDomain");

const { subregistry, reservation, migration } = ensv2Fields;

const itemFields = {
  name: z.string(),
  chain,
  ...ensv2Names,
  protocols,
  display: z.string().optional(),
  label: z.string(),
  ...hashes,
  availability_status: availabilityStatus,
  expiry_timestamp: expiry,
  ...times,
  ownership,
  wrapper: wrapper.optional(),
  subregistry,
  reservation,
  migration,
  subname_count: subnameCount,
  role_holder_count: count
    .optional()
    .openapi({ description: "Of a name of ENSv2: accounts that have roles for it" }),
  resolver: z.strictObject({ address }).optional(),
};

/** A domain in a list. */
export const domainItem = z.strictObject(itemFields).openapi("DomainItem");

/** A domain in the list of an address. */
export const addressDomainItem = z
  .strictObject({
    ...itemFields,
    relations: z.array(z.enum(relations)).openapi({
      description: "All that the address is to the name",
      example: ["effective_owner", "manager"],
    }),
    is_primary: z.boolean().nullable().optional().openapi({
      description:
        "Whether it is the primary name of the address on Ethereum (coin type 60), by its own reverse record or else the default one (ENSIP-19). Null where only the chain can tell, and could not be asked; absent without `include=primary`",
    }),
  })
  .openapi("AddressDomainItem");

/** A name that an address held before, as it is now. */
export const previousDomain = z
  .strictObject({
    name: z.string(),
    chain,
    label: z.string(),
    ...hashes,
    availability_status: availabilityStatus,
    expiry_timestamp: expiry,
    ownership: z.strictObject({
      owner: address.optional(),
      is_owner_current: isOwnerCurrent,
      is_wrapped: z.boolean(),
    }),
    last_owned_block_number: blockNumber,
    last_owned_block_timestamp: count,
  })
  .openapi("PreviousDomain");
