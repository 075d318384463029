import type { Context } from "ponder:registry";
import { onEveryEvent } from "../../events.ts";
import { logged } from "../ponder.schema.ts";

// The least that an indexer can do: it keeps every log.
await onEveryEvent((eventName) => async ({ event, context }) => {
  const { chain, db } = context as Context;
  await db.insert(logged).values({
    chainId: chain.id,
    blockNumber: Number(event.block.number),
    logIndex: event.log.logIndex,
    blockTimestamp: Number(event.block.timestamp),
    transactionHash: event.log.transactionHash,
    contractAddress: event.log.address,
    eventName,
    subject: event.log.topics[1] ?? null,
  });
});
