import { z } from "zod";
import { SettingsError } from "./check.ts";
import { port, text } from "./kinds.ts";
import { optional, type ValuesOf, withDefault } from "./variable.ts";

/** Where metrics, and addresses of the operator's machines, can be read. */
export type OperatorAddress = { host: string; port: number };

export type MetricsSettings = { metrics: OperatorAddress };

/** From the port of answers to that of metrics, unless the operator names one. */
const AWAY = 1_000;

export const metricsVariables = {
  METRICS_PORT: optional(port, {
    example: "43069",
    unset: "`PORT` + 1000",
    meaning: "Port for metrics. `PORT` does not serve them ([operations.md](operations.md#what-to-look-at)).",
  }),
  METRICS_HOST: withDefault("127.0.0.1", text("an IP address", z.union([z.ipv4(), z.ipv6()])), {
    meaning:
      "Address the metrics port listens on; by default only this machine. In a container, use `0.0.0.0` so that Prometheus can reach it, and do not publish the port.",
  }),
};

/** @throws SettingsError if both ports are one */
export function toMetricsSettings({
  PORT,
  METRICS_PORT,
  METRICS_HOST,
}: ValuesOf<typeof metricsVariables> & { PORT: number }): MetricsSettings {
  if (METRICS_PORT === PORT) {
    throw new SettingsError(
      `METRICS_PORT is ${PORT}, which PORT already uses: choose another port, for example METRICS_PORT=${besides(PORT)}`,
    );
  }
  return { metrics: { host: METRICS_HOST, port: METRICS_PORT ?? besides(PORT) } };
}

const besides = (port: number): number => (port + AWAY <= 65_535 ? port + AWAY : port - AWAY);

/** Where a program on the same machine asks. */
export function operatorUrl({ host, port }: OperatorAddress): string {
  const near = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  return `http://${near.includes(":") ? `[${near}]` : near}:${port}`;
}
