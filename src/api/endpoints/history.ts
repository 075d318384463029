import { z } from "@hono/zod-openapi";
import { endpoint } from "../http/endpoint.ts";
import { listEvents } from "../query/events.ts";
import { listPurchases, type Purchase } from "../query/registrations.ts";
import type { Listed } from "../query/section.ts";
import { listSpans, type Span } from "../query/spans.ts";
import { count, event, historyFields, ownershipPeriod, period, registration } from "../schemas/answers.ts";
import { input } from "../schemas/input.ts";
import { toEventRecord } from "../serializers/event.ts";
import {
  toMergedRegistrations,
  toOwnershipPeriod,
  toPeriod,
  toRegistration,
} from "../serializers/history.ts";
import { historyFieldsOf, NEWEST } from "./historyPages.ts";

const domainEvents = endpoint({
  method: "get",
  path: "/domain/{name}/events",
  group: "Domains",
  summary: "Every event of a name",
  description: `What the contracts logged of a name, oldest first. Events of resolvers count if the resolver is a known one, or was the name's own at some time. ${NEWEST}`,
  params: z.object({ name: input.name() }),
  query: z.object({ page: input.historyPage() }),
  reply: z.strictObject({ events: z.array(event), ...historyFields }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: "get_domain_history",
  handle: async ({ name, page }, ctx) => {
    const { listedResolvers } = ctx.contracts;
    const { rows, total } = await listEvents(ctx.db, { node: name.node, listedResolvers }, { page });
    return { events: rows.map((row) => toEventRecord(row, ctx)), ...historyFieldsOf({ page, total }) };
  },
});

const registrationHistory = endpoint({
  method: "get",
  path: "/domain/{name}/registration-history",
  group: "Domains",
  summary: "Registrations and renewals of a name",
  description: `Oldest first. Registrar and controller both log a registration: \`merged\` gives one entry for each transaction, with the controller's price and the registrar's expiry. A name that was moved to another registrar, with its owner and expiry, was not registered: its events tell of it. Registrations and renewals are counted, and divided into pages, together. ${NEWEST}`,
  params: z.object({ name: input.name() }),
  query: z.object({
    merged: input.flag("merged", "`false` gives every event by itself, with its contract", true),
    page: input.historyPage(),
  }),
  reply: z.strictObject({
    domain: z.string(),
    registrations: z.array(registration),
    renewals: z.array(registration),
    ...historyFields,
  }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: "get_domain_history",
  handle: async ({ name, merged, page }, ctx) => {
    const listed = await listPurchases(ctx.db, { node: name.node, isMerged: merged }, { page });
    const toEntries = ({ rows }: Purchase) =>
      merged ? toMergedRegistrations(rows) : rows.map((row) => toRegistration(row, ctx));
    return {
      domain: name.name,
      registrations: listed.rows.filter(({ isRenewal }) => !isRenewal).flatMap(toEntries),
      renewals: listed.rows.filter(({ isRenewal }) => isRenewal).flatMap(toEntries),
      ...historyFieldsOf({ page, total: listed.total }),
    };
  },
});

const ENDS =
  "A period that time alone ended has `ended_by`, its second, and no block: the NameWrapper's token expired, or the grace of a .eth name was over.";

const layers = ["registry", "registrar", "wrapper"] as const;

const ownershipHistory = endpoint({
  method: "get",
  path: "/domain/{name}/ownership-history",
  group: "Domains",
  summary: "Who owned a name",
  description: `Effective owner over time, newest last. Several changes in one transaction are one. ${ENDS} ${NEWEST} This holds for the history of each contract, too.`,
  params: z.object({ name: input.name() }),
  query: z.object({
    audit: input.flag("audit", "`true` adds the owners in each contract"),
    page: input.historyPage(),
  }),
  reply: z.strictObject({
    history: z.array(ownershipPeriod),
    registry: z.array(period).optional(),
    registrar: z.array(period).optional(),
    wrapper: z.array(period).optional(),
    audit_totals: z
      .strictObject({ registry: count, registrar: count, wrapper: count })
      .optional()
      .openapi({ description: "Present with `audit=true`: entries in all of each contract" }),
    ...historyFields,
  }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: "get_domain_history",
  handle: async ({ name: { node }, audit, page }, { db, now }) => {
    const { rows, total } = await listSpans(db, { node, kind: "owner", now }, { page });
    const answer = { history: rows.map(toOwnershipPeriod), ...historyFieldsOf({ page, total }) };
    if (!audit) return answer;
    const listed = await Promise.all(layers.map((kind) => listSpans(db, { node, kind, now }, { page })));
    const [registry, registrar, wrapper] = listed as [Listed<Span>, Listed<Span>, Listed<Span>];
    return {
      ...answer,
      registry: registry.rows.map(toPeriod),
      registrar: registrar.rows.map(toPeriod),
      wrapper: wrapper.rows.map(toPeriod),
      audit_totals: { registry: registry.total, registrar: registrar.total, wrapper: wrapper.total },
    };
  },
});

const resolverHistory = endpoint({
  method: "get",
  path: "/domain/{name}/resolver-history",
  group: "Domains",
  summary: "Resolvers of a name",
  description: `Resolvers over time, newest last. ${NEWEST}`,
  params: z.object({ name: input.name() }),
  query: z.object({ page: input.historyPage() }),
  reply: z.strictObject({ history: z.array(period), ...historyFields }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: "get_domain_history",
  handle: async ({ name: { node }, page }, { db, now }) => {
    const { rows, total } = await listSpans(db, { node, kind: "resolver", now }, { page });
    return { history: rows.map(toPeriod), ...historyFieldsOf({ page, total }) };
  },
});

export const historyEndpoints = [domainEvents, registrationHistory, ownershipHistory, resolverHistory];
