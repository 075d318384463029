import { z } from "@hono/zod-openapi";
import { endpoint } from "../endpoint.ts";
import { input } from "../input.ts";
import { listEvents } from "../query/events.ts";
import { toEventRecord } from "../record/event.ts";
import { event } from "../shapes.ts";

export const domainEvents = endpoint({
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
  handle: async ({ name }, ctx) => {
    const { listedResolvers } = ctx.contracts;
    const rows = await listEvents(ctx.db, { node: name.node, listedResolvers });
    return { events: rows.map((row) => toEventRecord(row, ctx)) };
  },
});

export const historyEndpoints = [domainEvents];
