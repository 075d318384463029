import { vi } from "vitest";
import { type NameStorePlan, startNameStores } from "../../src/api/nameStore/nameStore.ts";
import { noteWrites } from "../../src/api/nameStore/touched.ts";
import { withClient } from "../../src/api/postgres/client.ts";
import { lifeOf } from "../../src/api/rules/life.ts";
import type { Tables } from "../query/tables.ts";

const PATIENCE = { timeout: 60_000, interval: 5 };

export type Stores = ReturnType<typeof startNameStores>;

/** Stores of the names in the tables of a test. What a slow machine does not do in time is counted by PostgreSQL: here memory counts. */
export const startStores = (tables: Tables, plan: Partial<NameStorePlan> = {}): Stores =>
  startNameStores({
    ...{ databaseUrl: tables.databaseUrl, schema: "public", rules: lifeOf(undefined), maxBytes: 2 ** 26 },
    ...{ onSearch: () => {}, log: () => {}, waitMs: 60_000, few: 0 },
    ...plan,
  });

/** Has writes of tables noted, which a store needs. */
export const noteWritesOf = ({ databaseUrl }: Tables): Promise<unknown> =>
  withClient({ connectionString: databaseUrl }, (client) =>
    vi.waitUntil(() => noteWrites(client, { schema: "public", isWanted: true }), PATIENCE),
  );

export const untilState = (stores: Stores, state: "ready" | "failed"): Promise<unknown> =>
  vi.waitUntil(() => stores.state().state === state, PATIENCE);

/** Ends the thread by an error of its own. To end it from outside, in the middle of its work, can crash Node. */
export async function endByError(stores: Pick<Stores, "worker">): Promise<void> {
  const worker = stores.worker();
  if (worker.threadId === -1) return; // It has ended, and is started again soon.
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  worker.postMessage(null);
  await ended;
}
