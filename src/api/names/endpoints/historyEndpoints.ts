import { z } from "@hono/zod-openapi";
import { endpoint } from "../../server/http/endpoint.ts";
import type { Page } from "../query/page.ts";
import { listPurchases, type PurchaseEntry, purchaseKeys } from "../query/registrations.ts";
import { sqlOf } from "../query/scope.ts";
import { listSpans, type Span, sectionsOf, spanKeys, togetherNext } from "../query/spans.ts";
import { canEndByOthers, endedByOthers } from "../resolution/endedByOthers.ts";
import { historyGap, historyGapOf } from "../resolution/ensv2/followed.ts";
import { answeringChain, chainsOfName } from "../resolution/nameChains.ts";
import { readIndexed } from "../resolution/nameFacts.ts";
import { tokenEndOf } from "../rules/ends.ts";
import { lifeOf } from "../rules/life.ts";
import {
  count,
  historyFields,
  isIncomplete,
  ownershipPeriod,
  period,
  registration,
} from "../schemas/answers.ts";
import { input, isEthSecondLevel } from "../schemas/input.ts";
import { historyPage } from "../schemas/paging.ts";
import { NEWEST, openHistory } from "../serializers/historyPages.ts";
import {
  toLoggedRegistration,
  toOwnershipPeriod,
  toPeriod,
  toRegistration,
} from "../serializers/toHistory.ts";

