import { createHash } from "node:crypto";
import type { Store } from "./store.ts";

/** A block of the registry's chain; `timestamp` is 0 where only the height is known. */
export type Block = { number: number; timestamp: number };

/** A question to the chain: one text per question, and the name or address it is about. */
export type AnswerKey = { text: string; subject: string };

/** Answers older than this belong to old blocks. */
const KEPT_MINUTES = 10;

/** A larger answer is not stored: strangers decide how large one is, and a bulk request reads 500 at once. */
export const MAX_STORED_BYTES = 32_768;
/** What one process stores in a minute; further answers come from the chain. In ten minutes it is ten times as much. */
export const MAX_STORED_BYTES_A_MINUTE = 16 * 1_048_576;

export type LiveAnswers = ReturnType<typeof liveAnswersIn>;

/** The table of live answers of one chain, by question and block. Each answer is valid in its block only. */
export function liveAnswersIn(store: Store, { chainId }: { chainId: number }) {
  const hasRoom = roomForStoring();
  return {
    /** Answers that any replica got at this block, by the text of the question. */
    find: async (block: Block, questions: readonly AnswerKey[]): Promise<Map<string, unknown>> => {
      const hashes = questions.map(({ text }) => hashOf(text));
      const rows = await store.query<AnswerRow>(
        `SELECT encode(question, 'hex') AS question, answer FROM live_answers
        WHERE chain_id = $1 AND block_number = $2 AND block_timestamp = $3 AND question = ANY($4::bytea[])`,
        [chainId, block.number, block.timestamp, hashes],
      );
      return byText(questions, rows);
    },
    /** The last answers that any replica got within ten minutes, at any block, by the text of the question: each may be outdated. */
    findRecent: async (questions: readonly AnswerKey[]): Promise<Map<string, unknown>> => {
      const rows = await store.query<AnswerRow>(
        `SELECT DISTINCT ON (live_answers.question) encode(question, 'hex') AS question, answer FROM live_answers
        WHERE chain_id = $1 AND question = ANY($2::bytea[]) AND resolved_at > now() - interval '${KEPT_MINUTES} minutes'
        ORDER BY live_answers.question, resolved_at DESC`,
        [chainId, questions.map(({ text }) => hashOf(text))],
      );
      return byText(questions, rows);
    },
    /** Stores an answer within the size limit, if there is room for it. */
    put: async (block: Block, question: AnswerKey, answer: unknown): Promise<void> => {
      const text = JSON.stringify(answer);
      if (!hasRoom(Buffer.byteLength(text) + Buffer.byteLength(question.subject))) return;
      await store.query(
        `INSERT INTO live_answers (chain_id, block_number, block_timestamp, question, subject, answer)
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING`,
        [chainId, block.number, block.timestamp, hashOf(question.text), question.subject, text],
      );
    },
    /** Removes answers of old blocks. */
    removeOld: async (): Promise<void> => {
      await store.query(
        `DELETE FROM live_answers WHERE resolved_at < now() - interval '${KEPT_MINUTES} minutes'`,
      );
    },
  };
}

type AnswerRow = { question: string; answer: unknown };

function byText(questions: readonly AnswerKey[], rows: readonly AnswerRow[]): Map<string, unknown> {
  const texts = new Map(questions.map(({ text }) => [hashOf(text).toString("hex"), text]));
  return new Map(rows.map((row) => [texts.get(row.question) ?? "", row.answer]));
}

/** Tells whether an answer of this size may still be stored in this minute, and counts its bytes. */
function roomForStoring(): (bytes: number) => boolean {
  let minute = 0;
  let stored = 0;
  return (bytes) => {
    const now = Math.floor(Date.now() / 60_000);
    if (now !== minute) [minute, stored] = [now, 0];
    if (bytes > MAX_STORED_BYTES || stored + bytes > MAX_STORED_BYTES_A_MINUTE) return false;
    stored += bytes;
    return true;
  };
}

const hashOf = (text: string): Buffer => createHash("sha256").update(text).digest();
