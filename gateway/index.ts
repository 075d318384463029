import { onOneLine } from "../ops/commandLine/foreignText.ts";
import { interruption, type Result, runProgram } from "../ops/commandLine/runProgram.ts";
import { SettingsError } from "../settings/check.ts";
import { type GatewaySettings, readGatewaySettings } from "../settings/gateway.ts";
import { type Indexer, watchIndexers } from "./indexers.ts";
import { createMetrics } from "./metrics.ts";
import { startServer } from "./server.ts";

// `npm run gateway`: one address in front of several indexers and replicas. Only synced ones are asked.

await runProgram(
  {
    ...{ env: process.env, failure: "The gateway cannot start." },
    hideIn: [process.stdout, process.stderr],
  },
  async (env) => start(readGatewaySettings(env)),
);

async function start(settings: GatewaySettings): Promise<Result> {
  const indexers = await watchIndexers({ ...settings, onChange: logChange });
  const metrics = createMetrics(() => indexers.all);
  const gateway = await startServer({ indexers, metrics, settings }).catch(async (error) => {
    await indexers.stop();
    throw portError(settings, error);
  });
  const signal = interruption();
  signal.addEventListener("abort", () => {
    console.log(`${signal.reason}: the gateway answers the requests it has, then ends`);
    void gateway.stop();
  });
  return { text: `The gateway listens on port ${gateway.port}, in front of ${settings.indexers.join(", ")}` };
}

function logChange({ url, state, why }: Indexer, before: Indexer["state"]): void {
  console.log(`${url}: ${before === "unknown" ? "" : `${before} -> `}${state} (${onOneLine(why)})`);
}

function portError({ metrics }: GatewaySettings, error: unknown): SettingsError {
  const { port, code } = error as NodeJS.ErrnoException & { port?: number };
  const variable = port === metrics.port ? "METRICS_PORT" : "PORT";
  const remedy = `stop the program that uses it or choose another, for example ${variable}=${Number(port) + 1}`;
  return new SettingsError(`${variable} is ${port}, which cannot be used (${code}): ${remedy}`);
}
