import { type AccessSettings, accessVariables, toAccessSettings } from "./access.ts";
import { type ChangesSettings, changesVariables, toChangesSettings } from "./changes.ts";
import { check, type Given } from "./check.ts";
import { type DatabaseSettings, databaseVariables, toDatabaseSettings } from "./database.ts";
import { type ExplorerSettings, explorerVariables, toExplorerSettings } from "./explorer.ts";
import { type FreshnessSettings, freshnessVariables, toFreshnessSettings } from "./freshness.ts";
import { port } from "./kinds.ts";
import { type LabelSettings, labelVariables, toLabelSettings } from "./labels.ts";
import { type LogSettings, logVariables, toLogSettings } from "./log.ts";
import { logSourceVariables } from "./logSource.ts";
import { type MetricsSettings, metricsVariables, toMetricsSettings } from "./metrics.ts";
import { type Network, networkVariables, readDeployment } from "./network.ts";
import { type PaymentSettings, paymentVariables, toPaymentSettings } from "./payments.ts";
import { type RpcSettings, rpcVariables, toRpcSettings } from "./rpc.ts";
import { withDefault } from "./variable.ts";
import { toVerifySettings, type VerifySettings, verifyVariables } from "./verify.ts";
import { toWebhookSettings, type WebhookSettings, webhookVariables } from "./webhooks.ts";

export { SettingsError } from "./check.ts";

/** Every setting of the indexer and the API, by subject. docs/settings.md explains each. */
export type Settings = DatabaseSettings &
  RpcSettings &
  AccessSettings &
  ExplorerSettings &
  FreshnessSettings &
  LabelSettings &
  ChangesSettings &
  WebhookSettings &
  LogSettings &
  MetricsSettings &
  VerifySettings & {
    network: Network;
    port: number;
    /** How single requests are paid for; null where they are not. */
    payments: PaymentSettings | null;
  };

export const portVariables = {
  PORT: withDefault(42_069, port, { meaning: "Port of the API." }),
};

/** In the order in which a message lists what is wrong. */
const variables = {
  ...networkVariables,
  ...databaseVariables,
  ...portVariables,
  ...metricsVariables,
  ...rpcVariables,
  ...logSourceVariables,
  ...accessVariables,
  ...explorerVariables,
  ...freshnessVariables,
  ...changesVariables,
  ...webhookVariables,
  ...verifyVariables,
  ...labelVariables,
  ...paymentVariables,
  ...logVariables,
};

/**
 * Reads and checks the settings from environment variables (and the deployment file that they name).
 *
 * @example
 * const settings = readSettings(process.env);
 *
 * @throws SettingsError that names the settings that are missing or wrong
 */
export function readSettings(env: Given): Settings {
  const known = check(variables, env);
  const rpc = toRpcSettings(known, env, readDeployment(known));
  return {
    ...rpc,
    ...toDatabaseSettings(known),
    ...toAccessSettings(known),
    ...toExplorerSettings(known),
    ...toFreshnessSettings(known),
    ...toLabelSettings(known),
    ...toChangesSettings(known),
    ...toWebhookSettings(known),
    ...toLogSettings(known),
    ...toVerifySettings(known),
    ...toMetricsSettings(known),
    network: known.ENS_NETWORK,
    port: known.PORT,
    payments: toPaymentSettings(known),
  };
}

/**
 * The settings of operators' programs that need the database only.
 *
 * @throws SettingsError as `readSettings` does
 */
export const readDatabaseSettings = (env: Given): DatabaseSettings =>
  toDatabaseSettings(check(databaseVariables, env));
