import { z } from "@hono/zod-openapi";
import { protocolWords } from "../../rules/protocols.ts";
import { relations } from "../../rules/relations.ts";
import { ensv2Fields, ensv2Names } from "./ensv2Answer.ts";
import {
  address,
  availabilityStatus,
  blockNumber,
  chain,
  contractTitle,
  count,
  decimal,
  endedBy,
  expiry,
  hash,
  source,
} from "./valuesAnswer.ts";

/** Whether a name resolves, and why not. */
export const resolutionWords = [
  "resolves",
  "no_resolver",
  "no_live_entry",
  "expired",
  "expired_parent",
  "not_registered",
  "no_answer",
] as const;

const resolution = z.enum(resolutionWords).optional().openapi({
  description:
    "Whether a resolver answers for the name and, if not, why. `resolves`: one does, whatever records it has; `no_resolver`: neither the name nor an ancestor has one that answers; `no_live_entry`: ENSv2 decides, has no entry for the name, and its path leads to no resolver; `expired`: the name's ENSv2 entry has expired; `expired_parent`: an entry above it has; `not_registered`: a second-level .eth name that no registrar has; `no_answer`: its resolver is not a contract, or leads to none. Absent if only the chain can tell: `live` says that it was not asked, `unresolved` that it could not be",
});

const isOwnerCurrent = z.boolean().optional().openapi({
  description:
    "Present with `owner`: whether it holds the name now. `false`: the last holder of a name that anyone can register or that expired at 3DNS, or the NameWrapper, which keeps the names of expired tokens. `last_owner` has the previous owner",
});

export const ownership = z
  .strictObject({
    is_wrapped: z.boolean(),
    owner: address
      .optional()
      .openapi({ description: "Effective owner: wrapper first, then registrar, then registry" }),
    is_owner_current: isOwnerCurrent,
    owner_title: contractTitle.openapi({
      description: "Present where `owner` is a contract of the deployment: what people call it",
      example: "NameWrapper",
    }),
    registry: address.optional(),
    registrar: address.optional(),
    wrapper: address.optional(),
    to_timestamp: count.optional().openapi({
      description:
        "Present after the grace of a .eth name: from this second on, `owner` is only the last holder, and anyone can register the name",
    }),
    ended_by: endedBy.optional(),
    last_owner: z
      .strictObject({ address, to_timestamp: count.optional(), ended_by: endedBy })
      .optional()
      .openapi({
        description:
          "Present if ownership ended without an event, and no account has owned the name since: the last owner, the second it ended, and the cause. The second is unknown if `ended_by` is `no_registration`",
      }),
  })
  .openapi("Ownership");

export const wrapper = z
  .strictObject({
    fuses: z.int().min(0).openapi({ description: "As NameWrapper.getData returns it now: 0 once expired" }),
    expiry_timestamp: decimal,
    fuse_names: z.array(z.string()),
    expired: z.literal(true).optional().openapi({ description: "Present after the wrapper's expiry" }),
  })
  .openapi("Wrapper");

export const resolver = z
  .strictObject({
    status: z.enum(["indexed", "unindexed", "none"]).openapi({
      description:
        "`indexed`: its events are complete, and the index answers; `unindexed`: the chain is read; `none`: the name has no resolver, but an ancestor's may answer for it (ENSIP-10)",
    }),
    chain: z.string().optional(),
    address: address.optional(),
    title: contractTitle.openapi({
      description:
        "Present where the resolver at `address` or `answered_by` is a contract of the deployment: what people call it",
      example: "Public Resolver (2025)",
    }),
    answered_by: address.optional().openapi({
      description:
        "For a name without a resolver: the ancestor's resolver that gave the live answer (ENSIP-10)",
    }),
  })
  .openapi("Resolver");

/** The index answers; what only the chain could add is left out. */
const live = z.literal("not_asked").optional().openapi({
  description:
    "Present if only a resolver on chain, the name's or an ancestor's, could add data (`display`), and it could not be asked because the name's text is unknown",
});

