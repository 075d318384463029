import type pg from "pg";
import { keccak256, stringToBytes } from "viem";
import { readChanges, readFeedState } from "../../src/api/features/feed/read.ts";
import type { ChangeRow } from "../../src/api/features/feed/rows.ts";
import type { Db } from "../../src/api/server/postgres/db.ts";

type Value = Record<string, unknown> | null;

/**
 * Text form of each slot's subject and value, as stored in the tables. Shares no code with the
 * feed.
 */
const judged = `
  select concat_ws(':', 'name', chain_id, node) as subject,
    jsonb_build_object('name', full_name, 'parent_namehash', parent_node) as value from domains
  union all select concat_ws(':', 'registration', chain_id, node), jsonb_build_object('expiry_timestamp', expiry_timestamp::text,
    'registrar_expiry_timestamp', registrar_expiry_timestamp::text, 'path_expiry_timestamp', path_expiry_timestamp::text,
    'registered_timestamp', registered_timestamp::text) from domains
    where coalesce(expiry_timestamp, registrar_expiry_timestamp, path_expiry_timestamp, registered_timestamp) is not null
  union all select concat_ws(':', 'owner', chain_id, node), jsonb_build_object('owner_address', effective_owner_address,
    'registry_owner', registry_owner, 'registrar_owner', registrar_owner, 'wrapper_owner', wrapper_owner,
    'is_wrapped', is_wrapped, 'registry_address', registry) from domains
    where coalesce(effective_owner_address, registry_owner, registrar_owner, wrapper_owner, registry) is not null or is_wrapped
  union all select concat_ws(':', 'wrapper', chain_id, node), jsonb_build_object('fuses', wrapper_fuses::text,
    'wrapper_expiry_timestamp', wrapper_expiry_timestamp::text) from domains
    where wrapper_fuses is not null or wrapper_expiry_timestamp is not null
  union all select concat_ws(':', 'resolver', chain_id, node), jsonb_build_object('resolver_address', resolver) from domains
    where resolver is not null
  union all select concat_ws(':', 'text', chain_id, resolver, node, version, key_hash),
    jsonb_build_object('value', value, 'is_value_known', is_value_known) from text_records
  union all select concat_ws(':', 'address', chain_id, resolver, node, version, coin_type),
    jsonb_build_object('address', address) from address_records
  union all select concat_ws(':', 'version', chain_id, resolver, node), jsonb_build_object('version', version) from resolver_nodes
    where version <> 0
  union all select concat_ws(':', 'contenthash', chain_id, resolver, node), jsonb_build_object('contenthash', contenthash)
    from resolver_nodes where contenthash is not null
  union all select concat_ws(':', 'name_record', chain_id, resolver, node), jsonb_build_object('name', name)
    from resolver_nodes where name is not null
  union all select concat_ws(':', 'link', chain_id, resolver, node), jsonb_build_object('record', record)
    from ensv2_links where record is not null
  union all select concat_ws(':', 'primary', address, coin_type),
    jsonb_build_object('name', name, 'is_name_known', is_name_known) from primary_names
  union all select concat_ws(':', 'binding', chain_id, adapter, agent_id), jsonb_build_object('token_standard', token_standard,
    'token_contract', token_contract, 'token_id', token_id::text, 'registered_by', registered_by) from agent_bindings
  union all select concat_ws(':', 'label', chain_id, labelhash), jsonb_build_object('label', label) from labels
    where label is not null`;

/** Everything a follower can hold, as the tables store it now. */
export async function readJudged(pool: Pick<pg.Pool, "query">): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ subject: string; value: Value }>(judged);
  return new Map(rows.map(({ subject, value }) => [subject, textOf(value)]));
}

/** A value as one text. Long texts are given by their hash, as in the feed. */
const textOf = (value: Value): string =>
  value === null
    ? "none"
    : JSON.stringify(
        Object.entries(value)
          .flatMap(([name, one]) =>
            typeof one === "string" && Buffer.byteLength(one) > 1_024
              ? [
                  [name, null],
                  [`${name}_keccak256`, keccak256(stringToBytes(one))],
                  [`${name}_bytes`, Buffer.byteLength(one)],
                ]
              : [[name, one]],
          )
          .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      );

/** A program that holds what the feed says and nothing else. */
export class Follower {
  held = new Map<string, string>();
  /** Claims that turned out to be false. */
  readonly wrong: string[] = [];
  /** Changes brought by time that were not reverted. */
  readonly times = new Set<string>();
  changes = 0;
  private readonly removed = new Set<number>();
  private readonly seen = new Map<number, ChangeRow>();
  private epoch = "";
  private after = 0;
  private begun = 0;
  isAtEnd = true;
  private readonly db: Db;
  private readonly pool: pg.Pool;

  constructor(db: Db, pool: pg.Pool) {
    this.db = db;
    this.pool = pool;
  }

  /** Reads everything available, in pages of the given size. */
  async follow(limit: number): Promise<void> {
    for (;;) {
      const state = await readFeedState(this.db);
      if (state.epoch !== this.epoch) await this.begin(state);
      const page = await readChanges(this.db, {
        after: this.after,
        newest: state.newest,
        limit,
        filters: {},
      });
      for (const row of page.rows) this.apply(row);
      this.after = page.next;
      if (page.next >= state.newest) return;
    }
  }

  /**
   * A new epoch: reads the state itself as of the position. Tests write nothing in the meantime.
   */
  private async begin({ epoch, newest }: { epoch: string; newest: number }): Promise<void> {
    this.epoch = epoch;
    this.after = newest;
    this.begun = newest;
    this.held = await readJudged(this.pool);
    this.times.clear();
    this.seen.clear();
    this.removed.clear();
  }

  private apply(row: ChangeRow): void {
    if (row.type === "block.ended") this.isAtEnd = true;
    if (row.source === null) return;
    this.isAtEnd = false;
    this.changes++;
    const subject = [row.slot, ...(row.key ?? [])].join(":");
    this.checkRemoval(row, subject);
    this.seen.set(row.number, row);
    if (row.source === "time") {
      this.applyTime(row, subject);
      return;
    }
    const [before, after] = [textOf(row.oldValue), textOf(row.newValue)];
    const held = this.held.get(subject) ?? "none";
    if (held !== before)
      this.wrong.push(`${row.number} ${row.state} ${subject}: was ${before}, held ${held}`);
    if (before === after) this.wrong.push(`${row.number} ${subject} changes nothing`);
    if (row.newValue === null) this.held.delete(subject);
    else this.held.set(subject, after);
  }

  private checkRemoval({ number, state, takenBack }: ChangeRow, subject: string): void {
    if (state === "new") return;
    const what = takenBack ?? -1;
    const of = this.seen.get(what);
    const isKnown = of !== undefined || what <= this.begun;
    if (!isKnown || this.removed.has(what)) this.wrong.push(`${number} removes ${what} of ${subject}`);
    this.removed.add(what);
  }

  private applyTime(row: ChangeRow, subject: string): void {
    if (this.times.has(subject) === (row.state === "new")) {
      this.wrong.push(`${row.number} ${row.state} ${subject} again`);
    }
    if (row.state === "new") this.times.add(subject);
    else this.times.delete(subject);
  }
}
