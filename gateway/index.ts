import { SettingsError } from "../settings/check.ts";
import { loadEnvironmentFiles } from "../settings/environment.ts";
import { type GatewaySettings, readGatewaySettings } from "../settings/gateway.ts";
import { hideSecrets } from "../settings/hideSecrets.ts";
import { type Indexer, watchIndexers } from "./indexers.ts";
import { createMetrics } from "./metrics.ts";
import { startServer } from "./server.ts";

// `npm run gateway`: one address in front of several indexers and replicas. Only synced ones are asked.

try {
  loadEnvironmentFiles();
  hideSecrets(process.env, [process.stdout, process.stderr]);
  await start(readGatewaySettings(process.env));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(`The gateway cannot start.\n${error.message}`);
  process.exitCode = 1;
}

async function start(settings: GatewaySettings): Promise<void> {
  const indexers = await watchIndexers({ ...settings, onChange: logChange });
  const metrics = createMetrics(() => indexers.all);
  const gateway = await startServer({ indexers, metrics, settings }).catch(async (error) => {
    await indexers.stop();
    throw portError(settings, error);
  });
  stopOnSignals(gateway.stop);
  console.log(`The gateway listens on port ${gateway.port}, in front of ${settings.indexers.join(", ")}`);
}

function logChange({ url, state, why }: Indexer, before: Indexer["state"]): void {
  console.log(`${url}: ${before === "unknown" ? "" : `${before} -> `}${state} (${why})`);
}

function portError({ port }: GatewaySettings, { code }: NodeJS.ErrnoException): SettingsError {
  const remedy = "stop the program that uses it or choose another, for example PORT=42081";
  return new SettingsError(`PORT is ${port}, which cannot be used (${code}): ${remedy}`);
}

/** A second signal ends the gateway at once. */
function stopOnSignals(stop: () => Promise<void>): void {
  let isStopping = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      console.log(`${signal}: the gateway answers the requests it has, then ends`);
      void stop();
    });
  }
}