const FAILED =
  "Present without `partial=true` if something could not be found out. The other fields are certain; `unresolved` lists the missing ones";

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
        .openapi({ description: "The missing or incomplete field; `domain`: everything about the name" }),
      keys: z
        .array(z.string())
        .optional()
        .openapi({ description: "For `records.texts`: keys of the missing texts; the others are complete" }),
      code: z.literal("LIVE_RESOLUTION_FAILED"),
      message: z.string().openapi({ description: "Why it could not be found out" }),
    }),
  )
  .openapi("Unresolved", {
    description:
      "Parts that only the chain could give, and did not. A listed part is unknown: not empty, not 0, not available",
  });
const someUnresolved = unresolved.optional();

/** When a name was seen first, was registered last, and can no longer be renewed. */
const times = {
  grace_end_timestamp: decimal.optional().openapi({
    description:
      "Present on names of a registrar: from this second on, the last holder cannot renew and anyone can register the name, at first with a premium if the registrar has one. Absent if the name never expires",
  }),
  registered_timestamp: count.optional().openapi({
    description:
      "Last registration, by the registrar or, in ENSv2, by its registry. The 2020 registrar logged a registration for each name moved to it. Absent if never registered",
  }),
  created_timestamp: count
    .optional()
    .openapi({ description: "Time of the name's first event; absent if the index has none" }),
};

/** Which contracts answer for a name. */
const protocols = z
  .array(z.enum(protocolWords))
  .optional()
  .openapi({
    description:
      "The contracts that answer for the name: `ensv2`, or `ensv1` with `registry` (2020) or `registry_old` (only in that of 2017); `wrapper` while wrapped; `layer2`: Basenames, Lineanames, 3DNS. Absent if the index has no event of the name",
    example: ["ensv1", "registry"],
  });

const labelSource = z.string().nullable().optional().openapi({
  description:
    "Source of the label's text, always proven by its hash: `event` (a log), `caller` (a caller wrote it), `table:<id>@<version>` or `service:<id>@<version>` (imported by the operator, or from a service), `ens` (a label of ENS itself). Null while only the hash is known; absent if the index has no event of the name",
  example: "event",
});

const subnameCount = count.optional().openapi({
  description: "Direct subnames created by events, including expired and deleted ones",
});

const NULL_PARENT = "Null for the root, and for nodes whose parent no event gave";

const domainFields = {
  name: z.string().openapi({ example: "alice.eth" }),
  chain,
  ...ensv2Fields,
  display: z.string().optional().openapi({ example: "Alice.eth" }),
  label: z.string().openapi({ example: "alice" }),
  label_source: labelSource,
  labelhash: hash.nullable().openapi({ description: NULL_PARENT }),
  token_id: decimal.nullable().openapi({
    description: "The labelhash as a number, or the namehash for wrapped names; null without a labelhash",
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

/** The record of a name requested by name or hash. */
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

/** The record of a name about which nothing is known. */
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

/** A list item that only the chain knows in full, if the chain did not answer: known fields beside the error. */
const failed = { error: itemError.optional().openapi({ description: FAILED }) };

/** Items of lists: records, each with an error where something of it could not be found out. */
// Not by `extend`: the document would then have each as one schema and another, and both refuse the other's fields.
export const listedDomain = z.strictObject({ ...domain.shape, ...failed }).openapi("ListedDomain");
export const bulkDomain = z.strictObject({ ...askedDomain.shape, ...failed }).openapi("BulkDomain");
export const bulkUnknownDomain = z
  .strictObject({ ...unknownDomain.shape, ...failed })
  .openapi("BulkUnknownDomain");

/** A name known by its hash, perhaps its text, if only the chain knows more and did not answer. */
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
    .openapi({ description: "For an ENSv2 name: accounts with roles for it" }),
  resolver: z.strictObject({ address }).optional(),
};

/** A domain in a list. */
export const domainItem = z.strictObject(itemFields).openapi("DomainItem");

/** A domain in the list of an address. */
export const addressDomainItem = z
  .strictObject({
    ...itemFields,
    relations: z.array(z.enum(relations)).openapi({
      description: "All relations of the address to the name",
      example: ["effective_owner", "manager"],
    }),
    is_primary: z.boolean().nullable().optional().openapi({
      description:
        "Whether it is the primary name of the address on Ethereum (coin type 60), by its reverse record or the default one (ENSIP-19). Null if only the chain can tell and could not be asked; absent without `include=primary`",
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
