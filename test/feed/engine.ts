import type pg from "pg";
import { type Hex, keccak256, stringToBytes } from "viem";
import { declaredIndex } from "../../engine/ponderInternals.ts";
import { reorgTableOf } from "../../engine/restorePoint.ts";
import { sources } from "../../src/api/features/feed/sources.ts";
import { beginState, checkpointOf, setFinal, setLatest, setReady } from "../support/ponderState.ts";

/*
 * Replays what Ponder does to an index's tables at blocks, reorganisations and starts, on a
 * database without Ponder, so that thousands of histories take minutes.
 * `test/chain/journal.test.ts` uses the real Ponder.
 */

/** A change to a row: the columns to patch. The row is created if it does not exist. */
export type Write = { table: string; key: Record<string, unknown>; patch: Record<string, unknown> };

export type SimBlock = { number: number; hash: Hex; timestamp: number; writes: readonly Write[] };

/** `id` is the operation's number in Ponder's table of former rows. */
type Undo = { id: number; chainId: number; block: number; write: Write; before: object | null };

export type Chain = {
  chainId: number;
  /** The node's blocks, newest last. */
  node: SimBlock[];
  /** The newest block reflected in the tables. */
  indexed: number;
  final: number;
};

/** Here, Ponder treats blocks this far below the newest as final. */
const FINALITY = 6;
const FIRST_TIME = 1_700_000_000;

const columnsOf = (key: object) =>
  Object.keys(key)
    .map((column, i) => `${column} = $${i + 1}`)
    .join(" and ");

export class Engine {
  readonly chains: Chain[];
  private undos: Undo[] = [];
  /** Blocks of other chains whose rows a reorganisation undid, until the next block. */
  private waiting: { chain: Chain; block: SimBlock }[] = [];
  private branches = 0;
  private operations = 0;
  private readonly pool: pg.Pool;

  constructor(pool: pg.Pool, chainIds: readonly number[]) {
    this.pool = pool;
    this.chains = chainIds.map((chainId) => ({ chainId, node: [], indexed: 0, final: 0 }));
  }

  async start(): Promise<void> {
    await beginState(
      this.pool,
      this.chains.map(({ chainId }) => chainId),
    );
    for (const table of sources.keys()) {
      await this.pool.query(
        `create table ${reorgTableOf(table)} (like ${table}, operation_id integer, operation integer, checkpoint varchar(75))`,
      );
    }
    for (const chain of this.chains) {
      this.mine(chain, { seconds: 12, writes: [] });
      await this.index(chain);
    }
  }

  /** Adds a block to the node's chain. */
  mine(chain: Chain, { seconds, writes }: { seconds: number; writes: readonly Write[] }): SimBlock {
    const number = chain.node.length + 1;
    const timestamp = (chain.node.at(-1)?.timestamp ?? FIRST_TIME) + seconds;
    const hash = keccak256(stringToBytes(`${chain.chainId} ${number} ${this.branches} ${timestamp}`));
    const block = { number, hash, timestamp, writes };
    chain.node.push(block);
    return block;
  }

  /** Switches the node to another branch. */
  fork(chain: Chain, depth: number): SimBlock[] {
    this.branches++;
    return chain.node.splice(Math.max(chain.final, chain.node.length - depth));
  }

  /** Commits the node's next block and everything waiting, in one transaction. */
  async index(chain: Chain): Promise<void> {
    const known = this.waiting.filter((one) => one.chain === chain).map(({ block: { number } }) => number);
    const block = chain.node[Math.max(chain.indexed, ...known)];
    if (block === undefined) return;
    await this.transaction(async (client) => {
      for (const { chain: other, block: one } of this.waiting) await this.write(client, other, one);
      await this.write(client, chain, block);
      await this.setCheckpoint(client, chain, block);
    });
    for (const { chain: other, block: one } of this.waiting)
      other.indexed = Math.max(other.indexed, one.number);
    this.waiting = [];
    chain.indexed = block.number;
    await this.finalize(chain);
  }

  /**
   * Reverts the blocks of a chain that the node no longer has, and all later writes of all chains,
   * in one transaction.
   */
  async revert(chain: Chain, to: number): Promise<void> {
    const first = this.undos.findIndex(({ chainId, block }) => chainId === chain.chainId && block > to);
    const undone = first < 0 ? [] : this.undos.slice(first);
    this.undos = first < 0 ? this.undos : this.undos.slice(0, first);
    const waiting = this.waiting.filter((one) => one.chain !== chain || one.block.number <= to);
    await this.transaction(async (client) => {
      for (const undo of undone.toReversed()) await this.undo(client, undo);
      await this.forget(client, undone);
      for (const one of this.chains) {
        const lost = undone.filter(({ chainId }) => chainId === one.chainId).map(({ block }) => block);
        const from = Math.min(...lost, ...(one === chain ? [to + 1] : []), one.indexed + 1);
        await client.query("delete from blocks where chain_id = $1 and number >= $2", [one.chainId, from]);
        const known = waiting.filter(({ chain: of }) => of === one).map(({ block }) => block.number);
        const again = one.node.filter(
          ({ number }) => number >= from && number <= one.indexed && (one !== chain || number <= to),
        );
        for (const block of again) if (!known.includes(block.number)) waiting.push({ chain: one, block });
        one.indexed = Math.min(one.indexed, from - 1);
      }
    });
    this.waiting = waiting.sort(
      (a, b) => a.block.timestamp - b.block.timestamp || a.block.number - b.block.number,
    );
  }

