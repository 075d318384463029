import { z } from "@hono/zod-openapi";
import { actions, layers, reasons } from "../../rules/powers.ts";
import { address, count, decimal, happenedIn, hash } from "./values.ts";

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
    "An address in the list can be a contract that lets others act by rules of its own (a wallet of several people, a safe, a market)",
  controllers: "Contracts that may register and renew names (controllers), and who owns the registrar",
  resolver: "Who may write the records at this resolver: its rule is not known",
  trusted_by_resolver: "Contracts that the resolver trusts: a controller and a reverse registrar",
  wrapper_self_transfer:
    "A transfer of a wrapped name to its own owner ends the approval of its token without a log",
  registry_of_unknown_code: "A registry on the way to the name has code that is not known",
  ensv2_operator_transfers:
    "Operators of a holder in a registry of ENSv2 may transfer the token while no other account has a say in it",
  ensv2_resolver_roles: "What each role at a resolver of ENSv2 lets do, and roles for single records",
  ensv2_wrapper_registry:
    "In a registry of a migrated wrapped name, who holds the name above has the roles of the registry above",
  dns_token: "Names of this chain are tokens of 3DNS, whose rules are not known",
} as const;

export type Surface = keyof typeof surfaces;

const surfaceNames = Object.keys(surfaces) as [Surface, ...Surface[]];

const action = z.enum(actions);
const layer = z.enum(layers).openapi({
  description:
    "Where it is: the registry of 2020 or of 2017, the registrar, the NameWrapper, the token in a registry of ENSv2, or the name's resolver",
});

const isInForce = z.boolean().nullable().openapi({
  description: "Whether it counts now; null where that is not known",
});
const reason = z.enum(reasons).optional().openapi({ description: "Present where it is not in force: why" });
const roles = z
  .array(z.string())
  .optional()
  .openapi({ description: "ENSv2: the roles, in words; `<role>_ADMIN` may grant the role" });

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
    kind: z.enum(permissionKinds).openapi({
      description:
        "`owner` of a layer; `token_approval`: approved for the token; `operator`: approved for all that the owner has there; `record_delegate`: may write the name's records; `role`, `root_role`: roles in ENSv2 for the name, for all of its registry or resolver; `parent_…`: the same of the name above, as far as it has power over this one",
    }),
    layer,
    contract_address: address,
    may: z.array(action).openapi({
      description:
        "What the account can do now; `replace`: give the name, or all that is below its registry, to any account",
    }),
    in_force: isInForce,
    reason,
    roles,
    given_by: address.optional().openapi({ description: "Who let the account act" }),
    ...event,
  })
  .openapi("Permission");

export const notCovered = z
  .array(z.strictObject({ surface: z.enum(surfaceNames), description: z.string() }))
  .openapi({ description: "What could let others act, and is not in the list" });

export const burntFuses = z
  .strictObject({
    burnt: z.array(z.string()),
    until: decimal.openapi({ description: "When they end, in unix seconds" }),
    can_no_more: z.array(z.string()).openapi({ description: "What they forbid, in words" }),
  })
  .optional()
  .openapi({ description: "Present while fuses of the NameWrapper are burnt" });

export const parentPower = z
  .strictObject({
    name: z.string(),
    namehash: hash,
    may: z.array(action),
    cannot_control_until: decimal.optional().openapi({
      description:
        "Present where the parent gave up control (PARENT_CANNOT_CONTROL): until when, in unix seconds",
    }),
  })
  .nullable()
  .openapi({
    description: "What owners of the name above may do with this name now; null where it is not known",
  });

/** What an address holds from others, or gave to others. */
export const grant = z
  .strictObject({
    kind: z.enum(grantKinds),
    layer,
    chain: z.string(),
    contract_address: address,
    address: address.openapi({ description: "Who may act" }),
    owner: address.optional().openapi({ description: "Who gave it; absent for roles" }),
    name: z.string().optional().openapi({
      description: "The name it is for; absent where it is for all that the owner, or the contract, has",
    }),
    namehash: hash.optional(),
    roles,
    in_force: isInForce,
    reason,
    ...event,
  })
  .openapi("Grant");
