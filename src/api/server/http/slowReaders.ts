import type { ServerResponse } from "node:http";

/** How long the reader of an answer may pause, and how long it may take in all, in milliseconds. */
export type ReaderPatience = { pauseMs: number; wholeMs: number };

/**
 * Limits the time in which an answer is read, from now on. Node ends a connection on which nothing moves for `pauseMs`.
 * After `wholeMs` it ends too, so that reading a byte a second holds no answer. Answers that the system's buffers take at
 * once never wait for their reader.
 */
export function limitReading(response: ServerResponse, { pauseMs, wholeMs }: ReaderPatience): void {
  if (response.writableFinished || response.destroyed) return;
  response.setTimeout(pauseMs);
  const late = setTimeout(() => response.destroy(), wholeMs);
  late.unref();
  response.once("close", () => clearTimeout(late));
}

/** Whether an answer is a stream of events, which has no end. */
export const isStream = (contentType: string | null | undefined): boolean =>
  contentType?.startsWith("text/event-stream") ?? false;

/**
 * Ends a stream whose reader takes nothing for `pauseMs`. A stream says something more often than that, so a connection on which
 * nothing moves has a reader that does not read. It may last as long as it is read.
 */
export function limitPauses(response: ServerResponse, { pauseMs }: Pick<ReaderPatience, "pauseMs">): void {
  if (response.writableFinished || response.destroyed) return;
  response.setTimeout(pauseMs);
}
