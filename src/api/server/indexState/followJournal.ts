import { journalChannel } from "../../../../engine/blocks/sql.ts";
import { listen } from "../postgres/listen.ts";

type Plan = {
  databaseUrl: string;
  schema: string;
  /** Reads which state the tables are in, for those who ask later. */
  readState: () => Promise<unknown>;
  /** Time without a notification after which the tables are read; 3 seconds by default. */
  silentMs?: number;
};

/** A block comes every 12 seconds on Ethereum, every 2 on others. */
const SILENT_MS = 3_000;

/**
 * Reads the state of the tables as soon as the indexer has changed it, so that this process knows it before the next request.
 * The indexer announces each change (`NOTIFY`). A connection can break unnoticed, and some poolers do not forward
 * notifications: without any, the tables are read now and then.
 *
 * What is known may be late by as long as a notification takes: each answer is compared with the tables.
 */
export function followJournal({ databaseUrl, schema, readState, silentMs = SILENT_MS }: Plan): {
  stop: () => Promise<void>;
} {
  let readAt = 0;
  const look = () => {
    readAt = Date.now();
    readState().catch(() => {}); // While the database does not answer, requests hear it from it.
  };
  const line = listen({
    databaseUrl,
    channel: journalChannel(schema),
    applicationName: `${schema}_journal`,
    onNews: look,
  });
  const timer = setInterval(() => {
    if (Date.now() - readAt >= silentMs) look();
  }, silentMs / 2);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await line.stop();
    },
  };
}
