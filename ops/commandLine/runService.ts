import type { Given } from "../../settings/check.ts";
import { loadEnvironmentFiles } from "../../settings/environment.ts";
import { hideSecrets } from "../../settings/hideSecrets.ts";
import { readLogFormat } from "../../settings/log.ts";
import { refuseMisspelt } from "../../settings/misspelt.ts";
import { sendConsoleTo } from "../log/console.ts";
import { createLog, type ProgramLog } from "../log/log.ts";
import { codeOfFailure } from "./exitCodes.ts";
import { escapeOutput } from "./foreignText.ts";
import { reasonOf } from "./runProgram.ts";

export type ServiceFrame = {
  /** The entry file hands it on whole. Files with settings (`.env`) are added to it. */
  env: Given;
  /** Its name in the log. */
  program: string;
  /** What did not happen, where it cannot start. */
  failure: string;
};

/**
 * What programs that run until they are stopped do alike: they read files with settings, hide secrets, and say all that
 * they say in one form, their log.
 *
 * @example
 * await runService({ env: process.env, program: "gateway", failure: "The gateway cannot start." }, start);
 */
export async function runService(
  { env, program, failure }: ServiceFrame,
  start: (env: Given, log: ProgramLog) => Promise<void>,
): Promise<void> {
  loadEnvironmentFiles();
  hideSecrets(env, [process.stdout, process.stderr]);
  escapeOutput();
  const log = createLog({ program, format: formatOf(env) });
  sendConsoleTo({
    info: (fields, message) => log.info(message, fields),
    warn: (fields, message) => log.warn(message, fields),
    error: (fields, message) => log.error(message, fields),
  });
  try {
    refuseMisspelt(env);
    await start(env, log);
  } catch (error) {
    log.error(failure, { error: reasonOf(error) });
    process.exitCode = codeOfFailure(error);
  }
}

/** The settings say later that this one is wrong. */
function formatOf(env: Given): "json" | "text" {
  const isTerminal = process.stdout.isTTY === true;
  try {
    return readLogFormat(env, { isTerminal });
  } catch {
    return isTerminal ? "text" : "json";
  }
}
