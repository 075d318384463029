import type pg from "pg";
import { inTransaction } from "./client.ts";

/**
 * What made the tables what they are, oldest first; each runs once. A migration that was released is never edited: the
 * next one changes what it left.
 */
export const migrations: readonly string[] = [
  `CREATE TABLE live_answers (
    chain_id integer NOT NULL,
    block_number bigint NOT NULL,
    -- Tells blocks of one height apart, should the chain be reorganised; 0 where only the height is known.
    block_timestamp bigint NOT NULL,
    -- SHA-256 of the question: what was asked of which name or address.
    question bytea NOT NULL,
    -- For readers; the name or address.
    subject text NOT NULL,
    origin text NOT NULL DEFAULT 'live',
    answer json NOT NULL,
    resolved_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (chain_id, block_number, block_timestamp, question)
  );
  CREATE INDEX live_answers_resolved_at ON live_answers (resolved_at);`,
  `CREATE TABLE api_keys (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- SHA-256 of the key, which has 192 random bits: nobody can guess it from here.
    key_hash bytea NOT NULL UNIQUE,
    prefix text NOT NULL,
    label text NOT NULL,
    -- Lower-case address of a sign-up; null for the operator's own keys.
    owner text,
    -- The sum of the key's ledger, as long as no old rows of it are removed; the upper bound is what a JSON number can hold.
    credits bigint NOT NULL CHECK (credits BETWEEN 0 AND 9007199254740991),
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
  );
  CREATE TABLE ledger (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id integer NOT NULL REFERENCES api_keys,
    noted_at timestamptz NOT NULL DEFAULT now(),
    -- Above 0 what was given, below 0 what was charged.
    credits bigint NOT NULL,
    -- What the key had then.
    balance bigint NOT NULL,
    -- The operation charged for, or why credits were given.
    reason text NOT NULL
  );
  CREATE INDEX ledger_key ON ledger (key_id, noted_at);`,
  // As rate-limiter-flexible wants it; not logged, because windows of a minute need not outlive a crash.
  `CREATE UNLOGGED TABLE rate_limits (
    key varchar(255) PRIMARY KEY,
    points integer NOT NULL DEFAULT 0,
    expire bigint
  );`,
  `CREATE TABLE payment_marks (
    -- As the payment library names it, as a rule by the hash of a transaction.
    key text PRIMARY KEY,
    value json NOT NULL,
    -- Null for what is kept until it is removed.
    expires_at timestamptz,
    -- The payment was sent, and whether it was made is not known.
    is_unclear boolean NOT NULL DEFAULT false
  );
  CREATE INDEX payment_marks_expires_at ON payment_marks (expires_at);`,
  `CREATE TABLE completed_indexes (
    index_schema text NOT NULL,
    build_id text NOT NULL,
    -- Object id of the tables: a schema that was dropped and made anew holds another index.
    tables_id text NOT NULL,
    completed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (index_schema, build_id, tables_id)
  );`,
  `CREATE TABLE signup_nonces (
    nonce text PRIMARY KEY,
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX signup_nonces_expires_at ON signup_nonces (expires_at);
  CREATE TABLE signups (
    -- Lower-case address. It is given credits once, whatever becomes of its keys.
    owner text PRIMARY KEY,
    -- The key it has now; null only inside the transaction of its first sign-up.
    key_id integer UNIQUE REFERENCES api_keys,
    signed_up_at timestamptz NOT NULL DEFAULT now(),
    key_made_at timestamptz NOT NULL DEFAULT now()
  );`,
  // A journal: its newest row is the index that readers are sent to, the newest of another schema the one before.
  `CREATE TABLE releases (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    index_schema text NOT NULL,
    chosen_at timestamptz NOT NULL DEFAULT now()
  );`,
];

/** Number of the lock under which one process at a time migrates; any number that nobody else uses. */
const LOCK = 6_263_922_017;

/**
 * Brings the service's own schema up to date; it survives every re-indexing, unlike the index. Several processes may
 * start at once: one migrates, the others wait.
 */
export async function migrate(client: pg.ClientBase, schema: string): Promise<void> {
  await inTransaction(client, () => migrateTo(client, { schema, version: migrations.length }));
}

/** Brings the schema to a version, in the transaction of the client; it is the search path of that transaction then. */
export async function migrateTo(
  client: pg.ClientBase,
  { schema, version }: { schema: string; version: number },
): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
  // IF NOT EXISTS would ask for the right to make schemas where there is one already.
  const { rowCount } = await client.query("SELECT FROM pg_namespace WHERE nspname = $1", [schema]);
  if (rowCount === 0) await client.query(`CREATE SCHEMA "${schema}"`);
  await actAsOwner(client, schema);
  await client.query(`SET LOCAL search_path TO "${schema}"`);
  await client.query(
    "CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())",
  );
  await applyFrom(client, await readVersion(client), { schema, version });
}

/** Where the schema belongs to another role that ours is a member of, so do the tables: then all its members can change them. */
async function actAsOwner(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ owner: string }>(
    "SELECT nspowner::regrole::text AS owner FROM pg_namespace WHERE nspname = $1 AND pg_has_role(nspowner, 'MEMBER')",
    [schema],
  );
  if (rows[0]) await client.query(`SET LOCAL ROLE ${rows[0].owner}`);
}

export async function readVersion(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query<{ version: number | null }>(
    "SELECT max(version) AS version FROM migrations",
  );
  return rows[0]?.version ?? 0;
}

async function applyFrom(
  client: pg.ClientBase,
  found: number,
  { schema, version }: { schema: string; version: number },
): Promise<void> {
  if (found > migrations.length) {
    throw new Error(
      `The schema "${schema}" was written by a later Namedex (version ${found}, this one knows ${migrations.length}): run that one, or give this one another DATABASE_SERVICE_SCHEMA.`,
    );
  }
  for (let next = found; next < version; next++) {
    await client.query(migrations[next] ?? "");
    await client.query("INSERT INTO migrations (version) VALUES ($1)", [next + 1]);
  }
}
