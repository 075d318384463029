import { workerName } from "../../../engine/ponderInternals.ts";
import type { Settings } from "../../../settings/settings.ts";
import { holdLateTransactions } from "../names/transactions/lateTransactions.ts";
import { startInPlace } from "../server/hotReload.ts";
import { readIndexerState } from "../server/indexState/progress.ts";
import { queriesInOrder } from "../server/postgres/client.ts";
import type { Db } from "../server/postgres/db.ts";
import { onOwnConnection } from "../server/postgres/lockedWork.ts";

/** Starts fetching the past transactions that this process's indexer lacks. */
export function startTransactions({ settings, db }: { settings: Settings; db: Db }): void {
  const { databaseUrl, schema, rpcUrls, transactionsPerSecond: perSecond } = settings;
  const late = holdLateTransactions({
    schema,
    nodesOf: (chainId) => rpcUrls[chainId] ?? [],
    perSecond,
    mayWork: async () => (await readIndexerState(db)).isReady,
    connected: (stopped, work) =>
      onOwnConnection(
        { databaseUrl, applicationName: workerName(schema, "transactions"), stopped },
        (client, ended) => work(queriesInOrder(client), ended),
      ),
    warn: (line) => console.warn(line),
  });
  startInPlace("late transactions", () => late);
  // The handlers run in this process but import nothing from the API.
  Object.assign(globalThis, { namedexLateTransactions: late });
}
