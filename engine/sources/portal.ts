// Part of the patch logSync: past logs from a Portal of SQD (docs.sqd.dev), a public stream of logs.

import { setTimeout as sleep } from "node:timers/promises";
import type { Hex, Interval, LogQuery } from "../backfill/logGroups.ts";
import {
  type BlockId,
  type LogSource,
  MOST_INDEX,
  MOST_TIME,
  SourceError,
  type SourceLog,
} from "./logSource.ts";

/** The public Portal and its rate limit. Other Portals limit requests with status 429. */
const PUBLIC_HOST = "portal.sqd.dev";
export const MOST_REQUESTS = 20;
export const REQUESTS_WITHIN_MS = 10_000;
const MOST_ITEMS = 100;
const MOST_ADDRESSES = 1_000;
const MOST_BODY_BYTES = 256 * 1_024;

/** Blocks in one stream: two run at once for the largest range that Ponder requests. */
const STREAM_BLOCKS = 50_001;
/** Largest line. A line is a block as JSON; one full of logs is smaller. */
export const MOST_LINE_CHARACTERS = 2 ** 25;
/** Most characters of all logs in one range, which stay in memory until they are compared. */
export const MOST_CHARACTERS = 2 ** 30;
/** Largest answer that is not a stream. */
export const MOST_WORDS = 2 ** 16;
/** Most logs in one range. Ponder shrinks slow ranges, and the densest years have ten logs per block. */
export const MOST_LOGS = 2_000_000;
/** Pauses between attempts that bring no new block. */
const ATTEMPTS = 10;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A stream that brings no block for this long is abandoned, whatever else it sends. */
export const SILENT_MS = 60_000;

type Line = {
  header: { number: number; hash: Hex; timestamp: number };
  logs?: {
    logIndex: number;
    transactionIndex: number;
    transactionHash: Hex;
    address: Hex;
    topics: Hex[];
    data: Hex;
  }[];
  transactions?: LineTransaction[];
};

/** 256-bit numbers are hexadecimal, others decimal. Transactions of the first years have no type. */
type LineTransaction = { transactionIndex: number; hash: Hex; from: Hex; to?: Hex | null; input: Hex } & {
  value: Hex;
  nonce: number;
  gas: Hex;
  type?: number | null;
};

const fields = {
  block: { number: true, hash: true, timestamp: true },
  log: {
    logIndex: true,
    transactionIndex: true,
    transactionHash: true,
    address: true,
    topics: true,
    data: true,
  },
  transaction: {
    transactionIndex: true,
    hash: true,
    from: true,
    to: true,
    input: true,
    value: true,
    nonce: true,
    gas: true,
    type: true,
  },
};

/** The Portal is temporarily unable to answer. */
class Later extends Error {
  readonly pauseMs: number | null;

  constructor(message: string, pauseMs: number | null = null) {
    super(message);
    this.pauseMs = pauseMs;
  }
}

type Conduct = {
  /** Logs whose transactions are requested with them. */
  withTransactions?: readonly LogQuery[] | undefined;
  pause?: (ms: number) => Promise<unknown>;
  silentMs?: number;
  mostCharacters?: number;
  attempts?: number | undefined;
};

