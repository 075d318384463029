import pg from "pg";
import { openPonderDatabase } from "./ponderCache.ts";

// `node lockTrial.ts <database>`: lets indexers of Ponder take one schema, and prints the outcome of its lock and of their
// writes.

const [, , databaseUrl = ""] = process.argv;
const options = { command: "start", databaseHeartbeatInterval: 50, databaseHeartbeatTimeout: 300 };
const build = { buildId: "build", chains: [], finalizedBlocks: [] };

const end = process.exit.bind(process);
process.exit = ((code) => {
  void finish(code);
  throw new Error("the process ends");
}) as typeof process.exit;

const client = new pg.Client({ connectionString: databaseUrl });
await client.connect();
/** The tokens seen, in order. */
const owners: string[] = [];
const readLock = async () => {
  const { rows } = await client.query("select value from trial._ponder_meta where key = 'app'");
  const { is_locked: isLocked, owner: token = null, heartbeat_at: at } = rows[0].value;
  if (/^[0-9a-f-]{36}$/.test(token) && !owners.includes(token)) owners.push(token);
  return { isLocked, owner: owners.indexOf(token), isFresh: Math.abs(at - Date.now()) < 5_000 };
};

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
const start = (more = {}) => openPonderDatabase(databaseUrl, { options: { ...options, ...more } });
type Tx = {
  wrap: (run: (db: { execute: (text: string) => Promise<unknown> }) => unknown) => Promise<unknown>;
};
const write = (to: Awaited<ReturnType<typeof start>>, text: string, before = async () => {}) =>
  to.database.userQB
    .transaction(async (tx: Tx) => {
      await tx.wrap((db) => db.execute(`insert into trial.written values ('${text}')`));
      await before();
    })
    .then(() => "written", messageOf);

const first = await start();
await client.query("create table trial.written (text text)");
await first.database.migrate(build);
const owned = await readLock();

// One indexer waits for the lock in vain, and ends.
const second = await start();
const refused = await second.database.migrate(build).then(() => "taken", messageOf);
await second.ponder.shutdown.kill();
const afterSecond = await readLock();
const written = await write(first, "by the owner");

await first.ponder.shutdown.kill();
const released = await readLock();

// One stands still within a transaction, without a sign of life, while another one takes over.
const still = await start({ databaseHeartbeatInterval: 2 ** 30 });
await still.database.migrate(build);
const next = await start();
let attempts = 0;
await write(still, "while it stood still", async () => {
  attempts++;
  await client.query(
    `update trial._ponder_meta set value = value || '{"heartbeat_at": 0}' where key = 'app'`,
  );
  await next.database.migrate(build);
});

/** Prints everything that happened until the first one ended. Without our patches it does not end. */
async function finish(exitCode: unknown = null): Promise<void> {
  const taken = await readLock();
  const { rows } = await client.query<{ text: string }>("select text from trial.written");
  const texts = rows.map(({ text }) => text);
  const outcome = { owned, refused, afterSecond, written, released, attempts, taken, texts, exitCode };
  process.stdout.write(JSON.stringify(outcome), () => end());
}
await finish();
