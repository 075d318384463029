import { z } from "@hono/zod-openapi";
import type { Hex } from "viem";
import { allEndings } from "../rules/ends.ts";
import { availabilities } from "../rules/lifetime.ts";
import { MAX_ROLE_HOLDERS, MAX_SHOWN } from "../rules/shown.ts";

/*
 * Schemas of the answers. Every object is strict: in tests, which parse the replies, a field that is not declared fails.
 * At run time HTTP replies are not parsed, so that this costs nothing.
 */

/** Hexadecimal text with the type `Hex`; the document shows it as a string. */
const hex = (pattern: RegExp) => z.string().regex(pattern) as unknown as z.ZodType<Hex, Hex>;

/** EIP-55 checksummed address. */
export const address = hex(/^0x[0-9a-fA-F]{40}$/).openapi({
  description: "EIP-55 checksummed address",
  example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
});

/** 32 bytes in lower-case hexadecimal. */
export const hash = hex(/^0x[0-9a-f]{64}$/);

/** Any bytes in lower-case hexadecimal. */
export const bytes = hex(/^0x([0-9a-f]{2})*$/);

/** A whole number of any size, as decimal digits. */
export const decimal = z.string().regex(/^(0|[1-9][0-9]*)$/);

/** Unix seconds as decimal digits; null if there is no expiry. */
const expiry = decimal
  .nullable()
  .openapi({ description: "Unix seconds; null for names without expiry", example: "1893456000" });

export const count = z.int().min(0);
export const blockNumber = count.openapi({ example: 22764821 });
export const source = z.enum(["indexed", "live"]).openapi({
  description: "`indexed`: from the events of tracked contracts; `live`: resolved on chain at the request",
});

const availabilityStatus = z.enum(availabilities).openapi("AvailabilityStatus", {
  description:
    "`registered`; `grace`: expired at most 90 days ago (in ENSv2 28); `premium`: for 21 days after it (not with Lineanames, which have none); `available`; `unknown`: cannot be determined",
});

/** What ended where no event did. */
const endedBy = z.enum(allEndings).openapi({
  description:
    "Present where time alone ended it, without a block: the NameWrapper's token expired (`wrapper_expiry`), the grace of a .eth name was over (`grace_end`), or a subname of ENSv2 expired (`expiry`)",
});

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

/** The chain of what is of a layer 2. */
export const chain = z.string().optional().openapi({
  description: "Present where it is not of the registry's own chain: the layer 2 that has it",
  example: "base",
});

/** The chains that figures are of. */
export const chains = z
  .array(z.string())
  .optional()
  .openapi({
    description: "Present where names of several chains are indexed: the chains whose names are counted",
    example: ["mainnet"],
  });

/** What is there besides where the deployment has ENSv2. */
const ensv2Names = {
  protocol: z.enum(["ensv1", "ensv2"]).optional().openapi({
    description:
      "Present where ENSv2 is indexed: the system that answers for the name. A name that was registered in ENSv2, and every name below it, is of `ensv2`",
  }),
  registry: address.optional().openapi({
    description: "Of a name of ENSv2: the registry that has its entry; absent where none has one",
  }),
};

const happenedIn = { block_number: blockNumber, block_timestamp: count, transaction_hash: hash };

const ensv2Fields = {
  ...ensv2Names,
  token: z
    .strictObject({ contract: address, id: decimal, standard: z.enum(["ERC-721", "ERC-1155"]) })
    .optional()
    .openapi({
      description:
        "The token that the owner holds. In ENSv2 its id changes whenever a role of the name is granted or revoked",
    }),
  roles: z
    .strictObject({
      holders: z.array(
        z.strictObject({ address, roles: z.array(z.string()).openapi({ example: ["SET_RESOLVER"] }) }),
      ),
      total: count.openapi({ description: `Accounts in all; the first ${MAX_ROLE_HOLDERS} are listed` }),
    })
    .optional()
    .openapi({
      description:
        "Of a name of ENSv2: who may do what with it. `<role>_ADMIN` may grant and revoke the role. Roles for a whole registry are not listed",
    }),
  reservation: z
    .strictObject({ registry: address, token_id: decimal, expiry_timestamp: decimal, ...happenedIn })
    .optional()
    .openapi({
      description:
        "Present where ENSv2 reserves the name for its owner in ENSv1, and it is not registered there yet",
    }),
  migration: z
    .strictObject({ from_address: address.nullable(), to_address: address.nullable(), ...happenedIn })
    .optional()
    .openapi({ description: "Present on a name that came from ENSv1: when, from whom and to whom" }),
  grace_end_timestamp: decimal.optional().openapi({
    description:
      "Present on .eth names of ENSv2: from then on anyone can register it, with a premium at first",
  }),
  premium_end_timestamp: decimal
    .optional()
    .openapi({ description: "Present on .eth names of ENSv2: from then on there is no premium any more" }),
};