/** @param url of a dataset, for example https://portal.sqd.dev/datasets/ethereum-mainnet */
export async function openPortal(
  url: string,
  onRequest: () => void = () => {},
  {
    pause = sleep,
    silentMs = SILENT_MS,
    mostCharacters = MOST_CHARACTERS,
    attempts = ATTEMPTS,
    withTransactions = [],
  }: Conduct = {},
): Promise<LogSource> {
  const base = url.replace(/\/+$/, "");
  const { host, pathname } = new URL(base);
  // The rest of the path can contain a key.
  const name = `${host} (${pathname.split("/").at(-1)})`;
  const takeTurn = host === PUBLIC_HOST ? turns(pause) : async () => {};

  async function ask(path: string, body?: string): Promise<Response> {
    await takeTurn();
    const controller = new AbortController();
    // Abort only until the answer begins: aborting a compressed body can crash the process.
    const timer = setTimeout(() => controller.abort(), silentMs);
    const plan = body === undefined ? {} : { method: "POST", body };
    const headers = { "content-type": "application/json", "accept-encoding": "gzip" };
    const { signal } = controller;
    const response = await fetch(`${base}/${path}`, { ...plan, headers, signal, redirect: "manual" })
      .catch((error: Error) => {
        throw new Later(`cannot be reached (${codeOf(error)})`);
      })
      .finally(() => clearTimeout(timer));
    onRequest();
    if (response.status === 200) return response;
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel().catch(() => {});
      throw new SourceError(`${name} redirects, which is not followed: set the URL that it redirects to`);
    }
    const words = (await textOf(response, silentMs)).slice(0, 200);
    if ([204, 409, 429].includes(response.status) || response.status >= 500) {
      throw new Later(`answered with status ${response.status}`, retryAfter(response));
    }
    throw new SourceError(`${name} refuses the request with status ${response.status}: ${words}`);
  }

  /** Repeats work that resumes where it stopped, until it is done or makes no progress. */
  async function untilDone(work: () => Promise<boolean>, progressOf: () => number): Promise<void> {
    let failures = 0;
    for (;;) {
      const before = progressOf();
      let failure = new Later("ended without a block");
      try {
        if (await work()) return;
      } catch (error) {
        if (!(error instanceof Later)) throw error;
        failure = error;
      }
      if (progressOf() > before) failures = 0;
      else failures++;
      if (failures >= attempts) throw new Error(`${name} ${failure.message}, ${attempts} times in a row`);
      if (failures > 0) {
        await pause(Math.min(failure.pauseMs ?? FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS));
      }
    }
  }

  /** Yields each block of a stream, which may end anywhere. Its last line is the last block that the Portal scanned. */
  async function stream(
    items: object[],
    [from, to]: Interval,
    take: (line: Line, characters: number) => void,
  ): Promise<void> {
    let next = from;
    await untilDone(
      async () => {
        const query = { type: "evm", fromBlock: next, toBlock: to, fields, logs: items };
        const response = await ask("finalized-stream", JSON.stringify(query));
        const takeText = (text: string) => {
          const line = readLine(text, name);
          const { number } = line.header;
          if (number < next || number > to)
            throw new SourceError(`${name} sent block ${number}, not ${next} to ${to}`);
          take(line, text.length);
          next = number + 1;
        };
        await readLines(response, { silentMs, most: MOST_LINE_CHARACTERS, name }, takeText);
        return next > to;
      },
      () => next,
    );
  }

  let head: BlockId | null = null;
  await untilDone(
    async () => {
      const text = await textOf(await ask("finalized-head"), silentMs);
      head = readHead(text);
      return head !== null;
    },
    () => 0,
  );
  const last = head as BlockId | null;
  if (last === null) throw new SourceError(`${name} has no finalised block`);

  return {
    name,
    last,
    covered: () => [[0, last.number]],
    count: null,
    givesAll: false,
    async logs(queries, [from, to]) {
      const found: SourceLog[] = [];
      let characters = 0;
      const joined: object[] = itemsOf(withTransactions.filter((one) => isAskedFor(one, queries))).map(
        (item) => ({ ...item, transaction: true }),
      );
      const streams = packed([...itemsOf(queries), ...joined]).flatMap((items) =>
        piecesOf([from, to]).map((piece) =>
          stream(items, piece, (line, length) => {
            for (const log of logsOf(line)) found.push(log);
            characters += length;
            if (found.length > MOST_LOGS)
              throw new SourceError(`${name} sent more than ${MOST_LOGS} logs of blocks ${from} to ${to}`);
            if (characters > mostCharacters)
              throw new SourceError(
                `${name} sent more than ${mostCharacters} characters of blocks ${from} to ${to}`,
              );
          }),
        ),
      );
      await Promise.all(streams);
      // If a log comes twice, the later one, with its transaction, counts.
      return found.sort((a, b) => Number(a.transaction !== undefined) - Number(b.transaction !== undefined));
    },
    async hashOf(block) {
      let hash: Hex | null = null;
      if (block > last.number) return null;
      await stream([], [block, block], ({ header }) => {
        hash = header.hash;
      });
      return hash;
    },
  };
}

