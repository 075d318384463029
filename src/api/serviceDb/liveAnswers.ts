import { createHash } from "node:crypto";
import type { Store } from "./store.ts";

/** A block of the registry's chain; `timestamp` is 0 where only the height is known. */
export type Block = { number: number; timestamp: number };

/** A question to the chain: one text per question, and the name or address it is about. */
export type AnswerKey = { text: string; subject: string };

/** Answers older than this belong to old blocks. */
const KEPT_MINUTES = 10;

/** Answers of the chain, by question and block. An answer is valid in its block only, so none is ever stale. */
export type LiveAnswers = {
  /** Answers that any replica got at this block, by the text of the question. */
  find: (block: Block, questions: readonly AnswerKey[]) => Promise<Map<string, unknown>>;
  put: (block: Block, question: AnswerKey, answer: unknown) => Promise<void>;
  /** Removes answers of old blocks. */
  removeOld: () => Promise<void>;
};

/** The table of live answers of one chain. */
export function liveAnswersIn(store: Store, { chainId }: { chainId: number }): LiveAnswers {
  return {
    find: async (block, questions) => {
      const byHash = new Map(questions.map(({ text }) => [hashOf(text).toString("hex"), text]));
      const rows = await store.query<{ question: string; answer: unknown }>(
        `SELECT encode(question, 'hex') AS question, answer FROM live_answers
        WHERE chain_id = $1 AND block_number = $2 AND block_timestamp = $3 AND question = ANY($4::bytea[])`,
        [chainId, block.number, block.timestamp, questions.map(({ text }) => hashOf(text))],
      );
      return new Map(rows.map((row) => [byHash.get(row.question) ?? "", row.answer]));
    },
    put: async (block, question, answer) => {
      await store.query(
        `INSERT INTO live_answers (chain_id, block_number, block_timestamp, question, subject, answer)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
        [
          ...[chainId, block.number, block.timestamp],
          ...[hashOf(question.text), question.subject, JSON.stringify(answer)],
        ],
      );
    },
    removeOld: async () => {
      await store.query(
        `DELETE FROM live_answers WHERE resolved_at < now() - interval '${KEPT_MINUTES} minutes'`,
      );
    },
  };
}

const hashOf = (text: string): Buffer => createHash("sha256").update(text).digest();
