import { z } from "zod";
import type { PaymentSettings } from "../src/api/access/payment.ts";
import { type AccessSettings, accessExpectations, accessVariables, toAccessSettings } from "./access.ts";
import { type AgeSettings, ageExpectations, ageVariables, toAgeSettings } from "./age.ts";
import {
  type DatabaseSettings,
  databaseExpectations,
  databaseVariables,
  toDatabaseSettings,
} from "./database.ts";
import { check, type Given } from "./fault.ts";
import { type LogSettings, logExpectations, logVariables, toLogSettings } from "./log.ts";
import { type Network, networkExpectations, networkVariables, readDeployment } from "./network.ts";
import { paymentExpectations, paymentVariables, readPayments } from "./payments.ts";
import { type RpcSettings, rpcExpectations, rpcVariables, toRpcSettings } from "./rpc.ts";

export { SettingsError } from "./fault.ts";

/** Everything an operator can choose, by subject. The README's table of settings says the same in words. */
export type Settings = DatabaseSettings &
  RpcSettings &
  AccessSettings &
  AgeSettings &
  LogSettings & {
    network: Network;
    port: number;
    /** How requests are paid for one by one; null where they are not. */
    payments: PaymentSettings | null;
  };

/** In the order in which faults are told. */
const variables = z.object({
  ...networkVariables.shape,
  ...databaseVariables.shape,
  PORT: z.coerce.number().int().min(1).max(65535).default(42069),
  ...rpcVariables.shape,
  ...accessVariables.shape,
  ...ageVariables.shape,
  ...paymentVariables.shape,
  ...logVariables.shape,
});

const expectations = {
  ...networkExpectations,
  ...databaseExpectations,
  PORT: ["a port from 1 to 65535", "42069"],
  ...rpcExpectations,
  ...accessExpectations,
  ...ageExpectations,
  ...paymentExpectations,
  ...logExpectations,
} as const;

/**
 * Reads and checks the settings from environment variables (and the deployment file that they name).
 *
 * @throws SettingsError for the first settings that are missing or wrong, all of them in one message
 */
export function readSettings(env: Given): Settings {
  const given = withoutEmpty(env);
  const known = check(variables, expectations, given);
  const rpc = toRpcSettings(known, given, readDeployment(known));
  const database = toDatabaseSettings(known);
  const payments = readPayments(known, given);
  return {
    ...{ ...database, ...rpc, ...toAccessSettings(known), ...toAgeSettings(known), ...toLogSettings(known) },
    network: known.ENS_NETWORK,
    port: known.PORT,
    payments,
  };
}

/**
 * The settings of an operator's programs that work on the database alone.
 *
 * @throws SettingsError as `readSettings` does
 */
export function readDatabaseSettings(env: Given): DatabaseSettings {
  return toDatabaseSettings(check(databaseVariables, databaseExpectations, withoutEmpty(env)));
}

const withoutEmpty = (env: Given): Given =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