  /** Stops the indexer: whatever it would revert at its next start is reverted now. */
  async stop(): Promise<void> {
    await this.transaction(async (client) => {
      await setReady(client as never, 0);
      for (const undo of this.undos.toReversed()) await this.undo(client, undo);
      await this.forget(client, this.undos);
      await this.buildIndex(client);
      for (const chain of this.chains) {
        await client.query("delete from blocks where chain_id = $1 and number > $2", [
          chain.chainId,
          chain.final,
        ]);
        chain.indexed = chain.final;
      }
    });
    this.undos = [];
    this.waiting = [];
  }

  /**
   * Past blocks come in batches. The journal gets the blocks with logs and the last one; then the
   * index is ready.
   */
  async backfill(): Promise<void> {
    for (const chain of this.chains) {
      const final = Math.max(chain.final, chain.node.length - FINALITY);
      const past = chain.node.slice(chain.final, final);
      await this.transaction(async (client) => {
        for (const block of past) {
          await this.write(client, chain, block, {
            isInJournal: block.writes.length > 0 || block.number === final,
            isFinal: true,
          });
        }
        const last = chain.node[final - 1];
        if (last) await this.setCheckpoint(client, chain, last);
      });
      chain.indexed = final;
      await this.finalize(chain, final);
    }
    this.undos = [];
    await setReady(this.pool, 1);
  }

  private async finalize(chain: Chain, final = chain.indexed - FINALITY): Promise<void> {
    if (final <= chain.final) return;
    chain.final = final;
    const isOpen = ({ chainId, block }: Undo) => chainId !== chain.chainId || block > final;
    await this.forget(
      this.pool,
      this.undos.filter((undo) => !isOpen(undo)),
    );
    this.undos = this.undos.filter(isOpen);
    await setFinal(this.pool, {
      chainId: chain.chainId,
      block: final,
      time: chain.node[final - 1]?.timestamp ?? 0,
    });
  }

  private setCheckpoint = (client: pg.PoolClient, { chainId }: Chain, { number, timestamp }: SimBlock) =>
    setLatest(client as never, { chainId, block: number, time: timestamp });

  private async write(
    client: pg.PoolClient,
    chain: Chain,
    block: SimBlock,
    { isInJournal = true, isFinal = false } = {},
  ) {
    const { chainId } = chain;
    for (const write of block.writes) {
      const values = Object.values(write.key);
      const { rows } = await client.query<{ row: object }>(
        `select to_jsonb(t) as row from ${write.table} t where ${columnsOf(write.key)}`,
        values,
      );
      const before = rows[0]?.row ?? null;
      const row = { ...before, ...write.key, ...write.patch };
      const undo = { id: ++this.operations, chainId, block: block.number, write, before };
      this.undos.push(undo);
      if (!isFinal) await this.remember(client, undo, { row, time: block.timestamp });
      if (before !== null)
        await client.query(`delete from ${write.table} where ${columnsOf(write.key)}`, values);
      await this.insert(client, write.table, row);
    }
    if (!isInJournal) return;
    await client.query(
      `insert into blocks (chain_id, number, hash, parent_hash, "timestamp") values ($1, $2, $3, $3, $4)`,
      [chainId, block.number, block.hash, block.timestamp],
    );
  }

  /** Records a row's former state, as Ponder's trigger does. */
  private async remember(
    client: pg.PoolClient,
    { id, chainId, block, write: { table }, before }: Undo,
    { row, time }: { row: object; time: number },
  ) {
    if (!sources.has(table)) return;
    const noted = {
      ...(before ?? row),
      operation_id: id,
      operation: before === null ? 0 : 1,
      checkpoint: checkpointOf({ time, chainId, block }),
    };
    await this.insert(client, reorgTableOf(table), noted);
  }

  private async forget(client: Pick<pg.Pool, "query">, undos: readonly Undo[]) {
    for (const [table, of] of Map.groupBy(undos, ({ write }) => write.table)) {
      if (!sources.has(table)) continue;
      const ids = of.map(({ id }) => id);
      await client.query(`delete from ${reorgTableOf(table)} where operation_id = any($1::int[])`, [ids]);
    }
  }

  /** Every start of Ponder rebuilds the declared indexes. */
  private async buildIndex(client: pg.PoolClient) {
    const { rows } = await client.query<{ sql: string }>("select pg_get_indexdef(to_regclass($1)) as sql", [
      declaredIndex(),
    ]);
    await client.query(`drop index ${declaredIndex()}; ${rows[0]?.sql}`);
  }

  private async undo(client: pg.PoolClient, { write, before }: Undo) {
    const values = Object.values(write.key);
    await client.query(`delete from ${write.table} where ${columnsOf(write.key)}`, values);
    if (before !== null) await this.insert(client, write.table, before);
  }

  private insert = (client: pg.PoolClient, table: string, row: object) =>
    client.query(`insert into ${table} select * from jsonb_populate_record(null::${table}, $1::jsonb)`, [
      JSON.stringify(row),
    ]);

  private async transaction(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query("begin");
      await work(client);
      await client.query("commit");
    } finally {
      client.release();
    }
  }
}
