import type { ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { z } from "@hono/zod-openapi";
import { type Context, Hono } from "hono";
import { type SSEStreamingApi, streamSSE } from "hono/streaming";
import type { Contracts } from "../../../../../abis/contracts.ts";
import type { Access, Admission, Caller } from "../../../server/access/access.ts";
import { ApiError, answerError, toApiError } from "../../../server/errors/errors.ts";
import { inputError, withoutEmpty } from "../../../server/http/readInput.ts";
import type { Db } from "../../../server/postgres/db.ts";
import { type Begin, beginOf, changeFilters, changeFiltersOf, parseAfter, resync } from "../operations.ts";
import { writePosition } from "../position.ts";
import { createEventTexts, inWrites, orAborted, standing } from "./events.ts";
import { follow } from "./follow.ts";
import type { Hub } from "./hub.ts";
import type { StreamPlaces } from "./places.ts";

export type StreamPlan = {
  db: Db;
  contracts: Contracts;
  hub: Hub;
  access: Pick<Access, "admit">;
  places: StreamPlaces;
  callerOf: (c: Context) => Caller;
  shareOf: (caller: Caller) => string;
  /** @throws ApiError INDEX_NOT_READY */
  requireReadyIndex: () => Promise<void>;
  /** How long a stream may be silent, and how long one credit lasts, in milliseconds. */
  times?: { silentMs: number; paidMs: number };
};

const TIMES = { silentMs: 15_000, paidMs: 60_000 };

const OPERATION = "GET /changes/stream";

const query = z.object({
  after: z.string().max(64).optional(),
  resync,
  ...changeFilters,
});

/** `GET /changes/stream`: the feed of changes as server-sent events. A stream costs one credit a minute. */
export function streamRoutes(plan: StreamPlan): Hono {
  const app = new Hono();
  const textOf = createEventTexts(plan.contracts);
  app.get("/changes/stream", async (c) => {
    let leave = () => {};
    const left = leftSignal(c);
    let held: Admission | undefined;
    try {
      const asked = readQuery(c);
      await plan.requireReadyIndex();
      const caller = plan.callerOf(c);
      const admit = () => plan.access.admit(caller, { credits: 1, operation: OPERATION });
      // Before anything is read, and before a place is taken in the name of a key.
      held = await admit();
      const free = plan.places.take(plan.shareOf(caller));
      leave = free;
      const state = await plan.hub.join();
      leave = () => {
        free();
        plan.hub.leave();
      };
      const filters = changeFiltersOf(asked.filters, plan.contracts);
      const begin = await beginOf(plan.db, { ...asked, feed: state, filters });
      for (const [name, value] of Object.entries(await held.settle())) c.header(name, value);
      held = undefined;
      const pay = async () => (await admit()).settle();
      c.header("X-Accel-Buffering", "no");
      const reader = { epoch: state.epoch, begin, filters, pay, textOf };
      if (c.req.method === "HEAD") {
        leave();
        return c.body(null, { headers: { "Content-Type": "text/event-stream" } });
      }
      return streamSSE(c, (stream) => send(stream, plan, { ...reader, left }).finally(leave));
    } catch (thrown) {
      leave();
      await held?.refund();
      return answerError(thrown, c);
    }
  });
  return app;
}

/** Where the reader starts, and what it wants. A reconnecting browser sends its position in a header. */
function readQuery(c: Context) {
  const given = withoutEmpty(c.req.query());
  const { data, error } = query.safeParse(given);
  if (error) throw inputError(error, given);
  const { after, resync: mayResync, ...filters } = data;
  const last = c.req.header("last-event-id");
  return { after: parseAfter((last || after) ?? "newest"), resync: mayResync, filters };
}

type Reader = {
  epoch: string;
  begin: Begin;
  filters: ReturnType<typeof changeFiltersOf>;
  pay: () => Promise<unknown>;
  textOf: ReturnType<typeof createEventTexts>;
  left: AbortSignal;
};

/** Sends what a reader begins with, and changes, until it leaves, does not pay, or the epoch ends. */
async function send(stream: SSEStreamingApi, plan: StreamPlan, reader: Reader): Promise<void> {
  const { silentMs, paidMs } = plan.times ?? TIMES;
  const { epoch, begin, filters, pay, textOf, left } = reader;
  const { from } = begin;
  const write = (text: string) => orAborted(stream.write(text), left);
  let paidAt = Date.now();
  try {
    const { resync: again } = begin;
    if (again === null) await write(`retry: ${RETRY_MS}\nid: ${writePosition({ epoch, number: from })}\n\n`);
    else {
      const texts = again.map((row) => textOf(row, epoch));
      const end = standing(epoch, { number: from, count: again.length });
      for (const text of inWrites([`retry: ${RETRY_MS}\n\n`, ...texts, end])) await write(text);
    }
    const parts = follow({ hub: plan.hub, db: plan.db, epoch, from, filters, silentMs, signal: left });
    for await (const { rows, at } of parts) {
      if (Date.now() - paidAt >= paidMs) {
        await pay();
        paidAt = Date.now();
      }
      const texts = [
        ...rows.map((row) => textOf(row, epoch)),
        standing(epoch, { number: at, count: rows.length }),
      ];
      for (const text of inWrites(texts)) {
        await write(text);
        if (left.aborted) return;
      }
    }
    // A reader of one name connects again, and gets what it begins again with, or the error.
    if (!left.aborted && filters.node === undefined) throw epochEnded();
  } catch (thrown) {
    const { code, message } = toApiError(thrown);
    await write(`event: error\ndata: ${JSON.stringify({ error: { code, message } })}\n\n`);
  }
}

/** How long a browser waits before it connects again. */
const RETRY_MS = 3_000;

const epochEnded = () =>
  new ApiError("POSITION_GONE", "The epoch of the feed has ended. Send your position to `GET /changes`.");

/**
 * Aborted when the connection of a request ends, or its answer has. Hono tells a stream only if its reader leaves after the
 * answer has begun.
 */
function leftSignal(c: Context): AbortSignal {
  const left = new AbortController();
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  const response = outgoing as ServerResponse | undefined;
  if (response?.destroyed) left.abort();
  response?.once("close", () => left.abort());
  return left.signal;
}