/** Limits requests within a period: each waits until the request that many places before it has left the period. */
export function turns(pause: (ms: number) => Promise<unknown>): () => Promise<void> {
  const recent: number[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  return () => {
    const turn = queue.then(async () => {
      const oldest = recent.length < MOST_REQUESTS ? undefined : recent.shift();
      const wait = oldest === undefined ? 0 : oldest + REQUESTS_WITHIN_MS - performance.now();
      if (wait > 0) await pause(wait);
      recent.push(performance.now());
    });
    queue = turn;
    return turn;
  };
}

const piecesOf = ([from, to]: Interval): Interval[] => {
  const pieces: Interval[] = [];
  for (let first = from; first <= to; first += STREAM_BLOCKS)
    pieces.push([first, Math.min(to, first + STREAM_BLOCKS - 1)]);
  return pieces;
};

/** Whether other queries include the events of this one. A range may be requested only for what an earlier version did not follow. */
const isAskedFor = ({ topics: [events] }: LogQuery, queries: readonly LogQuery[]): boolean =>
  queries.some(({ topics: [asked] }) => asked === null || events?.some((event) => asked.includes(event)));

function itemsOf(queries: readonly LogQuery[]): object[] {
  return queries.flatMap(({ address, topics }) => {
    const words = Object.fromEntries(
      topics.flatMap((list, i) => (list === null ? [] : [[`topic${i}`, list]])),
    );
    if (address === null) return [words];
    const items: object[] = [];
    for (let i = 0; i < address.length; i += MOST_ADDRESSES) {
      items.push({ address: address.slice(i, i + MOST_ADDRESSES), ...words });
    }
    return items;
  });
}

/** Splits items into as few requests as the limits allow. */
function packed(items: readonly object[]): object[][] {
  const requests: object[][] = [];
  let bytes = 0;
  for (const item of items) {
    const length = JSON.stringify(item).length + 1;
    const open = requests.at(-1);
    if (open !== undefined && open.length < MOST_ITEMS && bytes + length < MOST_BODY_BYTES - 1_024) {
      open.push(item);
      bytes += length;
    } else {
      requests.push([item]);
      bytes = length;
    }
  }
  return requests;
}

const isWord = (value: unknown): value is Hex => typeof value === "string" && /^0x[0-9a-f]{64}$/.test(value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

const isBytes = (value: unknown): value is Hex =>
  typeof value === "string" && /^0x[0-9a-f]*$/.test(value) && value.length % 2 === 0;
const isAddress = (value: unknown): value is Hex => isBytes(value) && value.length === 42;
const isNumber = (value: unknown): value is Hex =>
  typeof value === "string" && /^0x[0-9a-f]{1,64}$/.test(value);

const isTopics = (value: unknown): boolean =>
  Array.isArray(value) && value.length <= 4 && value.every(isWord);
const isUpTo =
  (most: number, least = 0) =>
  (value: unknown): boolean =>
    isCount(value) && value >= least && value <= most;
const isIndex = isUpTo(MOST_INDEX);

type Checks = Readonly<Record<string, (value: unknown) => boolean>>;
const ofHeader: Checks = { number: isCount, hash: isWord, timestamp: isUpTo(MOST_TIME, 1) };
const ofLog: Checks = {
  logIndex: isIndex,
  transactionIndex: isIndex,
  transactionHash: isWord,
  address: isAddress,
  topics: isTopics,
  data: isBytes,
};
const ofTransaction: Checks = {
  transactionIndex: isIndex,
  hash: isWord,
  from: isAddress,
  to: (value) => (value ?? null) === null || isAddress(value),
  input: isBytes,
  value: isNumber,
  gas: isNumber,
  nonce: isIndex,
  type: (value) => isIndex(value ?? 0),
};

/** The first invalid field of some objects with its value, or null. */
function faultIn(objects: unknown, checks: Checks): string | null {
  if (!Array.isArray(objects)) return "no list";
  for (const one of objects) {
    for (const [field, isRight] of Object.entries(checks)) {
      const value: unknown = one?.[field];
      if (!isRight(value)) return `${field} ${JSON.stringify(value)}`.slice(0, 100);
    }
  }
  return null;
}

/** @throws SourceError for a line that is not a block, or contains an invalid log */
function readLine(text: string, name: string): Line {
  const line = parse(text) as Line | null;
  const fault =
    faultIn([line?.header], ofHeader) ??
    faultIn(line?.logs ?? [], ofLog) ??
    faultIn(line?.transactions ?? [], ofTransaction);
  if (line !== null && fault === null) return line;
  throw new SourceError(`${name} sent a line that is no block with logs (${fault}): ${text.slice(0, 200)}`);
}

function readHead(text: string): BlockId | null {
  const { number, hash } = (parse(text) ?? {}) as Partial<BlockId>;
  return isCount(number) && isWord(hash) ? { number, hash } : null;
}

const toHex = (number: number): Hex => `0x${number.toString(16)}`;

/** Logs of a block share their strings. A transaction that is not the log's own is dropped, and requested from the node. */
function logsOf({ header, logs = [], transactions = [] }: Line): SourceLog[] {
  const place = { blockNumber: toHex(header.number), blockHash: header.hash };
  const block = { ...place, blockTimestamp: toHex(header.timestamp) };
  const byIndex = new Map(
    transactions.map(({ transactionIndex, hash, from, to = null, input, value, gas, nonce, type }) => [
      transactionIndex,
      {
        ...place,
        transactionIndex: toHex(transactionIndex),
        hash,
        from,
        to,
        input,
        value,
        gas,
        nonce: toHex(nonce),
        type: toHex(type ?? 0),
      },
    ]),
  );
  return logs.map(({ logIndex, transactionIndex, transactionHash, address, topics, data }) => {
    const log = {
      ...block,
      logIndex: toHex(logIndex),
      transactionIndex: toHex(transactionIndex),
      transactionHash,
      address,
      topics,
      data,
    };
    const transaction = byIndex.get(transactionIndex);
    return transaction?.hash === transactionHash ? { ...log, transaction } : log;
  });
}

type Limits = { silentMs: number; most: number; name: string };

/** A broken body ends the stream like a complete one: its partial last line is dropped. */
async function readLines(
  response: Response,
  { silentMs, most, name }: Limits,
  take: (line: string) => void,
  isWhole = (rest: string) => parse(rest) !== null,
): Promise<void> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let length = 0;
  let end = performance.now() + silentMs;
  try {
    for (;;) {
      const left = Math.max(0, end - performance.now());
      const { value } = await withTimeout(reader.read(), left).catch(() => ({ value: undefined }));
      if (value === undefined) break;
      const [first = "", ...lines] = decoder.decode(value, { stream: true }).split("\n");
      pieces.push(first);
      length += first.length;
      for (const line of lines) {
        const text = pieces.join("");
        pieces = [line];
        length = line.length;
        if (text === "") continue;
        take(text);
        end = performance.now() + silentMs;
      }
      if (length > most) throw new SourceError(`${name} sent a line of more than ${most} characters`);
    }
    const rest = pieces.join("");
    if (isWhole(rest)) take(rest);
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("silent")), ms);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** A short answer: an error's text, or the number of a head. */
async function textOf(response: Response, silentMs: number): Promise<string> {
  const lines: string[] = [];
  const limits = { silentMs, most: MOST_WORDS, name: "" };
  const take = (line: string) => {
    if (lines.push(line) > 10) throw new SourceError("long");
  };
  await readLines(response, limits, take, () => true).catch(() => {});
  return lines.join(" ");
}

function parse(text: string): object | null {
  try {
    return Object(JSON.parse(text));
  } catch {
    return null;
  }
}

function retryAfter({ headers }: Response): number | null {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : null;
}

const codeOf = ({ message, cause }: Error): string => {
  const { code, message: why } = (cause ?? {}) as { code?: string; message?: string };
  return code ?? why ?? message;
};
