import pg from "pg";
import type { Given } from "../../settings/check.ts";
import { SettingsError } from "../../settings/check.ts";
import { loadEnvironmentFiles } from "../../settings/environment.ts";
import { hideSecrets } from "../../settings/hideSecrets.ts";
import { refuseMisspelt } from "../../settings/misspelt.ts";
import { isUnreachable } from "../../src/api/server/postgres/databaseErrors.ts";
import { errorText } from "../log/entry.ts";
import { CommandError } from "./command.ts";
import { escapeOutput, onOneLine } from "./foreignText.ts";

/** What a program printed last, and its exit code; 0 by default. */
export type Result = { text?: string; code?: number };

export type ProgramFrame = {
  /** The entry file hands it on whole. Files with settings (`.env`) are added to it. */
  env: Given;
  /** The text that explains the program, if the command line asks for it. No setting is read then. */
  help?: string | null;
  /** First line of a message: what did not happen. */
  failure: string;
  /** Where the secrets of settings are hidden. Standard output is not among them where it is for secrets. */
  hideIn: readonly NodeJS.WriteStream[];
  /** Exit code after an error; 1 by default. */
  codeOf?: (error: unknown) => number;
  /** What else to say where a setting is missing or wrong. */
  aboutSettings?: string;
  /** What to say where the role of DATABASE_URL lacks a right; by default, what gives it. */
  aboutRights?: string;
};

/**
 * What every program of an operator does alike: it reads files with settings, hides secrets, escapes what a terminal would
 * obey, and says errors. What an operator can mend is a sentence; only a defect of the program has a stack trace.
 *
 * @example
 * await runProgram(
 *   { env: process.env, failure: "Nothing was changed.", hideIn: [process.stderr] },
 *   async (env) => ({ text: await work(readSettings(env)) }),
 * );
 */
export async function runProgram(
  frame: ProgramFrame,
  work: (env: Given) => Promise<Result | undefined>,
): Promise<void> {
  const { env, help, hideIn, codeOf = () => 1 } = frame;
  if (help) return console.log(help);
  try {
    loadEnvironmentFiles();
    hideSecrets(env, hideIn);
    escapeOutput();
    refuseMisspelt(env);
    const { text, code } = (await work(env)) ?? {};
    if (text !== undefined) console.log(text);
    if (code !== undefined) process.exitCode = code;
  } catch (error) {
    console.error(explain(error, frame));
    process.exitCode = codeOf(error);
  }
}

function explain(error: unknown, { failure, aboutSettings, aboutRights }: ProgramFrame): string {
  if (error instanceof CommandError) return error.message;
  const more = error instanceof SettingsError && aboutSettings ? [aboutSettings] : [];
  return [failure, reasonOf(error, aboutRights), ...more].join("\n");
}

/** Why a program failed: in a sentence where an operator can mend it, else with the stack. */
export function reasonOf(error: unknown, aboutRights?: string): string {
  if (error instanceof CommandError || error instanceof SettingsError) return error.message;
  return databaseFault(error, aboutRights) ?? errorText(error);
}

/** PostgreSQL's codes for a right that is missing: to do something, and to use any schema of the search path. */
const WITHOUT_RIGHT = ["42501", "3F000"];

const giveRights =
  "The role in DATABASE_URL lacks a privilege. To grant it, run `npm run roles` with the DATABASE_URL of the database's owner.";

const refusalOf = ({ message, code = "" }: pg.DatabaseError, aboutRights = giveRights): string => {
  const refusal = `PostgreSQL error: ${onOneLine(message)}`;
  return WITHOUT_RIGHT.includes(code) ? `${refusal}\n${aboutRights}` : refusal;
};

/** What an operator can mend of the database, in a sentence. */
function databaseFault(error: unknown, aboutRights?: string): string | null {
  if (!(error instanceof Error)) return null;
  if (error instanceof pg.DatabaseError) return refusalOf(error, aboutRights);
  if (!isUnreachable(error)) return null;
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return "The connection to the database was lost. Is it running?";
  return `DATABASE_URL: cannot connect to the database (${code}). Is it running?`;
}

/**
 * Aborts at the first SIGINT or SIGTERM, whose name is its reason, so that a program can end in good order. A second one
 * ends the process at once.
 */
export function interruption(code = 1): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(code);
      controller.abort(signal);
    });
  }
  return controller.signal;
}
