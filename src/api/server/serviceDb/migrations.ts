import type pg from "pg";
import { databaseLocks } from "../postgres/advisoryLocks.ts";
import { inTransaction, type Queries, queriesOf } from "../postgres/client.ts";

/**
 * The migrations, oldest first; each runs once. A released migration is never edited: a later one changes what it
 * created.
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
    -- SHA-256 of the key. The key has 192 random bits, so it cannot be guessed from this.
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
    -- Object id of the tables: a schema that was dropped and made again holds another index.
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
  `ALTER TABLE ledger
    -- Until then the credits are reserved for a request that is being answered; null once it was. See reservations.ts.
    ADD COLUMN reserved_until timestamptz;
  CREATE INDEX ledger_reserved_until ON ledger (reserved_until) WHERE reserved_until IS NOT NULL;
  CREATE INDEX api_keys_owner ON api_keys (owner) WHERE owner IS NOT NULL;`,
  // Labels that callers proved. The index had only their hash, so there are at most as many as it has unknown labels.
  `CREATE TABLE proven_labels (
    -- keccak256 of the label.
    labelhash bytea PRIMARY KEY,
    label text NOT NULL CHECK (octet_length(label) <= 255),
    proven_at timestamptz NOT NULL DEFAULT now()
  );`,
  // The last comparison of each index with the chain (npm run verify).
  `CREATE TABLE verifications (
    index_schema text PRIMARY KEY,
    finished_at timestamptz NOT NULL DEFAULT now(),
    -- The block at which contracts were asked.
    block_number bigint NOT NULL,
    -- Names, records and primary names.
    samples integer NOT NULL,
    -- Values of them.
    compared integer NOT NULL,
    differences integer NOT NULL
  );`,
  // The block that the indexer of each index tries again and again, for replicas. Unlogged: after a crash the indexer notes it again.
  `CREATE UNLOGGED TABLE failing_blocks (
    index_schema text PRIMARY KEY,
    chain_id bigint NOT NULL,
    -- Null for a range of past blocks.
    block_number bigint,
    attempts integer NOT NULL,
    -- Unix seconds of the first attempt.
    since bigint NOT NULL,
    -- The first line of the error.
    why text NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT now()
  );`,
  // Labels also come from sources other than callers, and the indexer applies them all. Earlier programs keep writing.
  `ALTER TABLE proven_labels
    -- Where it is from: caller, table:<id>@<version> or service:<id>@<version>.
    ADD COLUMN source text NOT NULL DEFAULT 'caller',
    -- The order in which indexes apply them; null until an indexer has given it. See numberRows.
    ADD COLUMN position bigint UNIQUE;
  CREATE INDEX proven_labels_unnumbered ON proven_labels (labelhash) WHERE position IS NULL;`,
  // How far each table of labels was read (npm run labels).
  `CREATE TABLE label_imports (
    -- SHA-256 that tells the file from others.
    table_id text PRIMARY KEY,
    set_id text NOT NULL,
    set_version integer NOT NULL,
    -- The first byte that was not read, without compression.
    byte bigint NOT NULL,
    records bigint NOT NULL,
    stored bigint NOT NULL,
    wrong bigint NOT NULL,
    unusable bigint NOT NULL,
    saved_at timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
  );`,
  // Hashes that a service was asked for and does not know, or is being asked for (LABEL_HEALING_URL).
  `CREATE TABLE asked_labels (
    labelhash bytea NOT NULL,
    -- service:<id>@<version>
    source text NOT NULL,
    -- It is not asked again before this time.
    until timestamptz NOT NULL,
    PRIMARY KEY (labelhash, source)
  );`,
  // Webhooks of the feed of changes (src/api/features/webhooks/).
  `CREATE TABLE webhooks (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key_id integer NOT NULL REFERENCES api_keys,
    url text NOT NULL,
    -- Filters as the owner wrote them, and as the feed reads them.
    asked json NOT NULL,
    filters json NOT NULL,
    -- instant or final
    timing text NOT NULL,
    -- thin or full
    payload text NOT NULL,
    -- Encrypted with WEBHOOK_SECRET_KEY; the secret before signs, too, until its time.
    secret bytea NOT NULL,
    old_secret bytea,
    old_secret_until timestamptz,
    -- unverified, active or disabled
    state text NOT NULL DEFAULT 'unverified',
    disabled_because text,
    -- Its deliveries that are not finished.
    waiting integer NOT NULL DEFAULT 0 CHECK (waiting >= 0),
    -- Why changes are left out since the position gap_after, and how many; null where none are.
    gap_reason text,
    gap_after text,
    dropped bigint NOT NULL DEFAULT 0,
    -- Failures since the last success, the time of the first, and when it is tried again.
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    next_at timestamptz NOT NULL DEFAULT now(),
    served_at timestamptz,
    tested_at timestamptz,
    -- Position of the last change that was delivered.
    last_position text,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX webhooks_key ON webhooks (key_id);
  CREATE INDEX webhooks_due ON webhooks (next_at) WHERE waiting > 0 AND state = 'active';
  CREATE TABLE webhook_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- The header webhook-id. Of a change its position.
    message_id text NOT NULL UNIQUE,
    type text NOT NULL,
    occurred_at timestamptz NOT NULL,
    data json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX webhook_events_created_at ON webhook_events (created_at);
  CREATE TABLE webhook_deliveries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id integer NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    event_id bigint NOT NULL REFERENCES webhook_events ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    attempts integer NOT NULL DEFAULT 0,
    -- Of the last attempt: the status of the answer, or why there was none.
    status integer,
    error text,
    attempted_at timestamptz,
    finished_at timestamptz,
    -- Null while it waits.
    is_delivered boolean
  );
  CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
  CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, id) WHERE finished_at IS NULL;
  CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);
  CREATE INDEX webhook_deliveries_finished ON webhook_deliveries (finished_at) WHERE finished_at IS NOT NULL;
  -- How far the feed is sorted out; version changes with the webhooks that get changes.
  CREATE TABLE webhook_feed (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    version bigint NOT NULL DEFAULT 0,
    epoch text,
    number bigint NOT NULL DEFAULT 0,
    -- Within the changes that the next marker makes final.
    final_after bigint
  );`,
  "CREATE INDEX live_answers_question ON live_answers (chain_id, question);",
  `
  -- How many blocks of an index came from a source of logs, and how many of them were compared with the node.
  CREATE TABLE source_comparisons (
    index_schema text NOT NULL,
    chain_id bigint NOT NULL,
    blocks bigint NOT NULL,
    compared bigint NOT NULL,
    differing_block bigint,
    PRIMARY KEY (index_schema, chain_id)
  );`,
];

/** Migrates the service's own schema. If several processes start at once, one migrates and the others wait. */
export async function migrate(client: pg.ClientBase, schema: string): Promise<void> {
  await inTransaction(client, () => migrateTo(client, { schema, version: migrations.length }));
}

