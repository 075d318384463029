import { type CallOptions, checkUrl, type NamedexConfig } from "./connect.ts";
import { errorOfCode, type NamedexError, toNamedexError } from "./errors.ts";
import type { Change, GetChangesData } from "./openapi/types.gen.ts";
import { read } from "./read.ts";
import { isPassing, sleep, waitBefore } from "./retry.ts";

/**
 * Filters, and the position to continue after; without `after`, changes from now on. A reader of one name (`name`, `namehash`)
 * continues across the end of an epoch, unless `resync` is `false`: it gets `feed.resync`, then all values of the name.
 */
export type ChangesOf = Omit<NonNullable<GetChangesData["query"]>, "limit" | "strict">;

/** The used fields of a stream's event. */
type StreamEvent = { name: string; id: string | undefined; data: string };

/** A stream sends something every 15 seconds: after a longer silence the connection is lost. */
const SILENT_MS = 60_000;

/**
 * Changes as they happen, without end. After a lost connection it continues from the last position, so no change is missing or
 * repeated.
 *
 * @throws PositionGoneError if the position is too old or from another epoch, and the reader does not follow one name: reload
 *   what you hold, and begin again (docs/changes.md)
 */
export async function* readChanges(
  config: NamedexConfig,
  asked: ChangesOf = {},
  options: CallOptions = {},
): AsyncGenerator<Change, void, undefined> {
  let { after } = asked;
  const isOfName = (asked.name ?? asked.namehash) !== undefined;
  const resync = asked.resync ?? (isOfName ? "true" : undefined);
  for (let attempt = 0; ; attempt++) {
    try {
      for await (const { name, id, data } of openStream(config, { ...asked, after, resync }, options)) {
        attempt = 0;
        if (name === "error") throw errorOf(data);
        if (id !== undefined) after = id;
        if (data !== "") yield read(JSON.parse(data)) as Change;
      }
    } catch (thrown) {
      if (options.signal?.aborted) throw options.signal.reason;
      const error = toNamedexError(thrown, undefined);
      if (!isPassing(error)) throw error;
      await sleep((error.retryAfter ?? waitBefore(Math.min(attempt, LONGEST_WAIT))) * 1_000, options.signal);
    }
  }
}

/** Maximum doublings of the wait before the next connection: half a minute. */
const LONGEST_WAIT = 6;

function errorOf(data: string): NamedexError {
  const { error } = JSON.parse(data) as { error: { code: string; message: string } };
  return errorOfCode(error);
}

async function* openStream(
  { url, apiKey, fetch: ask = fetch }: NamedexConfig,
  asked: ChangesOf,
  { signal, headers }: CallOptions,
): AsyncGenerator<StreamEvent> {
  const target = new URL(`${checkUrl(url).replace(/\/$/, "")}/changes/stream`);
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined) target.searchParams.set(name, String(value));
  }
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  signal?.addEventListener("abort", leave, { once: true });
  try {
    const key = apiKey === undefined ? undefined : { "X-API-Key": apiKey };
    const reply = await ask(target, {
      headers: { Accept: "text/event-stream", ...key, ...headers },
      signal: leaving.signal,
      redirect: "error",
    });
    if (!reply.ok || !reply.body) throw toNamedexError(await reply.json().catch(() => null), reply);
    yield* eventsOf(reply.body, leave);
  } finally {
    signal?.removeEventListener("abort", leave);
    leave();
  }
}

/** The events of a stream. Source: the HTML standard, 9.2.6. */
async function* eventsOf(body: ReadableStream<Uint8Array>, leave: () => void): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const silent = setTimeout(leave, SILENT_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(silent));
    if (done) return;
    text += decoder.decode(value, { stream: true });
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) yield eventOf(block);
  }
}

function eventOf(block: string): StreamEvent {
  const fields = new Map(
    block.split("\n").map((line) => {
      const end = line.indexOf(":");
      return [line.slice(0, end), line.slice(end + 1).replace(/^ /, "")] as const;
    }),
  );
  return { name: fields.get("event") ?? "", id: fields.get("id"), data: fields.get("data") ?? "" };
}
