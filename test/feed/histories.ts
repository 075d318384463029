import fc from "fast-check";
import pg from "pg";
import { expect } from "vitest";
import type { ChangeFilters } from "../../src/api/features/feed/filters.ts";
import { beginEpoch } from "../../src/api/features/feed/install.ts";
import { readChanges, readFeedState } from "../../src/api/features/feed/read.ts";
import type { ChangeRow } from "../../src/api/features/feed/rows.ts";
import { lookAtFeed } from "../../src/api/features/feed/writer.ts";
import { lifeOf } from "../../src/api/names/rules/life.ts";
import { CHAIN_ID, LAYER2_CHAIN_ID } from "../query/rows.ts";
import { createTables, type Tables } from "../query/tables.ts";
import { type Chain, Engine, type Write } from "./engine.ts";
import { Follower, readJudged } from "./follower.ts";
import { type Act, anyAct } from "./writes.ts";

const CHAINS = [CHAIN_ID, LAYER2_CHAIN_ID, 31_339];
const DAY = 86_400;
const HIGHEST_FORK = 6;

/** One step of a history. `chain` is the index of the chain. */
type Step =
  | { kind: "block"; chain: number; acts: Act[]; seconds: number }
  | { kind: "index"; chain: number }
  | { kind: "reorganise"; chain: number; depth: number; branch: Act[][]; looks: boolean }
  | { kind: "restart"; fork: { chain: number; depth: number } | null; looks: boolean }
  | { kind: "look"; dies: number | null }
  | { kind: "fault"; fault: keyof typeof faults; chain: number; acts: Act[]; looks: boolean }
  | { kind: "follow"; limit: number };

/** Ways to stop the recording of writes. The writer repairs each. */
const faults = {
  refused: "alter table feed_touched add constraint refused check (false) not valid",
  missing: "drop table feed_touched",
  withoutTrigger: "drop trigger feed_insert on domains; drop trigger feed_delete on text_records",
  disabled: "alter table address_records disable trigger all",
} as const;

const chain = fc.integer({ min: 0, max: CHAINS.length - 1 });
const acts = fc.array(anyAct, { maxLength: 4 });
const seconds = fc.constantFrom(2, 12, DAY, 40 * DAY);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("block" as const), chain, acts, seconds }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("index" as const), chain }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("reorganise" as const),
      chain,
      depth: fc.integer({ min: 1, max: 6 }),
      branch: fc.array(acts, { minLength: 1, maxLength: 7 }),
      looks: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("restart" as const),
      looks: fc.boolean(),
      fork: fc.option(fc.record({ chain, depth: fc.integer({ min: 1, max: 4 }) })),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("look" as const),
      dies: fc.option(fc.integer({ min: 1, max: 30 }), { freq: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("fault" as const),
      fault: fc.constantFrom(...(Object.keys(faults) as (keyof typeof faults)[])),
      chain,
      acts,
      looks: fc.constantFrom(true, true, true, false),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("follow" as const), limit: fc.integer({ min: 1, max: 9 }) }),
  },
);

/** A database whose connection breaks after some queries. */
const dying = (client: pg.ClientBase, queries: number): pg.ClientBase => {
  let left = queries;
  const query = (...args: unknown[]) => {
    const isEnd = typeof args[0] === "string" && /^rollback/i.test(args[0]);
    if (!isEnd && left-- <= 0) return Promise.reject(new Error("the process died"));
    return (client.query as (...all: unknown[]) => unknown).call(client, ...args);
  };
  return { query } as unknown as pg.ClientBase;
};

/** A feed on tables written by a simulated engine, with a follower. */
export class Play {
  readonly follower: Follower;
  readonly tables: Tables;
  readonly engine: Engine;
  readonly client: pg.Client;

  constructor({ tables, engine, client }: Pick<Play, "tables" | "engine" | "client">) {
    this.tables = tables;
    this.engine = engine;
    this.client = client;
    this.follower = new Follower(tables.db, tables.pool);
  }

  /** What the feed's writer reported about it. */
  readonly said: string[] = [];

  async look(dies: number | null = null): Promise<void> {
    const log = (line: string) => this.said.push(line);
    const plan = { schema: "public", rules: lifeOf(undefined), active: async () => null, log };
    if (dies === null) await lookAtFeed(this.client, plan);
    else await lookAtFeed(dying(this.client, dies), plan).catch(() => {});
    // A follower starts from what the tables hold at the first position, so before the next write.
    if (this.said.length > this.followed) await this.follower.follow(100);
    this.followed = this.said.length;
  }

  private followed = 0;

  /** Stops the recording of writes. Anything already broken stays broken. */
  async fail(fault: keyof typeof faults): Promise<void> {
    await this.tables.pool.query(faults[fault]).catch(() => {});
  }

