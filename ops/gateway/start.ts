import { SettingsError } from "../../settings/check.ts";
import type { GatewaySettings } from "../../settings/gateway.ts";
import { onOneLine } from "../commandLine/foreignText.ts";
import type { ProgramLog } from "../log/log.ts";
import { type Indexer, watchIndexers } from "./indexers.ts";
import { createMetrics } from "./metrics.ts";
import { type Gateway, startServer } from "./server.ts";

/**
 * Starts a gateway in front of its indexers. When it is ready it listens.
 *
 * @throws SettingsError if a port cannot be used
 */
export async function startGateway(settings: GatewaySettings, log: ProgramLog): Promise<Gateway> {
  const onChange = (indexer: Indexer, before: Indexer["state"]) => logChange(log, indexer, before);
  const indexers = await watchIndexers({ ...settings, onChange });
  const metrics = createMetrics(() => indexers.all);
  const gateway = await startServer({ indexers, metrics, settings }).catch(async (error) => {
    await indexers.stop();
    throw portError(settings, error);
  });
  log.info(`The gateway is listening on port ${gateway.port}, in front of ${settings.indexers.join(", ")}`);
  return gateway;
}

/** An indexer that drops out is a problem; one that returns ends it. */
function logChange(log: ProgramLog, { url, state, why }: Indexer, before: Indexer["state"]): void {
  const change = `${url}: ${before === "unknown" ? "" : `${before} -> `}${state} (${onOneLine(why)})`;
  log[state === "synced" ? "info" : "warn"](change, { indexer: url, state });
}

function portError({ metrics }: GatewaySettings, error: unknown): SettingsError {
  const { port, code } = error as NodeJS.ErrnoException & { port?: number };
  const variable = port === metrics.port ? "METRICS_PORT" : "PORT";
  const remedy = `stop the program that uses it or choose another, for example ${variable}=${Number(port) + 1}`;
  return new SettingsError(`${variable} is ${port}, but that port cannot be used (${code}): ${remedy}`);
}
