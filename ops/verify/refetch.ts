import { forgetBlocks, hasCache } from "../../engine/cachedLogs.ts";
import { listSchemas, readIndexer } from "../../engine/ponderInternals.ts";
import type { Settings } from "../../settings/settings.ts";
import { inTransaction, queriesOf, withClient } from "../../src/api/server/postgres/client.ts";
import { CommandError } from "../commandLine/command.ts";
import { counted } from "../commandLine/counted.ts";
import type { Range } from "./logRanges.ts";

/**
 * Removes blocks from the cache of logs, so that the next index that is built asks a node for them. Gives a text that says
 * what follows.
 *
 * @throws CommandError while an indexer runs: it would write the old state of the cache back
 */
export const refetch = (
  { databaseUrl, schema }: Settings,
  { from, to, chainId }: Range & { chainId: number },
): Promise<string> =>
  withClient({ connectionString: databaseUrl, application_name: `${schema}_verify` }, (client) =>
    inTransaction(client, async () => {
      const { query } = queriesOf(client);
      if (!(await hasCache(query)))
        throw new CommandError("The database has no log cache: nothing was ever indexed in it.");
      for (const other of await listSchemas(query)) {
        const indexer = await readIndexer(query, other);
        if (indexer?.isRunning) {
          throw new CommandError(
            `Nothing was removed: the indexer of "${other}" is running. Stop it first (a killed one counts as running for 30 seconds).`,
          );
        }
      }
      const { logs, filters } = await forgetBlocks(query, { chainId, from, to });
      if (filters === 0)
        return `Nothing was removed: the cache has no blocks ${from} to ${to} of chain ${chainId}.`;
      return `Removed ${counted(logs, "log")} of blocks ${from} to ${to} of chain ${chainId} from the cache.
Existing indexes do not change. To index these blocks again, build a new index: start with another DATABASE_SCHEMA. It
fetches these blocks from the node and takes everything else from the cache. Then switch readers to it
(npm run release; docs/operations.md, "A new version without a gap").`;
    }),
  );