const registrationHistory = endpoint({
  method: "get",
  path: "/domain/{name}/registration-history",
  group: "Domains",
  summary: "Registrations and renewals of a name",
  description: `Oldest first. Registrar and controller both log a registration: \`merged\` gives one entry per transaction, with the controller's price and the registrar's expiry. A move to another registrar, with owner and expiry, is not a registration; it appears in the name's events. Registrations and renewals are counted and paged together. ${NEWEST}`,
  params: z.object({ name: input.name() }),
  query: z.object({
    merged: input.flag("merged", "`false` returns each event separately, with its contract", true),
    ...historyPage(),
  }),
  reply: z.strictObject({
    domain: z.string(),
    registrations: z.array(registration),
    renewals: z.array(registration),
    ...historyFields,
    is_incomplete: isIncomplete,
  }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: { name: "get_domain_history", view: "registrations" },
  handle: async (request, ctx) => {
    const { name, merged } = request;
    const of = {
      node: name.node,
      chains: await chainsOfName(ctx, name),
      isMerged: merged,
      isSubname: !isEthSecondLevel(name),
    };
    const { section, fields } = openHistory(
      "/domain/{name}/registration-history",
      request,
      purchaseKeys(sqlOf(of.chains)),
    );
    const { rows, ...found } = await listPurchases(ctx.db, of, section);
    const toEntry = merged ? toRegistration : toLoggedRegistration;
    const toEntries = (rows: readonly PurchaseEntry[]) => rows.map((row) => toEntry(row, ctx));
    return {
      domain: name.name,
      registrations: toEntries(rows.filter(({ isRenewal }) => !isRenewal)),
      renewals: toEntries(rows.filter(({ isRenewal }) => isRenewal)),
      ...fields(found),
      ...(await historyGap(ctx, name)),
    };
  },
});

const ENDS =
  "A period that time alone ended has `ended_by`, its second, and no block: the NameWrapper token expired, the grace of a registrar's name ended, or an ENSv2 subname or a name above it expired.";

const OF_LAYER2 =
  "For a name below a layer 2's managed name, this is the history in the registry that answers for it.";

const layers = ["registry", "registrar", "wrapper"] as const;

const ownershipHistory = endpoint({
  method: "get",
  path: "/domain/{name}/ownership-history",
  group: "Domains",
  summary: "Ownership history",
  description: `Effective owner over time, newest last. Several changes in one transaction count as one. ${OF_LAYER2} ${ENDS} ${NEWEST} The same applies to the history of each contract.`,
  params: z.object({ name: input.name() }),
  query: z.object({
    audit: input.flag("audit", "`true` adds the owners in each contract"),
    ...historyPage(),
  }),
  reply: z.strictObject({
    history: z.array(ownershipPeriod),
    registry: z.array(period).optional(),
    registrar: z.array(period).optional(),
    wrapper: z.array(period).optional(),
    audit_totals: z.strictObject({ registry: count, registrar: count, wrapper: count }).optional().openapi({
      description: "Present with `audit=true`, unless `total=false`: all entries of each contract",
    }),
    ...historyFields,
    is_incomplete: isIncomplete,
  }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: { name: "get_domain_history", view: "ownership" },
  handle: async (request, ctx) => {
    const { name, audit } = request;
    const { db, now, contracts } = ctx;
    const { chainId, chains } = await answeringChain(ctx, name);
    const of = {
      node: name.node,
      chains,
      now,
      tokenEnd: tokenEndOf(lifeOf(contracts.ensv2), { isSecondLevel: isEthSecondLevel(name) }),
    };
    const at = { chainId, contracts };
    // With `audit`, a page has a part of each of four lists, and one cursor continues all of them.
    const kinds = audit ? (["owner", ...layers] as const) : (["owner"] as const);
    const { section, fields } = openHistory(
      "/domain/{name}/ownership-history",
      request,
      kinds.flatMap(() => spanKeys()),
    );
    const sections = sectionsOf(section, kinds);
    const pages = await Promise.all(kinds.map((kind) => listSpans(db, { ...of, kind }, sections[kind])));
    const [{ rows, total }, ...others] = pages as [Page<Span>, ...Page<Span>[]];
    const indexed = canEndByOthers(ctx, rows) ? (await readIndexed(ctx, [name])).get(name.node) : undefined;
    const spans = await endedByOthers(ctx, { name, indexed }, rows);
    const history = spans.map((span) => toOwnershipPeriod(span, at));
    const found = {
      total: total === null ? null : total - rows.length + spans.length,
      next: togetherNext(pages),
    };
    const answer = { history, ...fields(found), ...(await historyGapOf(ctx, name, indexed)) };
    if (!audit) return answer;
    const [registry, registrar, wrapper] = others as [Page<Span>, Page<Span>, Page<Span>];
    const toPeriods = (spans: readonly Span[]) => spans.map((span) => toPeriod(span, at));
    return {
      ...answer,
      registry: toPeriods(registry.rows),
      registrar: toPeriods(registrar.rows),
      wrapper: toPeriods(wrapper.rows),
      ...(registry.total !== null &&
        registrar.total !== null &&
        wrapper.total !== null && {
          audit_totals: { registry: registry.total, registrar: registrar.total, wrapper: wrapper.total },
        }),
    };
  },
});

const resolverHistory = endpoint({
  method: "get",
  path: "/domain/{name}/resolver-history",
  group: "Domains",
  summary: "Resolver history",
  description: `Resolvers over time, newest last. ${OF_LAYER2} ${NEWEST}`,
  params: z.object({ name: input.name() }),
  query: z.object(historyPage()),
  reply: z.strictObject({ history: z.array(period), ...historyFields, is_incomplete: isIncomplete }),
  errors: ["INVALID_NAME"],
  cost: 1,
  tool: { name: "get_domain_history", view: "resolvers" },
  handle: async (request, ctx) => {
    const { name } = request;
    const { chainId, chains } = await answeringChain(ctx, name);
    const of = { node: name.node, chains, kind: "resolver" as const, now: ctx.now };
    const { section, fields } = openHistory("/domain/{name}/resolver-history", request, spanKeys());
    const { rows, ...found } = await listSpans(ctx.db, of, section);
    const at = { chainId, contracts: ctx.contracts };
    return {
      history: rows.map((span) => toPeriod(span, at)),
      ...fields(found),
      ...(await historyGap(ctx, name)),
    };
  },
});

export const historyEndpoints = [registrationHistory, ownershipHistory, resolverHistory];
