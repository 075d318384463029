import { z } from "@hono/zod-openapi";
import { MAX_ROLE_HOLDERS } from "../../rules/shown.ts";
import { address, count, decimal, happenedIn } from "./values.ts";

/** What is there besides where the deployment has ENSv2. */
export const ensv2Names = {
  protocol: z.enum(["ensv1", "ensv2"]).optional().openapi({
    description:
      "Present where ENSv2 is indexed: the system that answers for the name. A name that was registered in ENSv2, and every name below it, is of `ensv2`",
  }),
  registry: address.optional().openapi({
    description: "Of a name of ENSv2: the registry that has its entry; absent where none has one",
  }),
};

export const ensv2Fields = {
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
  subregistry: address.optional().openapi({
    description: "Of a name of ENSv2: the registry that has the names below it; absent where it has none",
  }),
  reservation: z
    .strictObject({ registry: address, token_id: decimal, expiry_timestamp: decimal, ...happenedIn })
    .optional()
    .openapi({
      description:
        "Present where ENSv2 reserves the name for its owner in ENSv1, and it is not registered there yet",
    }),
  migration: z
    .strictObject({
      from_address: address.nullable().openapi({ description: "Owner in ENSv1; null for none" }),
      to_address: address.nullable().openapi({ description: "Owner in ENSv2; null for none" }),
      ...happenedIn,
    })
    .optional()
    .openapi({ description: "Present on a name that came from ENSv1: when, from whom and to whom" }),
  premium_end_timestamp: decimal
    .optional()
    .openapi({ description: "Present on .eth names of ENSv2: from then on there is no premium any more" }),
};

/** What a domain record shows of ENSv2. */
export const ensv2 = z.strictObject(ensv2Fields);
