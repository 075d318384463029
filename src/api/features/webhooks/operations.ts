import { z } from "@hono/zod-openapi";
import { webhook, webhookDelivery, webhookTest } from "../../names/schemas/answers/webhook.ts";
import { input } from "../../names/schemas/input.ts";
import { ApiError } from "../../server/errors/errors.ts";
import type { Ctx } from "../../server/http/context.ts";
import { type Endpoint, endpoint } from "../../server/http/endpoint.ts";
import { type AskedChanges, after, changeFilters, changeFiltersOf, parseAfter } from "../feed/operations.ts";
import { toDelivery, toWebhook, toWebhookTest } from "./answers.ts";
import { MAX_DELIVERIES, MAX_REPLAYED, MAX_URL } from "./bounds.ts";
import type { Asked } from "./table.ts";
import type { Webhooks } from "./webhooks.ts";

const MAX_ID = 2 ** 31 - 1;
const DELIVERIES = 25;

const id = input.digits("id", { min: 1, max: MAX_ID, description: "Number of the webhook", example: 1 });

const url = input.text("url", {
  max: MAX_URL,
  description:
    "Destination of messages: https, port 443 or 8443, a public address. Redirects are not followed",
  example: "https://receiver.example.org/namedex",
});

/** Filters in a body: read as those of a query, and stored as they were written. `z.record` would lose a key `__proto__`. */
const filters = z
  .unknown()
  .transform((asked, issues) => {
    const read = z.strictObject(changeFilters).safeParse(asked);
    if (read.success) return { asked: asked as Asked, read: read.data };
    const [issue] = read.error.issues;
    const field = issue?.path.join(".");
    issues.addIssue({
      code: "custom",
      message: issue?.message ?? "`filters` is invalid.",
      params: issue?.code === "custom" ? issue.params : { code: "INVALID_PARAMETER" },
      ...(field && issue?.code !== "custom" && { message: `\`filters\`: ${issue?.message}` }),
    });
    return z.NEVER;
  })
  .openapi({
    type: "object",
    additionalProperties: { type: "string" },
    description: "Like the parameters of `GET /changes`; a change must meet all. All changes by default",
    example: { name: "alice.eth", type: "name.renewed,name.expired" },
  });

const timing = input.choice(["instant", "final"], "when").openapi({
  description:
    "`final`: a change is sent once no reorganisation can undo it, as `chain.finalized` says. `instant`: as soon as the feed has it; undone changes follow with `state` `removed`",
});

const payload = input.choice(["thin", "full"], "payload").openapi({
  description: "`thin`: which value changed. `full`: also the values before and after",
});

const shared = { group: "Webhooks", cost: 0, index: "not read", isPrivate: true, needsKey: true } as const;

/** The operations of webhooks. Each belongs to the key that is sent in X-API-Key. */
export const webhookEndpoints = (webhooks: Webhooks): Endpoint[] =>
  [create, list, find, change, remove, test, replay, deliveries].map((make) => make(webhooks));

const errors = ["NOT_OFFERED", "INVALID_API_KEY", "RATE_LIMITED"] as const;
const errorsOfOne = [...errors, "NOT_FOUND"] as const;
const filterErrors = ["INVALID_NAME", "INVALID_ADDRESS", "INVALID_HASH"] as const;

const secret = z.string().openapi({
  description: "Signs the messages. Shown only once: store it",
  example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
});

type Filters = { asked: Asked; read: AskedChanges };

const filtersOf = (given: Filters | undefined, { contracts }: Pick<Ctx, "contracts">) =>
  given && { asked: given.asked, filters: changeFiltersOf(given.read, contracts) };

const create = (webhooks: Webhooks) =>
  endpoint({
    ...shared,
    method: "post",
    path: "/webhooks",
    summary: "Create a webhook",
    description:
      "Sends changes of the feed to a URL, signed according to Standard Webhooks 1.0. It starts once its receiver has responded to a test message with 2xx: `POST /webhooks/{id}/test`. A delivery costs one credit.",
    body: z.object({
      url,
      filters: filters.optional(),
      when: timing.optional(),
      payload: payload.optional(),
    }),
    reply: webhook.extend({ secret }).openapi("NewWebhook"),
    errors: [...errors, ...filterErrors, "LIMIT_EXCEEDED"],
    handle: async ({ url: to, filters: given, when = "instant", payload: size = "full" }, ctx, caller) => {
      const known = filtersOf(given as Filters | undefined, ctx) ?? { asked: {}, filters: {} };
      const made = await webhooks.create({ url: to, timing: when, payload: size, ...known }, caller);
      return { ...toWebhook(made.webhook), secret: made.secret };
    },
  });

const list = (webhooks: Webhooks) =>
  endpoint({
    ...shared,
    method: "get",
    path: "/webhooks",
    summary: "List webhooks",
    reply: z.strictObject({ webhooks: z.array(webhook) }),
    errors: [...errors],
    handle: async (_, { db }, caller) => {
      const known = await webhooks.list(caller);
      const since = await webhooks.stalledSince(db);
      return { webhooks: known.map((one) => toWebhook(one, since)) };
    },
  });

