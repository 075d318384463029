import { z } from "@hono/zod-openapi";
import { actions, layers, reasons } from "../../rules/powers.ts";
import { address, contractTitle, count, decimal, happenedIn, hash } from "./valuesAnswer.ts";

/** Kinds of permissions over a name. */
export const permissionKinds = [
  ...(["owner", "token_approval", "operator", "record_delegate", "role", "root_role"] as const),
  ...(["parent_owner", "parent_approval", "parent_operator", "parent_role"] as const),
] as const;

/** Kinds of what an address holds from others, or gave. */
export const grantKinds = ["operator", "token_approval", "record_delegate", "role"] as const;

/** What an answer about permissions does not cover, with the words that say so. */
export const surfaces = {
  contracts:
    "Listed addresses can be contracts that let others act by their own rules (multisig wallets, marketplaces)",
  controllers: "Contracts that may register and renew names (controllers), and the registrar's owner",
  resolver: "Accounts that may write records at this resolver: its rules are unknown",
  trusted_by_resolver: "Contracts trusted by the resolver: a controller and a reverse registrar",
  wrapper_self_transfer:
    "A transfer of a wrapped name to its own owner ends its token approval without a log",
  registry_of_unknown_code: "A registry on the path to the name has unknown code",
  ensv2_operator_transfers:
    "Operators of a holder in an ENSv2 registry may transfer the token while no other account has roles for it",
  ensv2_resolver_roles: "What each role at an ENSv2 resolver permits, and roles for single records",
  ensv2_wrapper_registry:
    "In the registry of a migrated wrapped name, the holder of the name above has the roles of the registry above",
  dns_token: "This chain's names are 3DNS tokens, whose rules are unknown",
} as const;

export type Surface = keyof typeof surfaces;

const surfaceNames = Object.keys(surfaces) as [Surface, ...Surface[]];

const action = z.enum(actions);
const layer = z.enum(layers).openapi({
  description:
    "The registry of 2020 or of 2017, the registrar, the NameWrapper, the token in an ENSv2 registry, or the name's resolver",
});

const isInForce = z.boolean().nullable().openapi({
  description: "Whether it is in force now; null if unknown",
});
const reason = z
  .enum(reasons)
  .optional()
  .openapi({ description: "Present if it is not in force: the reason" });
const roles = z
  .array(z.string())
  .optional()
  .openapi({ description: "ENSv2: role names; `<role>_ADMIN` may grant the role" });

const event = {
  block_number: happenedIn.block_number.optional(),
  block_timestamp: count.optional(),
  transaction_hash: hash.optional(),
  log_index: count.optional(),
};

/** What one account may do with a name. */
export const permission = z
  .strictObject({
    address,
    title: contractTitle,
    kind: z.enum(permissionKinds).openapi({
      description:
        "`owner` of a layer; `token_approval`: approved for the token; `operator`: approved for everything the owner has there; `record_delegate`: may write the name's records; `role`, `root_role`: ENSv2 roles for the name, or for its whole registry or resolver; `parent_…`: the same for the name above, as far as it controls this one",
    }),
    layer,
    contract_address: address,
    may: z.array(action).openapi({
      description:
        "What the account can do now; `replace`: give the name, or everything below its registry, to any account",
    }),
    in_force: isInForce,
    reason,
    roles,
    given_by: address.optional().openapi({ description: "The account that granted it" }),
    ...event,
  })
  .openapi("Permission");

export const notCovered = z
  .array(z.strictObject({ surface: z.enum(surfaceNames), description: z.string() }))
  .openapi({ description: "What could let others act, and is not listed" });

export const burntFuses = z
  .strictObject({
    burnt: z.array(z.string()),
    until: decimal.openapi({ description: "When they end, in unix seconds" }),
    can_no_more: z.array(z.string()).openapi({ description: "What they forbid" }),
  })
  .optional()
  .openapi({ description: "Present while NameWrapper fuses are burnt" });

export const parentPower = z
  .strictObject({
    name: z.string(),
    namehash: hash,
    may: z.array(action),
    cannot_control_until: decimal.optional().openapi({
      description:
        "Present if the parent gave up control (PARENT_CANNOT_CONTROL): until when, in unix seconds",
    }),
  })
  .nullable()
  .openapi({
    description: "What owners of the name above may do with this name now; null if unknown",
  });

/** What an address holds from others, or gave to others. */
export const grant = z
  .strictObject({
    kind: z.enum(grantKinds),
    layer,
    chain: z.string(),
    contract_address: address,
    address: address.openapi({ description: "The account that may act" }),
    owner: address.optional().openapi({ description: "The account that granted it; absent for roles" }),
    name: z.string().optional().openapi({
      description: "The name it is for; absent if it covers everything of the owner or the contract",
    }),
    namehash: hash.optional(),
    roles,
    in_force: isInForce,
    reason,
    ...event,
  })
  .openapi("Grant");
