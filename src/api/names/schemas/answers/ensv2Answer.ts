import { z } from "@hono/zod-openapi";
import { MAX_ROLE_HOLDERS } from "../../rules/shown.ts";
import { address, count, decimal, happenedIn } from "./valuesAnswer.ts";

/** What is there besides where the deployment has ENSv2. */
export const ensv2Names = {
  protocol: z.enum(["ensv1", "ensv2"]).optional().openapi({
    description:
      "Present if ENSv2 is indexed: the system that answers for the name. A name registered in ENSv2 and every name below it are `ensv2`",
  }),
  registry: address.optional().openapi({
    description: "For an ENSv2 name: the registry with its entry; absent if none has one",
  }),
};

export const ensv2Fields = {
  ...ensv2Names,
  token: z
    .strictObject({ contract: address, id: decimal, standard: z.enum(["ERC-721", "ERC-1155"]) })
    .optional()
    .openapi({
      description:
        "The owner's token. Its id changes whenever an ENSv2 role of the name is granted or revoked",
    }),
  roles: z
    .strictObject({
      holders: z.array(
        z.strictObject({ address, roles: z.array(z.string()).openapi({ example: ["SET_RESOLVER"] }) }),
      ),
      total: count.openapi({ description: `All accounts; the first ${MAX_ROLE_HOLDERS} are listed` }),
    })
    .optional()
    .openapi({
      description:
        "For an ENSv2 name: accounts with roles for it. `<role>_ADMIN` may grant and revoke the role. Roles for a whole registry are not listed",
    }),
  subregistry: address.optional().openapi({
    description: "For an ENSv2 name: the registry of its subnames; absent if it has none",
  }),
  reservation: z
    .strictObject({ registry: address, token_id: decimal, expiry_timestamp: decimal, ...happenedIn })
    .optional()
    .openapi({
      description:
        "Present if ENSv2 reserves the name for its ENSv1 owner and it is not registered there yet",
    }),
  migration: z
    .strictObject({
      from_address: address.nullable().openapi({ description: "ENSv1 owner; null for none" }),
      to_address: address.nullable().openapi({ description: "ENSv2 owner; null for none" }),
      ...happenedIn,
    })
    .optional()
    .openapi({ description: "Present on a name that came from ENSv1: when, from whom and to whom" }),
  premium_end_timestamp: decimal
    .optional()
    .openapi({ description: "Present on ENSv2 .eth names: the end of the premium" }),
};

/** What a domain record shows of ENSv2. */
export const ensv2 = z.strictObject(ensv2Fields);
