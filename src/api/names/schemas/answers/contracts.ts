import { z } from "@hono/zod-openapi";
import { domainItem } from "./domain.ts";
import { availabilityStatus } from "./lifetime.ts";
import { pageFields } from "./page.ts";
import { address, blockNumber, chain, count, decimal, happenedIn, hash } from "./values.ts";

const words = z.array(z.string()).openapi({
  description: "In words: `<role>_ADMIN` may grant and revoke the role; `ROLE_<bit>` has no name",
  example: ["SET_RESOLVER"],
});

/** An account that has roles. */
export const roleHolder = z
  .strictObject({
    address,
    roles: words,
    role_bitmap: decimal.openapi({ description: "As the contract has them: 64 roles of 4 bits each" }),
    resource: decimal
      .optional()
      .openapi({ description: "Of a resolver: what the roles are for; 0 for all of the contract" }),
    ...happenedIn,
  })
  .openapi("RoleHolder", { description: "An account, its roles, and when these changed last" });

/** A log that changed the roles of an account. */
export const roleChange = z
  .strictObject({
    address,
    added: words,
    removed: words,
    roles: words.openapi({ description: "All that the account has from then on" }),
    ...happenedIn,
    log_index: count,
  })
  .openapi("RoleChange");

/** Whose roles a list has. */
export const rolesOf = {
  registry: address
    .nullable()
    .openapi({ description: "The registry of ENSv2 that has them; null for a name of none" }),
  resource: decimal.nullable().openapi({
    description: "Their key in the registry, 0 for all of it; null for a name of none, and for a reservation",
  }),
};

/** What is known of a resolver on one chain. */
const resolverContract = z
  .strictObject({
    chain: z.string(),
    kind: z.enum(["listed", "ensv2", "ensv1_bridge", "unknown"]).openapi({
      description:
        "`listed`: the deployment lists it; `ensv2`: a listed factory deployed it with known code; `ensv1_bridge`: a contract of ENSv2 that answers what ENSv1 says; `unknown`: anyone's",
    }),
    contract: z.string().optional().openapi({
      description: "What events call it, where the deployment lists it",
      example: "RESOLVER_22764828",
    }),
    status: z.enum(["indexed", "unindexed"]).openapi({
      description:
        "`indexed`: its logs tell everything, and the index answers for it; `unindexed`: the chain is asked",
    }),
    implementation: address.optional().openapi({ description: "The code of a proxy, where it is known" }),
    deployed_by: address.optional(),
    block_number: blockNumber.optional(),
    transaction_hash: hash.optional(),
  })
  .openapi("ResolverContract");

const BEGAN = "Null where no log tells when it began";

const eraFields = {
  from_timestamp: count.nullable().openapi({ description: BEGAN }),
  from_block: blockNumber.nullable().openapi({ description: BEGAN }),
  from_tx: hash.nullable().openapi({ description: BEGAN }),
  to_timestamp: count,
  to_block: blockNumber,
  to_tx: hash,
};

/** A name that had a resolver for a time. */
export const formerName = z
  .strictObject({
    name: z.string(),
    namehash: hash,
    chain,
    ...eraFields,
    next_resolver: address.nullable().openapi({ description: "The resolver that followed; null for none" }),
  })
  .openapi("FormerName");

/** Which record a resolver of ENSv2 shows for a name. */
export const resolverLink = z
  .strictObject({
    record_number: decimal,
    name: z.string(),
    namehash: hash,
    is_default: z.literal(true).optional().openapi({
      description: "Present on the link of the root: its record is that of all names without a link",
    }),
    block_number: blockNumber,
    transaction_hash: hash,
  })
  .openapi("ResolverLink");

const { page: _page, ...listFields } = pageFields;

/** The beginning of a list that has an operation of its own: its cursor goes on there. */
const beginning = <Item extends z.ZodType>(item: Item, name: string) =>
  z.strictObject({ results: z.array(item), ...listFields }).openapi(name);

export const resolverOverview = z
  .strictObject({
    address,
    contracts: z.array(resolverContract),
    names: beginning(domainItem, "NamesOfResolver"),
    former_names: beginning(formerName, "FormerNamesOfResolver"),
    links: beginning(resolverLink, "LinksOfResolver"),
    roles: beginning(roleHolder, "RolesOfResolver"),
  })
  .openapi("ResolverOverview");

/** A label of a registry of ENSv2. */
export const registryLabel = z
  .strictObject({
    label: z.string(),
    labelhash: hash,
    name: z.string().optional().openapi({ description: "Absent where no name leads to the registry" }),
    namehash: hash.optional(),
    token_id: decimal,
    status: z.enum(["available", "reserved", "registered"]).openapi({
      description: "As the registry answers now: `available` also after the expiry",
    }),
    availability_status: availabilityStatus.optional().openapi({
      description: "Of the name: with grace and premium. Absent where the name is not followed",
    }),
    owner: address
      .nullable()
      .openapi({ description: "The holder, after the expiry the last one; null for none" }),
    expiry_timestamp: decimal,
    grace_end_timestamp: decimal.optional(),
    resolver: address.nullable().openapi({ description: "Null for none" }),
    subregistry: address.nullable().openapi({ description: "Null for none" }),
    subname_count: count.openapi({ description: "Labels that the subregistry has, expired ones too" }),
    role_holder_count: count,
    registered: z.strictObject({ ...happenedIn, sender: address }).optional(),
    reserved: z.strictObject(happenedIn).optional(),
    created_block_number: blockNumber,
  })
  .openapi("RegistryLabel");

/** An entry that has a registry below it. */
export const referringName = z
  .strictObject({
    registry: address,
    label: z.string(),
    name: z.string().optional(),
    namehash: hash.optional(),
    expiry_timestamp: decimal,
    is_expired: z.literal(true).optional(),
  })
  .openapi("ReferringName");

export const registryOverview = z
  .strictObject({
    address,
    kind: z.enum(["root", "eth", "user", "wrapper", "unknown"]).openapi({
      description: "`unknown`: its code is not known, and its logs tell nothing for certain",
    }),
    implementation: address.optional(),
    deployed_by: address.optional(),
    names: z.array(z.strictObject({ name: z.string(), namehash: hash })).openapi({
      description: "The names whose labels below are this registry's, at most 8; the first one first",
    }),
    claimed_parent: z
      .strictObject({ registry: address, label: z.string() })
      .optional()
      .openapi({ description: "Where the registry says that it is" }),
    created: z
      .strictObject(happenedIn)
      .optional()
      .openapi({ description: "Its first log; absent where none of its logs are known" }),
    referring_names: beginning(referringName, "ReferringNames"),
    label_count: count.openapi({ description: "Expired labels too" }),
    role_holder_count: count.openapi({ description: "Of all labels, and of the registry as a whole" }),
    root_role_holder_count: count,
    event_count: count.openapi({ description: "What it logged, as `/contract/{address}/events` has it" }),
    is_event_count_minimum: z
      .literal(true)
      .optional()
      .openapi({ description: "Present where there are more events than the 10,000 that are counted here" }),
    detach: z
      .strictObject({
        owner: address,
        labels: count.openapi({ description: "Labels that have not expired" }),
        not_owned: count.openapi({ description: "Those that another has, or none" }),
        ownerless: count.openapi({ description: "Those that none has" }),
      })
      .optional()
      .openapi({ description: "Present with `owner`" }),
  })
  .openapi("RegistryOverview");
