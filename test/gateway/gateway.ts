import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { trackChild } from "../../devnet/children.ts";
import { freePort } from "../../devnet/ports.ts";
import { startGateway as runGateway } from "../../ops/gateway/start.ts";
import { createLog } from "../../ops/log/log.ts";
import { readGatewaySettings } from "../../settings/gateway.ts";
import { bareEnvironment } from "../support/environment.ts";

const program = fileURLToPath(new URL("../../ops/gateway.ts", import.meta.url));
const START_PATIENCE_MS = 180_000;

/** A running gateway. */
export type RunningGateway = {
  url: string;
  /** The operator port. */
  metricsUrl: string;
  /** Everything it has logged. */
  output: () => string;
  /** The content of `/gateway/status`. */
  status: () => Promise<{ status: number; body: GatewayStatus }>;
  /** What it tells the operator. */
  operatorStatus: () => Promise<GatewayStatus>;
  /** Waits until the indexers, in list order, are in these states. */
  until: (...states: string[]) => Promise<void>;
};

/** A gateway as `npm run gateway` starts it. */
export type GatewayProcess = RunningGateway & {
  exit: Promise<number | null>;
  /** Asks it to stop. The promise resolves when it has ended. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
};

export type GatewayStatus = { synced: number; stopping: boolean; indexers: Record<string, unknown>[] };

/** Starts a gateway with exactly these settings, without waiting. */
export async function launchGateway(settings: Record<string, string>): Promise<GatewayProcess> {
  const port = settings.PORT ?? String(await freePort());
  const metricsPort = settings.METRICS_PORT ?? String(await freePort());
  const folder = mkdtempSync(join(tmpdir(), "namedex-gateway-")); // Without settings files.
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: { ...bareEnvironment, PORT: port, METRICS_PORT: metricsPort, LOG_FORMAT: "text", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  trackChild(child, "SIGTERM");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve));
  void exit.then(() => rmSync(folder, { recursive: true, force: true }));
  return {
    ...questions({ port, metricsPort, output: () => output }),
    exit,
    stop: (signal = "SIGTERM") => {
      child.kill(signal);
      return exit;
    },
  };
}

/** What tests ask of a gateway at these ports. */
function questions({
  port,
  metricsPort,
  output,
}: Record<"port" | "metricsPort", string> & Pick<RunningGateway, "output">): RunningGateway {
  const url = `http://127.0.0.1:${port}`;
  const metricsUrl = `http://127.0.0.1:${metricsPort}`;
  const status = async () => {
    const reply = await fetch(`${url}/gateway/status`);
    return { status: reply.status, body: (await reply.json()) as GatewayStatus };
  };
  const operatorStatus = async () =>
    (await (await fetch(`${metricsUrl}/gateway/status`)).json()) as GatewayStatus;
  return {
    url,
    metricsUrl,
    status,
    operatorStatus,
    output,
    until: async (...states) => {
      const deadline = Date.now() + START_PATIENCE_MS;
      for (;;) {
        const seen = await status().catch(() => null);
        if (seen?.body.indexers.map(({ state }) => state).join() === states.join()) return;
        if (Date.now() > deadline) throw new Error(`Not ${states}: ${JSON.stringify(seen)}\n${output()}`);
        await sleep(50);
      }
    },
  };
}

/**
 * Starts one in this process, because a separate process costs a second of CPU time. `stop`
 * answers pending requests, then ends.
 */
export async function startGatewayHere(
  indexers: readonly { url: string }[],
  settings: Record<string, string> = {},
): Promise<RunningGateway & { stop: () => Promise<void> }> {
  const [port, metricsPort] = [String(await freePort()), String(await freePort())];
  let output = "";
  const log = createLog({ program: "gateway", format: "text", out: { write: (text) => (output += text) } });
  const given = { PORT: port, METRICS_PORT: metricsPort, INDEXERS: listOf(indexers), ...settings };
  const gateway = await runGateway(readGatewaySettings({ GATEWAY_DRAIN_SECONDS: "0", ...given }), log);
  return { ...questions({ port, metricsPort, output: () => output }), stop: gateway.stop };
}

const listOf = (indexers: readonly { url: string }[]): string => indexers.map(({ url }) => url).join(",");

/** Starts a gateway in front of these indexers and waits until it answers. */
export async function startGateway(
  indexers: readonly { url: string }[],
  settings: Record<string, string> = {},
): Promise<GatewayProcess> {
  const gateway = await launchGateway({ INDEXERS: listOf(indexers), ...settings });
  const deadline = Date.now() + START_PATIENCE_MS;
  let hasEnded = false;
  void gateway.exit.then(() => {
    hasEnded = true;
  });
  while (!gateway.output().includes("listening on port")) {
    if (hasEnded || Date.now() > deadline) throw new Error(`The gateway did not start:\n${gateway.output()}`);
    await sleep(20);
  }
  return gateway;
}
