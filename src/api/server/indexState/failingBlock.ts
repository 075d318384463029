import { type FailingBlock, failures } from "../../../../engine/failures/failures.ts";
import { workInTurns } from "../scheduling/repeated.ts";
import type { FailingBlocks } from "../serviceDb/failingBlocks.ts";

/** A block that failed once is tried again at once, without any effect to see. From the second failure on it is reported. */
export const FAILING_ATTEMPTS = 2;

const NOTE_MS = 1_000;

/** Returns the block that a schema's indexer is retrying; null if none, or if it has failed only once. */
export type ReadFailingBlock = (schema: string) => Promise<FailingBlock | null>;

/** The indexer's own block, in its process. */
function ownBlock(): FailingBlock | null {
  const { block } = failures();
  return block !== null && block.attempts >= FAILING_ATTEMPTS ? block : null;
}

/**
 * A process that indexes knows its own failures. A replica knows those that the indexer noted; while the database does not
 * answer, none.
 */
export const failingBlockOf =
  (noted: Pick<FailingBlocks, "read">): ReadFailingBlock =>
  async (schema) => {
    if (failures().attempts > 0) return ownBlock();
    return noted.read(schema).catch(() => null);
  };

/** Notes the block that this process tries again, as long as it does, where replicas find it. Replicas have none. */
export function noteFailingBlock(noted: FailingBlocks, schema: string): { stop: () => Promise<void> } {
  let isPrepared = false;
  let isNoted = false;
  const turn = async () => {
    if (!isPrepared) {
      isPrepared = await noted.prepare(schema).then(
        () => true,
        () => false,
      );
    }
    const block = ownBlock();
    if (block !== null) await noted.note(schema, block);
    else if (isNoted) await noted.clear(schema);
    isNoted = block !== null;
  };
  // A database that does not answer is asked again in a second.
  return workInTurns({ turn, onError: () => {}, pauseMs: NOTE_MS });
}
