import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hono } from "hono";
import { vi } from "vitest";
import { freePort } from "../../devnet/ports.ts";
import { type Keys, keysIn } from "../../src/api/server/serviceDb/keys.ts";
import { openStore } from "../../src/api/server/serviceDb/store.ts";
import { CHAIN_ID, deployment } from "../query/rows.ts";
import { createTables, setProgress, type Tables } from "../query/tables.ts";

/**
 * The whole service as src/api/index.ts wires it, on its own tables. Only Ponder's database is
 * passed in.
 */
export type Wired = { app: Hono; keys: Keys; tables: Tables; close: () => Promise<void> };

const NOW = 1_800_000_000;

/** Wires the service by these settings. Once per file, because a module is loaded once. */
export async function wireService(settings: Record<string, string>): Promise<Wired> {
  const tables = await createTables();
  await setProgress(tables, { chainId: CHAIN_ID, block: 1, time: NOW });
  const databaseUrl = tables.pool.options.connectionString ?? "";
  const folder = mkdtempSync(join(tmpdir(), "namedex-wired-"));
  const file = join(folder, "deployment.json");
  writeFileSync(file, JSON.stringify(deployment));
  const schema = "service";
  const basics = {
    ENS_NETWORK: "devnet",
    ENS_DEPLOYMENT: file,
    DATABASE_URL: databaseUrl,
    // No node: the default would be one that a developer runs on this machine.
    [`RPC_URL_${CHAIN_ID}`]: "http://127.0.0.1:1",
    // A port in use by another program ends the service.
    METRICS_PORT: String(await freePort()),
  };
  for (const [name, value] of Object.entries({ ...basics, DATABASE_SERVICE_SCHEMA: schema, ...settings })) {
    vi.stubEnv(name, value);
  }
  vi.doMock("ponder:api", () => ({ db: tables.db, publicClients: {} }));
  const { default: app } = (await import("../../src/api/index.ts")) as { default: Hono };
  const store = openStore({ databaseUrl, schema });
  return {
    app,
    tables,
    keys: keysIn(store),
    close: async () => {
      vi.unstubAllEnvs();
      await Promise.all([...(globalThis.namedexRunning?.values() ?? [])].map((task) => task.stop()));
      await store.close();
      await tables.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
