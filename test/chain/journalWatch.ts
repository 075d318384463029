import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { journalChannel } from "../../engine/blocks/sql.ts";
import { sizeOf } from "../support/size.ts";
import type { Stack } from "../support/stack.ts";
import { type CountedChain, MAIN_NAME } from "./journalChains.ts";

/** Findings of watching the index. */
export type Watched = {
  /** Number of table states compared with the chains. */
  samples: number;
  /** Number of answers whose blocks were compared with their content. */
  answers: number;
  /** Number of notifications received. */
  notices: number;
  /** Violations. */
  wrong: string[];
};

export type Watch = {
  seen: Watched;
  /** Reports that blocks were removed from the chain: once a notification has told it, no answer may name them. */
  lost: (hashes: readonly string[]) => void;
  stop: () => Promise<Watched>;
};

/** Pause between two checks: each costs as much as a request. */
const PAUSE_MS = sizeOf({ short: 60, long: 15 });

type Named = { chain_id: number; source: string; block_hash?: string };

/**
 * The newest block of each chain in the journal, and the number of logs of the counted name in the tables: one statement, one
 * state.
 */
const sample = `
  select b.chain_id as "chainId", b.number, b.hash,
    (select count(*)::int from events e where e.chain_id = b.chain_id and e.event_type = 'TextChanged') as logs
  from (select distinct chain_id from blocks) c cross join lateral (
    select * from blocks where chain_id = c.chain_id order by number desc limit 1) b`;

/**
 * Compares, as fast as it can and until stopped, the journal with the tables, and the blocks that answers name with the answers.
 * It also receives notifications.
 */
export async function watchJournal(
  stack: Stack,
  { chains, urls }: { chains: readonly CountedChain[]; urls: readonly string[] },
): Promise<Watch> {
  const seen: Watched = { samples: 0, answers: 0, notices: 0, wrong: [] };
  const chainOf = (id: number) => chains.find(({ chainId }) => chainId === id);
  const gone = new Set<string>();
  const told = new Set<string>();
  let isOver = false;

  const listener = new pg.Client({ connectionString: stack.databaseUrl });
  listener.on("error", () => {});
  listener.on("notification", ({ payload = "" }) => {
    seen.notices++;
    const named = JSON.parse(payload) as { chain: number; number: number; hash: string }[];
    const stands = new Set(named.map(({ hash }) => hash));
    for (const hash of stands) if (told.has(hash)) seen.wrong.push(`told of ${hash}, which is gone`);
    if (![...gone].some((hash) => stands.has(hash))) for (const hash of gone) told.add(hash);
  });
  await listener.connect();
  await listener.query(`LISTEN "${journalChannel(stack.schema)}"`);

  const loop = async (turn: () => Promise<void>) => {
    while (!isOver) {
      await turn().catch((error) => seen.wrong.push(String(error)));
      await sleep(PAUSE_MS);
    }
  };
  /** A block is recorded a moment after it was made: Ponder may see it first. */
  const logsAt = async (chainId: number, hash: string): Promise<number | undefined> => {
    const chain = chainOf(chainId);
    for (let i = 0; i < 200 && !chain?.logsAt.has(hash); i++) await sleep(10);
    return chain?.logsAt.get(hash);
  };
  const lookAtTables = async () => {
    type Row = { chainId: number; number: number; hash: string; logs: number };
    for (const { chainId, number, hash, logs } of await stack.sql<Row>(sample)) {
      const should = await logsAt(chainId, hash);
      if (should !== logs)
        seen.wrong.push(`block ${number} of ${chainId}: ${logs} logs, should be ${should}`);
      seen.samples++;
    }
  };
  const ask = (url: string) => async () => {
    const before = new Set(told);
    const reply = await fetch(`${url}/domain/${MAIN_NAME}/records/text/count`).catch(() => null);
    if (reply?.status !== 200) return; // The indexer starts again, or its tables are locked.
    const { value, as_of } = (await reply.json()) as { value: string; as_of: Named[] };
    const [main] = chains;
    const named = as_of.find(({ chain_id, source }) => chain_id === main?.chainId && source === "indexed");
    const should = await logsAt(main?.chainId ?? 0, named?.block_hash ?? "");
    if (Number(value) !== should) {
      seen.wrong.push(`an answer of ${JSON.stringify(named)} has ${value}, should be ${should}`);
    }
    for (const { block_hash = "" } of as_of) {
      if (before.has(block_hash)) seen.wrong.push(`an answer is of ${block_hash}, which is gone`);
    }
    seen.answers++;
  };
  const running = Promise.all([loop(lookAtTables), ...urls.map((url) => loop(ask(url)))]);
  return {
    seen,
    lost: (hashes) => {
      for (const hash of hashes) gone.add(hash);
    },
    stop: async () => {
      isOver = true;
      await running;
      await listener.end();
      return seen;
    },
  };
}
