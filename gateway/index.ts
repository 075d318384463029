import type { ProgramLog } from "../log/log.ts";
import { onOneLine } from "../ops/commandLine/foreignText.ts";
import { interruption } from "../ops/commandLine/runProgram.ts";
import { runService } from "../ops/commandLine/runService.ts";
import { SettingsError } from "../settings/check.ts";
import { type GatewaySettings, readGatewaySettings } from "../settings/gateway.ts";
import { type Indexer, watchIndexers } from "./indexers.ts";
import { createMetrics } from "./metrics.ts";
import { startServer } from "./server.ts";

// `npm run gateway`: one address in front of several indexers and replicas. Only synced ones are asked.

await runService(
  { env: process.env, program: "gateway", failure: "The gateway cannot start." },
  async (env, log) => start(readGatewaySettings(env), log),
);

async function start(settings: GatewaySettings, log: ProgramLog): Promise<void> {
  const onChange = (indexer: Indexer, before: Indexer["state"]) => logChange(log, indexer, before);
  const indexers = await watchIndexers({ ...settings, onChange });
  const metrics = createMetrics(() => indexers.all);
  const gateway = await startServer({ indexers, metrics, settings }).catch(async (error) => {
    await indexers.stop();
    throw portError(settings, error);
  });
  const signal = interruption();
  signal.addEventListener("abort", () => {
    log.info(`${signal.reason}: the gateway answers the requests it has, then ends`);
    void gateway.stop();
  });
  log.info(`The gateway listens on port ${gateway.port}, in front of ${settings.indexers.join(", ")}`);
}

/** An indexer that is not asked any more is a trouble; one that is asked again is none. */
function logChange(log: ProgramLog, { url, state, why }: Indexer, before: Indexer["state"]): void {
  const change = `${url}: ${before === "unknown" ? "" : `${before} -> `}${state} (${onOneLine(why)})`;
  log[state === "synced" ? "info" : "warn"](change, { indexer: url, state });
}

function portError({ metrics }: GatewaySettings, error: unknown): SettingsError {
  const { port, code } = error as NodeJS.ErrnoException & { port?: number };
  const variable = port === metrics.port ? "METRICS_PORT" : "PORT";
  const remedy = `stop the program that uses it or choose another, for example ${variable}=${Number(port) + 1}`;
  return new SettingsError(`${variable} is ${port}, which cannot be used (${code}): ${remedy}`);
}
