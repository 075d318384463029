import { z } from "@hono/zod-openapi";
import { domainItem } from "./domainAnswer.ts";
import { pageFields } from "./pageAnswer.ts";
import {
  address,
  availabilityStatus,
  blockNumber,
  chain,
  count,
  decimal,
  happenedIn,
  hash,
} from "./valuesAnswer.ts";

const words = z.array(z.string()).openapi({
  description:
    "Role names: `<role>_ADMIN` may grant and revoke the role; `ROLE_<bit>` is a role without a name",
  example: ["SET_RESOLVER"],
});

/** An account that has roles. */
export const roleHolder = z
  .strictObject({
    address,
    roles: words,
    role_bitmap: decimal.openapi({ description: "As stored by the contract: 64 roles of 4 bits each" }),
    resource: decimal.optional().openapi({
      description: "For a resolver: the resource that the roles apply to; 0 for the whole contract",
    }),
    ...happenedIn,
  })
  .openapi("RoleHolder", { description: "An account, its roles, and their last change" });

/** A log that changed the roles of an account. */
export const roleChange = z
  .strictObject({
    address,
    added: words,
    removed: words,
    roles: words.openapi({ description: "All roles of the account from then on" }),
    ...happenedIn,
    log_index: count,
  })
  .openapi("RoleChange");

/** Whose roles a list has. */
export const rolesOf = {
  registry: address
    .nullable()
    .openapi({ description: "The ENSv2 registry that holds the roles; null if the name is not in ENSv2" }),
  resource: decimal.nullable().openapi({
    description:
      "The entry's key in the registry, 0 for the whole registry; null for reservations and names outside ENSv2",
  }),
};

/** What is known of a resolver on one chain. */
const resolverContract = z
  .strictObject({
    chain: z.string(),
    kind: z.enum(["listed", "ensv2", "ensv1_bridge", "unknown"]).openapi({
      description:
        "`listed`: in the deployment's list; `ensv2`: deployed by a listed factory with known code; `ensv1_bridge`: an ENSv2 contract that answers from ENSv1; `unknown`: any other contract",
    }),
    contract: z.string().optional().openapi({
      description: "Its name in events, if the deployment lists it",
      example: "RESOLVER_22764828",
    }),
    status: z.enum(["indexed", "unindexed"]).openapi({
      description:
        "`indexed`: its logs are complete, and the index answers for it; `unindexed`: the chain is read",
    }),
    implementation: address.optional().openapi({ description: "Implementation of a proxy, if known" }),
    deployed_by: address.optional(),
    block_number: blockNumber.optional(),
    transaction_hash: hash.optional(),
  })
  .openapi("ResolverContract");

const BEGAN = "Null if no log gives the start";

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
    next_resolver: address.nullable().openapi({ description: "The next resolver; null for none" }),
  })
  .openapi("FormerName");

/** Which record a resolver of ENSv2 shows for a name. */
export const resolverLink = z
  .strictObject({
    record_number: decimal,
    name: z.string(),
    namehash: hash,
    is_default: z.literal(true).optional().openapi({
      description: "Present on the root link: its record applies to all names without a link",
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
    name: z.string().optional().openapi({ description: "Absent if no name leads to the registry" }),
    namehash: hash.optional(),
    token_id: decimal,
    status: z.enum(["available", "reserved", "registered"]).openapi({
      description: "As answered by the registry now: `available` also after expiry",
    }),
    availability_status: availabilityStatus.optional().openapi({
      description: "State of the name, with grace and premium. Absent if the name is not tracked",
    }),
    owner: address
      .nullable()
      .openapi({ description: "The holder, after expiry the last one; null for none" }),
    expiry_timestamp: decimal,
    grace_end_timestamp: decimal.optional(),
    resolver: address.nullable().openapi({ description: "Null for none" }),
    subregistry: address.nullable().openapi({ description: "Null for none" }),
    subname_count: count.openapi({ description: "Labels in the subregistry, including expired ones" }),
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
      description: "`unknown`: its code is unknown, so its logs prove nothing",
    }),
    implementation: address.optional(),
    deployed_by: address.optional(),
    names: z.array(z.strictObject({ name: z.string(), namehash: hash })).openapi({
      description: "Names whose subnames are this registry's labels, at most 8; the first one first",
    }),
    claimed_parent: z
      .strictObject({ registry: address, label: z.string() })
      .optional()
      .openapi({ description: "The parent and label that the registry claims" }),
    created: z
      .strictObject(happenedIn)
      .optional()
      .openapi({ description: "Its first log; absent if none is known" }),
    referring_names: beginning(referringName, "ReferringNames"),
    label_count: count.openapi({ description: "Includes expired labels" }),
    role_holder_count: count.openapi({ description: "For single labels and for the whole registry" }),
    root_role_holder_count: count,
    event_count: count.openapi({ description: "Its logs, as in `/contract/{address}/events`" }),
    is_event_count_minimum: z
      .literal(true)
      .optional()
      .openapi({ description: "Present if there are more than 10,000 events, the most counted here" }),
    detach: z
      .strictObject({
        owner: address,
        labels: count.openapi({ description: "Unexpired labels" }),
        not_owned: count.openapi({ description: "Of these, labels with another owner or none" }),
        ownerless: count.openapi({ description: "Of these, labels without an owner" }),
      })
      .optional()
      .openapi({ description: "Present with `owner`" }),
  })
  .openapi("RegistryOverview");