/** Migrates the schema to a version, inside the client's transaction, and makes it the search path of that transaction. */
export async function migrateTo(
  client: pg.ClientBase,
  { schema, version }: { schema: string; version: number },
): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock($1)", [databaseLocks.migration]);
  await enterSchema(queriesOf(client), schema);
  await client.query(`SET LOCAL search_path TO "${schema}"`);
  await client.query(
    "CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())",
  );
  await applyFrom(client, await readVersion(client), { schema, version });
}

/**
 * Creates the schema if it is missing. If it belongs to another role that ours is a member of, acts as that role until
 * the end of the transaction: new objects then belong to the owner, and all members can change them.
 */
export async function enterSchema({ query }: Queries, schema: string): Promise<void> {
  const [found] = await query<{ owner: string; isMember: boolean }>(
    `SELECT nspowner::regrole::text AS owner, pg_has_role(nspowner, 'MEMBER') AS "isMember"
     FROM pg_namespace WHERE nspname = $1`,
    [schema],
  );
  // CREATE SCHEMA IF NOT EXISTS requires the right to create schemas even where the schema exists.
  if (found === undefined) await query(`CREATE SCHEMA "${schema}"`);
  else if (found.isMember) await query(`SET LOCAL ROLE ${found.owner}`);
}

/** Number of the latest migration that was applied; 0 for none. */
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
      `The schema "${schema}" was written by a later version of Namedex (schema version ${found}, this one knows ${migrations.length}): run the later one, or set another DATABASE_SERVICE_SCHEMA.`,
    );
  }
  for (let next = found; next < version; next++) {
    await client.query(migrations[next] ?? "");
    await client.query("INSERT INTO migrations (version) VALUES ($1)", [next + 1]);
  }
}
