import type { Entry } from "./entry.ts";

/** How often a continuing problem is logged again, with its count. */
const EVERY_MS = 60_000;
/** Messages whose kinds are distinguished, and kinds of one message. What comes beyond them is counted together. */
const MOST_MESSAGES = 200;
const MOST_KINDS = 10;

type Trouble = {
  /** The last entry of this kind. */
  last: Entry;
  since: string;
  /** Since it was last said. */
  count: number;
  /** All that were counted and not said. */
  total: number;
};

export type Repeats = {
  /** Passes an entry on, or counts it. */
  note: (entry: Entry) => void;
  /** Says what was counted since it was last said. */
  say: () => void;
};

/**
 * Says a trouble once, then once a minute how often it came, then that it is over: a node or a database that is away
 * would otherwise fill the disk. Entries below `warn` are all passed on.
 */
export function createRepeats(write: (entry: Entry) => void): Repeats & { start: () => () => void } {
  const troubles = new Map<string, Map<string, Trouble>>();
  const note = (entry: Entry) => {
    if (entry.level !== "warn" && entry.level !== "error") return write(entry);
    const kinds = kindsOf(troubles, entry);
    const name = kindOf(entry);
    const kind = kinds.has(name) || kinds.size < MOST_KINDS ? name : "others";
    const trouble = kinds.get(kind);
    if (trouble === undefined) {
      kinds.set(kind, { last: entry, since: entry.time, count: 0, total: 0 });
      return write(entry);
    }
    trouble.last = entry;
    trouble.count++;
    trouble.total++;
  };
  const say = () => {
    for (const [message, kinds] of troubles) {
      for (const [kind, trouble] of kinds) {
        if (trouble.count > 0) write(again(trouble));
        else kinds.delete(kind);
        if (trouble.count === 0 && trouble.total > 0) write(over(trouble));
        trouble.count = 0;
      }
      if (kinds.size === 0) troubles.delete(message);
    }
  };
  const start = () => {
    const timer = setInterval(say, EVERY_MS);
    timer.unref();
    return () => clearInterval(timer);
  };
  return { note, say, start };
}

function kindsOf(troubles: Map<string, Map<string, Trouble>>, { message }: Entry): Map<string, Trouble> {
  const name = withoutNumbers(message);
  const key = troubles.has(name) || troubles.size < MOST_MESSAGES ? name : "others";
  const kinds = troubles.get(key) ?? new Map<string, Trouble>();
  troubles.set(key, kinds);
  return kinds;
}

/** What tells two troubles with the same message apart. */
const kindOf = ({ program, level, operation, method, status, chain, indexer, error }: Entry): string =>
  [program, level, operation, method, status, chain, indexer, withoutNumbers(firstLine(error))].join(" ");

/** Ports, blocks, hashes and times differ from one time to the next. */
const withoutNumbers = (text: string): string => text.replaceAll(/0x[0-9a-f]+|\d+/gi, "#");

const firstLine = (error = ""): string => error.split("\n", 1)[0] ?? "";

const again = ({ last, since, count }: Trouble): Entry => ({
  ...last,
  message: `${last.message} (${count} more times in the last minute)`,
  repeated: count,
  since,
  ...(last.error !== undefined && { error: firstLine(last.error) }),
});

const over = ({ last: { program, message, chain }, since, total }: Trouble): Entry => ({
  time: new Date().toISOString(),
  level: "info",
  program,
  message: `Over: ${message}`,
  ...(chain !== undefined && { chain }),
  repeated: total,
  since,
});