/** What a domain record shows of ENSv2. */
export const ensv2 = z.strictObject(ensv2Fields);

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

/** Fields that every paged answer has beside its results. */
export const pageFields = {
  total: count,
  page: z.int().min(1),
  page_size: count.openapi({ example: 25 }),
};

/** Fields that an answer with a history has beside its entries; without `page` it has no page. */
export const historyFields = {
  total: count.openapi({ description: "Entries in all, also those that are not in this answer" }),
  page: z.int().min(1).optional(),
  page_size: count.optional().openapi({ example: 25 }),
};

/** Which fields of an item are cut: values that strangers write can be long. */
const truncated = z
  .array(z.string())
  .optional()
  .openapi({
    description: `Present where fields are cut: a text after ${MAX_SHOWN} characters, bytes after ${MAX_SHOWN} bytes`,
    example: ["value"],
  });

/** An amount of an ERC-20 token. */
export const tokenUnits = (description: string) =>
  z.string().regex(/^\d+$/).openapi({ description, example: "5000000" });

/** An ERC-20 token in which names of ENSv2 are paid. */
export const paymentToken = {
  token: address,
  symbol: z
    .string()
    .nullable()
    .openapi({ example: "USDC", description: "Null for a token that the deployment does not list" }),
  decimals: count.nullable().openapi({ example: 6 }),
};

/** What was paid for a name of ENSv2. */
export const payment = z
  .strictObject({ ...paymentToken, amount: tokenUnits("What was paid, in the token's units") })
  .openapi("Payment");

/** One event; fields that the event does not have are absent. */
export const event = z
  .strictObject({
    contract: z.string().openapi({
      example: "REGISTRY",
      description:
        "The contract by its part in ENS. Controllers and resolvers of the deployment carry their first block: `CONTROLLER_22764821`; `RESOLVER` alone is any other contract",
    }),
    event_type: z.string().openapi({ example: "NewOwner", description: "The event's name in the contract" }),
    block_number: blockNumber,
    block_timestamp: count,
    transaction_hash: hash,
    log_index: count,
    chain: z.string(),
    from_address: address.optional(),
    to_address: address.optional(),
    owner_address: address.optional(),
    new_owner_address: address.optional(),
    resolver_address: address.optional(),
    cost_wei: decimal.optional(),
    base_cost_wei: decimal.optional(),
    premium_wei: decimal.optional(),
    payment: payment.optional().openapi({ description: "A price that ENSv2 took, in a token" }),
    referrer: bytes.optional(),
    expiry_timestamp: decimal.optional(),
    fuses: z.int().min(0).optional(),
    coin_type: decimal.optional(),
    address: bytes.or(address).optional(),
    key: z.string().optional(),
    value: z.string().optional(),
    contenthash: bytes.optional(),
    name: z.string().optional(),
    agent_id: decimal
      .optional()
      .openapi({ description: "`AgentBound`: the agent that was bound", example: "0" }),
    truncated,
  })
  .openapi("Event");

/** The value of a text record since a block. */
export const textHistoryEntry = z
  .strictObject({
    value: z.string().nullable(),
    value_known: z.literal(false).optional().openapi({
      description: "Present where the index cannot know the value: an old resolver logged the key alone",
    }),
    block_number: blockNumber,
    source: z.enum(["indexed", "resolver_change", "live"]).openapi({
      description:
        "`indexed`: set by an event; `resolver_change`: a new resolver ended the value; `live`: the value now, resolved on chain",
    }),
    resolver: address.optional(),
    transaction_hash: hash.optional(),
    truncated,
  })
  .openapi("TextHistoryEntry");

/** Where a period begins and ends. */
const periodFields = {
  from_timestamp: count,
  from_block: blockNumber.nullable().openapi({
    description: "Null, as `from_tx`, where time alone began the period: there is no block then",
  }),
  from_tx: hash.nullable(),
  to_timestamp: count
    .nullable()
    .openapi({ description: "The first second at which it no longer held; null for the current period" }),
  to_block: blockNumber.nullable().openapi({
    description: "Null, as `to_tx`, for the current period, and where time alone ended it: see `ended_by`",
  }),
  to_tx: hash.nullable(),
  ended_by: endedBy.optional(),
};

