import { parseArgs } from "node:util";
import type { KeySummary, Keys, UsageRow } from "../src/api/serviceDb/keys.ts";

/** What `npm run keys` can do, as it is shown to whoever asks or errs. */
export const keyUsage = `Keys of a metered service, and their credits.

  npm run keys -- create [--label <words>] [--credits <n>]   makes a key (1000 credits) and shows it, this once
  npm run keys -- list                                       all keys, never their text
  npm run keys -- usage <id> [--days <n>]                    what was charged, by day and operation (30 days)
  npm run keys -- grant <id> <n>                             gives credits
  npm run keys -- revoke <id>                                ends a key for good

--json answers as JSON. DATABASE_URL and DATABASE_SERVICE_SCHEMA say which service, as for npm start.`;

/** The command or one of its words is wrong; the message says what is expected. */
export class KeyCommandError extends Error {
  override readonly name = "KeyCommandError";
}

/** What a command has to say: to programs, and to people. */
type Outcome = { json: unknown; text: string };

type Options = { label?: string; credits?: string; days?: string; json?: boolean };
type Command = (keys: Keys, words: string[], options: Options) => Promise<Outcome>;

const MAX_CREDITS = 1_000_000_000_000;
const MAX_ID = 2 ** 31 - 1;
const DAY_MS = 86_400_000;

/**
 * Does what the words of the command line say and gives the text to print.
 *
 * @throws KeyCommandError if they say nothing that can be done
 */
export async function runKeyCommand(line: string[], keys: Keys): Promise<string> {
  const { positionals, values } = parse(line);
  const [name = "", ...words] = positionals;
  const found = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (found === undefined) throw new KeyCommandError(`"${name}" is no command.\n\n${keyUsage}`);
  if (words.length !== found.words.length) {
    const wanted = found.words.map((word) => ` <${word}>`).join("");
    throw new KeyCommandError(`Expected: npm run keys -- ${name}${wanted}`);
  }
  const foreign = Object.keys(values).find((option) => option !== "json" && !found.options.includes(option));
  if (foreign !== undefined) throw new KeyCommandError(`${name} takes no --${foreign}.\n\n${keyUsage}`);
  const { json, text } = await found.run(keys, words, values);
  return values.json ? JSON.stringify(json) : text;
}

function parse(line: string[]) {
  const text = { type: "string" } as const;
  const options = { label: text, credits: text, days: text, json: { type: "boolean" } } as const;
  try {
    return parseArgs({ args: line, allowPositionals: true, options });
  } catch (error) {
    throw new KeyCommandError(`${(error as Error).message}\n\n${keyUsage}`);
  }
}

const create: Command = async (keys, _, { label = "", credits = "1000" }) => {
  const given = readNumber("--credits", credits, { min: 0, max: MAX_CREDITS });
  if (label.length > 200) throw new KeyCommandError("--label: expected at most 200 characters.");
  const { id, key } = await keys.create({
    label,
    owner: null,
    credits: given,
    reason: "made by the operator",
  });
  const text = `Key ${id} has ${given} credits. It is kept as a hash only, so write it down now:\n\n  ${key}\n\nCallers send it in the header X-API-Key.`;
  return { json: { id, key, label, credits: given }, text };
};

const list: Command = async (keys) => {
  const all = await keys.list();
  const rows = all.map((key) => [
    ...[String(key.id), `${key.prefix}…`, String(key.credits), dayOf(key.createdAt)],
    ...[key.revokedAt ? `revoked ${dayOf(key.revokedAt)}` : "", key.owner ?? "", key.label],
  ]);
  const header = ["id", "key", "credits", "made", "state", "owner", "label"];
  const text = all.length > 0 ? table([header, ...rows]) : "There are no keys: npm run keys -- create";
  return { json: all.map(toJson), text };
};

const usage: Command = async (keys, [word = ""], { days = "30" }) => {
  const id = readId(word);
  const since = new Date(Date.now() - readNumber("--days", days, { min: 1, max: 3_650 }) * DAY_MS);
  if (!(await keys.list()).some((key) => key.id === id)) throw noKey(id);
  const rows = await keys.usage(id, since);
  const cells = rows.map((row) => [row.day, String(row.requests), String(row.credits), row.operation]);
  const header = ["day", "requests", "credits", "operation"];
  const text = rows.length > 0 ? table([header, ...cells]) : `Key ${id} was not used in ${days} days.`;
  return { json: rows satisfies UsageRow[], text };
};

const grant: Command = async (keys, [word = "", amount = ""]) => {
  const id = readId(word);
  const given = readNumber("credits", amount, { min: 1, max: MAX_CREDITS });
  const credits = await keys.grant(id, { credits: given, reason: "granted by the operator" });
  if (credits === null) throw noKey(id, " that is not revoked");
  return { json: { id, credits }, text: `Key ${id} has ${credits} credits now.` };
};

const revoke: Command = async (keys, [word = ""]) => {
  const id = readId(word);
  if (!(await keys.revoke(id))) throw noKey(id);
  return { json: { id, revoked: true }, text: `Key ${id} is revoked.` };
};

/** Each command with the words and options that it takes. */
const commands: Record<string, { words: string[]; options: string[]; run: Command }> = {
  create: { words: [], options: ["label", "credits"], run: create },
  list: { words: [], options: [], run: list },
  usage: { words: ["id"], options: ["days"], run: usage },
  grant: { words: ["id", "credits"], options: [], run: grant },
  revoke: { words: ["id"], options: [], run: revoke },
};

const readId = (word: string): number => readNumber("id", word, { min: 1, max: MAX_ID });

function readNumber(what: string, word: string, { min, max }: { min: number; max: number }): number {
  const number = Number(word);
  if (/^\d+$/.test(word) && number >= min && number <= max) return number;
  throw new KeyCommandError(`${what} is "${word}": expected a whole number from ${min} to ${max}.`);
}

const noKey = (id: number, kind = ""): KeyCommandError =>
  new KeyCommandError(`There is no key ${id}${kind}; npm run keys -- list shows those there are.`);

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

const toJson = ({ createdAt, revokedAt, ...key }: KeySummary) => ({
  ...key,
  created_at: createdAt.toISOString(),
  revoked_at: revokedAt?.toISOString() ?? null,
});

/** Columns as wide as their widest cell. Labels may be a stranger's: no control character of theirs reaches the terminal. */
function table(cells: string[][]): string {
  const rows = cells.map((row) => row.map((cell) => cell.replaceAll(/\p{C}/gu, "?")));
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
