import { readGatewaySettings } from "../settings/gateway.ts";
import { interruption } from "./commandLine/runProgram.ts";
import { runService } from "./commandLine/runService.ts";
import { startGateway } from "./gateway/start.ts";

// `npm run gateway`: one address in front of several indexers and replicas. Only synced ones are asked.

await runService(
  { env: process.env, program: "gateway", failure: "The gateway cannot start." },
  async (env, log) => {
    const gateway = await startGateway(readGatewaySettings(env), log);
    const signal = interruption();
    signal.addEventListener("abort", () => {
      log.info(`${signal.reason}: finishing open requests, then exiting`);
      void gateway.stop();
    });
  },
);
