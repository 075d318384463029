import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { errorCodes } from "../../src/api/server/errors/errors.ts";
import { sizeOf } from "../support/size.ts";
import { PULSE, PULSE_KEYS, pulseAddress, type Timeline } from "./pulse.ts";

/** What callers saw while something was broken. */
export type Seen = {
  /** Number of right answers. */
  answers: number;
  /** Answers that are right for no block at or after the promised one, and refusals outside the API's contract. */
  wrong: string[];
  /** Refusals by code. */
  refused: Record<string, number>;
  /** Requests without any answer: no server listened, the connection broke, or none came in time. */
  unanswered: number;
  /** Reason and time in milliseconds of the first ones. */
  causes: string[];
  /** Longest time without an answer to any caller, in milliseconds. */
  longestGap: number;
  /** Slowest right answer, in milliseconds. */
  slowest: number;
};

export type Load = {
  seen: () => Seen;
  /** Waits for a right answer to a question asked from now on. Returns the milliseconds it took. */
  nextAnswer: (timeoutMs?: number) => Promise<number>;
  stop: () => Promise<Seen>;
};

type LoadPlan = {
  /** Where to ask; read at each request, so that a service may move. */
  url: () => string;
  timeline: Timeline;
  callers?: number;
  headers?: Record<string, string>;
  /** With several indexers: how many values an answer may be behind an earlier one; read at each request. */
  slack?: () => number;
};

/** Pause of a caller between two questions. */
const PAUSE_MS = sizeOf({ short: 40, long: 15 });
const PAUSE_AFTER_NOTHING_MS = 100;
const PATIENCE_MS = 120_000;
const MAX_CAUSES = 5;

const questions = [
  { path: `/domain/${PULSE}/records`, beatOf: beatOfRecords },
  { path: `/domain/${PULSE}/records/text/${PULSE_KEYS[0]}`, beatOf: beatOfText },
  { path: `/domain/${PULSE}/records/text/${PULSE_KEYS[1]}/history`, beatOf: beatOfHistory },
  { path: `/whois/${PULSE}`, beatOf: nothingOfWhois },
];

/**
 * Asks without a break until stopped, and judges each answer. It must match a block that was the chain's newest, as a whole (not
 * half of one block and half of another), and must not be older than what an earlier answer had shown.
 */
export function startLoad({ url, timeline, callers = 3, slack = () => 0, headers = {} }: LoadPlan): Load {
  const seen: Seen = {
    answers: 0,
    wrong: [],
    refused: {},
    unanswered: 0,
    causes: [],
    longestGap: 0,
    slowest: 0,
  };
  let isOver = false;
  let floor = 0;
  let lastAnswer = Date.now();
  const noteAnswer = (asked: number) => {
    const now = Date.now();
    seen.answers++;
    seen.slowest = Math.max(seen.slowest, now - asked);
    seen.longestGap = Math.max(seen.longestGap, now - lastAnswer);
    lastAnswer = now;
  };
  const ask = async (turn: number) => {
    const { path, beatOf } = questions[turn % questions.length] as (typeof questions)[number];
    const asked = Date.now();
    const promised = Math.max(0, floor - slack());
    const reply = await fetch(url() + path, { headers, signal: AbortSignal.timeout(PATIENCE_MS) }).then(
      async (response) => ({ status: response.status, text: await response.text() }),
      (error: Error) => noteNothing(seen, `${path}: ${causeOf(error)} after ${Date.now() - asked} ms`),
    );
    if (reply === null) return false;
    if (reply.status !== 200) noteRefusal(seen, path, reply);
    else {
      const value = readBeat(reply.text, beatOf);
      const index = value === null ? promised : timeline.indexOf(value as number, promised);
      if (index < 0) {
        seen.wrong.push(`${path}: ${value}, promised ${timeline[promised]}: ${reply.text.slice(0, 600)}`);
      } else noteAnswer(asked);
      floor = Math.max(floor, index);
    }
    return reply.status === 200;
  };
  const call = async (first: number) => {
    for (let turn = first; !isOver; turn++) {
      await sleep((await ask(turn)) ? PAUSE_MS : PAUSE_AFTER_NOTHING_MS);
    }
  };
  const running = Promise.all(Array.from({ length: callers }, (_, index) => call(index)));
  const stop = async () => {
    isOver = true;
    await running;
    seen.longestGap = Math.max(seen.longestGap, Date.now() - lastAnswer);
    return seen;
  };
  onTestFinished(async () => void (await stop()));
  return {
    stop,
    seen: () => seen,
    nextAnswer: async (timeoutMs = 240_000) => {
      const [start, before] = [Date.now(), seen.answers];
      // One answer more than the number of callers includes one that was asked for after now.
      while (seen.answers <= before + callers) {
        if (Date.now() - start > timeoutMs) throw new Error(`No answer: ${JSON.stringify(seen)}`);
        await sleep(20);
      }
      return Date.now() - start;
    },
  };
}

function noteNothing(seen: Seen, cause: string): null {
  seen.unanswered++;
  if (seen.causes.length < MAX_CAUSES) seen.causes.push(cause);
  return null;
}

/** `fetch` names the failure of a connection in the cause of its error. */
function causeOf({ name, message, cause }: Error): string {
  if (!(cause instanceof Error)) return `${name}: ${message}`;
  const { code } = cause as NodeJS.ErrnoException;
  return [cause.name, ...(code ? [code] : []), cause.message].join(" ");
}

function noteRefusal(seen: Seen, path: string, { status, text }: { status: number; text: string }): void {
  const code = codeOf(text);
  if (code === null || errorCodes[code].status !== status || status < 500) {
    seen.wrong.push(`${path}: ${status} ${text.slice(0, 300)}`);
  } else seen.refused[code] = (seen.refused[code] ?? 0) + 1;
}

function codeOf(text: string): keyof typeof errorCodes | null {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: string; message?: string } };
    return error?.code && error.code in errorCodes && error.message
      ? (error.code as keyof typeof errorCodes)
      : null;
  } catch {
    return null;
  }
}

type Beat = number | "mixed" | "malformed";

function readBeat(text: string, beatOf: (body: unknown) => Beat | null): Beat | null {
  try {
    return beatOf(JSON.parse(text));
  } catch {
    return "malformed";
  }
}

function beatOfRecords(body: unknown): Beat {
  const { texts, addresses } = (body as { records: { texts: Record<string, string>; addresses: object } })
    .records;
  const beat = Number(texts[PULSE_KEYS[0]]);
  const isWhole =
    texts[PULSE_KEYS[1]] === String(beat) &&
    (addresses as Record<string, string>)["60"] === pulseAddress(beat);
  return isWhole ? beat : "mixed";
}

function beatOfText(body: unknown): Beat {
  return Number((body as { value: string }).value);
}

/** Each distinct value, newest first. */
function beatOfHistory(body: unknown): Beat {
  const values = (body as { history: { value: string }[] }).history.map(({ value }) => Number(value));
  const isOrdered = values.every((value, i) => i === 0 || value < (values[i - 1] as number));
  return isOrdered && values.at(-1) === 1 ? (values[0] as number) : "mixed";
}

/** It never changes: any block is right, and every other answer is wrong. */
function nothingOfWhois(body: unknown): null | "mixed" {
  const { name, availability_status: state } = body as Record<string, unknown>;
  return name === PULSE && state === "registered" ? null : "mixed";
}