  async run(one: Step): Promise<void> {
    const { engine } = this;
    if (one.kind === "look") return this.look(one.dies);
    if (one.kind === "follow") return this.follower.follow(one.limit);
    if (one.kind === "restart") return this.restart(one);
    const of = engine.chains[one.chain];
    if (of === undefined) return;
    if (one.kind === "index") return engine.index(of);
    if (one.kind === "fault") {
      await this.fail(one.fault);
      this.mine(of, one.acts, 12);
      await engine.index(of);
      if (one.looks) await this.look();
      return;
    }
    if (one.kind === "block") {
      this.mine(of, one.acts, one.seconds);
      return;
    }
    engine.fork(of, one.depth);
    if (of.node.length < of.indexed) await engine.revert(of, of.node.length);
    if (one.looks) await this.look();
    for (const branch of one.branch) {
      this.mine(of, branch, 12);
      await engine.index(of);
      if (one.looks) await this.look();
    }
  }

  /** Mines a block with these writes, indexes it and looks at it. */
  async block(of: Chain, writes: readonly Write[], seconds = 12): Promise<void> {
    this.engine.mine(of, { seconds, writes });
    await this.engine.index(of);
    await this.look();
  }

  /** All changes after a number, as a single reader gets them. */
  async changesAfter(after: number, filters: ChangeFilters = {}): Promise<ChangeRow[]> {
    const newest = await this.newest();
    return (await readChanges(this.tables.db, { after, newest, limit: 1_000, filters })).rows;
  }

  newest = async (): Promise<number> => (await readFeedState(this.tables.db)).newest;

  mine(of: Engine["chains"][number], given: readonly Act[], after: number): void {
    const time = (of.node.at(-1)?.timestamp ?? 0) + after;
    const writes = given.flatMap((act, log) =>
      act({ chainId: of.chainId, block: of.node.length + 1, log, time }),
    );
    this.engine.mine(of, { seconds: after, writes });
  }

  private async restart({ fork, looks }: Extract<Step, { kind: "restart" }>): Promise<void> {
    await this.engine.stop();
    if (looks) await this.look();
    if (fork !== null) {
      const of = this.engine.chains[fork.chain];
      if (of) {
        this.engine.fork(of, fork.depth);
        for (let i = 0; i <= fork.depth; i++) this.mine(of, [], 12);
      }
    }
    await this.engine.backfill();
    if (looks) await this.look();
  }

  /** Indexes all of the node's blocks and follows everything in the feed. */
  async catchUp(): Promise<void> {
    for (const of of this.engine.chains) {
      // A branch can be shorter than the one it replaced. The feed waits until it has caught up.
      for (let i = 0; i < HIGHEST_FORK; i++) this.mine(of, [], 12);
      while (of.indexed < of.node.length) await this.engine.index(of);
    }
    await this.look();
    await this.follower.follow(7);
  }

  /** Changes the feed attributes to time although no block of the chain has reached that time. */
  private unreached(): string[] {
    return [...this.follower.times].filter((subject) => {
      const [, chainId, ...key] = subject.split(":");
      const of = this.engine.chains.find((one) => one.chainId === Number(chainId));
      return Number(key.at(-1)) > (of?.node.at(-1)?.timestamp ?? 0);
    });
  }

  async expectTruth(): Promise<void> {
    expect(this.follower.wrong).toEqual([]);
    expect(this.follower.isAtEnd).toBe(true);
    expect(this.unreached()).toEqual([]);
    const held = [...this.follower.held].sort(bySubject);
    expect(held).toEqual([...(await readJudged(this.tables.pool))].sort(bySubject));
  }
}

const bySubject = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1);

/** Opens a feed on empty tables of three chains. */
export async function openPlay(
  onQuery?: (sql: string) => void,
): Promise<Play & { close: () => Promise<void> }> {
  const tables = await createTables(onQuery && { onQuery });
  const engine = new Engine(tables.pool, CHAINS);
  await engine.start();
  const client = new pg.Client({ connectionString: tables.databaseUrl });
  await client.connect();
  const play = new Play({ tables, engine, client });
  await beginEpoch(client, "public");
  await play.follower.follow(100);
  return Object.assign(play, {
    close: async () => {
      await client.end();
      await tables.drop();
    },
  });
}

/**
 * Plays random histories in sequence, each on the state left by the last, and compares the
 * follower with the tables.
 */
export async function playHistories({ runs, steps }: { runs: number; steps: number }): Promise<Play> {
  const play = await openPlay();
  try {
    const histories = fc.array(step, { minLength: steps, maxLength: steps });
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        for (const one of history) await play.run(one);
        await play.catchUp();
        await play.expectTruth();
      }),
      { numRuns: runs, endOnFailure: true },
    );
    return play;
  } finally {
    await play.close();
  }
}
