import { toDelivery, toWebhook } from "../../src/api/features/webhooks/answers.ts";
import { MAX_DELIVERIES } from "../../src/api/features/webhooks/bounds.ts";
import { listDeliveries } from "../../src/api/features/webhooks/queue.ts";
import { disable, listWebhooks } from "../../src/api/features/webhooks/table.ts";
import type { Store } from "../../src/api/server/serviceDb/store.ts";
import { alignColumns } from "../commandLine/columns.ts";
import { type Command, CommandError, type Program, readNumber } from "../commandLine/command.ts";

const usageText = `Shows and disables the webhooks of all keys.

  npm run webhooks -- list                 lists all webhooks with their key and state
  npm run webhooks -- deliveries <id>      shows recent deliveries and their outcome
  npm run webhooks -- disable <id>         stops deliveries until the owner tests it again

--json prints JSON. DATABASE_URL and DATABASE_SERVICE_SCHEMA select the service, as for npm start. To stop a key's
webhooks permanently, revoke the key (npm run keys -- revoke).`;

type Options = { json?: boolean };

/** What a command answers: to programs, and to people. */
type Outcome = { json: unknown; text: string };
type Act = (store: Store, words: string[]) => Promise<Outcome>;

const MAX_ID = 2 ** 31 - 1;

const list: Act = async (store) => {
  const all = await listWebhooks(store, { keyId: null });
  const rows = all.map((one) => [
    String(one.id),
    String(one.keyId),
    one.state,
    String(one.waiting),
    String(one.failures),
    one.lastPosition ?? "",
    new URL(one.url).host,
    one.disabledBecause ?? "",
  ]);
  const header = ["id", "key", "state", "waiting", "failures", "last", "host", "why"];
  const text = all.length > 0 ? alignColumns([header, ...rows]) : "There are no webhooks.";
  // A URL can hold a credential of its owner: the host says whose it is.
  const json = all.map((one) => ({
    key: one.keyId,
    ...toWebhook(one),
    url: undefined,
    host: new URL(one.url).host,
  }));
  return { json, text };
};

const deliveries: Act = async (store, [word = ""]) => {
  const id = await readExisting(store, word);
  const found = (await listDeliveries(store, id, { before: null, limit: MAX_DELIVERIES })).map(toDelivery);
  const rows = found.map((one) => [
    one.id,
    one.created_at.slice(0, 19),
    one.state,
    String(one.attempts),
    String(one.status ?? ""),
    one.type,
    one.error ?? "",
  ]);
  const header = ["id", "since", "state", "attempts", "status", "type", "error"];
  const text = rows.length > 0 ? alignColumns([header, ...rows]) : `Webhook ${id} has no recent deliveries.`;
  return { json: found, text };
};

const stop: Act = async (store, [word = ""]) => {
  const id = await readExisting(store, word);
  await store.transaction((queries) => disable(queries, id, "the operator disabled it"));
  return { json: { id, disabled: true }, text: `Webhook ${id} is disabled.` };
};

async function readExisting(store: Store, word: string): Promise<number> {
  const id = readNumber("id", word, { min: 1, max: MAX_ID });
  if ((await listWebhooks(store, { id, keyId: null })).length > 0) return id;
  throw new CommandError(`There is no webhook ${id}. List all with: npm run webhooks -- list`);
}

const command = (words: readonly string[], act: Act): Command<Store, Options> => ({
  words,
  options: ["json"],
  run: async (store, given, { json: asJson }) => {
    const { json, text } = await act(store, given);
    return asJson ? JSON.stringify(json) : text;
  },
});

/** `npm run webhooks`. */
export const webhooksProgram: Program<Store, Options> = {
  name: "npm run webhooks",
  usage: usageText,
  options: { json: { type: "boolean" } },
  commands: {
    list: command([], list),
    deliveries: command(["id"], deliveries),
    disable: command(["id"], stop),
  },
};
