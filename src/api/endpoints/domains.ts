import { z } from "@hono/zod-openapi";
import { neverRegistered } from "../availability.ts";
import { endpoint } from "../endpoint.ts";
import { findFacts } from "../facts.ts";
import { type AskedName, input, isEthSecondLevel } from "../input.ts";
import { toDomainRecord } from "../record/domain.ts";
import { askedDomain, unknownDomain } from "../shapes.ts";

/** State of a name that the index does not hold: of .eth names we know that nobody ever registered them. */
const stateOfAbsent = (name: AskedName) =>
  isEthSecondLevel(name) ? neverRegistered(name.labelLength) : ("unknown" as const);

export const whois = endpoint({
  method: "get",
  path: "/whois/{name}",
  group: "Domains",
  summary: "Everything about one name",
  description:
    "Owner, expiry, resolver and state of a name. A name that the index does not hold is answered with its state alone.",
  params: z.object({ name: input.name() }),
  reply: askedDomain.or(unknownDomain),
  errors: ["INVALID_NAME", "LIVE_RESOLUTION_FAILED"],
  cost: 1,
  tool: "whois",
  handle: async ({ name }, ctx) => {
    const { facts, source } = await findFacts(ctx, name);
    if (facts === null) return { query: name.query, availability_status: stateOfAbsent(name), source };
    return { ...toDomainRecord({ facts, source }, ctx), query: name.query };
  },
});

export const domainEndpoints = [whois];
