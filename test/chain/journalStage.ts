import { drizzle } from "drizzle-orm/node-postgres";
import { expect, vi } from "vitest";
import type { Db } from "../../src/api/server/postgres/db.ts";
import { Follower, readJudged } from "../feed/follower.ts";
import { openPool } from "../support/database.ts";
import schema from "../support/ponderSchema.ts";
import { type Replica, type Stack, type StackPlan, startStack } from "../support/stack.ts";
import { type Block, type CountedChain, type JournalChains, startJournalChains } from "./journalChains.ts";
import { openReceivedChanges, type ReceivedChanges, webhookSettings } from "./webhookOver.ts";

/** Ponder treats a block of this chain as final after 65 more, one of the layer 2 after 30. */
const MAIN_CHAIN_ID = 42;
const MAIN_FINALITY = 65;
const BASE_FINALITY = 30;
/** Number of blocks before the indexer starts: more than those. */
const PAST = 90;
const PATIENCE = { timeout: 90_000, interval: 30 };

/** Two chains, an indexer and a replica, and a program that follows the feed of changes. */
export type JournalStage = {
  chains: JournalChains;
  both: CountedChain[];
  stack: Stack;
  replica: Replica;
  follower: Follower;
  /** A webhook's receiver. */
  receiver: ReceivedChanges;
  /** Adds blocks to a chain, some with logs, while the other one continues, too. */
  grow: (chain: CountedChain, blocks: number) => Promise<void>;
  /** Waits until the journal and the feed have the newest block of each chain. */
  waitForHeads: () => Promise<void>;
  /** Expects the journal to have the chains' own blocks, including all that were not final at the end of the backfill. */
  expectJournal: () => Promise<void>;
  /** Expects the follower, which reads what is new, to hold what the tables hold. */
  expectFollowed: () => Promise<void>;
  close: () => Promise<void>;
};

type FeedStatus = { blocks: { block_hash: string }[] };

export async function openJournalStage(plan: Pick<StackPlan, "databaseServer"> = {}): Promise<JournalStage> {
  const chains = await startJournalChains({ chainId: MAIN_CHAIN_ID, past: PAST });
  const { local, layer2, onLayer2 } = chains;
  const both = [chains.main, chains.base];
  const stack = await startStack({
    ...plan,
    rpcUrl: local.anvil.url,
    deployment: { ...local.deployment, layer2: [layer2] },
    env: { [`RPC_URL_${layer2.chainId}`]: onLayer2.anvil.url, ...webhookSettings },
  });
  const replica = await stack.startReplica();
  const options = `-c search_path=${stack.schema},public`;
  const pool = openPool({ connectionString: stack.databaseUrl, options });
  const follower = new Follower(drizzle(pool, { schema, casing: "snake_case" }) as unknown as Db, pool);

  const journalOf = ({ chainId }: CountedChain) =>
    stack.sql<Block>(
      `select number, hash, parent_hash as "parentHash", "timestamp"::int from blocks where chain_id = $1 order by number`,
      [chainId],
    );
  const waitForHead = async (chain: CountedChain) => {
    const height = await chain.height();
    const [head] = await chain.blocks(height, height);
    await vi.waitFor(async () => expect((await journalOf(chain)).at(-1)).toEqual(head), PATIENCE);
    await vi.waitFor(async () => {
      const { body } = await stack.api<FeedStatus>("/changes?after=newest");
      expect(body.blocks?.map(({ block_hash }) => block_hash)).toContain(head?.hash);
    }, PATIENCE);
  };
  const waitForHeads = async () => {
    for (const chain of both) await waitForHead(chain);
  };
  await waitForHeads();
  await follower.follow(100);
  const receiver = await openReceivedChanges(stack);
  const firstLive = [
    (await chains.main.height()) - MAIN_FINALITY,
    (await chains.base.height()) - BASE_FINALITY,
  ];
  return {
    chains,
    both,
    stack,
    replica,
    follower,
    receiver,
    waitForHeads,
    grow: async (chain, blocks) => {
      const [other] = both.filter((one) => one !== chain);
      for (let block = 0; block < blocks; block++) {
        if (block % 3 === 1) await chain.mine(1);
        else await chain.log();
        if (block % 4 === 1) await other?.log();
        if (block % 4 === 2) await other?.mine(1);
      }
    },
    expectJournal: async () => {
      for (const [i, chain] of both.entries()) {
        const from = firstLive[i] ?? 0;
        const rows = await journalOf(chain);
        const blocks = await chain.blocks(0, await chain.height());
        // Logs do not give the parent of a block that was final when indexed, as after a restart.
        const withParents = rows.map((row) => ({
          ...row,
          parentHash: row.parentHash ?? blocks[row.number]?.parentHash,
        }));
        expect(withParents.filter(({ number }) => number >= from)).toEqual(blocks.slice(from));
        for (const row of withParents) expect(row).toEqual(blocks[row.number]);
        expect(rows.slice(-5).filter(({ parentHash }) => parentHash === null)).toEqual([]);
      }
    },
    expectFollowed: async () => {
      await follower.follow(13);
      expect(follower.wrong).toEqual([]);
      expect(Object.fromEntries(follower.held)).toEqual(Object.fromEntries(await readJudged(pool)));
    },
    close: async () => {
      await receiver.close();
      await pool.end();
      await stack.destroy();
      await chains.stop();
    },
  };
}
