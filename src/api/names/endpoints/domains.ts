import { z } from "@hono/zod-openapi";
import { endpoint } from "../../server/http/endpoint.ts";
import { orThrow, resolveNames } from "../resolution/domains.ts";
import { askedDomain, unknownDomain } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { toAskedRecord } from "../serializers/domain.ts";

const whois = endpoint({
  method: "get",
  path: "/whois/{name}",
  group: "Domains",
  summary: "Details of a name",
  description:
    "Owner, expiry, resolver and state of a name. The chain is read (`source` is `live`) if the name's resolver is not indexed, if it has no resolver, or if no event named it and an ancestor's resolver may answer for it. A label that the index knows only by its hash is shown as you sent it: its hash proves it. A name about which nothing is known has only a state.",
  params: z.object({ name: input.name() }),
  query: z.object({ partial: input.partial() }),
  reply: askedDomain.or(unknownDomain),
  errors: ["INVALID_NAME", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  hotAnswers: true,
  tool: "whois",
  handle: async ({ name, partial }, ctx) => {
    const [result] = await resolveNames(ctx, [name], { details: true });
    return toAskedRecord(name, partial ? result : orThrow(result), ctx);
  },
});

export const domainEndpoints = [whois];
