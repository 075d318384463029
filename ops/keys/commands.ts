import type { KeySummary, Keys, UsageRow } from "../../src/api/server/serviceDb/keys.ts";
import { alignColumns } from "../commandLine/columns.ts";
import { type Command, CommandError, type Program, readNumber } from "../commandLine/command.ts";
import { counted } from "../commandLine/counted.ts";

const usageText = `Manages API keys and their credits.

  npm run keys -- create [--label <words>] [--credits <n>]   creates a key with 1000 credits and prints it once
  npm run keys -- list                                       lists all keys, without their text
  npm run keys -- usage <id> [--days <n>]                    shows charges by day and operation (30 days)
  npm run keys -- grant <id> <n>                             adds credits
  npm run keys -- revoke <id>                                revokes a key permanently

--json prints JSON. DATABASE_URL and DATABASE_SERVICE_SCHEMA select the service, as for npm start.`;

type Options = { label?: string; credits?: string; days?: string; json?: boolean };

/** What a command answers: to programs, and to people. */
type Outcome = { json: unknown; text: string };
type Act = (keys: Keys, words: string[], options: Options) => Promise<Outcome>;

const MAX_CREDITS = 1_000_000_000_000;
const MAX_ID = 2 ** 31 - 1;
const DAY_MS = 86_400_000;

const create: Act = async (keys, _, { label = "", credits = "1000" }) => {
  const given = readNumber("--credits", credits, { min: 0, max: MAX_CREDITS });
  if (label.length > 200) throw new CommandError("--label: expected at most 200 characters.");
  const { id, key } = await keys.create({
    label,
    owner: null,
    credits: given,
    reason: "created by the operator",
  });
  const text = `Key ${id} has ${counted(given, "credit")}. Save it now, because only its hash is stored:\n\n  ${key}\n\nCallers send it in the X-API-Key header.`;
  return { json: { id, key, label, credits: given }, text };
};

const list: Act = async (keys) => {
  const all = await keys.list();
  const rows = all.map((key) => [
    String(key.id),
    `${key.prefix}…`,
    String(key.credits),
    dayOf(key.createdAt),
    key.revokedAt ? `revoked ${dayOf(key.revokedAt)}` : "",
    key.owner ?? "",
    key.label,
  ]);
  const header = ["id", "key", "credits", "created", "state", "owner", "label"];
  const text =
    all.length > 0
      ? alignColumns([header, ...rows])
      : "There are no keys. Create one with: npm run keys -- create";
  return { json: all.map(toJson), text };
};

const usage: Act = async (keys, [word = ""], { days = "30" }) => {
  const id = readId(word);
  const since = new Date(Date.now() - readNumber("--days", days, { min: 1, max: 3_650 }) * DAY_MS);
  if (!(await keys.list()).some((key) => key.id === id)) throw noKey(id);
  const rows = await keys.usage(id, since);
  const cells = rows.map((row) => [row.day, String(row.requests), String(row.credits), row.operation]);
  const header = ["day", "requests", "credits", "operation"];
  const text =
    rows.length > 0
      ? alignColumns([header, ...cells])
      : `Key ${id} was not used in the last ${counted(Number(days), "day")}.`;
  return { json: rows satisfies UsageRow[], text };
};

const grant: Act = async (keys, [word = "", amount = ""]) => {
  const id = readId(word);
  const given = readNumber("credits", amount, { min: 1, max: MAX_CREDITS });
  const credits = await keys.grant(id, { credits: given, reason: "granted by the operator" });
  if (credits === null) throw noKey(id, " that is not revoked");
  return { json: { id, credits }, text: `Key ${id} now has ${counted(credits, "credit")}.` };
};

const revoke: Act = async (keys, [word = ""]) => {
  const id = readId(word);
  if (!(await keys.revoke(id))) throw noKey(id);
  return { json: { id, revoked: true }, text: `Key ${id} is revoked.` };
};

const command = (
  words: readonly string[],
  options: readonly (keyof Options)[],
  act: Act,
): Command<Keys, Options> => ({
  words,
  options: [...options, "json"],
  run: async (keys, given, values) => {
    const { json, text } = await act(keys, given, values);
    return values.json ? JSON.stringify(json) : text;
  },
});

const text = { type: "string" } as const;

/** `npm run keys`. */
export const keysProgram: Program<Keys, Options> = {
  name: "npm run keys",
  usage: usageText,
  options: { label: text, credits: text, days: text, json: { type: "boolean" } },
  commands: {
    create: command([], ["label", "credits"], create),
    list: command([], [], list),
    usage: command(["id"], ["days"], usage),
    grant: command(["id", "credits"], [], grant),
    revoke: command(["id"], [], revoke),
  },
};

const readId = (word: string): number => readNumber("id", word, { min: 1, max: MAX_ID });

const noKey = (id: number, kind = ""): CommandError =>
  new CommandError(`There is no key ${id}${kind}. List all keys with: npm run keys -- list`);

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);

const toJson = ({ createdAt, revokedAt, ...key }: KeySummary) => ({
  ...key,
  created_at: createdAt.toISOString(),
  revoked_at: revokedAt?.toISOString() ?? null,
});
