import { setTimeout as sleep } from "node:timers/promises";
import { expect, vi } from "vitest";
import type { Chance } from "../../bench/api/chance.ts";
import type { CountedChain } from "../chain/journalChains.ts";
import type { JournalStage } from "../chain/journalStage.ts";
import type { BreakablePostgres } from "../faults/breakablePostgres.ts";
import type { Replica } from "../support/stack.ts";

/** An event in a history, at a random moment. */
export type Deed = [name: string, weight: number, happens: () => Promise<void>];

type Plan = { stage: JournalStage; database: BreakablePostgres; chance: Chance };

/** Depths of reorganisations that Ponder follows. */
export const DEEPEST = { main: 64, base: 29 } as const;

const LONGEST_PAUSE_MS = 1_500;
const PATIENCE = { timeout: 180_000, interval: 500 };

/** Everything a history of a feed is made of. */
export function deedsOf({ stage, database, chance }: Plan): Deed[] {
  const { stack, chains, grow } = stage;
  const running: { replica: Replica } = { replica: stage.replica };
  const anyChain = (): CountedChain => (chance.is(0.7) ? chains.main : chains.base);
  const some = () => grow(anyChain(), 1 + chance.below(6));

  /** Mines blocks; the event happens in the middle of them. */
  const amid = async (happens: () => Promise<unknown>): Promise<void> => {
    const growing = some();
    await sleep(chance.next() * LONGEST_PAUSE_MS);
    await happens();
    await growing;
  };
  const startAgain = async (): Promise<void> => {
    await stack.expireLock();
    stack.restart();
    await stack.ready();
  };
  const fork = async (chain: CountedChain, depth: number): Promise<void> => {
    await chain.rollback(depth);
    await grow(chain, depth + 1);
  };
  /** The server ends a session, and its process opens another. */
  const cut = (session: string) =>
    amid(() =>
      stack.sql(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1 and datname = current_database()",
        [session],
      ),
    );

  return [
    ["blocks", 4, some],
    ["a reorganisation of the main chain", 6, () => fork(chains.main, 1 + chance.below(DEEPEST.main))],
    ["a reorganisation of the layer 2", 4, () => fork(chains.base, 1 + chance.below(DEEPEST.base))],
    [
      "a kill of the indexer",
      3,
      async () => {
        await amid(stack.kill);
        await startAgain();
      },
    ],
    [
      "a clean restart, with another branch meanwhile",
      2,
      async () => {
        await amid(stack.stop);
        await fork(chains.main, 1 + chance.below(DEEPEST.main / 2));
        await startAgain();
      },
    ],
    [
      "a kill of the database",
      2,
      async () => {
        await amid(database.kill);
        await some();
        await database.start();
        await sleep(chance.next() * LONGEST_PAUSE_MS);
        // An indexer exits when one of its transactions is lost for too long, and its supervisor
        // restarts it.
        await vi.waitFor(async () => {
          if (stack.ended() !== null) stack.restart();
          await stack.ready();
        }, PATIENCE);
      },
    ],
    [
      "a kill of the replica, which sends webhooks, too",
      2,
      async () => {
        await amid(running.replica.kill);
        running.replica = await stack.startReplica();
      },
    ],
    ["a lost connection of the feed's writer", 2, () => cut(`${stack.schema}_feed`)],
    ["a lost connection of the webhooks' workers", 2, () => cut("namedex_service_webhooks")],
    [
      "a fault of the feed",
      3,
      async () => {
        await stack.sql("alter table feed_touched add constraint refused check (false) not valid");
        await some();
      },
    ],
  ];
}

/** The feed's epoch. */
export async function epochOf({ stack }: JournalStage): Promise<string> {
  const { body } = await stack.api<{ newest_position: string }>("/changes?after=newest");
  expect(body.newest_position).toMatch(/^[0-9a-f]{12}-[0-9]+$/);
  return body.newest_position.split("-")[0] ?? "";
}
