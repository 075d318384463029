import { z } from "@hono/zod-openapi";
import { endpoint } from "../http/endpoint.ts";
import { listEvents } from "../query/events.ts";
import {
  listOwnershipChanges,
  listRegistrationEvents,
  registrationEvents,
  renewalEvents,
} from "../query/periods.ts";
import { listResolverChanges } from "../query/records.ts";
import { event, ownershipPeriod, period, registration } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { toEventRecord } from "../serializers/event.ts";
import {
  toMergedRegistrations,
  toOwnershipPeriods,
  toPeriods,
  toRegistration,
} from "../serializers/history.ts";

const domainEvents = endpoint({
  method: "get",
  path: "/domain/{name}/events",
  group: "Domains",
  summary: "Every event of a name",
  description:
    "What the contracts logged of a name, oldest first. Events of resolvers count if the resolver is a known one, or was the name's own at some time.",
  params: z.object({ name: input.name() }),
  reply: z.strictObject({ events: z.array(event) }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: "get_domain_history",
  handle: async ({ name }, ctx) => {
    const { listedResolvers } = ctx.contracts;
    const rows = await listEvents(ctx.db, { node: name.node, listedResolvers });
    return { events: rows.map((row) => toEventRecord(row, ctx)) };
  },
});

const registrationHistory = endpoint({
  method: "get",
  path: "/domain/{name}/registration-history",
  group: "Domains",
  summary: "Registrations and renewals of a name",
  description:
    "Oldest first. Registrar and controller both log a registration: `merged` gives one entry for each transaction, with the controller's price and the registrar's expiry.",
  params: z.object({ name: input.name() }),
  query: z.object({
    merged: input.flag("merged", "`false` gives every event by itself, with its contract", true),
  }),
  reply: z.strictObject({
    domain: z.string(),
    registrations: z.array(registration),
    renewals: z.array(registration),
  }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: "get_domain_history",
  handle: async ({ name, merged }, ctx) => {
    const rows = await listRegistrationEvents(ctx.db, { node: name.node });
    const toEntries = (kind: readonly string[]) => {
      const ofKind = rows.filter(({ eventType }) => kind.includes(eventType));
      return merged ? toMergedRegistrations(ofKind) : ofKind.map((row) => toRegistration(row, ctx));
    };
    return {
      domain: name.name,
      registrations: toEntries(registrationEvents),
      renewals: toEntries(renewalEvents),
    };
  },
});

const ownershipHistory = endpoint({
  method: "get",
  path: "/domain/{name}/ownership-history",
  group: "Domains",
  summary: "Who owned a name",
  description: "Effective owner over time, newest last. Several changes in one transaction are one.",
  params: z.object({ name: input.name() }),
  query: z.object({
    audit: input.flag("audit", "`true` adds the owners in each contract"),
  }),
  reply: z.strictObject({
    history: z.array(ownershipPeriod),
    registry: z.array(period).optional(),
    registrar: z.array(period).optional(),
    wrapper: z.array(period).optional(),
  }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: "get_domain_history",
  handle: async ({ name, audit }, { db }) => {
    const rows = await listOwnershipChanges(db, { node: name.node });
    const history = toOwnershipPeriods(rows);
    if (!audit) return { history };
    return {
      history,
      registry: toPeriods(rows, (row) => row.registryOwner),
      registrar: toPeriods(rows, (row) => row.registrarOwner),
      wrapper: toPeriods(rows, (row) => row.wrapperOwner),
    };
  },
});

const resolverHistory = endpoint({
  method: "get",
  path: "/domain/{name}/resolver-history",
  group: "Domains",
  summary: "Resolvers of a name",
  description: "Resolvers over time, newest last.",
  params: z.object({ name: input.name() }),
  reply: z.strictObject({ history: z.array(period) }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: "get_domain_history",
  handle: async ({ name }, { db }) => ({
    history: toPeriods(await listResolverChanges(db, { node: name.node }), (row) => row.resolver),
  }),
});

export const historyEndpoints = [domainEvents, registrationHistory, ownershipHistory, resolverHistory];