/** Who owned a name for a time. */
export const ownershipPeriod = z
  .strictObject({
    address,
    chain,
    reason: z.enum(["registry", "registrar", "wrapper", "token"]).openapi({
      description: "The layer that decided the owner; `token`: the holder in a registry of ENSv2",
    }),
    event_type: z.string().nullable().openapi({
      description: "The event that began the period; null where time alone began it",
      example: "NameWrapped",
    }),
    ...periodFields,
  })
  .openapi("OwnershipPeriod");

/** What one layer, or the registry's resolver, held for a time. */
export const period = z.strictObject({ address, chain, ...periodFields }).openapi("Period");

/** A registration or renewal. */
export const registration = z
  .strictObject({
    contract: z.string().optional().openapi({ example: "CONTROLLER_22764821" }),
    chain,
    event_type: z.string().openapi({ example: "NameRegistered" }),
    block_number: blockNumber,
    transaction_hash: hash,
    cost_wei: decimal
      .nullable()
      .openapi({ description: "Base price and premium; null where no contract told a price" }),
    cost_eth: z.string().nullable().openapi({ example: "0.0032" }),
    cost_is_upper_bound: z.literal(true).optional().openapi({
      description: "Present where the contract logged the value sent, of which the surplus went back",
    }),
    payment: payment.optional().openapi({
      description: "Present where ENSv2 took the price, in a token; `cost_wei` is null then",
    }),
    kind: z.enum(["registered", "migrated", "reserved"]).optional().openapi({
      description:
        "Present on registrations by a registry of ENSv2: `migrated` came from ENSv1, `reserved` waits for its owner there and has none here",
    }),
    expiry_timestamp: decimal.nullable(),
    owner_address: address.nullable(),
  })
  .openapi("Registration");

const registrar = z.string().openapi({
  example: "REVERSE_REGISTRAR",
  description: "`REVERSE_REGISTRAR`, `DEFAULT_REVERSE_REGISTRAR` or `L2_REVERSE_REGISTRAR`",
});

/** The primary name of an address; null where it has none. */
export const primaryName = z
  .strictObject({
    primary_name: z.string().nullable().openapi({ example: "alice.eth" }),
    display: z.string().optional().openapi({ example: "Alice.eth" }),
    registrar: registrar.nullable(),
  })
  .openapi("PrimaryName");

/** A name as an address claimed it, whether or not it resolved to the address. */
export const primaryNameEntry = z
  .strictObject({
    name: z.string().nullable().openapi({ description: "Null where the address cleared its name" }),
    is_name_known: z
      .literal(false)
      .optional()
      .openapi({ description: "Present where the name is null because no event tells it" }),
    registrar,
    chain: z.string().openapi({ description: "The chain that `block_number` counts on" }),
    block_number: blockNumber,
    transaction_hash: hash,
    truncated,
  })
  .openapi("PrimaryNameEntry");

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

const happened = { block_number: blockNumber, block_timestamp: count, transaction_hash: hash };
const anyName = z.string().openapi({ example: "alice.eth" });

const purchase = {
  name: anyName,
  chain,
  cost_eth: z
    .string()
    .nullable()
    .openapi({ example: "0.005", description: "Null where no event tells the price" }),
  cost_is_upper_bound: z.literal(true).optional().openapi({
    description: "Present on renewals by the controller of 2023 whose exact price is not known",
  }),
  payment: payment.optional().openapi({
    description:
      "Present where a name was bought at a registrar of ENSv2, or renewed for it: `cost_eth` is null then",
  }),
  years: count.nullable().openapi({ description: "Full years of 365 days that were bought" }),
  ...happened,
};

/** One entry of the activity feed. */
export const activity = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("registration"), ...purchase }),
    z.strictObject({ type: z.literal("renewal"), ...purchase }),
    z.strictObject({
      type: z.literal("transfer"),
      name: anyName,
      chain,
      from_address: address,
      to_address: address,
      ...happened,
    }),
    z.strictObject({
      type: z.literal("migration"),
      name: anyName,
      chain,
      owner_address: address.nullable().openapi({ description: "Who holds the name in ENSv2 since then" }),
      ...happened,
    }),
    z.strictObject({ type: z.literal("wrap"), name: anyName, chain, owner_address: address, ...happened }),
    z.strictObject({ type: z.literal("unwrap"), name: anyName, chain, owner_address: address, ...happened }),
    z.strictObject({
      type: z.literal("primary_name"),
      address,
      name: primaryNameEntry.shape.name,
      is_name_known: primaryNameEntry.shape.is_name_known,
      truncated,
      chain: z.string(),
      ...happened,
    }),
  ])
  .openapi("Activity");