const find = (webhooks: Webhooks) =>
  endpoint({
    ...shared,
    method: "get",
    path: "/webhooks/{id}",
    summary: "Retrieve a webhook",
    params: z.object({ id }),
    reply: webhook,
    errors: [...errorsOfOne],
    handle: async ({ id: of }, { db }, caller) => {
      const known = await webhooks.find(of, caller);
      return toWebhook(known, await webhooks.stalledSince(db));
    },
  });

const change = (webhooks: Webhooks) =>
  endpoint({
    ...shared,
    method: "patch",
    path: "/webhooks/{id}",
    summary: "Update a webhook",
    description:
      "Changes the given fields. A new `url` must be tested again. `rotate_secret` returns a new secret; the previous one also signs for 24 hours.",
    params: z.object({ id }),
    body: z.object({
      url: url.optional(),
      filters: filters.optional(),
      when: timing.optional(),
      payload: payload.optional(),
      rotate_secret: z.boolean().optional().openapi({ description: "Makes a new secret", example: true }),
      disabled: z.literal(true).optional().openapi({
        description: "Stops sending until tested again; waiting deliveries are dropped",
        example: true,
      }),
    }),
    reply: webhook.extend({ secret: secret.optional() }).openapi("ChangedWebhook"),
    errors: [...errorsOfOne, ...filterErrors],
    handle: async ({ id: of, filters: given, when, rotate_secret, disabled, ...others }, ctx, caller) => {
      const changed = await webhooks.change(
        of,
        {
          ...others,
          timing: when,
          filters: filtersOf(given as Filters | undefined, ctx),
          rotatesSecret: rotate_secret === true,
          isDisabled: disabled === true,
        },
        caller,
      );
      return { ...toWebhook(changed.webhook), ...(changed.secret !== null && { secret: changed.secret }) };
    },
  });

const remove = (webhooks: Webhooks) =>
  endpoint({
    ...shared,
    method: "delete",
    path: "/webhooks/{id}",
    summary: "Delete a webhook",
    description: "Nothing more is sent, and its deliveries are no longer shown.",
    params: z.object({ id }),
    reply: z.strictObject({ deleted: z.literal(true) }),
    errors: [...errorsOfOne],
    handle: async ({ id: of }, _, caller) => {
      await webhooks.remove(of, caller);
      return { deleted: true as const };
    },
  });

const test = (webhooks: Webhooks) =>
  endpoint({
    ...shared,
    method: "post",
    path: "/webhooks/{id}/test",
    summary: "Test a webhook",
    description:
      "Sends a signed message of type `webhook.test`, once. A 2xx response activates the webhook, even if it was disabled: it receives changes from now on. A failed test costs nothing.",
    params: z.object({ id }),
    reply: webhookTest,
    index: "any state",
    errors: [...errorsOfOne],
    cost: 1,
    isFree: (reply) => !(JSON.parse(reply) as { is_delivered: boolean }).is_delivered,
    handle: async ({ id: of }, { db }, caller) => toWebhookTest(await webhooks.test(of, { db }, caller)),
  });

const replay = (webhooks: Webhooks) =>
  endpoint({
    ...shared,
    method: "post",
    path: "/webhooks/{id}/replay",
    summary: "Replay past changes",
    description: `Queues the changes after a position for the webhook, at most ${MAX_REPLAYED}. Messages keep the ids they had before.`,
    params: z.object({ id }),
    query: z.object({
      after: after("Changes after this position. `oldest`: from the oldest one stored"),
    }),
    reply: z.strictObject({
      queued: z.int().min(0).openapi({ description: "Changes to be sent" }),
      next_position: z.string().optional().openapi({
        description: "Position for the next replay. Absent at the end of the feed",
        example: "8f14e45fceea-1204",
      }),
    }),
    index: "any state",
    errors: [...errorsOfOne, "MISSING_PARAMETER", "LIMIT_EXCEEDED", "POSITION_GONE", "INDEX_NOT_READY"],
    handle: async ({ id: of, after: from }, { db, contracts }, caller) => {
      if (from === undefined) throw new ApiError("MISSING_PARAMETER", "`after` is required.");
      const asked = { after: parseAfter(from), db, contracts };
      const { queued, next } = await webhooks.replay(of, asked, caller);
      return { queued, ...(next !== null && { next_position: next }) };
    },
  });

const deliveries = (webhooks: Webhooks) =>
  endpoint({
    ...shared,
    method: "get",
    path: "/webhooks/{id}/deliveries",
    summary: "List deliveries",
    description: "Waiting deliveries and those of the last days, newest first.",
    params: z.object({ id }),
    query: z.object({
      limit: input
        .digits("limit", { min: 1, max: MAX_DELIVERIES, description: "Deliveries per answer" })
        .optional()
        .openapi({ default: DELIVERIES }),
      before: input
        .digits("before", {
          min: 1,
          max: Number.MAX_SAFE_INTEGER,
          description: "Number of a delivery: only earlier ones",
        })
        .optional(),
    }),
    reply: z.strictObject({ deliveries: z.array(webhookDelivery) }),
    errors: [...errorsOfOne],
    handle: async ({ id: of, limit = DELIVERIES, before = null }, _, caller) => ({
      deliveries: (await webhooks.deliveries(of, { limit, before }, caller)).map(toDelivery),
    }),
  });
