import { z } from "@hono/zod-openapi";
import { endpoint } from "../../server/http/endpoint.ts";
import { resolveDomain, tryDomain } from "../resolution/domains.ts";
import { askedDomain, unknownDomain } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { toAskedRecord } from "../serializers/domain.ts";

const whois = endpoint({
  method: "get",
  path: "/whois/{name}",
  group: "Domains",
  summary: "Everything about one name",
  description:
    "Owner, expiry, resolver and state of a name. Where the name's resolver is not an indexed one, or it has none, or no event named it and an ancestor's resolver may answer for it, the chain is asked (`source` is `live`). A label that the index knows only by its hash is shown as you wrote it: its hash proves it. A name of which nothing is known is answered with its state alone.",
  params: z.object({ name: input.name() }),
  query: z.object({ partial: input.partial() }),
  reply: askedDomain.or(unknownDomain),
  errors: ["INVALID_NAME", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  hotAnswers: true,
  tool: "whois",
  handle: async ({ name, partial }, ctx) => {
    const resolved = await (partial ? tryDomain : resolveDomain)(ctx, name);
    return toAskedRecord(name, resolved, ctx);
  },
});

export const domainEndpoints = [whois];
