import type { IncomingMessage, ServerResponse } from "node:http";
import type { Dispatcher } from "undici";
import {
  isStream,
  limitPauses,
  limitReading,
  type ReaderPatience,
} from "../../src/api/server/http/slowReaders.ts";
import { type Headers, replyHeaders } from "./headers.ts";
import type { Indexer } from "./indexers.ts";

/** A caller's request, and where its answer goes. */
export type UpstreamRequest = {
  request: IncomingMessage;
  response: ServerResponse;
  headers: Headers;
  /** How long the caller may take to read the answer. */
  patience: ReaderPatience;
  body: Buffer | null;
  /** Whether another indexer can be asked if this one refuses to answer. */
  canMove: () => boolean;
  /** The answer is a stream of events: it has no end, so it does not count as a request that is being answered. */
  onStream: () => void;
};

/**
 * How a request ended: the answer was passed on; only a part of it came; the indexer refused and nothing was passed on; or it does
 * not have the epoch of the feed of changes in which the caller stands, and another one may.
 */
export type Outcome = "answered" | "broken_off" | "refused" | "other_epoch";

/** The caller went away before the answer was complete. */
export class CallerLeft extends Error {
  override name = "CallerLeft";
}

/**
 * Asks one indexer and passes its answer on as it comes, no faster than the caller reads it.
 *
 * @throws CallerLeft, or the error that came before any part of an answer was passed on
 */
export function ask(indexer: Indexer, question: UpstreamRequest): Promise<Outcome> {
  const { request, headers, body } = question;
  const url = request.url ?? "";
  const options = {
    method: (request.method ?? "GET") as Dispatcher.HttpMethod,
    path: `${indexer.prefix}${question.canMove() ? withoutResync(url) : url}`,
    headers,
    body,
  };
  return new Promise((resolve, reject) => {
    const pool = STREAM_PATH.test(url) ? indexer.streams : indexer.pool;
    pool.dispatch(options, passOn({ indexer, question }, { resolve, reject }));
  });
}

/**
 * A reader of changes that begins again where its position is gone does so only where no other indexer has its epoch: before the
 * last one its position is asked for by itself, and answered by 410.
 */
const withoutResync = (url: string): string =>
  CHANGES_PATH.test(url) ? url.replace(/([?&])resync=true(&|$)/, "$1") : url;

const CHANGES_PATH = /^(\/api)?\/changes(\/stream)?\?/;

/** The path that answers with a stream. */
const STREAM_PATH = /^(\/api)?\/changes\/stream(\?|$)/;

type Settle = { resolve: (outcome: Outcome) => void; reject: (error: unknown) => void };

/** An answer that breaks off ends the connection, so that no caller takes a part of it for the whole. */
function passOn(
  { indexer, question }: { indexer: Indexer; question: UpstreamRequest },
  { resolve, reject }: Settle,
): Dispatcher.DispatchHandler {
  const { response, canMove, patience } = question;
  /** Bytes of the body that are still to come; NaN where the indexer does not say. */
  let left = Number.NaN;
  let refusal: "refused" | "other_epoch" | null = null;
  let leave = () => {};
  let isLimited = false;
  let hasEnd = true;
  const waitForReader = () => {
    if (!hasEnd) limitPauses(response, patience);
    else if (isLimited) response.setTimeout(patience.pauseMs);
    else limitReading(response, patience);
    isLimited = true;
  };
  return {
    onRequestStart(controller) {
      leave = () => controller.abort(new CallerLeft());
      if (response.destroyed) leave();
      else response.once("close", leave);
    },
    onResponseStart(controller, status, headers) {
      if (status < 200) return;
      if (status === 503 && canMove()) refusal = "refused";
      if (status === 410 && canMove()) refusal = "other_epoch";
      if (refusal !== null) return controller.abort(new Error(refusal));
      hasEnd = !isStream(headers["content-type"]?.toString());
      if (!hasEnd) question.onStream();
      if (status < 400) indexer.answeredAt = Date.now();
      left = Number(headers["content-length"] ?? Number.NaN);
      response.writeHead(status, replyHeaders(headers));
    },
    onResponseData(controller, chunk) {
      left -= chunk.length;
      // The answer ends together with its last bytes: a short answer then leaves as a single packet.
      if (left === 0) response.end(chunk);
      else if (!response.write(chunk)) {
        controller.pause();
        waitForReader();
        response.once("drain", () => {
          response.setTimeout(0); // Now the indexer may pause, for as long as the pool allows.
          controller.resume();
        });
      }
    },
    onResponseEnd() {
      response.off("close", leave);
      response.end();
      waitForReader();
      resolve("answered");
    },
    onResponseError(_controller, error) {
      response.off("close", leave);
      if (refusal !== null) return resolve(refusal);
      if (error instanceof CallerLeft || response.destroyed) return reject(new CallerLeft());
      if (!response.headersSent) return reject(error);
      response.destroy();
      resolve("broken_off");
    },
  };
}
